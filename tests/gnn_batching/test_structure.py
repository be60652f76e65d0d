"""Closed forms of the discrepancies by simulation; optimal transport by its one-dimensional form."""

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.core.graphs.neighbours import sample_neighbours
from seedbed.gnn_batching.structure import feature_discrepancy, row_discrepancy, structure_distance

GRAPH = stochastic_block_model(60, 3, 10, 0.5, 3, 1.0, np.random.default_rng(0))


@pytest.mark.parametrize("fan_out", [1, 3, 8, 100])
def test_the_row_discrepancy_is_the_same_for_every_sample(fan_out):
    nodes = np.arange(GRAPH.n_nodes)
    block = sample_neighbours(GRAPH, nodes, fan_out, np.random.default_rng(1).random((len(nodes), fan_out)))
    full, sampled = np.zeros((60, 60)), np.zeros((60, 60))
    full[GRAPH.sources, GRAPH.indices] = 1 / GRAPH.degrees[GRAPH.sources]
    sampled[np.repeat(nodes, block.counts), block.indices] = 1 / np.repeat(block.counts, block.counts)
    assert ((full - sampled) ** 2).sum(1) == pytest.approx(row_discrepancy(GRAPH.degrees, fan_out), abs=1e-12)


def test_the_feature_discrepancy_by_simulation():
    node, fan_out, draws = int(GRAPH.degrees.argmax()), 3, 20_000
    x = GRAPH.node_features.astype(np.float64)
    uniforms = np.random.default_rng(2).random((draws, fan_out))
    means = sample_neighbours(GRAPH, np.full(draws, node), fan_out, uniforms).mean(x)
    squared = ((means - x[GRAPH.neighbours(node)].mean(0)) ** 2).sum(1)
    expected = feature_discrepancy(GRAPH, fan_out)[node]
    assert abs(squared.mean() - expected) < 4 * squared.std() / np.sqrt(draws)


def no_labels(points):
    return np.zeros(len(points), int)


def distance(left, right):
    return structure_distance(left, right, no_labels(left), no_labels(right), 0)


def test_distance_of_a_set_to_itself_and_to_its_translation():
    points = np.random.default_rng(0).normal(size=(40, 3))
    shift = np.array([1.0, -2, 0.5])
    assert distance(points, points) == pytest.approx(0, abs=1e-12)
    assert distance(points, points + shift) == pytest.approx(shift @ shift)


def test_distance_in_one_dimension_matches_sorted_points():
    left, right = np.random.default_rng(0).normal(size=(2, 50, 1))
    assert distance(left, right) == pytest.approx(((np.sort(left, 0) - np.sort(right, 0)) ** 2).mean())
    zeros_and_ones = [(np.arange(20)[:, None] < count).astype(float) for count in (5, 12)]  # squares are distances
    assert distance(*zeros_and_ones) == pytest.approx(wasserstein_distance(*(side[:, 0] for side in zeros_and_ones)))


def test_labels_that_differ_cost_the_penalty():
    points = np.zeros((4, 1))
    assert structure_distance(points, points, np.array([0, 0, 0, 1]), np.array([0, 1, 1, 1]), 3.0) == 1.5
