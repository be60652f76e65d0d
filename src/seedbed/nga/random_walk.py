"""Reweighted random walks for graph matching (Cho, Lee and Lee 2010) on the association graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import AssociationGraph, association_common_graph
from seedbed.nga.common_subgraph import Found
from seedbed.nga.graduated_assignment import slack_sinkhorn


def reweighted_random_walk(
    graph: AssociationGraph, jump: float = 0.2, inflation: float = 30.0, steps: int = 100, sweeps: int = 20
) -> np.ndarray:
    """Map (n1,) of the quasi-stationary distribution of a walk on A◇ that jumps to its own bistochastic reweighting.

    A step is x ← (1 - jump) W x + jump y with W = A◇ over its largest row sum, y = Sinkhorn(exp(inflation x / max x)),
    both of sum one. (`jump` is 1 - α, `inflation` β of the paper, with its values.)
    """
    degrees = graph.adjacency.sum(axis=1)
    if not degrees.any():
        return np.full(graph.shape[0], -1)
    walk = graph.adjacency / degrees.max()
    state = graph.mask.ravel() / graph.mask.sum()
    for _ in range(steps):
        moved = walk @ state
        moved /= moved.sum()
        scores = np.where(graph.mask, inflation * moved.reshape(graph.shape) / moved.max(), -np.inf)
        reweighted = slack_sinkhorn(scores, sweeps).ravel()
        after = (1 - jump) * moved + jump * reweighted / reweighted.sum()
        if np.abs(after - state).max() < 1e-9:
            break
        state = after
    return linear_sum_assignment(-state.reshape(graph.shape))[1]


def solve(
    pairs: Sequence[tuple[Graph, Graph]], generators: Sequence[np.random.Generator], **options: Any
) -> list[Found]:
    """Map of each pair; the walk has nothing random in it."""
    del generators
    graphs = [association_common_graph(*pair) for pair in pairs]
    return [Found(graph.mapping(reweighted_random_walk(graph, **options))) for graph in graphs]
