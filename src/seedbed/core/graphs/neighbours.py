"""Uniform node-wise neighbour sampling without replacement, vectorised over the target nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from seedbed.core.graphs.graph import Graph


@dataclass(frozen=True)
class Block:
    """Sampled neighbours of some target nodes, as compressed sparse rows.

    Attributes
    ----------
    indptr : integers (b + 1,)
        Row i of the block is ``indices[indptr[i] : indptr[i + 1]]``.
    indices : integers (sum of min(fan_out, degree),)
        Sampled neighbours, numbered as in the graph.
    """

    indptr: np.ndarray
    indices: np.ndarray

    @property
    def counts(self) -> np.ndarray:
        """Sampled neighbours of each target, (b,)."""
        return np.diff(self.indptr)

    def mean(self, features: np.ndarray) -> np.ndarray:
        """Mean of the sampled neighbours' rows of ``features`` (n, d); zero for a target without neighbours. (b, d)."""
        counts = self.counts
        shape = (len(counts), len(features))
        chosen = sparse.csr_array((np.ones(len(self.indices), features.dtype), self.indices, self.indptr), shape=shape)
        return (chosen @ features) / np.maximum(counts, 1).astype(features.dtype)[:, None]


def sample_neighbours(graph: Graph, nodes: np.ndarray, fan_out: int, uniforms: np.ndarray) -> Block:
    """For each of ``nodes`` (b,), ``min(fan_out, degree)`` distinct neighbours, every such set equally likely.

    Parameters
    ----------
    uniforms : (b, fan_out)
        Independent numbers in [0, 1), such as ``rng.random((b, fan_out))``. Nodes with no more than ``fan_out``
        neighbours keep them all and use none.

    Notes
    -----
    Floyd's algorithm, one step for each of the ``fan_out`` draws, over all rows at once: a hub costs what any other
    node costs. Step j draws from the first d - fan_out + j + 1 neighbours and takes the last of them if the draw is
    there already.
    """
    if fan_out < 1:
        raise ValueError(f"fan_out={fan_out}: expected at least 1")
    start, degree = graph.indptr[nodes], graph.indptr[np.asarray(nodes) + 1] - graph.indptr[nodes]
    counts = np.minimum(degree, fan_out)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    positions = np.arange(indptr[-1]) - np.repeat(indptr[:-1], counts)  # of a node that keeps all its neighbours
    crowded = np.flatnonzero(degree > fan_out)
    if len(crowded):
        places = indptr[crowded][:, None] + np.arange(fan_out)
        positions[places] = _floyd(degree[crowded], fan_out, uniforms[crowded]).T
    return Block(indptr, graph.indices[np.repeat(start, counts) + positions])


def _floyd(degree: np.ndarray, fan_out: int, uniforms: np.ndarray) -> np.ndarray:
    """Distinct positions (fan_out, b) below ``degree`` (b,), which exceeds ``fan_out``."""
    last = (degree - fan_out).astype(np.int32) + np.arange(fan_out, dtype=np.int32)[:, None]
    drawn = (uniforms.T * (last + 1)).astype(np.int32)
    for j in range(1, fan_out):
        taken = (drawn[:j] == drawn[j]).any(0)
        np.copyto(drawn[j], last[j], where=taken)
    return drawn
