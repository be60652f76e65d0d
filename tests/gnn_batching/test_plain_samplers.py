"""The peers of the race sample what the sampler does."""

import numpy as np

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.core.graphs.neighbours import sample_neighbours
from seedbed.gnn_batching.plain_samplers import loop_sample, scipy_sample


def test_all_samplers_take_as_many_distinct_neighbours():
    graph = stochastic_block_model(200, 4, 6, 0.5, 2, 1.0, np.random.default_rng(0))
    nodes, rng = np.arange(0, 200, 3), np.random.default_rng(1)
    ours = sample_neighbours(graph, nodes, 4, rng.random((len(nodes), 4)))
    indptr, indices = scipy_sample(graph.to_scipy(), nodes, 4, rng)
    assert (indptr == ours.indptr).all()
    for row, (node, looped) in enumerate(zip(nodes, loop_sample(graph, nodes, 4, rng), strict=True)):
        allowed = set(graph.neighbours(node).tolist())
        for found in (ours.indices[indptr[row] : indptr[row + 1]], indices[indptr[row] : indptr[row + 1]], looped):
            assert len(set(found.tolist())) == len(found) == min(4, len(allowed))
            assert set(found.tolist()) <= allowed
