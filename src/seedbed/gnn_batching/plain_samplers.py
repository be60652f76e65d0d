"""Neighbour sampling as one would write it first: peers of the race, and a check of the sampler."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from seedbed.core.graphs.graph import Graph


def scipy_sample(
    adjacency: sparse.csr_array, nodes: np.ndarray, fan_out: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Row pointers and neighbours: slice the rows, give each entry a random key, keep the smallest of each row."""
    rows = adjacency[nodes]
    degrees = np.diff(rows.indptr)
    of = np.repeat(np.arange(len(nodes)), degrees)
    order = np.lexsort((rng.random(len(of)), of))
    rank = np.arange(len(of)) - np.repeat(rows.indptr[:-1], degrees)
    indptr = np.concatenate([[0], np.cumsum(np.minimum(degrees, fan_out))])
    return indptr, rows.indices[order[rank < fan_out]]


def loop_sample(graph: Graph, nodes: np.ndarray, fan_out: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Neighbours of each node: a loop over the nodes."""
    rows = (graph.neighbours(node) for node in nodes)
    return [row if len(row) <= fan_out else rng.choice(row, fan_out, replace=False) for row in rows]
