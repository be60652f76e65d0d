"""Accuracy against time: when each solver, alone on one pair, had a map of how many common edges."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga import graduated_assignment, neural_tabu, random_walk, rascal
from seedbed.nga.association import association_common_graph
from seedbed.nga.common_subgraph import common_edges
from seedbed.nga.exact import maximum_common_edges
from seedbed.nga.local_search import local_search
from seedbed.nga.neural import NeuralGraduatedAssignment, Settings

Trace = list[tuple[float, int]]
"""(seconds since the start, common edges of the best map so far), times ascending."""


@dataclass(frozen=True)
class Run:
    """One run of a solver on one pair; it calls ``watch`` with the common edges of each map that it comes to hold."""

    pair: tuple[Graph, Graph]
    generator: np.random.Generator
    options: dict[str, Any]
    seconds: float
    watch: Callable[[int], None]


def trace(
    solver: str,
    pair: tuple[Graph, Graph],
    generator: np.random.Generator,
    options: Mapping[str, Any],
    seconds: float,
) -> Trace:
    """Trace of one solver on one pair; ``seconds`` limits RASCAL and the exact solver, the others stop by count."""
    points: Trace = []
    start = time.perf_counter()

    def watch(edges: int) -> None:
        points.append((time.perf_counter() - start, edges))

    _SOLVERS[solver](Run(pair, generator, dict(options), seconds, watch))
    return points


def edges_at(points: Trace, seconds: float) -> int:
    """Common edges of the best map at a time."""
    return max((edges for when, edges in points if when <= seconds), default=0)


def seconds_to(points: Trace, edges: int) -> float:
    """Time of the first map of so many common edges; infinite if there was none."""
    return min((when for when, found in points if found >= edges), default=np.inf)


def _neural(run: Run) -> None:
    network = NeuralGraduatedAssignment([run.pair], Settings(**run.options), [run.generator])
    for epoch in network.train():
        if epoch.targets is not None:
            run.watch(int(network.batch.graphs[0].count_edges(epoch.targets[0]).max()))


def _neural_tabu(run: Run) -> None:
    neural_tabu.solve([run.pair], [run.generator], **run.options, watch=run.watch)


def _local_search(run: Run) -> None:
    local_search(*run.pair, run.generator, **run.options, watch=run.watch)


def _tabu_search(run: Run) -> None:
    local_search(*run.pair, run.generator, **run.options, tabu=True, watch=run.watch)


def _graduated_assignment(run: Run) -> None:
    (found,) = graduated_assignment.solve([run.pair], [run.generator], **run.options)
    run.watch(len(common_edges(*run.pair, found.mapping)))


def _random_walk(run: Run) -> None:
    (found,) = random_walk.solve([run.pair], [run.generator], **run.options)
    run.watch(len(common_edges(*run.pair, found.mapping)))


def _rascal(run: Run) -> None:
    mapping, _ = rascal.rascal(*run.pair, int(run.seconds))
    run.watch(len(common_edges(*run.pair, mapping)))


def _exact(run: Run) -> None:
    run.watch(maximum_common_edges(association_common_graph(*run.pair), time_limit=run.seconds).lower)


_SOLVERS = {
    "neural": _neural,
    "neural_tabu": _neural_tabu,
    "graduated_assignment": _graduated_assignment,
    "random_walk": _random_walk,
    "local_search": _local_search,
    "tabu_search": _tabu_search,
    "rascal": _rascal,
    "exact": _exact,
}
SOLVERS = tuple(_SOLVERS)
