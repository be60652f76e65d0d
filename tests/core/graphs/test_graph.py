"""A graph is stored whole, in both directions, or refused with the place of the fault."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from seedbed.core.graphs.graph import Graph


@st.composite
def edge_lists(draw):
    n = draw(st.integers(1, 8))
    pairs = [(u, v) for u in range(n) for v in range(u)]
    return n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@settings(max_examples=60, deadline=None)
@given(edge_lists())
def test_the_constructors_agree_with_networkx(case):
    n, edges = case
    reference = nx.empty_graph(n)
    for number, (u, v) in enumerate(edges):
        reference.add_edge(u, v, kind=number, length=number + 0.5)
    graph = Graph.from_networkx(reference, edge_label="kind", edge_weight="length")
    expected = nx.to_scipy_sparse_array(reference, weight="length", format="csr", dtype=float)
    assert (graph.to_scipy() != expected).nnz == 0
    assert graph.n_edges == len(edges) == len(graph.edges)
    assert graph.degrees.tolist() == [degree for _, degree in reference.degree]
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels[graph.is_forward].tolist(), strict=True):
        assert u < v and reference.edges[u, v]["kind"] == label
        assert v in graph.neighbours(u) and u in graph.neighbours(v)
    again = Graph.from_scipy(graph.to_scipy(), weighted=True)
    assert (again.indices == graph.indices).all() and (again.edge_weights == graph.edge_weights).all()


def test_node_data_and_splits_are_kept():
    graph = Graph.from_edges(3, [(2, 0)], node_features=np.eye(3), node_labels=[1, 1, 0], splits={"train": [0, 2]})
    assert graph.node_features.shape == (3, 3)
    assert graph.node_labels.tolist() == [1, 1, 0]
    assert graph.splits["train"].tolist() == [0, 2]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph.from_edges(2, [(0, 2)]), r"\(0, 2\) is not between nodes 0 … 1"),
        (lambda: Graph.from_edges(2, [(1, 1)]), "node 1 has an edge to itself"),
        (lambda: Graph.from_edges(2, [(0, 1), (1, 0)]), "node 0: its neighbours .* twice"),
        (lambda: Graph.from_edges(2, [(0.5, 1)]), "edges: expected integers"),
        (lambda: Graph.from_edges(2, [(0, 1)], edge_labels=[1, 2]), "edge_labels: expected 1 rows"),
        (lambda: Graph.from_edges(2, [(0, 1)], edge_weights=[np.nan]), "edge_weights: not all values are finite"),
        (lambda: Graph.from_edges(2, [(0, 1)], node_labels=[1]), "node_labels: expected 2 rows"),
        (lambda: Graph.from_edges(2, [(0, 1)], node_features=[1, 2]), "node_features: expected .nodes, features"),
        (lambda: Graph.from_edges(2, [(0, 1)], splits={"test": [2]}), "splits\\['test'\\]: expected nodes 0 … 1"),
        (lambda: Graph.from_edges(2, [(0, 1)], splits={"test": [1, 0]}), "expected ascending node numbers"),
        (lambda: Graph([0, 1, 1], [1]), "not symmetric: there is an edge 0 → 1"),
        (lambda: Graph([0, 1, 2], [1, 0], edge_labels=[1, 2]), "edge_labels: edge 0 → 1 has another value"),
        (lambda: Graph([0, 2], [1]), "expected 2 entries"),
        (lambda: Graph.from_scipy(sparse.csr_array((2, 3))), "expected a square matrix"),
        (lambda: Graph.from_networkx(nx.DiGraph([(0, 1)])), "found a DiGraph"),
        (lambda: Graph.from_networkx(nx.path_graph(2), node_label="kind"), "attribute 'kind': .* has none"),
    ],
)
def test_a_fault_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
