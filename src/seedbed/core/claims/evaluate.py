"""From a check to its evidence: one for each group, either an estimate or the exact values of the units.

Statistics of rows are computed inside each unit (and data set). What combines measures is computed on their means over
units; where a check looks at each unit (``every``, ``share``), in each unit by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from seedbed.core.claims.card import Check, Claim
from seedbed.core.claims.filters import fixed
from seedbed.core.claims.intervals import (
    ClopperPearson,
    Estimate,
    Negated,
    Smallest,
    Undecidable,
    left_out_means,
    of_mean,
    of_replicates,
)
from seedbed.core.claims.measure import Measure
from seedbed.core.claims.selection import Cells, ClaimsError, RowsMissing, Table, unique_keys

Group = tuple[int, ...]
Values = Callable[[Measure], np.ndarray]


@dataclass(frozen=True)
class Evidence:
    """What the rows say about one check in one group.

    Attributes
    ----------
    group : str or None
        Value of the columns that make groups.
    n : int or None
        Number of units.
    estimate : Estimate, optional
        For ``interval`` and ``share``.
    values, cells : arrays, optional
        For ``every``: the value of each unit, and which unit that is, in words.
    undecidable, missing : str, optional
        Why there is no interval, or no rows.
    value : float, optional
        What was measured, where there is no interval.
    """

    group: str | None
    n: int | None = None
    estimate: Estimate | None = None
    values: np.ndarray | None = None
    cells: tuple[str, ...] = ()
    undecidable: str | None = None
    missing: str | None = None
    value: float | None = None


def evidence(table: Table, claim: Claim, check: Check) -> list[Evidence]:
    """The evidence for ``check`` in all its groups."""
    try:
        return _Evaluation(table, claim, check).all_groups()
    except RowsMissing as reason:
        return [Evidence(None, missing=str(reason))]


class _Evaluation:
    def __init__(self, table: Table, claim: Claim, check: Check) -> None:
        self.table, self.check = table, check
        self.measure = check.measure.with_where(check.where)
        self.leaves = {repr(leaf): leaf for leaf in self.measure.leaves()}
        self.by, self.unit = tuple(claim.by), tuple(claim.unit)
        within = check.is_.within
        self.order = list(claim.published) if isinstance(claim.published, dict) else []
        self.published = claim.published_for(check) if within is not None else None
        self.listed = list(within) if isinstance(within, dict) else []
        # Data sets that are neither groups nor part of the unit are averaged inside the unit.
        named = "dataset" in self.by + self.unit or check.across is not None
        one_only = all(self._fixes(leaf, "dataset") for leaf in self.leaves.values())
        self.inner = () if named or one_only else ("dataset",)
        self.nested = "dataset" in self.unit and len(self.unit) > 1 and check.across is None

    def all_groups(self) -> list[Evidence]:
        missing = self._missing_groups()
        found = {self._label(group): group for group in self._groups()}
        labels = self._order([*found, *(label for label in missing if label not in found)])
        return [self._group(label, found[label]) if label in found else missing[label] for label in labels]

    def _fixes(self, leaf: Measure, column: str) -> bool:
        return fixed(self.table.selection(leaf), column)

    def _free(self, leaf: Measure, columns: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(column for column in columns if not self._fixes(leaf, column))

    # Groups

    def _missing_groups(self) -> dict[str | None, Evidence]:
        """Groups that the card names and that have no rows; `RowsMissing` if the whole check misses rows."""
        reasons: dict[str | None, str] = {}
        for leaf in self.leaves.values():
            for dataset, reason in self.table.unavailable_to(leaf).items():
                if self.by != ("dataset",):
                    raise RowsMissing(f"{dataset}: {reason}")
                reasons[dataset] = reason
            for column, level in self.table.absent(leaf):
                if self.by != (column,):
                    raise RowsMissing(f"no rows of `{leaf.rows}` with {column} {level}")
                reasons.setdefault(str(level), f"no rows of `{leaf.rows}` with {column} {level}")
        if self.table.complete and len(self.by) == 1:
            found = {self._label(group) for group in self._groups()}
            for label in self.listed:
                if label not in found:
                    reasons.setdefault(label, f"no rows with {self.by[0]} {label}")
        return {label: Evidence(label, missing=reason) for label, reason in reasons.items() if self._compared(label)}

    def _groups(self) -> list[Group]:
        """Codes of all groups that the rows have and the published values allow to compare."""
        if not self.by:
            return [()]
        keys = [self._cells(leaf).keys for leaf in self.leaves.values() if self._free(leaf, self.by) == self.by]
        found, _ = unique_keys(np.concatenate([key[:, : len(self.by)] for key in keys]))
        return [group for group in map(tuple, found.tolist()) if self._compared(self._label(group))]

    def _compared(self, label: str | None) -> bool:
        if not isinstance(self.published, dict):
            return True
        return label in (self.listed or self.published)

    def _label(self, group: Group) -> str | None:
        if not self.by:
            return None
        return " / ".join(self.table.level(name, code) for name, code in zip(self.by, group, strict=True))

    def _order(self, labels: list[str | None]) -> list[str | None]:
        return sorted(labels, key=lambda label: self.order.index(label) if label in self.order else len(self.order))

    def _group(self, label: str | None, group: Group) -> Evidence:
        if self.check.pooled:
            return self._pooled(label, group)
        keys, values = self._aligned(group)
        if self.check.decide == "every":
            return self._every(label, keys, values)
        if self.check.decide == "share":
            return self._share(label, keys, values)
        return self._interval(label, *self._averaged(keys, values))

    # Units

    def _cells(self, leaf: Measure) -> Cells:
        return self.table.cells(leaf, (*self._free(leaf, self.by), *self._free(leaf, self.inner), *self.unit))

    def _aligned(self, group: Group) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Keys (data set and unit) of one group, and the values of each statistic in their order.

        A statistic whose rows have one value only in a column that makes groups (a baseline), or one data set only, is
        held against all of the others.
        """
        cells = {name: self._of_group(leaf, group) for name, leaf in self.leaves.items()}
        full = (*self.inner, *self.unit)
        keys = next(one.keys for one in cells.values() if one.columns == full)
        values = {}
        for name, one in cells.items():
            own = keys[:, [full.index(column) for column in one.columns]]
            values[name] = one.values[self._match(self.leaves[name], one, own)]
            if one.columns == full and len(one.keys) > len(keys):
                self._match_reverse(name, one, keys)
        return keys, values

    def _of_group(self, leaf: Measure, group: Group) -> Cells:
        cells = self._cells(leaf)
        by = self._free(leaf, self.by)
        mine = np.ones(len(cells.keys), bool)
        for place, column in enumerate(by):
            mine &= cells.keys[:, place] == group[self.by.index(column)]
        return Cells(cells.columns[len(by) :], cells.keys[mine][:, len(by) :], cells.values[mine])

    def _match(self, leaf: Measure, cells: Cells, wanted: np.ndarray) -> np.ndarray:
        """Where each of the ``wanted`` keys is among ``cells``."""
        if np.array_equal(cells.keys, wanted):
            return np.arange(len(wanted))
        unique, place = unique_keys(np.concatenate([cells.keys, wanted]))
        at = np.full(len(unique), -1)
        at[place[: len(cells.keys)]] = np.arange(len(cells.keys))
        found = at[place[len(cells.keys) :]]
        if (found < 0).any():
            lost = wanted[found < 0]
            raise ClaimsError(
                f"`{leaf.rows}` has no partner for {len(lost)} of {len(wanted)} units: "
                f"{self.table.key(cells.columns, lost[0])}"
            )
        return found

    def _match_reverse(self, name: str, cells: Cells, keys: np.ndarray) -> None:
        others = next(leaf for other, leaf in self.leaves.items() if other != name)
        self._match(others, Cells(cells.columns, keys, np.zeros(len(keys))), cells.keys)

    def _averaged(self, keys: np.ndarray, values: dict[str, np.ndarray]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Data sets averaged inside each unit; every unit must have all of them."""
        if not self.inner:
            return keys, values
        units, place = unique_keys(keys[:, 1:])
        n_sets = len(np.unique(keys[:, 0]))
        short = np.flatnonzero(np.bincount(place) < n_sets)
        if len(short):
            raise ClaimsError(
                f"{self.table.key(self.unit, units[short[0]])} has not all of the {n_sets} data sets: "
                "put dataset into `unit` if units belong to one data set, or into `each`"
            )
        return units, {name: np.bincount(place, weights=value) / n_sets for name, value in values.items()}

    def _strata(self, keys: np.ndarray) -> np.ndarray | None:
        return keys[:, self.unit.index("dataset")] if self.nested else None

    # Decisions

    def _every(self, label: str | None, keys: np.ndarray, values: dict[str, np.ndarray]) -> Evidence:
        exact = self._exact(keys, values)
        columns = (*self.inner, *self.unit)
        return Evidence(label, len(exact), values=exact, cells=tuple(self.table.key(columns, key) for key in keys))

    def _exact(self, keys: np.ndarray, values: dict[str, np.ndarray]) -> np.ndarray:
        exact = combine(self.measure, lambda leaf: values[repr(leaf)])
        if np.isnan(exact).any():
            raise ClaimsError(
                f"not defined for {self.table.key((*self.inner, *self.unit), keys[np.argmax(np.isnan(exact))])}"
            )
        return exact

    def _share(self, label: str | None, keys: np.ndarray, values: dict[str, np.ndarray]) -> Evidence:
        exact = self._exact(keys, values)
        if self.inner and len(set(np.bincount(keys[:, 0])) - {0}) > 1:
            raise ClaimsError("a share over data sets with different numbers of units: use `each: dataset`")
        if self.check.holds is not None:
            inside = self.check.holds.range()
            holds = np.array([value in inside for value in exact])
        elif np.isin(exact, (0, 1)).all():
            holds = exact == 1
        else:
            other = exact[~np.isin(exact, (0, 1))][0]
            raise ClaimsError(f"a share counts units of value 0 or 1, found {other:g}; `holds` says when a unit counts")
        return Evidence(label, len(exact), ClopperPearson(int(holds.sum()), len(exact)))

    def _interval(self, label: str | None, keys: np.ndarray, values: dict[str, np.ndarray]) -> Evidence:
        finite = all(np.isfinite(value).all() for value in values.values())
        if not finite:
            raise ClaimsError("an infinite value; an interval needs finite ones (`decide: every` does not)")
        strata = self._strata(keys)
        make = self._by_jackknife if self.measure.contains("ratio") else self._by_units
        full = {name: _mean(value, strata) for name, value in values.items()}
        return self._estimated(label, len(keys), full, lambda candidate: make(candidate, values, strata))

    def _by_units(self, measure: Measure, values: dict[str, np.ndarray], strata: np.ndarray | None) -> Estimate:
        return of_mean(combine(measure, lambda leaf: values[repr(leaf)]), strata)

    def _by_jackknife(self, measure: Measure, values: dict[str, np.ndarray], strata: np.ndarray | None) -> Estimate:
        replicates = {name: _with_left_out(value, strata) for name, value in values.items()}
        return _jackknifed(measure, replicates, strata)

    def _pooled(self, label: str | None, group: Group) -> Evidence:
        try:
            parts = {name: self._pooled_replicates(leaf, group) for name, leaf in self.leaves.items()}
        except Undecidable as reason:
            return Evidence(label, undecidable=str(reason))
        keys = next(iter(parts.values()))[0]
        if any(not np.array_equal(keys, other) for other, _ in parts.values()):
            raise ClaimsError(f"a pooled check whose statistics have different units: {', '.join(self.unit)}")
        replicates = {name: values for name, (_, values) in parts.items()}
        full = {name: values[0] for name, values in replicates.items()}
        return self._estimated(label, len(keys), full, lambda one: _jackknifed(one, replicates, self._strata(keys)))

    def _pooled_replicates(self, leaf: Measure, group: Group) -> tuple[np.ndarray, np.ndarray]:
        """Units of ``leaf``, and its value over all of them, then without each in turn; data sets count equally."""
        rows = self.table.select(leaf)
        for column in self._free(leaf, self.by):
            rows = rows[self.table.column(column).codes[rows] == group[self.by.index(column)]]
        keys, unit = unique_keys(np.column_stack([self.table.column(name).codes[rows] for name in self.unit]))
        sets = self.table.column("dataset").codes[rows] if self.inner or self.nested else np.zeros(len(rows), int)
        n_sets = len(np.unique(sets))

        def value(kept: np.ndarray) -> float:
            found, cell = unique_keys(sets[kept][:, None])
            if len(found) < n_sets:
                raise Undecidable("a data set has one unit only")
            return float(self.table.statistic(leaf, rows[kept], cell, n_sets).mean())

        everything = np.ones(len(rows), bool)
        return keys, np.array([value(everything), *(value(unit != one) for one in range(len(keys)))])

    def _estimated(
        self, label: str | None, n: int, full: dict[str, float], make: Callable[[Measure], Estimate]
    ) -> Evidence:
        try:
            estimates = tuple(make(candidate) for candidate in self.measure.candidates())
        except Undecidable as reason:
            value = float(combine(self.measure, lambda leaf: np.float64(full[repr(leaf)])))
            return Evidence(label, n, undecidable=str(reason), value=value)
        if len(estimates) == 1:
            return Evidence(label, n, estimates[0])
        if self.measure.chooses_smallest():
            return Evidence(label, n, Smallest(estimates))
        return Evidence(label, n, Negated(Smallest(tuple(map(Negated, estimates)))))


def combine(measure: Measure, values: Values) -> np.ndarray:
    """``measure`` from the values of its statistics, element by element."""
    if not measure.parts:
        return values(measure)
    parts = [combine(part, values) for part in measure.parts]
    return measure.times * _combined(measure.name, parts)


def _combined(name: str, parts: list[np.ndarray]) -> np.ndarray:
    if name == "difference":
        return parts[0] - parts[1]
    if name == "ratio":
        with np.errstate(divide="ignore", invalid="ignore"):
            return parts[0] / parts[1]
    if name == "min":
        return np.minimum.reduce(parts)
    if name == "max":
        return np.maximum.reduce(parts)
    total = np.sum(parts, axis=0)
    return total / len(parts) if name == "mean" else total


def _with_left_out(values: np.ndarray, strata: np.ndarray | None) -> np.ndarray:
    return np.array([_mean(values, strata), *left_out_means(values, strata)])


def _mean(values: np.ndarray, strata: np.ndarray | None) -> float:
    if strata is None:
        return float(values.mean())
    return float(np.mean([values[strata == one].mean() for one in np.unique(strata)]))


def _jackknifed(measure: Measure, replicates: dict[str, np.ndarray], strata: np.ndarray | None) -> Estimate:
    values = combine(measure, lambda leaf: replicates[repr(leaf)])
    if not np.isfinite(values).all() or _changes_sign(measure, replicates):
        raise Undecidable("not defined without some of the units, or a denominator that is not clearly positive")
    return of_replicates(values[0], values[1:], strata, log=measure.name == "ratio")


def _changes_sign(measure: Measure, replicates: dict[str, np.ndarray]) -> bool:
    """Whether a denominator inside is not positive in all replicates."""
    under = []
    if measure.parts and measure.name == "ratio":
        under = [combine(measure.parts[1], lambda leaf: replicates[repr(leaf)])]
    return any((value <= 0).any() for value in under) or any(_changes_sign(part, replicates) for part in measure.parts)
