"""Classical graduated assignment (Gold and Rangarajan 1996) on the association graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import AssociationGraph, association_common_graph
from seedbed.nga.common_subgraph import Found

Pair = tuple[Graph, Graph]


def graduated_assignment(
    graph: AssociationGraph,
    generator: np.random.Generator,
    beta_start: float = 0.5,
    beta_rate: float = 1.075,
    beta_end: float = 20.0,
    inner_steps: int = 4,
    sweeps: int = 20,
) -> np.ndarray:
    """Map (n1,) after annealing S ← Sinkhorn(exp(β A◇ S)) from ``beta_start`` to ``beta_end``.

    A◇ is scaled to a mean row sum of one over the candidates. A slack row and column, as in the original, let nodes
    stay unmatched; a start a percent off uniform breaks the ties of symmetric molecules.
    """
    n1, n2 = graph.shape
    scale = graph.mask.sum() / max(2 * len(graph.edge_a), 1)
    assignment = graph.mask * (1 + 0.01 * generator.random((n1, n2))) / n2
    beta = beta_start
    while beta < beta_end:
        for _ in range(inner_steps):
            scores = beta * scale * graph.gradient(assignment)
            assignment = slack_sinkhorn(np.where(graph.mask, scores, -np.inf), sweeps)
        beta *= beta_rate
    return linear_sum_assignment(-assignment)[1]


def solve(pairs: Sequence[Pair], generators: Sequence[np.random.Generator], **options: Any) -> list[Found]:
    """Map of each pair."""
    graphs = [association_common_graph(*pair) for pair in pairs]
    return [
        Found(graph.mapping(graduated_assignment(graph, generator, **options)))
        for graph, generator in zip(graphs, generators, strict=True)
    ]


def slack_sinkhorn(scores: np.ndarray, sweeps: int) -> np.ndarray:
    """Doubly substochastic matrix of exp(scores) (n1, n2), with a slack row and column of score 0; -inf forbids."""
    n1, n2 = scores.shape
    padded = np.zeros((n1 + 1, n2 + 1))
    padded[:n1, :n2] = np.exp(scores - max(scores.max(), 0.0))
    padded[n1, :] = padded[:, n2] = np.exp(-max(scores.max(), 0.0))
    u, v = np.ones(n1 + 1), np.ones(n2 + 1)
    for _ in range(sweeps):
        u[:n1] = 1 / (padded[:n1] @ v)
        v[:n2] = 1 / (u @ padded[:, :n2])
    return u[:n1, None] * padded[:n1, :n2] * v[None, :n2]
