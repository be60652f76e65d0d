"""Optima of the pairs of a data set, as a table between jobs, and what a found map is worth beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seedbed.core.graphs.graph import Graph
from seedbed.core.tables import write_table
from seedbed.nga.common_subgraph import common_edges, johnson_similarity


@dataclass(frozen=True)
class Reference:
    """A pair's best known map (first graph to second), its common edges, and what no map exceeds."""

    mapping: np.ndarray
    lower: int
    upper: int


def write_optima(optima: Sequence[Reference], path: Path | str) -> None:
    """Write maps (first graph to second) and bounds, one row a pair."""
    table = {
        "mapping": [optimum.mapping.tolist() for optimum in optima],
        "lower": [optimum.lower for optimum in optima],
        "upper": [optimum.upper for optimum in optima],
    }
    write_table(pa.table(table), path)


def read_optima(path: Path | str) -> list[Reference]:
    """What `write_optima` wrote."""
    return [
        Reference(np.array(row["mapping"], dtype=np.int64), row["lower"], row["upper"])
        for row in pq.read_table(path).to_pylist()
    ]


def accuracy(edges: float, optimum: Reference) -> float:
    """Common edges in % of the optimum, or of its upper bound where that is not proven; 100 where there are none."""
    return 100.0 * edges / optimum.upper if optimum.upper else 100.0


def score(pair: tuple[Graph, Graph], mapping: np.ndarray, optimum: Reference) -> dict[str, float]:
    """Accuracy in %, missing edges, and whether the optimum was reached; counted on the two graphs themselves."""
    edges = len(common_edges(*pair, mapping))
    if edges > optimum.upper:
        raise ValueError(f"{edges} common edges found, {optimum.upper} is the upper bound")
    return {"accuracy": accuracy(edges, optimum), "gap": optimum.upper - edges, "solved": edges == optimum.upper}


def similarity(pair: tuple[Graph, Graph], mapping: np.ndarray) -> float:
    """Johnson similarity of a pair under a map."""
    edges = common_edges(*pair, mapping)
    return johnson_similarity(len(np.unique(edges)), len(edges), *pair)
