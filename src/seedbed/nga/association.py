"""The association common graph (Section 3, Proposition 1): what can be matched with what, and which matches agree.

Graphs are `seedbed.core.graphs.Graph` with node labels (elements) and edge labels (bond types); a graph without labels
counts as one whose labels are all equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from seedbed.core.graphs.graph import Graph


def node_labels(graph: Graph) -> np.ndarray:
    """Labels of the nodes (n,), zeros where the graph has none."""
    return np.zeros(graph.n_nodes, dtype=np.int64) if graph.node_labels is None else graph.node_labels


def edge_labels(graph: Graph) -> np.ndarray:
    """Labels of `Graph.edges` (m,), zeros where the graph has none."""
    if graph.edge_labels is None:
        return np.zeros(graph.n_edges, dtype=np.int64)
    return graph.edge_labels[graph.is_forward]


@dataclass(frozen=True)
class AssociationGraph:
    """Association common graph of a smaller graph (n1 nodes) and a larger one (n2 ≥ n1).

    A candidate (u, v) maps node u to node v and has the number ``u * n2 + v``. Two candidates are joined by an edge if
    both graphs have the edge between their nodes, with one label. A set of candidates that uses each node at most once
    is a common subgraph, and the edges inside the set are its edges.

    Parameters
    ----------
    mask : bool (n1, n2)
        Candidates: nodes of equal label.
    edge_a, edge_b : integers (e,)
        Candidates at the two ends of each edge; each edge once.
    swapped : bool
        Whether the first graph was the larger one.
    """

    mask: np.ndarray
    edge_a: np.ndarray
    edge_b: np.ndarray
    swapped: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """(n1, n2)."""
        return self.mask.shape

    @cached_property
    def adjacency(self) -> sparse.csr_array:
        """Symmetric 0/1 matrix A◇ over all n1 n2 cells."""
        ends = np.concatenate([self.edge_a, self.edge_b]), np.concatenate([self.edge_b, self.edge_a])
        return sparse.csr_array((np.ones(len(ends[0])), ends), shape=(self.mask.size, self.mask.size))

    def gradient(self, assignment: np.ndarray) -> np.ndarray:
        """A◇ vec(S): gradient of J / 2 at an assignment S (n1, n2)."""
        return (self.adjacency @ assignment.ravel()).reshape(self.shape)

    def objective(self, assignment: np.ndarray) -> float:
        """J(S) = vec(S)ᵀ A◇ vec(S), twice the number of common edges where S is a map."""
        return float((assignment * self.gradient(assignment)).sum())

    def count_edges(self, targets: np.ndarray) -> np.ndarray:
        """Common edges under each of some maps (…, n1) to nodes of the larger graph, -1 where unmatched."""
        n1, n2 = self.shape
        chosen = np.zeros((*targets.shape[:-1], n1, n2 + 1), dtype=bool)
        np.put_along_axis(chosen, targets[..., None], True, axis=-1)  # -1 is the last column
        chosen = (chosen[..., :n2] & self.mask).reshape(*targets.shape[:-1], n1 * n2)
        return (chosen[..., self.edge_a] & chosen[..., self.edge_b]).sum(axis=-1)

    def mapping(self, targets: np.ndarray) -> np.ndarray:
        """Map of the first graph's nodes to the second's, as these were given; -1 where unmatched or labels differ."""
        n1, n2 = self.shape
        rows = np.flatnonzero(targets >= 0)
        rows = rows[self.mask[rows, targets[rows]]]
        mapping = np.full(n2 if self.swapped else n1, -1)
        if self.swapped:
            mapping[targets[rows]] = rows
        else:
            mapping[rows] = targets[rows]
        return mapping


def association_common_graph(first: Graph, second: Graph) -> AssociationGraph:
    """The association common graph of two graphs; the one with fewer nodes becomes the rows."""
    swapped = first.n_nodes > second.n_nodes
    small, large = (second, first) if swapped else (first, second)
    mask = node_labels(small)[:, None] == node_labels(large)[None, :]
    e1, e2 = np.nonzero(edge_labels(small)[:, None] == edge_labels(large)[None, :])
    (i, j), (p, q) = small.edges[e1].T, large.edges[e2].T
    straight, crossed = mask[i, p] & mask[j, q], mask[i, q] & mask[j, p]
    n2 = large.n_nodes
    edge_a = np.concatenate([(i * n2 + p)[straight], (i * n2 + q)[crossed]])
    edge_b = np.concatenate([(j * n2 + q)[straight], (j * n2 + p)[crossed]])
    return AssociationGraph(mask, edge_a, edge_b, swapped)
