"""Nearest neighbours are those that a library finds; a block model has the degree and the homophily that it was asked for."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.neighbors import kneighbors_graph

from seedbed.core.errors import Unavailable
from seedbed.core.graphs.generate import nearest_neighbour_graph, stochastic_block_model
from seedbed.core.graphs.load import digits, read_graph, structure_digest, write_graph
from seedbed.core.tables import write_table


def test_nearest_neighbours_are_those_of_scikit_learn():
    table = np.random.default_rng(0).integers(0, 10**6, size=(700, 3))
    graph = nearest_neighbour_graph(table, np.zeros(700, int), 4)
    expected = kneighbors_graph(table.astype(float), 4)
    assert ((expected + expected.T) > 0).astype(int).toarray().tolist() == graph.to_scipy().astype(
        int
    ).toarray().tolist()


def test_of_equally_near_rows_the_first_are_taken():
    graph = nearest_neighbour_graph(np.array([[0], [2], [-2], [3], [-3]]), np.zeros(5, int), 1)
    assert graph.edges.tolist() == [[0, 1], [1, 3], [2, 4]]


def test_a_table_of_floats_is_refused():
    with pytest.raises(ValueError, match="integers"):
        nearest_neighbour_graph(np.zeros((3, 2)), np.zeros(3, int), 1)


def test_a_block_model_has_its_degree_and_homophily():
    graph = stochastic_block_model(3000, 5, 20, 0.7, 4, 1.0, np.random.default_rng(0))
    same = graph.node_labels[graph.sources] == graph.node_labels[graph.indices]
    assert graph.degrees.mean() == pytest.approx(20, abs=0.5)
    assert same.mean() == pytest.approx(0.7, abs=0.02)
    assert np.abs(graph.node_features.mean(0)).max() < 1e-5
    assert graph.node_features.std(0) == pytest.approx(1, abs=1e-5)


def test_a_graph_is_read_as_it_was_written(tmp_path):
    graph = nearest_neighbour_graph(*digits(None), 5)
    write_graph(graph, tmp_path / "graph.npz")
    again = read_graph(tmp_path / "graph.npz")
    assert structure_digest(again) == structure_digest(graph)
    assert (again.node_features == graph.node_features).all()


def test_a_graph_that_could_not_be_had_says_why(tmp_path):
    write_table(pa.table({}), tmp_path / "graph.npz", {"fashion": "apt-get is not installed"})
    with pytest.raises(Unavailable, match="apt-get is not installed"):
        read_graph(tmp_path / "graph.npz")
