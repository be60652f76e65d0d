"""Graphs that are made: nearest neighbours of the rows of a table, stochastic block models."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from seedbed.core.graphs.graph import Graph


def nearest_neighbour_graph(table: np.ndarray, labels: np.ndarray, k: int) -> Graph:
    """Rows joined to their k nearest (Euclidean) rows, in either direction.

    ``table`` (n, d) holds integers, so that distances are exact; of equally distant rows the first are nearer. So the
    graph is the same on every machine. Node features are the table's columns, centred and scaled to unit variance.
    """
    table = np.asarray(table)
    if table.dtype.kind not in "iu":
        raise ValueError(f"table: expected integers, found {table.dtype}")
    n = len(table)
    if not 0 < k < n:
        raise ValueError(f"k={k}: expected 1 … {n - 1}, one less than the rows")
    values = table.astype(np.float64)  # products and sums of integers below 2**53 are exact
    squares = (values**2).sum(1)
    nearest = np.empty((n, k), dtype=np.int64)
    for begin in range(0, n, 512):
        rows = np.arange(begin, min(begin + 512, n))
        distances = squares[rows][:, None] + squares - 2 * values[rows] @ values.T
        order = distances.astype(np.int64) * n + np.arange(n)
        order[np.arange(len(rows)), rows] = np.iinfo(np.int64).max
        nearest[rows] = np.argpartition(order, k - 1, axis=1)[:, :k]
    directed = sparse.csr_array((np.ones(n * k), nearest.ravel(), np.arange(0, n * k + 1, k)), shape=(n, n))
    adjacency = sparse.csr_array(directed + directed.T)
    adjacency.sort_indices()
    return Graph.from_scipy(adjacency, node_features=standardise(values), node_labels=labels)


def stochastic_block_model(
    nodes: int, classes: int, degree: float, homophily: float, features: int, signal: float, rng: np.random.Generator
) -> Graph:
    """Classes of equal size; an edge lies inside a class with probability ``homophily``, else between two.

    ``degree`` is the mean degree. Node features are normal around the mean of the class, whose entries are normal with
    standard deviation ``signal``; they are centred and scaled to unit variance. A pair that is drawn twice is one edge,
    so sparse graphs are meant.
    """
    labels = np.arange(nodes) % classes
    count = rng.poisson(nodes * degree / 2)
    source = rng.integers(nodes, size=count)
    inside = rng.random(count) < homophily
    shift = np.where(inside, 0, rng.integers(1, classes, size=count))
    members = nodes // classes
    target = rng.integers(members, size=count) * classes + (labels[source] + shift) % classes
    kept = source != target
    adjacency = sparse.coo_array((np.ones(kept.sum()), (source[kept], target[kept])), shape=(nodes, nodes)).tocsr()
    adjacency = sparse.csr_array(adjacency + adjacency.T)
    adjacency.sort_indices()
    means = rng.normal(scale=signal, size=(classes, features))
    values = means[labels] + rng.normal(size=(nodes, features))
    return Graph.from_scipy(adjacency, node_features=standardise(values), node_labels=labels)


def standardise(values: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1, as float32; a constant column becomes 0."""
    spread = values.std(0)
    return ((values - values.mean(0)) / np.where(spread > 0, spread, 1)).astype(np.float32)
