"""Several association graphs as padded tensors, so that one network step serves all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import AssociationGraph, association_common_graph, node_labels


class PairBatch:
    """P pairs of graphs, padded to N1 × N2 cells.

    Attributes
    ----------
    graphs : list of AssociationGraph
    mask : bool (P, 1, N1, N2)
        Candidates.
    rows, columns, dummies : (P, 1, N1, 1), (P, 1, N2, 1), (P, 1, 1, 1)
        What `seedbed.nga.sinkhorn.sinkhorn` takes.
    adjacency : sparse (P N1 N2, P N1 N2)
        All A◇ as blocks.
    nodes : two of (labels (P, n), averages (P, n, n))
        Of the smaller and of the larger graphs: labels numbered inside each pair, means over neighbours as matrices.
    n_labels : list of int
        Number of labels of each pair.
    """

    def __init__(self, pairs: Sequence[tuple[Graph, Graph]]) -> None:
        self.graphs = [association_common_graph(first, second) for first, second in pairs]
        ordered = [pair[::-1] if graph.swapped else pair for pair, graph in zip(pairs, self.graphs, strict=True)]
        self.shape = tuple(np.max([graph.shape for graph in self.graphs], axis=0).tolist())
        n1, n2 = self.shape
        sizes = torch.tensor([graph.shape for graph in self.graphs])
        self.rows = (torch.arange(n1) < sizes[:, :1]).float().reshape(-1, 1, n1, 1)
        self.columns = (torch.arange(n2) < sizes[:, 1:]).float().reshape(-1, 1, n2, 1)
        self.dummies = (sizes[:, 1] - sizes[:, 0]).float().reshape(-1, 1, 1, 1)
        self.mask = torch.stack([_padded(graph.mask, self.shape) for graph in self.graphs]).unsqueeze(1)
        self.adjacency = _block_adjacency(self.graphs, self.shape)
        self.nodes = _node_inputs(ordered, self.shape)
        self.n_labels = (1 + torch.stack([labels.amax(1) for labels, _ in self.nodes]).amax(0)).tolist()

    def __len__(self) -> int:
        return len(self.graphs)

    def gradient(self, assignments: Tensor) -> Tensor:
        """A◇ vec(S) of assignments (P, B, N1, N2)."""
        cells = assignments.permute(0, 2, 3, 1)
        return self.neighbour_sums(cells.reshape(-1, cells.shape[-1])).reshape(cells.shape).permute(0, 3, 1, 2)

    def neighbour_sums(self, cells: Tensor) -> Tensor:
        """A◇ times one row of values a cell, (P N1 N2, k)."""
        return _SymmetricProduct.apply(cells, self.adjacency)

    def objective(self, assignments: Tensor) -> Tensor:
        """J(S) of assignments (P, B, N1, N2), as (P, B)."""
        return (assignments * self.gradient(assignments)).sum((-2, -1))

    def decode(self, assignments: Tensor) -> list[np.ndarray]:
        """Hungarian maps (B, n1) of each pair's assignments (P, B, N1, N2); cells that are no candidate weigh 0."""
        weights = (assignments * self.mask).double().numpy()
        decoded = []
        for graph, samples in zip(self.graphs, weights, strict=True):
            n1, n2 = graph.shape
            decoded.append(np.array([linear_sum_assignment(-sample[:n1, :n2])[1] for sample in samples]))
        return decoded


class _SymmetricProduct(torch.autograd.Function):
    """Product with a constant symmetric sparse matrix; its gradient is another one."""

    @staticmethod
    def forward(ctx, dense: Tensor, matrix: sparse.csr_array) -> Tensor:
        ctx.matrix = matrix
        return torch.from_numpy(matrix @ dense.numpy())

    @staticmethod
    def backward(ctx, gradient: Tensor):
        return torch.from_numpy(ctx.matrix @ gradient.numpy()), None


def _padded(mask: np.ndarray, shape: tuple[int, int]) -> Tensor:
    padded = torch.zeros(shape, dtype=torch.bool)
    padded[: mask.shape[0], : mask.shape[1]] = torch.from_numpy(mask)
    return padded


def _block_adjacency(graphs: list[AssociationGraph], shape: tuple[int, int]) -> sparse.csr_array:
    ends = []
    for number, graph in enumerate(graphs):
        for cells in (graph.edge_a, graph.edge_b):
            u, v = np.divmod(cells, graph.shape[1])
            ends.append((number * shape[0] + u) * shape[1] + v)
    a, b = np.concatenate(ends[::2]), np.concatenate(ends[1::2])
    places = np.concatenate([a, b]), np.concatenate([b, a])
    size = len(graphs) * shape[0] * shape[1]
    return sparse.csr_array((np.ones(len(places[0]), dtype=np.float32), places), (size, size))


def _node_inputs(pairs: list[tuple[Graph, Graph]], shape: tuple[int, int]) -> list[tuple[Tensor, Tensor]]:
    """For the smaller and the larger graphs: labels (P, n) numbered inside each pair, neighbour means (P, n, n)."""
    inputs = [(torch.zeros(len(pairs), n, dtype=torch.long), torch.zeros(len(pairs), n, n)) for n in shape]
    for pair, graphs in enumerate(pairs):
        known = np.unique(np.concatenate([node_labels(graph) for graph in graphs]))
        for graph, (labels, averages) in zip(graphs, inputs, strict=True):
            n = graph.n_nodes
            labels[pair, :n] = torch.from_numpy(np.searchsorted(known, node_labels(graph)))
            average = (graph.to_scipy() != 0).toarray() / np.maximum(graph.degrees, 1)[:, None]
            averages[pair, :n, :n] = torch.from_numpy(average)
    return inputs
