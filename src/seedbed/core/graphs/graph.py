"""One graph as arrays: compressed sparse rows, with labels, weights, node features and splits where there are any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True, eq=False)
class Graph:
    """A simple undirected graph of n nodes and m edges; each edge is stored in both directions.

    Parameters
    ----------
    indptr : integers (n + 1,)
        Row u of the adjacency matrix is ``indices[indptr[u] : indptr[u + 1]]``.
    indices : integers (2 m,)
        Neighbours of each node, ascending.
    edge_labels : integers (2 m,), optional
        Label of the edge that an entry of ``indices`` stands for; the same in both directions.
    edge_weights : floats (2 m,), optional
        Weights, stored like labels.
    node_features : (n, d), optional
        One row a node.
    node_labels : integers (n,), optional
        Class, or kind, of each node.
    splits : mapping of str to integers, optional
        Named sets of nodes (``train``, ``test_0`` …): ascending node numbers. Sets may overlap.

    Raises
    ------
    ValueError
        If the arrays do not describe such a graph; the message says what is wrong and where.
    """

    indptr: np.ndarray
    indices: np.ndarray
    edge_labels: np.ndarray | None = None
    edge_weights: np.ndarray | None = None
    node_features: np.ndarray | None = None
    node_labels: np.ndarray | None = None
    splits: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _store(self, "indptr", _integers("indptr", self.indptr))
        _store(self, "indices", _integers("indices", self.indices))
        self._check_rows()
        for name, length, read in (
            ("edge_labels", len(self.indices), _integers),
            ("edge_weights", len(self.indices), _floats),
            ("node_labels", self.n_nodes, _integers),
        ):
            values = getattr(self, name)
            if values is not None:
                _store(self, name, _of_length(name, read(name, values), length))
        self._check_symmetry()
        if self.node_features is not None:
            features = np.asarray(self.node_features)
            if features.ndim != 2:
                raise ValueError(f"node_features: expected (nodes, features), found shape {features.shape}")
            _store(self, "node_features", _of_length("node_features", features, self.n_nodes))
        _store(self, "splits", {name: self._split(name, nodes) for name, nodes in self.splits.items()})

    @classmethod
    def from_edges(
        cls,
        n_nodes: int,
        edges: Sequence[Sequence[int]] | np.ndarray,
        *,
        edge_labels: Sequence[int] | np.ndarray | None = None,
        edge_weights: Sequence[float] | np.ndarray | None = None,
        **node_data: Any,
    ) -> Graph:
        """Graph of ``edges`` (m, 2), each given once in either direction; labels and weights (m,) follow its order.

        ``node_data``: ``node_features``, ``node_labels`` and ``splits``, as they are stored.
        """
        edges = _integers("edges", edges, (0, 2))
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise ValueError(f"edges: expected (edges, 2), found shape {edges.shape}")
        if len(edges) and not (0 <= edges.min() and edges.max() < n_nodes):
            worst = edges[((edges < 0) | (edges >= n_nodes)).any(1)][0]
            raise ValueError(f"edges: {tuple(worst.tolist())} is not between nodes 0 … {n_nodes - 1}")
        source, target = np.concatenate([edges, edges[:, ::-1]]).T
        order = np.lexsort((target, source))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(source, minlength=n_nodes))])
        stored = {
            name: _of_length(name, np.asarray(values), len(edges))[order % max(len(edges), 1)]
            for name, values in (("edge_labels", edge_labels), ("edge_weights", edge_weights))
            if values is not None
        }
        return cls(indptr, target[order], **stored, **node_data)

    @classmethod
    def from_networkx(
        cls,
        graph: networkx.Graph,
        *,
        node_label: str | None = None,
        edge_label: str | None = None,
        edge_weight: str | None = None,
        **node_data: Any,
    ) -> Graph:
        """Graph of a `networkx.Graph`, its nodes numbered in their order there.

        ``node_label``, ``edge_label``, ``edge_weight`` name attributes; labels are integers.
        """
        if graph.is_directed() or graph.is_multigraph():
            raise ValueError(f"expected a simple undirected graph, found a {type(graph).__name__}")
        number = {node: i for i, node in enumerate(graph)}
        edges = [(number[u], number[v]) for u, v in graph.edges]
        if node_label is not None:
            node_data["node_labels"] = _attributes(graph.nodes(data=node_label), node_label)
        attributes = {
            name: _attributes(graph.edges(data=attribute), attribute)
            for name, attribute in (("edge_labels", edge_label), ("edge_weights", edge_weight))
            if attribute is not None
        }
        return cls.from_edges(len(number), edges, **attributes, **node_data)

    @classmethod
    def from_scipy(cls, adjacency: sparse.sparray | sparse.spmatrix, *, weighted: bool = False, **data: Any) -> Graph:
        """Graph of a symmetric sparse matrix (n, n): an edge is a non-zero; its value is the weight if ``weighted``."""
        matrix = sparse.csr_array(adjacency)
        if matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"adjacency: expected a square matrix, found shape {matrix.shape}")
        matrix = matrix.copy()
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        if weighted:
            data["edge_weights"] = matrix.data
        return cls(matrix.indptr, matrix.indices, **data)

    @property
    def n_nodes(self) -> int:
        """Number of nodes n."""
        return len(self.indptr) - 1

    @property
    def n_edges(self) -> int:
        """Number of undirected edges m."""
        return len(self.indices) // 2

    @property
    def degrees(self) -> np.ndarray:
        """Number of neighbours of each node, (n,)."""
        return np.diff(self.indptr)

    @property
    def sources(self) -> np.ndarray:
        """Node at the other end of each entry of ``indices``, (2 m,)."""
        return np.repeat(np.arange(self.n_nodes), self.degrees)

    @property
    def is_forward(self) -> np.ndarray:
        """Entries of ``indices`` that hold an edge in its ascending direction: one of each two, (2 m,)."""
        return self.sources < self.indices

    @property
    def edges(self) -> np.ndarray:
        """Edges (m, 2), each once, smaller node first, in ascending order; labels: ``edge_labels[is_forward]``."""
        return np.column_stack([self.sources, self.indices])[self.is_forward]

    def neighbours(self, node: int) -> np.ndarray:
        """Neighbours of one node, ascending."""
        return self.indices[self.indptr[node] : self.indptr[node + 1]]

    def to_scipy(self) -> sparse.csr_array:
        """Adjacency matrix (n, n): weights, or ones."""
        values = np.ones(len(self.indices)) if self.edge_weights is None else self.edge_weights
        return sparse.csr_array((values, self.indices, self.indptr), shape=(self.n_nodes, self.n_nodes))

    def _check_rows(self) -> None:
        indptr, indices = self.indptr, self.indices
        if indptr.ndim != 1 or len(indptr) == 0 or indptr[0] != 0 or (np.diff(indptr) < 0).any():
            raise ValueError("indptr: expected ascending row starts from 0")
        if indices.ndim != 1 or indptr[-1] != len(indices):
            raise ValueError(f"indices: expected {indptr[-1]} entries (the last of indptr), found {indices.shape}")
        if len(indices) and not (0 <= indices.min() and indices.max() < self.n_nodes):
            raise ValueError(f"indices: expected nodes 0 … {self.n_nodes - 1}, found {indices.min()} … {indices.max()}")
        sources = self.sources
        loops = sources == indices
        if loops.any():
            raise ValueError(f"node {sources[loops][0]} has an edge to itself")
        flat = sources * self.n_nodes + indices
        wrong = np.diff(flat) <= 0
        if wrong.any():
            raise ValueError(f"node {sources[1:][wrong][0]}: its neighbours are not ascending, or one is there twice")

    def _check_symmetry(self) -> None:
        sources = self.sources
        mirrored = np.lexsort((sources, self.indices))  # entries by (target, source): the transposed matrix
        if (sources[mirrored] != self.indices).any() or (self.indices[mirrored] != sources).any():
            forward = set(zip(sources.tolist(), self.indices.tolist(), strict=True))
            u, v = next((u, v) for u, v in sorted(forward) if (v, u) not in forward)
            raise ValueError(f"not symmetric: there is an edge {u} → {v} but none back")
        for name in ("edge_labels", "edge_weights"):
            values = getattr(self, name)
            if values is not None and (values != values[mirrored]).any():
                entry = np.flatnonzero(values != values[mirrored])[0]
                u, v = sources[entry], self.indices[entry]
                raise ValueError(f"{name}: edge {u} → {v} has another value than {v} → {u}")

    def _split(self, name: str, nodes: np.ndarray) -> np.ndarray:
        nodes = _integers(f"splits[{name!r}]", nodes)
        if nodes.ndim != 1 or (np.diff(nodes) <= 0).any():
            raise ValueError(f"splits[{name!r}]: expected ascending node numbers")
        if len(nodes) and not (0 <= nodes[0] and nodes[-1] < self.n_nodes):
            raise ValueError(f"splits[{name!r}]: expected nodes 0 … {self.n_nodes - 1}, found {nodes[0]} … {nodes[-1]}")
        return nodes


def _store(graph: Graph, name: str, value: Any) -> None:
    object.__setattr__(graph, name, value)  # the dataclass is frozen


def _integers(name: str, values: Any, if_empty: tuple[int, ...] = (0,)) -> np.ndarray:
    array = np.asarray(values)
    if array.size == 0:
        return np.empty(if_empty if array.ndim == 1 else array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name}: expected integers, found {array.dtype}")
    return array.astype(np.int64)


def _floats(name: str, values: Any) -> np.ndarray:
    array = np.asarray(values)
    if array.size and array.dtype.kind not in "fiu":
        raise ValueError(f"{name}: expected numbers, found {array.dtype}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name}: not all values are finite")
    return array.astype(np.float64)


def _of_length(name: str, values: np.ndarray, length: int) -> np.ndarray:
    if values.ndim == 0 or len(values) != length:
        raise ValueError(f"{name}: expected {length} rows, found shape {values.shape}")
    return values


def _attributes(data: Any, name: str) -> list[Any]:
    """Values of one attribute of all nodes or edges of a networkx view."""
    items = list(data)
    missing = [item[:-1] for item in items if item[-1] is None]
    if missing:
        raise ValueError(f"attribute {name!r}: {missing[0]} has none")
    return [item[-1] for item in items]
