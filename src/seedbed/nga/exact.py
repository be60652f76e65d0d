"""The maximum common edge subgraph by mixed-integer programming, with a proof (HiGHS)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from seedbed.nga.association import AssociationGraph


@dataclass(frozen=True)
class Optimum:
    """A best map (n1,) of an association graph, its common edges, and an upper bound that no map exceeds."""

    targets: np.ndarray
    lower: int
    upper: int

    @property
    def proven(self) -> bool:
        """Whether no better map exists."""
        return self.lower == self.upper


def maximum_common_edges(
    graph: AssociationGraph, node_limit: int | None = None, time_limit: float | None = None
) -> Optimum:
    """Maximise the edges inside a set of candidates that uses each node at most once.

    x_a ∈ {0, 1} chooses a candidate, y_e ∈ [0, 1] an edge. At a = (u, v), the chosen edges that map one neighbour of u
    are at most x_a, and so are those that map to one neighbour of v: much tighter than y_e ≤ x_a for each edge.

    Parameters
    ----------
    node_limit : int, optional
        Branch-and-bound nodes after which the bound is reported as it stands (deterministic).
    time_limit : float, optional
        Seconds after which the same happens, for races.
    """
    n1, n2 = graph.shape
    used, ends = np.unique(np.concatenate([graph.edge_a, graph.edge_b]), return_inverse=True)
    n_edges, n_x = len(graph.edge_a), len(used)
    if n_edges == 0:
        return Optimum(np.full(n1, -1), 0, 0)
    here, there = ends, np.roll(ends, n_edges)  # each edge from both of its ends
    edge = np.tile(np.arange(n_edges), 2)
    u, v = np.divmod(used, n2)
    blocks = []
    for node_there in (u[there], v[there]):
        _, group = np.unique(here * max(n1, n2) + node_there, return_inverse=True)
        size = group.max() + 1
        owner = np.zeros(size, dtype=np.int64)
        owner[group] = here
        chosen = sparse.coo_array((np.full(size, -1.0), (np.arange(size), owner)), (size, n_x))
        linked = sparse.coo_array((np.ones(2 * n_edges), (group, edge)), (size, n_edges))
        blocks.append(sparse.hstack([chosen, linked]))
    nothing = sparse.coo_array((n1 + n2, n_edges))
    once = sparse.coo_array(
        (np.ones(2 * n_x), (np.concatenate([u, n1 + v]), np.tile(np.arange(n_x), 2))), (n1 + n2, n_x)
    )
    rows = sparse.vstack([*blocks, sparse.hstack([once, nothing])]).tocsc()
    limits = np.concatenate([np.zeros(rows.shape[0] - n1 - n2), np.ones(n1 + n2)])
    options = {"mip_rel_gap": 0.0, "node_limit": node_limit, "time_limit": time_limit}
    result = milp(
        np.concatenate([np.zeros(n_x), -np.ones(n_edges)]),
        integrality=np.concatenate([np.ones(n_x), np.zeros(n_edges)]),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(rows, ub=limits),
        options={name: value for name, value in options.items() if value is not None},
    )
    targets = np.full(n1, -1)
    if result.x is not None:
        picked = result.x[:n_x] > 0.5
        targets[u[picked]] = v[picked]
    bound = n_edges if result.mip_dual_bound is None else int(np.floor(-result.mip_dual_bound + 1e-6))
    return Optimum(targets, int(graph.count_edges(targets)), bound)
