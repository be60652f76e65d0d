"""The predicted recall agrees with what the attack does, and its methods with one another."""

from itertools import combinations

import numpy as np
import pytest

from seedbed.smote_privacy import recall_prediction, recon_smote
from seedbed.smote_privacy.recall_prediction import EdgeGraph, predict_recall
from seedbed.smote_privacy.smote import nearest_neighbours, oversample


@pytest.fixture(scope="module")
def M():
    return np.random.default_rng(0).normal(size=(60, 5))


@pytest.mark.parametrize("ratio", [3, 6, 10, 20])
def test_graph_equals_monte_carlo(M, ratio):
    drawn = predict_recall(M, 5, 60 * ratio, "montecarlo", n_draws=2000, rng=np.random.default_rng(0))
    assert predict_recall(M, 5, 60 * ratio, "graph") == pytest.approx(drawn, abs=0.01)


@pytest.mark.parametrize("ratio", [1, 5, 10, 20, 50])
@pytest.mark.parametrize("k", [3, 5, 10])
def test_the_bound_lies_below_the_graph(M, k, ratio):
    assert predict_recall(M, k, 60 * ratio, "bound") <= predict_recall(M, k, 60 * ratio, "graph")


def test_the_attack_does_as_predicted(M):
    recalls = [
        recon_smote.measure(oversample(M, 500, 5, np.random.default_rng(seed)), np.random.default_rng(0))["recall"]
        for seed in range(12)
    ]
    standard_error = np.std(recalls) / np.sqrt(12)
    assert np.mean(recalls) == pytest.approx(predict_recall(M, 5, 500), abs=0.01 + 3 * standard_error)
    assert np.mean(recalls) >= predict_recall(M, 5, 500, "bound") - 2 * standard_error


def test_misses_fall_exponentially_in_the_ratio():
    """The leading term of the bound's miss, C(k, 2) (λ²/2)^(k-2) exp(-(k-2) λ) for k = 5."""
    n, k = 10_000, 5
    for rate in (12, 16, 20):
        miss = 1 - predict_recall(np.empty((n, 1)), k, rate * n * k, "bound")
        visible_miss = np.exp(-rate) * (1 + rate + rate**2 / 2)
        assert miss == pytest.approx(10 * visible_miss**3, rel=0.05)


def test_poisson_binomial_by_enumeration():
    """Row 0 has four edges of known visibility; its chance of three visible ones is summed over all outcomes."""
    from scipy.stats import binom

    share = np.array([0.1, 0.2, 0.3, 0.4])
    graph = EdgeGraph(5, np.array([[0, 1], [0, 2], [0, 3], [0, 4]]), share)
    q = binom.sf(2, 15, share)
    at_least_three = sum(
        np.prod([q[e] if e in seen else 1 - q[e] for e in range(4)])
        for size in (3, 4)
        for seen in combinations(range(4), size)
    )
    assert recall_prediction._on_graph(graph, 15, 3) == pytest.approx(at_least_three / 5, abs=1e-12)


def test_edges_of_mutual_neighbours_count_twice(M):
    M = np.unique(M, axis=0)  # the order in which the graph numbers its rows
    graph = EdgeGraph.of(M, 5)
    directed = {(i, j) for i, row in enumerate(nearest_neighbours(M, 5).tolist()) for j in row}
    assert len(graph.ends) == len({frozenset(edge) for edge in directed})
    for (i, j), share in zip(graph.ends.tolist(), graph.share, strict=True):
        assert share == pytest.approx((((i, j) in directed) + ((j, i) in directed)) / 300)


def test_edges_between_duplicates_are_no_lines(M):
    graph = EdgeGraph.of(np.concatenate([M, M]), 5)
    assert graph.n_rows == 60
    assert graph.share.sum() < 0.9
    assert (graph.ends[:, 0] != graph.ends[:, 1]).all()


def test_fewer_lines_are_enough_for_more_rows(M):
    assert predict_recall(M, 2, 900, min_lines=2) > predict_recall(M, 2, 900)


def test_measure_has_all_methods(M):
    values = recall_prediction.measure(
        oversample(M, 900, 4, np.random.default_rng(0)), np.random.default_rng(0), tol=1e-9
    )
    assert set(values) == {"graph", "bound", "montecarlo"}
    assert values["graph"] == predict_recall(M, 4, 900)


def test_unknown_method_is_refused(M):
    with pytest.raises(ValueError, match="graph, bound, montecarlo"):
        predict_recall(M, 5, 100, "exact")
