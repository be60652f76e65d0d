"""RASCAL (Raymond, Gardiner and Willett 2002) as RDKit has it, on the molecules that the labels describe."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rdkit.Chem import rdRascalMCES

from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.molecules import graph_molecule
from seedbed.nga.common_subgraph import Found


def rascal(first: Graph, second: Graph, seconds: int, defaults: bool = False) -> tuple[np.ndarray, bool]:
    """Map of ``first``'s nodes to those of ``second`` (-1: unmatched), and whether RASCAL gave up after ``seconds``.

    ``defaults`` keeps RDKit's options, under which pairs that look less than 0.7 similar are not answered and aromatic
    rings count only whole. Without it the problem is the one that the other solvers solve.

    RASCAL matches bonds, by a clique; where it gave up, the clique may match a triangle to a star, which no map of
    atoms does. Of two atoms that it sends to one the first is kept.
    """
    options = rdRascalMCES.RascalOptions()
    options.timeout = seconds
    options.returnEmptyMCES = True
    if not defaults:
        options.similarityThreshold = 0.0
        options.completeAromaticRings = False
        options.ringMatchesRingOnly = False
        options.maxBondMatchPairs = 100_000
    mapping = np.full(first.n_nodes, -1)
    results = rdRascalMCES.FindMCES(graph_molecule(first), graph_molecule(second), options)
    if not results:
        return mapping, False
    for u, v in results[0].atomMatches():
        if v not in mapping:
            mapping[u] = v
    return mapping, bool(results[0].timedOut)


def solve(pairs: Sequence[tuple[Graph, Graph]], generators: Sequence[np.random.Generator], seconds: int) -> list[Found]:
    """Map of each pair with options under which the problem is that of the other solvers."""
    del generators
    return [Found(*rascal(*pair, seconds)) for pair in pairs]
