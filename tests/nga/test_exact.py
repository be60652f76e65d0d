"""The exact optimum against closed forms and against trying all maps."""

import networkx as nx
import numpy as np
import pytest
from labelled import brute_force, random_graph, relabelled
from scipy.optimize import linprog, milp

from seedbed.core.graphs.graph import Graph
from seedbed.nga import exact
from seedbed.nga.association import association_common_graph
from seedbed.nga.common_subgraph import common_edges, edge_type_bound, johnson_similarity
from seedbed.nga.exact import maximum_common_edges


def size(first, second):
    graph = association_common_graph(first, second)
    optimum = maximum_common_edges(graph)
    assert optimum.proven
    assert len(common_edges(first, second, graph.mapping(optimum.targets))) == optimum.lower
    assert optimum.lower <= edge_type_bound(first, second)
    return optimum.lower


def unlabelled(graph):
    return Graph.from_networkx(nx.convert_node_labels_to_integers(graph))


@pytest.mark.parametrize(
    ("first", "second", "edges"),
    [
        (nx.path_graph(7), nx.path_graph(4), 3),
        (nx.cycle_graph(6), nx.path_graph(6), 5),
        (nx.complete_graph(3), nx.star_graph(3), 2),  # ΔY: both have three edges, and their line graphs are one
        (nx.complete_graph(4), nx.cycle_graph(4), 4),
        (nx.petersen_graph(), nx.petersen_graph(), 15),
        (
            nx.disjoint_union(nx.cycle_graph(3), nx.path_graph(3)),
            nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(3)),
            5,
        ),
    ],
)
def test_closed_forms(first, second, edges):
    assert size(unlabelled(first), unlabelled(second)) == edges
    assert size(unlabelled(second), unlabelled(first)) == edges


def test_it_agrees_with_trying_all_maps():
    generator = np.random.default_rng(0)
    for _ in range(200):
        first, second = (random_graph(generator, int(generator.integers(1, 6))) for _ in range(2))
        assert size(first, second) == brute_force(first, second)


def test_a_part_is_found_whole_and_names_do_not_matter():
    generator = np.random.default_rng(1)
    whole = random_graph(generator, 12, 0.3)
    labels = whole.edge_labels[whole.is_forward]
    part = Graph.from_edges(12, whole.edges[::2], edge_labels=labels[::2], node_labels=whole.node_labels)
    assert size(relabelled(part, generator.permutation(12)), whole) == part.n_edges
    other = random_graph(generator, 9, 0.4)
    assert size(whole, other) == size(other, relabelled(whole, generator.permutation(12)))


def test_edges_are_tied_to_candidates_as_tightly_as_can_be(monkeypatch):
    """Loosely tied, the program has the same optimum but takes fifty times as long."""
    values = []

    def relaxed(cost, *, integrality, **program):
        values.append(-milp(cost, integrality=0 * integrality, **program).fun)
        return milp(cost, integrality=integrality, **program)

    monkeypatch.setattr(exact, "milp", relaxed)
    generator = np.random.default_rng(4)
    for _ in range(5):
        graph = association_common_graph(*(random_graph(generator, 6, 0.6, node_kinds=1) for _ in range(2)))
        maximum_common_edges(graph)
        assert values.pop() == pytest.approx(relaxation(graph))


def relaxation(graph):
    """Optimum of the linear relaxation, one constraint after the other; a column a candidate, then one an edge."""
    (n1, n2), cells, edges = graph.shape, graph.mask.size, list(zip(graph.edge_a, graph.edge_b, strict=True))
    sums = {}
    for number, edge in enumerate(edges):
        for here, there in (edge, edge[::-1]):
            for key in (("first", here, there // n2), ("second", here, there % n2)):
                row = sums.setdefault(key, np.zeros(cells + len(edges)))
                row[here], row[cells + number] = -1, 1
    once = [np.r_[np.arange(cells) // n2 == u, np.zeros(len(edges))] for u in range(n1)]
    once += [np.r_[np.arange(cells) % n2 == v, np.zeros(len(edges))] for v in range(n2)]
    limits = np.r_[np.zeros(len(sums)), np.ones(n1 + n2)]
    cost = np.r_[np.zeros(cells), -np.ones(len(edges))]
    return -linprog(cost, np.array([*sums.values(), *once]), limits, bounds=(0, 1)).fun


def test_other_alphabets_share_nothing():
    first = Graph.from_edges(3, [(0, 1), (1, 2)], node_labels=[1, 1, 1])
    second = Graph.from_edges(3, [(0, 1), (1, 2)], node_labels=[2, 2, 2])
    assert size(first, second) == 0


def test_the_count_on_the_association_graph_is_that_on_the_graphs():
    generator = np.random.default_rng(2)
    for _ in range(50):
        first, second = random_graph(generator, 6), random_graph(generator, int(generator.integers(3, 9)))
        graph = association_common_graph(first, second)
        n1, n2 = graph.shape
        targets = np.where(generator.random(n1) < 0.8, generator.permutation(n2)[:n1], -1)
        count = len(common_edges(first, second, graph.mapping(targets)))
        assert graph.count_edges(targets) == count
        chosen = np.zeros((n1, n2))
        chosen[np.flatnonzero(targets >= 0), targets[targets >= 0]] = 1
        assert graph.objective(chosen * graph.mask) == 2 * count


def test_a_bound_is_given_where_there_is_no_proof():
    generator = np.random.default_rng(3)
    first, second = (random_graph(generator, 9, 0.4, node_kinds=1, edge_kinds=1) for _ in range(2))
    graph = association_common_graph(first, second)
    limited, optimum = maximum_common_edges(graph, node_limit=1), brute_bound(first, second)
    assert limited.lower <= limited.upper
    assert limited.upper >= optimum


def brute_bound(first, second):
    """A lower bound of the optimum, from 2,000 random maps."""
    graph, generator = association_common_graph(first, second), np.random.default_rng(0)
    maps = generator.permuted(np.tile(np.arange(graph.shape[1]), (2000, 1)), axis=1)[:, : graph.shape[0]]
    return graph.count_edges(maps).max()


def test_a_map_that_is_not_injective_is_refused():
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="sends two nodes to one"):
        common_edges(graph, graph, np.array([0, 1, 0]))


def test_johnson_similarity_of_a_graph_with_itself_and_with_nothing():
    graph = Graph.from_edges(3, [(0, 1), (1, 2)])
    assert johnson_similarity(3, 2, graph, graph) == 1
    assert johnson_similarity(0, 0, graph, graph) == 0
