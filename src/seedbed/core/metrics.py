"""The tidy metrics table: one row a measured value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from seedbed.core.errors import SeedbedError
from seedbed.core.tables import write_table

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("experiment", "dataset", "method", "seed", "metric", "value", "timing")
Factor = str | int


class Metrics:
    """Collects the rows of one job.

    Parameters
    ----------
    experiment, dataset, method : str
        What the job measures; the same in all its rows.
    """

    def __init__(self, experiment: str, dataset: str, method: str) -> None:
        self._job = {"experiment": experiment, "dataset": dataset, "method": method}
        self._rows: list[dict[str, object]] = []

    def add(self, seed: int, values: Mapping[str, float], *, timing: bool = False, **factors: Factor) -> None:
        """Add one row for each metric of ``values``; ``timing`` marks values that depend on the clock.

        Factors are strings or integers, so that a claim can select them exactly.
        """
        for name, factor in factors.items():
            if not isinstance(factor, str | int) or isinstance(factor, bool):
                raise TypeError(f"factor {name}={factor!r}: must be a string or an integer")
        for metric, value in values.items():
            row = {"seed": int(seed), "metric": metric, "value": float(value), "timing": timing}
            self._rows.append(self._job | row | factors)

    def write(self, path: Path | str) -> None:
        """Write the table to ``path``."""
        columns = dict.fromkeys(COLUMNS) | dict.fromkeys(key for row in self._rows for key in row)
        write_table(pa.table({name: [row.get(name) for row in self._rows] for name in columns}), path)


def collect(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """All rows of ``tables`` in a fixed order; a factor that a table lacks is missing (``<NA>``) in its rows."""
    import pandas as pd

    tables = [table for table in tables if len(table)]
    if not tables:
        return pd.DataFrame(columns=list(COLUMNS))
    factors = sorted({column for table in tables for column in table.columns} - set(COLUMNS))
    joined = pd.concat([_nullable(table, factors) for table in tables], ignore_index=True)
    joined = joined[[*COLUMNS[:4], *factors, *COLUMNS[4:]]]
    order = [*COLUMNS[:3], *factors, "seed", "metric"]
    twice = joined.duplicated(order)
    if twice.any():
        raise SeedbedError(f"measured twice: {joined.loc[twice, order].iloc[0].dropna().to_dict()}")
    return joined.sort_values(order, kind="stable", ignore_index=True)


def _nullable(table: pd.DataFrame, factors: list[str]) -> pd.DataFrame:
    missing = set(COLUMNS) - set(table.columns)
    if missing:
        raise SeedbedError(f"metrics table lacks the columns {sorted(missing)}")
    present = {f: "Int64" if table[f].dtype.kind in "if" else "string" for f in factors if f in table}
    return table.astype(present)
