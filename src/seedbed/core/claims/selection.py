"""The metrics table, indexed once: which rows a selection takes, and what a statistic of them is in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from seedbed.core.claims.filters import Condition, Selection, fixed
from seedbed.core.claims.measure import Measure, merged
from seedbed.core.claims.statistics import cell_statistic, is_built_in, own_statistic
from seedbed.core.errors import SeedbedError

MEASURED = ("value", "timing")
COLUMNS = ("experiment", "dataset", "method", "seed", "metric")


class ClaimsError(SeedbedError):
    """The metrics and the card do not fit together; the message names the rows or the column."""


class RowsMissing(Exception):
    """A check has no rows to stand on, or a value that its rule cannot use: `not tested`, for the reason told."""


@dataclass(frozen=True)
class Column:
    """A key column: the code of each row (-1 where it does not apply) and the level of each code, sorted."""

    codes: np.ndarray
    levels: list[str | int]


@dataclass(frozen=True)
class Cells:
    """A statistic in every cell: ``keys[i]`` are the codes of the key columns of the cell with ``values[i]``."""

    columns: tuple[str, ...]
    keys: np.ndarray
    values: np.ndarray


@dataclass
class Table:
    """The metrics of one paper.

    Parameters
    ----------
    metrics : DataFrame
        One row a measured value, with the columns of the contract.
    paper : str
        Whose own statistics may be used.
    rows : dict
        The selections of the card.
    complete : bool
        Whether every value that a selection lists must be there (not so at smoke scale, which runs a few of them).
    unavailable : dict
        Data set -> why it could not be had.
    """

    metrics: pd.DataFrame
    paper: str
    rows: dict[str, Selection]
    complete: bool = True
    unavailable: dict[str, str] = field(default_factory=dict)
    _columns: dict[str, Column] = field(default_factory=dict)
    _masks: dict[tuple, np.ndarray] = field(default_factory=dict)
    _cells: dict[tuple, Cells] = field(default_factory=dict)

    @cached_property
    def values(self) -> np.ndarray:
        """The measured values."""
        return self.metrics["value"].to_numpy(float)

    def column(self, name: str) -> Column:
        """The key column ``name``."""
        if name not in self._columns:
            if name not in self.metrics.columns or name in MEASURED:
                raise ClaimsError(f"no column {name!r} in the metrics; it has {', '.join(self.metrics.columns)}")
            codes, levels = pd.factorize(self.metrics[name], sort=True)
            self._columns[name] = Column(codes, list(levels))
        return self._columns[name]

    def selection(self, leaf: Measure) -> Selection:
        """Conditions of the rows that ``leaf`` takes."""
        return merged(self.rows[leaf.rows], leaf.where)

    def mask(self, conditions: Selection) -> np.ndarray:
        """Which rows meet ``conditions``."""
        mask = np.ones(len(self.metrics), bool)
        # Columns of the contract first: where an experiment has no rows, its factors have no columns.
        for column in sorted(conditions, key=lambda column: column not in COLUMNS):
            for condition in conditions[column]:
                if mask.any():
                    mask = mask & self._meets(column, condition)
        return mask

    def _meets(self, name: str, condition: Condition) -> np.ndarray:
        key = (name, condition)
        if key not in self._masks:
            column = self.column(name)
            wanted = np.array([_meets(name, level, condition) for level in column.levels] + [False])
            self._masks[key] = wanted[column.codes]
        return self._masks[key]

    def select(self, leaf: Measure) -> np.ndarray:
        """Positions of the rows that ``leaf`` takes; there is at least one, and all hold numbers."""
        conditions = self.selection(leaf)
        positions = np.flatnonzero(self.mask(conditions))
        if not len(positions):
            raise RowsMissing(f"no rows of `{leaf.rows}` ({described(conditions)})")
        bad = positions[np.isnan(self.values[positions])]
        if len(bad):
            raise ClaimsError(f"`{leaf.rows}`: no number in {len(bad)} rows, the first is {self.told(bad[0])}")
        return positions

    def absent(self, leaf: Measure) -> list[tuple[str, str | int]]:
        """Columns and values that the selection of ``leaf`` lists and none of its rows has."""
        conditions = self.selection(leaf)
        positions = self.select(leaf)
        if not self.complete:
            return []
        lost = []
        for name, all_of in conditions.items():
            wanted = [set(condition.only) for condition in all_of if condition.only is not None]
            if wanted:
                column = self.column(name)
                found = {column.levels[code] for code in np.unique(column.codes[positions])}
                known = self.unavailable if name == "dataset" else ()
                lost += [(name, one) for one in sorted(set.intersection(*wanted) - found, key=str) if one not in known]
        return lost

    def unavailable_to(self, leaf: Measure) -> dict[str, str]:
        """Data sets that the selection of ``leaf`` allows and that could not be had, with the reason."""
        conditions = self.selection(leaf).get("dataset", ())
        return {
            dataset: reason
            for dataset, reason in self.unavailable.items()
            if all(_meets("dataset", dataset, condition) for condition in conditions)
        }

    def told(self, position: int, names: Sequence[str] | None = None) -> str:
        """The key of a row in words."""
        row = self.metrics.iloc[position].drop(list(MEASURED), errors="ignore").dropna()
        return described({name: (Condition((row[name],)),) for name in (names or row.index)})

    def key(self, columns: Sequence[str], codes: Sequence[int]) -> str:
        """The levels of a key in words."""
        return ", ".join(f"{name} {self.level(name, code)}" for name, code in zip(columns, codes, strict=True))

    def level(self, name: str, code: int) -> str:
        """The level of ``code`` in words."""
        return str(self.column(name).levels[code])

    def cells(self, leaf: Measure, columns: tuple[str, ...]) -> Cells:
        """The statistic of ``leaf`` in every cell of ``columns``, in the order of their codes."""
        # Selections and measures are compared by their text: they hold dictionaries, which have no hash.
        key = (repr(leaf), columns)
        if key not in self._cells:
            self._cells[key] = self._compute(leaf, columns)
        return self._cells[key]

    def _compute(self, leaf: Measure, columns: tuple[str, ...]) -> Cells:
        rows = self.select(leaf)
        keys = np.column_stack([self._applies(leaf, rows, name) for name in columns] or [np.zeros(len(rows), int)])
        unique, cell = unique_keys(keys)
        values = self.statistic(leaf, rows, cell, len(unique))
        undefined = np.flatnonzero(np.isnan(values))
        if len(undefined):
            raise ClaimsError(
                f"{leaf.name} of `{leaf.rows}` is not defined for {self.key(columns, unique[undefined[0]])}"
            )
        return Cells(columns, unique, values)

    def _applies(self, leaf: Measure, rows: np.ndarray, name: str) -> np.ndarray:
        codes = self.column(name).codes[rows]
        if (codes < 0).any():
            raise ClaimsError(f"`{leaf.rows}`: no {name} in the row {self.told(rows[np.argmin(codes)])}")
        return codes

    def statistic(self, leaf: Measure, rows: np.ndarray, cell: np.ndarray, n: int) -> np.ndarray:
        """The statistic of ``leaf``, times its factor, in each of the ``n`` cells of ``rows``."""
        if not is_built_in(leaf.name):
            own = own_statistic(self.paper, leaf.name)
            parts = self.metrics.iloc[rows].groupby(cell, sort=True)
            return leaf.times * np.array([float(own(part)) for _, part in parts])
        y = self.values[rows]
        x = self._x(leaf, rows)
        if leaf.log in ("y", "both"):
            y = self._log(leaf, "value", y, rows)
        if leaf.log in ("x", "both"):
            x = self._log(leaf, leaf.x, x, rows)
        return leaf.times * cell_statistic(leaf)(y, x, cell, n)

    def _log(self, leaf: Measure, what: str, numbers: np.ndarray, rows: np.ndarray) -> np.ndarray:
        if (numbers <= 0).any():
            raise RowsMissing(f"`{leaf.rows}`: no logarithm of {what} in the row {self.told(rows[np.argmin(numbers)])}")
        return np.log(numbers)

    def _x(self, leaf: Measure, rows: np.ndarray) -> np.ndarray | None:
        if leaf.x is None:
            return None
        if leaf.x in self.rows:
            return self._partners(leaf, rows)
        column = self.column(leaf.x)
        return _numbers(leaf.x, column.levels)[self._applies(leaf, rows, leaf.x)]

    def _partners(self, leaf: Measure, rows: np.ndarray) -> np.ndarray:
        """Values of the rows of the selection ``x`` that agree with ``rows`` in all columns which neither fixes."""
        other = Measure("mean", rows=leaf.x, where=leaf.where)
        partners = self.select(other)
        own, theirs = self.selection(leaf), self.selection(other)
        names = [n for n in self.metrics.columns if n not in MEASURED and not fixed(own, n) and not fixed(theirs, n)]
        keys = np.column_stack([self.column(name).codes for name in names])
        unique, cell = unique_keys(np.concatenate([keys[rows], keys[partners]]))
        found = np.full(len(unique), -1)
        found[cell[len(rows) :]] = partners
        if len(np.unique(cell[len(rows) :])) < len(partners):
            raise ClaimsError(f"several rows of `{leaf.x}` agree in {', '.join(names)}")
        match = found[cell[: len(rows)]]
        if (match < 0).any():
            row = rows[np.argmin(match)]
            raise ClaimsError(f"`{leaf.x}` has no partner of the `{leaf.rows}` row {self.told(row)}")
        return self.values[match]


def unique_keys(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The different rows of an array of codes (from -1 up), sorted, and which of them each row is."""
    sizes = keys.max(axis=0, initial=0).astype(object) + 2
    if np.prod(sizes) >= 2**62:
        unique, inverse = np.unique(keys, axis=0, return_inverse=True)
        return unique, inverse.ravel()
    packed = np.zeros(len(keys), np.int64)
    for column, size in zip(keys.T, sizes, strict=True):
        packed = packed * int(size) + column + 1
    _, first, inverse = np.unique(packed, return_index=True, return_inverse=True)
    return keys[first], inverse


