from importlib import import_module
from typing import get_args

import numpy as np
import pytest
import torch

from seedbed.core.lm.evaluate import evaluate
from seedbed.core.lm.models import llama
from seedbed.lowrank_sparse.alpha_pruning import alpha_ratios, hill_exponent
from seedbed.lowrank_sparse.budget import Compressed, budget, parameter_count
from seedbed.lowrank_sparse.config import Baseline
from seedbed.lowrank_sparse.magnitude import row_mask
from seedbed.lowrank_sparse.oats import leading, oats
from seedbed.lowrank_sparse.owl import owl_ratios
from seedbed.lowrank_sparse.sparsegpt import sparsegpt
from seedbed.lowrank_sparse.svd import truncated_svd
from seedbed.lowrank_sparse.task import CompressionTask, activation_rms, reconstruction_errors, squared_norms
from seedbed.lowrank_sparse.wanda import wanda_mask

METHODS = [method for method in get_args(Baseline) if method != "dense"]
TOKENS = np.random.default_rng(0).integers(0, 256, 2000).astype(np.uint16)


@pytest.fixture(scope="module")
def task():
    return CompressionTask(llama(256, 64, 3, 2, 32, seed=0), [1, 2])


@pytest.fixture(scope="module")
def grams(task):
    return task.grams(task.text(TOKENS, 8, 32, 32))


def W_and_X(m=20, n=32):
    draw = np.random.default_rng(1)
    X = torch.from_numpy(draw.standard_normal((400, n)) @ draw.standard_normal((n, n)))
    return torch.from_numpy(draw.standard_normal((m, n))), X


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ratio", [0.2, 0.5, 0.7])
def test_every_method_removes_what_it_should(task, grams, method, ratio):
    matrices = import_module(f"seedbed.lowrank_sparse.{method}").compress(task.weights, grams, ratio)
    removed = parameter_count(matrices)["realised_ratio"]
    slack = (
        0.02 if method in ("svd", "asvd", "wanda", "owl", "alpha_pruning", "oats") else 1e-3
    )  # a rank, a row: 1 % here
    assert ratio - 1e-9 <= removed <= ratio + slack
    for name, matrix in matrices.items():
        assert matrix.weight.shape == task.weights[name].shape
        if matrix.rank == 0:
            assert int((matrix.weight != 0).sum()) <= matrix.nonzeros


def test_loss_without_compression_is_that_of_the_whole_model(task):
    text = task.text(TOKENS, 8, 32, 32)
    whole = evaluate(task.model, TOKENS, context=32, max_windows=8).window_loss
    np.testing.assert_allclose(task.losses(text).numpy(), whole, atol=1e-5)


def test_only_the_last_targets_count(task):
    logits = task.model(torch.from_numpy(TOKENS[:32].astype(np.int64))[None]).logits[0, -8:]
    targets = torch.from_numpy(TOKENS[25:33].astype(np.int64))
    expected = torch.nn.functional.cross_entropy(logits, targets)
    assert float(task.losses(task.text(TOKENS, 1, 32, 8))[0]) == pytest.approx(float(expected), abs=1e-5)


def test_compression_is_in_place_and_undone(task):
    text = task.text(TOKENS, 8, 32, 32)
    before = task.losses(text)
    zeros = {name: Compressed(torch.zeros_like(W), 0, 0) for name, W in task.weights.items()}
    with task.compressed(zeros):
        assert float((task.losses(text) - before).abs().max()) > 1e-4
    assert torch.equal(task.losses(text), before)


def test_too_short_a_text_is_refused(task):
    with pytest.raises(ValueError, match="too few for 99 windows"):
        task.text(TOKENS, 99, 32, 32)


def test_gram_matrices_are_of_the_inputs(task, grams):
    inputs, name = [], "2.mlp.down_proj"
    hook = task.linears[name].register_forward_pre_hook(lambda module, args: inputs.append(args[0].flatten(0, -2)))
    ids = torch.from_numpy(TOKENS[: 8 * 32].astype(np.int64)).view(8, 32)
    with torch.no_grad():
        task.model(ids)
    hook.remove()
    X = torch.cat(inputs)
    torch.testing.assert_close(grams[name], X.T @ X / len(X), atol=1e-5, rtol=1e-3)
    torch.testing.assert_close(activation_rms(grams[name]), X.square().mean(0).sqrt(), atol=1e-5, rtol=1e-3)


