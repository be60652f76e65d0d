"""Local search over maps by swaps, many maps at once: greedy with restarts, and robust tabu search (Taillard 1991).

A map is a permutation of the larger graph's n2 nodes: row u < n1 is a node of the smaller graph, the other rows are
dummies, so that a swap of two rows also moves a node to an unused one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import association_common_graph, edge_labels
from seedbed.nga.common_subgraph import Found

Pair = tuple[Graph, Graph]


class SwapNeighbourhood:
    """Gains in common edges of all swaps, for R permutations (R, n2) at once."""

    def __init__(self, first: Graph, second: Graph) -> None:
        self.graph = association_common_graph(first, second)
        small, large = (second, first) if self.graph.swapped else (first, second)
        self.adjacency = self.graph.adjacency.astype(np.float32)
        n2 = large.n_nodes
        self.mask = np.zeros((n2, n2), dtype=bool)
        self.mask[: small.n_nodes] = self.graph.mask
        self.small_edges, self.large_edges = _label_matrix(small, n2, absent=-1), _label_matrix(large, n2, absent=-2)

    def gains(self, permutations: np.ndarray) -> np.ndarray:
        """Change of the common edges when rows u and u' swap their targets, (R, n2, n2)."""
        (n1, n2), count = self.graph.shape, len(permutations)
        rows, chains = np.arange(n2), np.arange(count)[:, None, None]
        allowed = self.mask[rows[:, None], permutations[:, None, :]]  # of row u and the target of row u'
        own = allowed[:, rows, rows]
        chosen = np.zeros((n1 * n2, count), dtype=np.float32)
        chain, row = np.nonzero(own[:, :n1])
        chosen[row * n2 + permutations[chain, row], chain] = 1
        support = (self.adjacency @ chosen).T.reshape(count, n1, n2)
        moved = np.zeros((count, n2, n2), dtype=np.float32)  # edges that row u gains at the target of row u'
        moved[:, :n1] = support[chains, rows[:n1, None], permutations[:, None, :]]
        agree = self.small_edges == self.large_edges[permutations[:, :, None], permutations[:, None, :]]
        before = agree & own[:, :, None] & own[:, None, :]  # counted from both ends, but is one edge
        after = agree & allowed & allowed.transpose(0, 2, 1)
        staying = moved[:, rows, rows]
        return moved + moved.transpose(0, 2, 1) - staying[:, :, None] - staying[:, None, :] + before + after


def solve(pairs: Sequence[Pair], generators: Sequence[np.random.Generator], **options: Any) -> list[Found]:
    """Map of each pair."""
    return [Found(local_search(*pair, generator, **options)) for pair, generator in zip(pairs, generators, strict=True)]


def local_search(
    first: Graph,
    second: Graph,
    generator: np.random.Generator,
    starts: int = 16,
    steps: int = 200,
    tabu: bool = False,
    watch: Callable[[int], None] | None = None,
) -> np.ndarray:
    """Map of ``first``'s nodes, the best that ``steps`` swaps of each of ``starts`` random maps pass through.

    A map without an improving swap is drawn anew, or, with ``tabu``, goes on with the best swap that does not bring
    a row back to a target that it left lately. ``watch`` is called after each step, with the best number of edges.
    """
    neighbourhood = SwapNeighbourhood(first, second)
    start = random_permutations(generator, starts, neighbourhood.graph.shape[1])
    return neighbourhood.graph.mapping(improve(neighbourhood, start, generator, steps, tabu, watch))


def improve(
    neighbourhood: SwapNeighbourhood,
    permutations: np.ndarray,
    generator: np.random.Generator,
    steps: int,
    tabu: bool,
    watch: Callable[[int], None] | None = None,
) -> np.ndarray:
    """Targets (n1,) of the best permutation seen in ``steps`` swaps of each of ``permutations`` (R, n2)."""
    graph, (count, n2) = neighbourhood.graph, permutations.shape
    n1 = graph.shape[0]
    chains, rows = np.arange(count), np.arange(n2)
    value = graph.count_edges(permutations[:, :n1])
    best, best_value = permutations[value.argmax()].copy(), int(value.max())
    barred_until = np.zeros((count, n2, n2), dtype=np.int64)  # row, target -> step
    useless = (rows[:, None] >= n1) & (rows[None, :] >= n1) | (rows[:, None] >= rows[None, :])
    for step in range(1, steps + 1):
        gain = neighbourhood.gains(permutations) + 0.5 * generator.random((count, n2, n2), dtype=np.float32)
        gain[:, useless] = -np.inf
        if tabu:
            barred = barred_until[chains[:, None, None], rows[:, None], permutations[:, None, :]] > step
            barred = barred & barred.transpose(0, 2, 1)
            barred &= value[:, None, None] + gain < best_value + 1
            gain[barred] -= n2 * n2
        u, w = np.divmod(gain.reshape(count, -1).argmax(axis=1), n2)
        change = np.floor(gain[chains, u, w])  # the random part only breaks ties
        change = np.where(change < -n2, change + n2 * n2, change)
        if tabu:
            tenure = generator.integers(int(0.9 * n2), int(1.1 * n2) + 5, size=(2, count))
            barred_until[chains, u, permutations[chains, u]] = step + tenure[0]
            barred_until[chains, w, permutations[chains, w]] = step + tenure[1]
        moving = np.ones(count, dtype=bool) if tabu else change > 0
        at = chains[moving], u[moving]
        other = chains[moving], w[moving]
        permutations[at], permutations[other] = permutations[other], permutations[at]
        if not moving.all():
            permutations[~moving] = random_permutations(generator, int((~moving).sum()), n2)
        value = graph.count_edges(permutations[:, :n1])
        if value.max() > best_value:
            best, best_value = permutations[value.argmax()].copy(), int(value.max())
        if watch:
            watch(best_value)
    return best[:n1]


def random_permutations(generator: np.random.Generator, count: int, n: int) -> np.ndarray:
    """``count`` random permutations of n."""
    return generator.permuted(np.tile(np.arange(n), (count, 1)), axis=1)


def _label_matrix(graph: Graph, n: int, absent: int) -> np.ndarray:
    """Edge labels as a matrix (n, n), ``absent`` where there is no edge."""
    matrix = np.full((n, n), absent)
    (u, v), labels = graph.edges.T, edge_labels(graph)
    matrix[u, v] = matrix[v, u] = labels
    return matrix
