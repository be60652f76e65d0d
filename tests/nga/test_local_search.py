"""Swaps gain what a recount says; searches find optima of small pairs."""

import numpy as np
import pytest
from labelled import random_graph, relabelled

from seedbed.nga import graduated_assignment, local_search, neural_tabu, random_walk, tabu_search
from seedbed.nga.association import association_common_graph
from seedbed.nga.common_subgraph import common_edges
from seedbed.nga.exact import maximum_common_edges
from seedbed.nga.local_search import SwapNeighbourhood, random_permutations
from seedbed.nga.neural_tabu import completed


def test_gains_are_those_of_a_recount():
    generator = np.random.default_rng(0)
    for n1, n2 in ((4, 7), (6, 6), (7, 5)):
        neighbourhood = SwapNeighbourhood(random_graph(generator, n1), random_graph(generator, n2))
        graph = neighbourhood.graph
        permutations = random_permutations(generator, 3, graph.shape[1])
        gains = neighbourhood.gains(permutations)
        before = graph.count_edges(permutations[:, : graph.shape[0]])
        for u in range(graph.shape[1]):
            for w in range(u):
                swapped = permutations.copy()
                swapped[:, [u, w]] = swapped[:, [w, u]]
                assert (gains[:, u, w] == graph.count_edges(swapped[:, : graph.shape[0]]) - before).all()


@pytest.mark.parametrize("method", [local_search, tabu_search, neural_tabu])
def test_small_pairs_are_solved(method):
    generator = np.random.default_rng(1)
    pairs = [(random_graph(generator, 8, 0.35), random_graph(generator, 9, 0.35)) for _ in range(5)]
    for pair, found in zip(pairs, method.solve(pairs, generator.spawn(5), starts=8, steps=120), strict=True):
        assert len(common_edges(*pair, found.mapping)) == maximum_common_edges(association_common_graph(*pair)).lower


def test_tabu_search_leaves_local_optima():
    generator = np.random.default_rng(3)
    for _ in range(8):
        pair = random_graph(generator, 9, 0.35, node_kinds=1), random_graph(generator, 9, 0.35, node_kinds=1)
        (found,) = tabu_search.solve([pair], generator.spawn(1), starts=1, steps=400)
        assert len(common_edges(*pair, found.mapping)) == maximum_common_edges(association_common_graph(*pair)).lower


def test_the_hybrid_goes_on_from_the_best_maps():
    generator = np.random.default_rng(4)
    pair, seen = (random_graph(generator, 12, 0.3), random_graph(generator, 14, 0.3)), []
    (found,) = neural_tabu.solve([pair], generator.spawn(1), starts=2, first_steps=5, steps=0, watch=seen.append)
    assert len(common_edges(*pair, found.mapping)) == max(seen) > min(seen)


@pytest.mark.parametrize("method", [graduated_assignment, random_walk])
def test_relaxations_find_a_copy_without_symmetry(method):
    graph = random_graph(np.random.default_rng(2), 10, 0.4)
    copy = relabelled(graph, np.random.default_rng(6).permutation(10))
    (found,) = method.solve([(graph, copy)], np.random.default_rng(0).spawn(1))
    assert len(common_edges(graph, copy, found.mapping)) == graph.n_edges


def test_maps_are_completed_to_permutations():
    assert completed(np.array([[2, 0], [1, 3]]), 4).tolist() == [[2, 0, 1, 3], [1, 3, 0, 2]]