def test_output_error_is_that_on_the_inputs():
    W, X = W_and_X()
    approximation = W + 0.1 * torch.ones_like(W)
    grams = {"w": X.T @ X / len(X)}
    norms = squared_norms({"w": W}, grams)
    found = reconstruction_errors({"w": W}, {"w": Compressed(approximation, 0, 0)}, grams, norms)
    assert found["weight_error"] == pytest.approx(float((W - approximation).norm() / W.norm()))
    assert found["output_error"] == pytest.approx(float((X @ (W - approximation).T).norm() / (X @ W.T).norm()))


def test_the_first_of_equals_are_kept():
    scores = torch.tensor([[3.0, 1.0, 1.0, 1.0], [2.0, 2.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0]])
    assert row_mask(scores, 2).int().tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1]]
    assert not row_mask(scores, 0).any()
    assert row_mask(scores, 4).all()


def test_wanda_keeps_the_same_number_in_every_row_and_the_highest_scores():
    W, X = W_and_X()
    norm = X.norm(dim=0)
    mask = wanda_mask(W, norm, 0.5)
    assert set(mask.sum(1).tolist()) == {16}
    scores = W.abs() * norm
    for row in range(len(W)):
        assert float(scores[row][mask[row]].min()) >= float(scores[row][~mask[row]].max())


def test_sparsegpt_with_white_inputs_is_magnitude_pruning_and_else_better_than_it():
    W, X = W_and_X()
    pruned, mask = sparsegpt(W, torch.eye(32, dtype=W.dtype), 0.5)
    assert torch.equal(mask, W.abs() >= W.abs().flatten().topk(320).values[-1])
    torch.testing.assert_close(pruned, W * mask)
    H = X.T @ X / len(X)
    pruned, kept = sparsegpt(W, H, 0.5, block=8)
    assert int(kept.sum()) == 320
    assert not pruned[~kept].any()
    error = [float((X @ (W - V).T).norm()) for V in (pruned, W * kept, W * mask)]
    assert error[0] < 0.8 * min(error[1:])


def test_owl_and_alpha_keep_the_mean_and_favour_outliers_and_heavy_tails():
    draw = np.random.default_rng(2)
    plain, wild = draw.random((40, 40)), draw.random((40, 40))
    wild[0] = 30
    ratios = owl_ratios({"plain": torch.from_numpy(plain), "wild": torch.from_numpy(wild)}, 0.5)
    assert ratios["plain"] == pytest.approx(0.58)
    assert ratios["wild"] == pytest.approx(0.42)
    light = torch.from_numpy(draw.standard_normal((40, 40)))
    heavy = torch.from_numpy(draw.standard_cauchy((40, 40)))
    assert hill_exponent(heavy) < hill_exponent(light)
    ratios = alpha_ratios({"light": light, "heavy": heavy}, 0.5)
    assert ratios["light"] == pytest.approx(0.6)
    assert ratios["heavy"] == pytest.approx(0.4)


def test_hill_recovers_the_exponent_of_a_pareto_spectrum():
    alpha, n = 2.5, 2000
    eigenvalues = (1 - (torch.arange(n, dtype=torch.float64) + 0.5) / n) ** (-1 / (alpha - 1))
    assert hill_exponent(torch.diag(eigenvalues.sqrt())[:, :]) == pytest.approx(alpha, rel=0.02)


def test_leading_part_and_svd_are_the_nearest_of_their_rank():
    W, _ = W_and_X()
    sigma = torch.linalg.svdvals(W)
    for nearest in (leading(W, 5), truncated_svd(W, 5)):
        assert float((W - nearest).norm()) == pytest.approx(float(sigma[5:].norm()))
        assert int(torch.linalg.matrix_rank(nearest)) == 5


def test_oats_finds_a_planted_sum_and_its_error_falls():
    draw = np.random.default_rng(3)
    low_rank = torch.from_numpy(draw.standard_normal((40, 2)) @ draw.standard_normal((2, 40)))
    spikes = torch.zeros(40, 40, dtype=torch.float64)
    for row in range(40):
        spikes[row, torch.from_numpy(draw.permutation(40)[:3])] = 9.0
    W, ones = low_rank + spikes, torch.ones(40, dtype=torch.float64)
    errors = [float((oats(W, ones, 0.8, 0.5, n).weight - W).norm() / W.norm()) for n in (1, 10, 80)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-3
    found = oats(W, ones, 0.8, 0.5, 10)
    assert found.parameters <= budget([(40, 40)], 0.8)
