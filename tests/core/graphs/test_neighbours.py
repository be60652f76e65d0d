"""Every set of neighbours is equally likely, none comes twice, and hubs are no exception."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.neighbours import sample_neighbours


def star(leaves):
    """Node 0 joined to all others but the last, which is alone."""
    return Graph.from_edges(leaves + 2, [(0, leaf) for leaf in range(1, leaves + 1)])


@pytest.mark.parametrize(("degree", "fan_out"), [(5, 2), (6, 5), (4, 3)])
def test_every_set_of_neighbours_is_equally_likely(degree, fan_out):
    draws = 6000
    uniforms = np.random.default_rng(0).random((draws, fan_out))
    block = sample_neighbours(star(degree), np.zeros(draws, int), fan_out, uniforms)
    found = np.sort(block.indices.reshape(draws, fan_out), 1)
    sets = {chosen: 0 for chosen in combinations(range(1, degree + 1), fan_out)}
    for row in map(tuple, found.tolist()):
        sets[row] += 1  # a KeyError is a set with a repeat
    assert stats.chisquare(list(sets.values())).pvalue > 1e-3


def test_a_hub_gives_distinct_neighbours():
    block = sample_neighbours(star(10_000), np.zeros(50, int), 15, np.random.default_rng(0).random((50, 15)))
    assert all(len(set(row)) == 15 for row in block.indices.reshape(50, 15).tolist())


def test_a_large_fan_out_keeps_all_neighbours_in_order():
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(20, np.argwhere(np.triu(rng.random((20, 20)) < 0.3, 1)))
    nodes = np.array([3, 7, 3, 19])
    block = sample_neighbours(graph, nodes, 20, np.zeros((4, 20)))
    for row, node in enumerate(nodes):
        assert block.indices[block.indptr[row] : block.indptr[row + 1]].tolist() == graph.neighbours(node).tolist()


def test_a_node_without_neighbours_has_mean_zero():
    graph = star(3)
    features = np.arange(10.0).reshape(5, 2)
    block = sample_neighbours(graph, np.array([4, 1]), 2, np.full((2, 2), 0.5))
    assert block.mean(features).tolist() == [[0, 0], [0, 1]]


def test_the_sampled_mean_is_unbiased_and_not_so_after_relu():
    graph, draws = star(6), 20_000
    features = np.array([0, -3, -2, 0, 1, 2, 4, 9.0])[:, None]
    block = sample_neighbours(graph, np.zeros(draws, int), 2, np.random.default_rng(1).random((draws, 2)))
    means = block.mean(features)[:, 0]
    error = means.std() / np.sqrt(draws)
    exact = features[1:7].mean()
    assert abs(means.mean() - exact) < 4 * error
    assert np.maximum(means, 0).mean() - max(exact, 0) > 4 * error


def test_a_fan_out_of_zero_is_refused():
    with pytest.raises(ValueError, match="fan_out=0"):
        sample_neighbours(star(3), np.array([0]), 0, np.zeros((1, 0)))
