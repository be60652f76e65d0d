"""Tabu search before and after a short training of neural graduated assignment (ours)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga.common_subgraph import Found
from seedbed.nga.local_search import SwapNeighbourhood, improve, random_permutations
from seedbed.nga.neural import NeuralGraduatedAssignment, Settings

# A light network, trained just long enough to start from.
LIGHT = {"epochs": 10, "learning_rate": 2e-2, "samples": 8, "n_iter": 6, "layers": 2, "gnn_layers": 1}


def solve(
    pairs: Sequence[tuple[Graph, Graph]],
    generators: Sequence[np.random.Generator],
    starts: int = 16,
    first_steps: int = 60,
    steps: int = 300,
    watch: Callable[[int], None] = lambda edges: None,
    **options: Any,
) -> list[Found]:
    """Map of each pair: tabu search from random maps, the network, tabu search from the best maps of both.

    ``watch`` is called with the common edges of each map that comes up.
    """
    neighbourhoods = [SwapNeighbourhood(*pair) for pair in pairs]
    pool = []
    for neighbourhood, generator in zip(neighbourhoods, generators, strict=True):
        start = random_permutations(generator, starts, neighbourhood.graph.shape[1])
        pool.append([improve(neighbourhood, start, generator, first_steps, tabu=True, watch=watch)[None]])
    network = NeuralGraduatedAssignment(pairs, Settings(**{**LIGHT, **options}), generators)
    for epoch in network.train(decode_from=0.0):
        for maps, neighbourhood, targets in zip(pool, neighbourhoods, epoch.targets, strict=True):
            maps.append(targets)
            watch(int(neighbourhood.graph.count_edges(targets).max()))
    found = []
    for maps, neighbourhood, generator in zip(pool, neighbourhoods, generators, strict=True):
        graph = neighbourhood.graph
        targets = np.unique(np.concatenate(maps), axis=0)
        best = targets[np.argsort(-graph.count_edges(targets), kind="stable")[:starts]]
        start = completed(best, graph.shape[1])
        found.append(Found(graph.mapping(improve(neighbourhood, start, generator, steps, tabu=True, watch=watch))))
    return found


def completed(targets: np.ndarray, n2: int) -> np.ndarray:
    """Maps (R, n1) as permutations (R, n2): the unused targets follow in ascending order."""
    unused = [np.setdiff1d(np.arange(n2), row) for row in targets]
    return np.concatenate([targets, np.array(unused).reshape(len(targets), -1)], axis=1)
