"""Sinkhorn against its definition in the log domain, a reference library and finite differences."""

import numpy as np
import ot
import pytest
import torch
from scipy.special import logsumexp

from seedbed.nga.sinkhorn import sinkhorn


def by_definition(logits, n_iter):
    """Dummy rows written out, rows and columns normalised in turn, rows last."""
    n1, n2 = logits.shape
    scores = np.concatenate([logits, np.zeros((n2 - n1, n2))])
    for _ in range(n_iter):
        scores = scores - logsumexp(scores, axis=1, keepdims=True)
        scores = scores - logsumexp(scores, axis=0, keepdims=True)
    return np.exp(scores - logsumexp(scores, axis=1, keepdims=True))[:n1]


@pytest.mark.parametrize("spread", [1.0, 5.0])
def test_it_is_what_its_definition_says(spread):
    logits = np.random.default_rng(0).normal(0, spread, (5, 8))
    assert sinkhorn(torch.from_numpy(logits)).numpy() == pytest.approx(by_definition(logits, 20), abs=1e-12)


def test_large_scores_in_float32():
    logits = np.random.default_rng(1).uniform(0, 60, (12, 15))
    assert sinkhorn(torch.from_numpy(logits).float()).numpy() == pytest.approx(by_definition(logits, 20), abs=1e-3)


def test_rows_sum_to_one_and_columns_to_at_most_one():
    plan = sinkhorn(torch.randn(3, 2, 6, 9, generator=torch.Generator().manual_seed(0)), n_iter=200)
    assert plan.sum(-1).numpy() == pytest.approx(1, abs=1e-5)
    assert plan.sum(-2).max() <= 1 + 1e-4


def test_constants_on_rows_and_columns_change_nothing():
    generator = np.random.default_rng(2)
    logits = generator.normal(size=(6, 6))
    moved = logits + generator.normal(size=(6, 1)) + generator.normal(size=(1, 6))
    plans = [sinkhorn(torch.from_numpy(scores), n_iter=300).numpy() for scores in (logits, moved)]
    assert plans[0] == pytest.approx(plans[1], abs=1e-8)


def test_it_is_the_entropic_plan_of_optimal_transport():
    logits = np.random.default_rng(3).normal(size=(7, 7))
    plan = ot.sinkhorn(np.ones(7), np.ones(7), -logits, reg=1.0, stopThr=1e-12)
    assert sinkhorn(torch.from_numpy(logits), n_iter=500).numpy() == pytest.approx(plan, abs=1e-6)


def test_the_gradient_is_that_of_finite_differences():
    logits = torch.randn(2, 4, 6, dtype=torch.double, generator=torch.Generator().manual_seed(0), requires_grad=True)
    assert torch.autograd.gradcheck(lambda scores: sinkhorn(scores, n_iter=7), logits)


def test_a_mask_is_a_score_too_low_to_be_used():
    generator = torch.Generator().manual_seed(2)
    logits = torch.randn(3, 2, 4, 6, dtype=torch.double, generator=generator, requires_grad=True)
    mask = torch.rand(3, 1, 4, 6, generator=generator) < 0.7
    mask[:, :, 1] = False  # a row that has no cell
    mask[:, :, 0, 0] = True
    plan = sinkhorn(logits, mask=mask, n_iter=7)
    forbidden = torch.full_like(logits, -1e4)
    for sample in np.ndindex(3, 2):
        scores = torch.where(mask[sample[0]], logits, forbidden)[sample].detach()
        scores[1] = 0  # its mass goes to cells that are dropped
        floored = torch.maximum(scores, scores.amax(1, keepdim=True) - 40)
        wanted = by_definition(floored.numpy(), 7) * mask[sample[0], 0].numpy()
        assert plan[sample].detach().numpy() == pytest.approx(wanted, abs=1e-12)
    assert torch.autograd.gradcheck(lambda scores: sinkhorn(scores, mask=mask, n_iter=7), logits)
    (gradient,) = torch.autograd.grad((plan**2).sum(), logits)
    assert (gradient[(~mask).expand_as(gradient)] == 0).all()


def test_scores_at_the_floor_have_no_gradient():
    logits = torch.tensor([[0.0, -60.0, 1.0], [2.0, 0.0, -60.0]], dtype=torch.double, requires_grad=True)
    weights = torch.tensor([[1.0, 3.0, -2.0], [0.5, 4.0, 1.0]]).double()
    assert torch.autograd.gradcheck(lambda scores: (weights * sinkhorn(scores)).sum(), logits)


def test_padding_changes_nothing():
    logits = torch.randn(4, 6, dtype=torch.double, generator=torch.Generator().manual_seed(1))
    padded = torch.full((5, 8), 3.0, dtype=torch.double)
    padded[:4, :6] = logits
    rows, columns = torch.tensor([[1.0], [1], [1], [1], [0]]).double(), torch.tensor([[1.0]] * 6 + [[0.0]] * 2).double()
    plan = sinkhorn(padded, rows, columns, torch.tensor([[2.0]]).double())
    assert plan[:4, :6].numpy() == pytest.approx(sinkhorn(logits).numpy(), abs=1e-12)
    assert plan[:, 6:].abs().max() == 0
