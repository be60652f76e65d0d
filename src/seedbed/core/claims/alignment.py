"""The statistics of a check side by side: by group, paired inside the unit, data sets averaged inside it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seedbed.core.claims.card import Check, Claim
from seedbed.core.claims.filters import fixed
from seedbed.core.claims.measure import Measure
from seedbed.core.claims.selection import Cells, ClaimsError, Table, unique_keys

Group = tuple[int, ...]


@dataclass(frozen=True)
class Aligned:
    """Units of one group, and the value of each statistic in each of them.

    Attributes
    ----------
    columns : tuple of str
        What makes a unit: ``unit``, after ``dataset`` where data sets are not averaged yet.
    keys : array of shape (n_units, n_columns)
        Codes of these columns.
    values : dict
        Text of a statistic -> array of shape (n_units,).
    sets : tuple of str
        The data sets that count equally.
    """

    columns: tuple[str, ...]
    keys: np.ndarray
    values: dict[str, np.ndarray]
    sets: tuple[str, ...] = ()


class Alignment:
    """How the rows of a check are split into groups, data sets and units.

    Parameters
    ----------
    table : Table
    claim : Claim
    check : Check
    """

    def __init__(self, table: Table, claim: Claim, check: Check) -> None:
        self.table = table
        self.measure = check.measure.with_where(check.where)
        self.leaves = {repr(leaf): leaf for leaf in self.measure.leaves()}
        self.by, self.unit = tuple(claim.by), tuple(claim.unit)
        # Data sets that are neither groups nor part of the unit are averaged inside the unit.
        named = "dataset" in self.by + self.unit or check.across is not None
        one_only = all(self._fixes(leaf, "dataset") for leaf in self.leaves.values())
        self.inner = () if named or one_only else ("dataset",)
        self.nested = "dataset" in self.unit and len(self.unit) > 1 and check.across is None

    def groups(self) -> dict[str | None, Group]:
        """Name -> codes of all groups that the rows have."""
        if not self.by:
            return {None: ()}
        keys = [self._cells(leaf).keys for leaf in self.leaves.values() if self._free(leaf, self.by) == self.by]
        found, _ = unique_keys(np.concatenate([key[:, : len(self.by)] for key in keys]))
        return {
            " / ".join(self.table.level(name, code) for name, code in zip(self.by, group, strict=True)): group
            for group in map(tuple, found.tolist())
        }

    def aligned(self, group: Group) -> Aligned:
        """Every statistic in every unit (and data set) of ``group``.

        A statistic whose rows have one value only in a column that makes groups (a baseline), or one data set only, is
        held against all of the others.
        """
        columns = (*self.inner, *self.unit)
        cells = {name: self._of_group(leaf, group) for name, leaf in self.leaves.items()}
        keys = next(one.keys for one in cells.values() if one.columns == columns)
        values = {}
        for name, one in cells.items():
            own = keys[:, [columns.index(column) for column in one.columns]]
            values[name] = one.values[self._match(self.leaves[name], one, own)]
        return Aligned(columns, keys, values, self._names(keys[:, 0]) if self.inner else self._nested_names(keys))

    def averaged(self, group: Group) -> Aligned:
        """`aligned`, with data sets averaged inside each unit; every unit must have all of them."""
        one = self.aligned(group)
        if not self.inner:
            return one
        units, place = unique_keys(one.keys[:, 1:])
        n_sets = len(np.unique(one.keys[:, 0]))
        short = np.flatnonzero(np.bincount(place) < n_sets)
        if len(short):
            raise ClaimsError(
                f"{self.table.key(self.unit, units[short[0]])} has not all of the {n_sets} data sets: "
                "put dataset into `unit` if units belong to one data set, or into `each`"
            )
        means = {name: np.bincount(place, weights=value) / n_sets for name, value in one.values.items()}
        return Aligned(self.unit, units, means, one.sets)

    def strata(self, keys: np.ndarray) -> np.ndarray | None:
        """The data set of each unit, where units belong to data sets."""
        return keys[:, self.unit.index("dataset")] if self.nested else None

    def rows(self, leaf: Measure, group: Group) -> np.ndarray:
        """Positions of the rows of ``leaf`` in ``group``."""
        rows = self.table.select(leaf)
        for column in self._free(leaf, self.by):
            rows = rows[self.table.column(column).codes[rows] == group[self.by.index(column)]]
        return rows

    def data_sets(self, rows: np.ndarray) -> np.ndarray:
        """Code of the data set of each row; all the same where data sets are not told apart."""
        return self.table.column("dataset").codes[rows] if self.inner or self.nested else np.zeros(len(rows), int)

    def sets(self, rows: np.ndarray) -> tuple[str, ...]:
        """The data sets of ``rows`` that count equally."""
        return self._names(self.data_sets(rows)) if self.inner or self.nested else ()

    def _nested_names(self, keys: np.ndarray) -> tuple[str, ...]:
        strata = self.strata(keys)
        return () if strata is None else self._names(strata)

    def _names(self, codes: np.ndarray) -> tuple[str, ...]:
        return tuple(self.table.level("dataset", code) for code in np.unique(codes))

    def _fixes(self, leaf: Measure, column: str) -> bool:
        return fixed(self.table.selection(leaf), column)

    def _free(self, leaf: Measure, columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(column for column in columns if not self._fixes(leaf, column))

    def _cells(self, leaf: Measure) -> Cells:
        return self.table.cells(leaf, (*self._free(leaf, self.by), *self._free(leaf, self.inner), *self.unit))

    def _of_group(self, leaf: Measure, group: Group) -> Cells:
        cells = self._cells(leaf)
        by = self._free(leaf, self.by)
        mine = np.ones(len(cells.keys), bool)
        for place, column in enumerate(by):
            mine &= cells.keys[:, place] == group[self.by.index(column)]
        return Cells(cells.columns[len(by) :], cells.keys[mine][:, len(by) :], cells.values[mine])

    def _match(self, leaf: Measure, cells: Cells, wanted: np.ndarray) -> np.ndarray:
        """Where each of the ``wanted`` keys is among ``cells``, all of which must be wanted."""
        if np.array_equal(cells.keys, wanted):
            return np.arange(len(wanted))
        unique, place = unique_keys(np.concatenate([cells.keys, wanted]))
        own, others = place[: len(cells.keys)], place[len(cells.keys) :]
        at = np.full(len(unique), -1)
        at[own] = np.arange(len(cells.keys))
        lacking, left = np.setdiff1d(others, own), np.setdiff1d(own, others)
        if len(lacking):
            raise ClaimsError(f"`{leaf.rows}` has no partner for {self._told(cells, unique[lacking])}")
        if len(left):
            raise ClaimsError(f"`{leaf.rows}` has units without a partner: {self._told(cells, unique[left])}")
        return at[others]

    def _told(self, cells: Cells, keys: np.ndarray) -> str:
        more = f" and {len(keys) - 1} more" if len(keys) > 1 else ""
        return f"{self.table.key(cells.columns, keys[0])}{more}"
