"""Blocks that keep all neighbours give the outputs of the full graph."""

import numpy as np
import torch

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.gnn_batching.two_layer import GraphSAGE, full_inputs, sampled_inputs


def test_blocks_of_all_neighbours_give_the_outputs_of_the_full_graph():
    graph = stochastic_block_model(120, 3, 8, 0.6, 4, 1.0, np.random.default_rng(0))
    torch.manual_seed(0)
    model, nodes = GraphSAGE(4, 8, 3), np.array([5, 17, 90])
    exact = model(*full_inputs(graph, nodes))
    sampled = model(*sampled_inputs(graph, nodes, (100, 100), np.random.default_rng(0)))
    assert torch.allclose(exact, sampled, atol=1e-5)
    fewer = model(*sampled_inputs(graph, nodes, (2, 2), np.random.default_rng(0)))
    assert not torch.allclose(exact, fewer, atol=1e-2)
