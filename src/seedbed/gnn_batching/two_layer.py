"""Two-layer GraphSAGE with mean aggregation, on sampled blocks (Section 3.2 of the specification, one hidden layer)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import nn

from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.neighbours import Block, sample_neighbours


class GraphSAGE(nn.Module):
    """``W1 [x, mean x]``, layer norm, ReLU, then ``W2 [h, mean h]``; raw outputs, one a class.

    The first mean is over features, which have no gradient, so it comes in as input.
    """

    def __init__(self, d: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.first = nn.Linear(2 * d, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.second = nn.Linear(2 * hidden, classes)

    def forward(self, inputs: torch.Tensor, targets: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        """Outputs (b, C) of ``targets`` (b,), positions among the m rows of ``inputs`` (m, 2 d).

        ``mean`` (b, m), sparse: row i holds one over the count at each sampled neighbour of target i.
        """
        h = torch.relu(self.norm(self.first(inputs)))
        return self.second(torch.cat([h[targets], torch.sparse.mm(mean, h)], 1))


def sampled_inputs(
    graph: Graph, nodes: np.ndarray, fan_outs: Sequence[int], rng: np.random.Generator
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Arguments of `GraphSAGE.forward` for ``nodes``: hop by hop from the targets outwards, fresh at each hop."""
    near, far = fan_outs
    block = sample_neighbours(graph, nodes, near, rng.random((len(nodes), near), dtype=np.float32))
    rows, place = np.unique(np.concatenate([nodes, block.indices]), return_inverse=True)
    outer = sample_neighbours(graph, rows, far, rng.random((len(rows), far), dtype=np.float32))
    x = graph.node_features
    inputs = torch.from_numpy(np.column_stack([x[rows], outer.mean(x)]))
    return inputs, torch.from_numpy(place[: len(nodes)]), _mean_matrix(block, place[len(nodes) :], len(rows))


def full_inputs(graph: Graph, nodes: np.ndarray) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Arguments of `GraphSAGE.forward` for ``nodes`` with full neighbourhoods."""
    x = graph.node_features
    block = Block(graph.indptr, graph.indices)
    degrees = graph.degrees[nodes]
    indptr = np.concatenate([[0], np.cumsum(degrees)])
    entries = np.repeat(graph.indptr[nodes] - indptr[:-1], degrees) + np.arange(indptr[-1])
    mean = _mean_matrix(Block(indptr, graph.indices[entries]), graph.indices[entries], graph.n_nodes)
    return torch.from_numpy(np.column_stack([x, block.mean(x)])), torch.from_numpy(np.asarray(nodes)), mean


def _mean_matrix(block: Block, columns: np.ndarray, width: int) -> torch.Tensor:
    counts = block.counts
    weights = np.repeat(1 / np.maximum(counts, 1), counts).astype(np.float32)
    entries = np.stack([np.repeat(np.arange(len(counts)), counts), columns])
    return torch.sparse_coo_tensor(torch.from_numpy(entries), torch.from_numpy(weights), (len(counts), width))
