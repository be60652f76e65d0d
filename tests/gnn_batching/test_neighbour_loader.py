"""What is raced against torch_geometric's loader hands out what the loader does."""

import numpy as np

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.gnn_batching.neighbour_loader import loaded


def test_neighbours_are_numbered_among_the_distinct_nodes():
    graph = stochastic_block_model(200, 4, 6, 0.5, 3, 1.0, np.random.default_rng(0))
    nodes = np.arange(0, 200, 7)
    place, indptr, features = loaded(graph, nodes, 4, np.random.default_rng(1))
    assert (features[place[: len(nodes)]] == graph.node_features[nodes]).all()
    assert len(np.unique(features, axis=0)) == len(features)
    for row, node in enumerate(nodes):
        found = features[place[len(nodes) :][indptr[row] : indptr[row + 1]]]
        among = graph.node_features[graph.neighbours(node)]
        assert len(found) == min(4, len(among))
        assert all((neighbour == among).all(1).any() for neighbour in found)