def described(conditions: Selection) -> str:
    """A selection in words."""
    return ", ".join(f"{column} {_told(condition)}" for column, all_of in conditions.items() for condition in all_of)


def _told(condition: Condition) -> str:
    parts = []
    if condition.only is not None:
        parts.append(" or ".join(map(str, condition.only)))
    if condition.exclude:
        parts.append(f"not {' or '.join(map(str, condition.exclude))}")
    if condition.range is not None:
        parts.append(f"from {condition.range.low:g} to {condition.range.high:g}")
    return ", ".join(parts)


def _meets(name: str, level: str | int, condition: Condition) -> bool:
    for wanted in (*(condition.only or ()), *condition.exclude):
        if isinstance(wanted, str) != isinstance(level, str):
            kinds = ("texts", "an integer") if isinstance(level, str) else ("integers", "a text")
            raise ClaimsError(f"the column {name!r} holds {kinds[0]} such as {level!r}; {wanted!r} is {kinds[1]}")
    if condition.only is not None and level not in condition.only:
        return False
    if level in condition.exclude:
        return False
    return condition.range is None or float(_numbers(name, [level])[0]) in condition.range


def _numbers(name: str, levels: list[str | int]) -> np.ndarray:
    try:
        return np.array([float(level) for level in levels])
    except ValueError:
        some = ", ".join(map(str, levels[:5]))
        raise ClaimsError(f"the column {name!r} holds texts that are no numbers: {some}") from None
