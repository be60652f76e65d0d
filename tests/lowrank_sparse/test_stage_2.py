import itertools

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from seedbed.lowrank_sparse import selection
from seedbed.lowrank_sparse.budget import Compressed, budget, parameter_count, whole_units
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.cap import Allocating, Decomposing, allocate, decompose, one_part, select, trajectory
from seedbed.lowrank_sparse.config import Variant
from seedbed.lowrank_sparse.factors import LowRankSparseLinear
from seedbed.lowrank_sparse.policy_gradient import PolicyGradient, reinforce, score_gradient
from seedbed.lowrank_sparse.probabilities import init_probabilities
from seedbed.lowrank_sparse.projection import project_budget
from seedbed.lowrank_sparse.selection import select_topk
from seedbed.lowrank_sparse.variants import trajectories

RNG = np.random.default_rng(0)


def weights():
    draw = np.random.default_rng(1)
    return {
        name: torch.from_numpy(draw.standard_normal(s)).float() for name, s in {"a": (24, 16), "b": (12, 20)}.items()
    }


def pool_of(n_iter=40):
    return CandidatePool(decompose(weights(), Decomposing(n_iter), {}))


# --- projection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", ["cost", "euclidean"])
def test_projection_is_the_nearest_point(norm):
    draw = np.random.default_rng(2)
    for _ in range(3):
        y, costs = draw.normal(0.5, 0.5, 20), draw.integers(1, 9, 20).astype(float)
        ours = project_budget(torch.from_numpy(y), torch.from_numpy(costs), 20.0, norm).numpy()
        metric = costs if norm == "cost" else np.ones(20)
        limit = {"type": "ineq", "fun": lambda s, costs=costs: 20 - costs @ s}
        found = minimize(
            lambda s, y=y, w=metric: w @ (s - y) ** 2, np.full(20, 0.1), bounds=[(0, 1)] * 20, constraints=limit,
            method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        np.testing.assert_allclose(ours, found.x, atol=1e-4)


@pytest.mark.parametrize("norm", ["cost", "euclidean"])
def test_projection_is_feasible_idempotent_and_leaves_the_inside_alone(norm):
    y, costs = torch.rand(500, dtype=torch.float64) * 2 - 0.5, torch.randint(1, 300, (500,))
    s = project_budget(y, costs, 9000.0, norm)
    assert float(costs.double() @ s) == pytest.approx(9000, rel=2e-7)  # complementary slackness: all is spent
    assert 0 <= float(s.min()) <= float(s.max()) <= 1
    torch.testing.assert_close(project_budget(s, costs, 9000.001, norm), s)
    inside = torch.full((500,), 0.01, dtype=torch.float64)
    assert torch.equal(project_budget(inside, costs, 9000.0, norm), inside)


def test_the_euclidean_norm_wipes_out_ranks_before_entries():
    y, costs = torch.full((101,), 0.5, dtype=torch.float64), torch.tensor([100] + [1] * 100)
    euclidean, cost = (project_budget(y, costs, 51.0, norm) for norm in ("euclidean", "cost"))
    assert float(euclidean[0]) < 0.05 < 0.49 < float(euclidean[1])
    assert float(cost[0]) == pytest.approx(float(cost[1]))


# --- policy gradient --------------------------------------------------------------------------------------------------


def enumerated(s, loss, baseline):
    """Mean and variance of the estimator over all masks, exactly."""
    masks = torch.tensor(list(itertools.product([0.0, 1.0], repeat=len(s))), dtype=torch.float64)
    p = (masks * s + (1 - masks) * (1 - s)).prod(1)
    values = torch.stack([(loss(m) - baseline) * score_gradient(m, s, eps=0) for m in masks])
    mean = p @ values
    return mean, p @ (values - mean).square()


def test_the_estimator_is_unbiased_and_a_baseline_only_lowers_its_variance():
    A = torch.from_numpy(np.random.default_rng(3).standard_normal((8, 8)))
    offset = 20.0

    def loss(m):
        return m @ A @ m + offset

    s = torch.linspace(0.2, 0.8, 8, dtype=torch.float64, requires_grad=True)
    expected = s @ A @ s + ((A.diagonal()) * (s - s * s)).sum() + offset  # E[mᵀAm]
    (exact,) = torch.autograd.grad(expected, s)
    without, variance = enumerated(s.detach(), loss, 0.0)
    with_baseline, lower = enumerated(s.detach(), loss, float(expected))
    torch.testing.assert_close(without, exact)
    torch.testing.assert_close(with_baseline, exact)
    assert bool((lower < variance).all())


def test_variance_of_a_coordinate_grows_linearly_with_the_number_of_candidates():
    def variance(n):
        s = torch.full((n,), 0.5, dtype=torch.float64)
        return float(enumerated(s, lambda m: m.sum(), n / 2)[1][0])

    two, four, eight = (variance(n) for n in (2, 4, 8))
    assert eight - four == pytest.approx(2 * (four - two))


@pytest.mark.parametrize(
    "settings", [PolicyGradient(300, 0.02), PolicyGradient(300, 0.3, decay=0.8, parametrisation="logit")]
)
def test_policy_gradient_finds_the_candidates_that_count(settings):
    worth = torch.tensor([1.0] * 5 + [0.0] * 5)
    start = torch.full((10,), 0.5)
    loss = lambda mask, step: float(1 - worth @ mask / 5)  # noqa: E731
    *_, (s, _) = reinforce(start, torch.ones(10), loss, 5, settings, np.random.default_rng(0))
    assert float(s[:5].mean()) > float(s[5:].mean()) + 0.3
    assert float(s.sum()) <= 5 + 0.01


def test_the_baseline_is_of_losses_before_this_one():
    losses = iter([7.0, 1.0, 2.0, 3.0])
    steps = [step for _, step in reinforce(torch.full((4,), 0.5), torch.ones(4), lambda m, k: next(losses), 2,
                                           PolicyGradient(3, window=2), np.random.default_rng(0))]  # fmt: skip
    assert [step.baseline for step in steps] == [7.0, 4.0, 1.5]


# --- candidates, selection, factors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["density", "magnitude", "uniform"])
def test_first_probabilities_spend_the_budget(how):
    pool = pool_of()
    s = init_probabilities(pool, 300, how)
    assert float(pool.costs.double() @ s.double()) == pytest.approx(300, rel=1e-4)


def test_first_probabilities_rank_by_value_for_cost():
    pool = pool_of()
    s = init_probabilities(pool, 300)
    order = pool.density.argsort()
    assert bool((s[order].diff() >= -1e-7).all())


def test_selection_never_exceeds_and_leaves_less_than_any_cost_left_out():
    draw = np.random.default_rng(4)
    for _ in range(50):
        scores, costs = torch.from_numpy(draw.random(60)), torch.from_numpy(draw.integers(1, 30, 60))
        total = int(draw.integers(1, 400))
        kept = select_topk(scores, scores, costs, total)
        left = total - int(costs[kept].sum())
        assert left >= 0
        assert kept.all() or left < int(costs[~kept].min())
        expected, room = torch.zeros(60, dtype=torch.bool), total  # the rule, spelt out
        for place in scores.argsort(descending=True):
            if costs[place] <= room:
                expected[place], room = True, room - int(costs[place])
        assert torch.equal(kept, expected)


def test_selection_at_equal_costs_is_top_k_and_nested():
    scores, ones = torch.from_numpy(np.random.default_rng(5).random(100)), torch.ones(100, dtype=torch.int64)
    masks = [select_topk(scores, scores, ones, k) for k in (10, 40, 100)]
    assert set(masks[0].nonzero().flatten().tolist()) == set(scores.topk(10).indices.tolist())
    assert bool((masks[0] <= masks[1]).all())
    assert bool(masks[2].all())


def test_selection_is_the_same_however_many_are_sorted_at_once(monkeypatch):
    draw = np.random.default_rng(7)
    for levels in (1, 3, 1000):  # from all equal to hardly any
        scores, density = (torch.from_numpy(draw.integers(0, levels, 400) / levels).float() for _ in range(2))
        costs = torch.from_numpy(np.where(draw.random(400) < 0.1, 50, 1))
        total = int(draw.integers(1, int(costs.sum())))
        monkeypatch.setattr(selection, "SORTED", 1000)
        expected = select_topk(scores, density, costs, total)
        monkeypatch.setattr(selection, "SORTED", 5)
        assert torch.equal(select_topk(scores, density, costs, total), expected)


def test_stops_of_one_run_are_runs_of_their_own():
    pool, loss = pool_of(), lambda weights, step: float(weights["a"].square().sum())

    def settings(n_iter):
        return Allocating(policy=PolicyGradient(n_iter))

    states = list(trajectory(pool, 0.5, settings(0), loss, np.random.default_rng(8), [0, 2, 5]))
    for n_iter, state in zip([0, 2, 5], states, strict=True):
        alone = allocate(pool, 0.5, settings(n_iter), loss, np.random.default_rng(8))
        assert torch.equal(state.mask, alone.mask)
        assert torch.equal(state.final, alone.final)
        assert state.trace == alone.trace


def test_variants_that_differ_in_policy_steps_alone_are_one_run():
    defaults = Variant().model_dump(mode="json")
    variants = {
        "paper": defaults,
        "sparse_only": defaults | {"policy_iterations": 0, "candidates": "sparse"},
        "no_policy": defaults | {"policy_iterations": 0},
        "matrix_budgets": defaults | {"policy_iterations": 0, "scope": "matrix"},
    }
    groups = [list(group) for group in trajectories(variants)]
    assert sorted(groups) == [["matrix_budgets"], ["no_policy", "paper"], ["sparse_only"]]
    assert groups[-1] == ["sparse_only"]


def test_ties_go_by_density():
    kept = select_topk(torch.ones(3), torch.tensor([1.0, 3.0, 2.0]), torch.ones(3, dtype=torch.int64), 2)
    assert kept.tolist() == [False, True, True]


def test_all_candidates_give_back_both_parts():
    pool = pool_of(10)
    everything = torch.ones(len(pool), dtype=torch.bool)
    for name, split in pool.decompositions.items():
        torch.testing.assert_close(pool.weight(name, everything), split.L + split.S)


def test_input_scaling_is_undone():
    rms = {name: torch.rand(W.shape[1]) + 0.5 for name, W in weights().items()}
    pool = CandidatePool(decompose(weights(), Decomposing(200, activations=True), rms), rms)
    for name, W in weights().items():
        torch.testing.assert_close(pool.weight(name, torch.ones(len(pool))), W, atol=1e-3, rtol=0)


def test_factors_compute_what_the_masked_matrix_does():
    pool = pool_of()
    mask = torch.from_numpy(np.random.default_rng(6).random(len(pool)) < 0.5)
    for name, W in weights().items():
        layer, x = LowRankSparseLinear.of(pool, name, mask, torch.ones(len(W))), torch.randn(2, 3, W.shape[1])
        expected = x @ pool.weight(name, mask).T + 1
        torch.testing.assert_close(layer(x), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", ["both", "L", "S", "low_rank", "sparse"])
@pytest.mark.parametrize("scope", ["global", "matrix"])
def test_any_variant_keeps_to_the_budget(kind, scope):
    W = weights()
    pool = CandidatePool(one_part(W, kind, decompose(W, Decomposing(), {})))
    found = allocate(pool, 0.5, Allocating(scope, policy=PolicyGradient(0)), None, RNG)
    compressed = pool.compressed(found.mask)
    assert parameter_count(compressed)["parameters"] <= budget([w.shape for w in W.values()], 0.5)
    if scope == "matrix":
        assert all(matrix.parameters <= W[name].numel() // 2 for name, matrix in compressed.items())
    ranks, entries = sum(m.rank for m in compressed.values()), sum(m.nonzeros for m in compressed.values())
    assert ranks == 0 or kind in ("both", "L", "low_rank")
    assert entries == 0 or kind in ("both", "S", "sparse")


def test_one_part_of_the_whole_matrix_is_the_whole_matrix():
    W = weights()
    splits = decompose(W, Decomposing(), {})
    for kind in ("low_rank", "sparse"):
        pool = CandidatePool(one_part(W, kind, splits))
        for name in W:
            torch.testing.assert_close(pool.weight(name, torch.ones(len(pool))), W[name], atol=1e-5, rtol=1e-5)


def test_sparse_alone_without_policy_is_global_magnitude_pruning():
    W = weights()
    pool = CandidatePool(one_part(W, "sparse", decompose(W, Decomposing(), {})))
    mask = select(pool, init_probabilities(pool, 312), 0.5, "global")
    kept = torch.cat([w.abs().flatten() for w in W.values()])[mask]
    assert float(kept.min()) >= float(torch.cat([w.abs().flatten() for w in W.values()])[~mask].max())


# --- budget -----------------------------------------------------------------------------------------------------------


def test_parameters_and_bytes_are_counted_by_hand():
    matrix = Compressed(torch.zeros(10, 20), 2, 30)
    assert matrix.parameters == 2 * 30 + 30
    assert matrix.bytes("none") == 180
    assert matrix.bytes("bitmap") == 180 + 25
    assert matrix.bytes("csr") == 180 + 60 + 44
    assert parameter_count({"w": matrix})["realised_ratio"] == pytest.approx(1 - 90 / 200)


def test_a_matrix_that_would_grow_is_stored_dense():
    matrix = Compressed(torch.zeros(10, 20), 6, 30)
    assert matrix.dense
    assert matrix.parameters == 200


def test_half_of_the_entries_with_a_bitmap_are_not_half_of_the_bytes():
    count = parameter_count({"w": Compressed(torch.zeros(16, 16), 0, 128)}, "bitmap")
    assert count["byte_share"] == pytest.approx(0.5 + 1 / 16)


def test_whole_units_spend_what_rounding_leaves():
    assert whole_units([2.5, 1.5, 3.0], [10, 10, 10], 70) == [3, 1, 3]
    with pytest.raises(ValueError, match="between 0 and 1"):
        budget([(2, 2)], 1.5)
