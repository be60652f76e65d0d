"""Graphs and tables for node classification by name, from the bytes of their files; functions know no path."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from scipy import sparse

from seedbed.core.files import whole
from seedbed.core.graphs.generate import standardise
from seedbed.core.graphs.graph import Graph

Files = Callable[[str], bytes]


def satimage(read: Files) -> tuple[np.ndarray, np.ndarray]:
    """Statlog Landsat satellite: 6,435 neighbourhoods of 3 by 3 pixels in four bands, six kinds of soil."""
    rows = np.concatenate([np.loadtxt(io.BytesIO(read(name)), dtype=np.int64) for name in ("sat.trn", "sat.tst")])
    return rows[:, :-1], np.unique(rows[:, -1], return_inverse=True)[1]


def digits(read: Files) -> tuple[np.ndarray, np.ndarray]:
    """Handwritten digits of 8 by 8 pixels, 1,797 rows, as scikit-learn bundles them; reads no file."""
    from sklearn.datasets import load_digits

    del read
    bunch = load_digits()
    return bunch.data.astype(np.int64), bunch.target.astype(np.int64)


def heterophilous(content: bytes) -> Graph:
    """A graph of *A critical look at the evaluation of GNNs under heterophily* (tolokers, actor …): an npz archive."""
    with np.load(io.BytesIO(content)) as arrays:
        features, labels, edges = (arrays[name] for name in ("node_features", "node_labels", "edges"))
    return _simple(edges, features, labels)


def benchmark(content: bytes) -> Graph:
    """A graph of *Pitfalls of graph neural network evaluation* (Cora, Citeseer): CSR arrays in an npz archive."""
    with np.load(io.BytesIO(content)) as arrays:
        shape = tuple(arrays["adj_shape"])
        adjacency = sparse.csr_array((arrays["adj_data"], arrays["adj_indices"], arrays["adj_indptr"]), shape=shape)
        attributes = (arrays["attr_data"], arrays["attr_indices"], arrays["attr_indptr"])
        features = sparse.csr_array(attributes, shape=tuple(arrays["attr_shape"])).toarray()
        labels = arrays["labels"]
    return _simple(np.column_stack(adjacency.nonzero()), features, labels)


TABLES: Mapping[str, Callable[[Files], tuple[np.ndarray, np.ndarray]]] = {"satimage": satimage, "digits": digits}
ARCHIVES: Mapping[str, Callable[[bytes], Graph]] = {
    "actor.npz": heterophilous,
    "citeseer.npz": benchmark,
    "cora.npz": benchmark,
    "tolokers.npz": heterophilous,
}


def structure_digest(graph: Graph) -> str:
    """SHA-256 of the graph's rows and labels, as little-endian 64-bit integers."""
    arrays = (graph.indptr, graph.indices, graph.node_labels)
    return hashlib.sha256(b"".join(array.astype("<i8").tobytes() for array in arrays)).hexdigest()


def write_graph(graph: Graph, path: Path | str) -> None:
    """Write rows, features and labels as an npz archive, whole or not at all."""
    with whole(path) as part, open(part, "wb") as file:
        np.savez(file, indptr=graph.indptr, indices=graph.indices, x=graph.node_features, y=graph.node_labels)


def read_graph(path: Path | str) -> Graph:
    """The graph that `write_graph` wrote."""
    with np.load(path) as arrays:
        return Graph(arrays["indptr"], arrays["indices"], node_features=arrays["x"], node_labels=arrays["y"])


def _simple(edges: np.ndarray, features: np.ndarray, labels: np.ndarray) -> Graph:
    """Undirected graph of ``edges`` without loops and repeats."""
    edges = np.sort(edges[edges[:, 0] != edges[:, 1]].astype(np.int64), axis=1)
    labels = np.unique(labels, return_inverse=True)[1]
    return Graph.from_edges(
        len(labels), np.unique(edges, axis=0), node_features=standardise(features), node_labels=labels
    )
