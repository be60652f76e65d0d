"""Robust tabu search from random maps: `seedbed.nga.local_search` that goes on from local optima."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga.common_subgraph import Found
from seedbed.nga.local_search import local_search


def solve(
    pairs: Sequence[tuple[Graph, Graph]],
    generators: Sequence[np.random.Generator],
    starts: int = 32,
    steps: int = 300,
) -> list[Found]:
    """Map of each pair."""
    return [
        Found(local_search(*pair, generator, starts, steps, tabu=True))
        for pair, generator in zip(pairs, generators, strict=True)
    ]
