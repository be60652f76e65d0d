"""From a check to its evidence: one for each group, either an estimate or the exact values of the units.

Statistics of rows are computed inside each unit (and data set). What combines measures is computed on their means over
units; where a check looks at each unit (``every``, ``share``), in each unit by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from seedbed.core.claims.alignment import Aligned, Alignment, Group
from seedbed.core.claims.card import Check, Claim
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
from seedbed.core.claims.selection import ClaimsError, RowsMissing, Table, unique_keys

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
    sets : tuple of str
        The data sets that count equally, where they are neither groups nor the units.
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
    sets: tuple[str, ...] = ()
    undecidable: str | None = None
    missing: str | None = None
    value: float | None = None


def evidence(table: Table, claim: Claim, check: Check) -> list[Evidence]:
    """The evidence for ``check`` in all its groups, those that the card names and that have no rows included.

    A check that says ``within`` is made for the groups that have a published value (and a distance, if these differ).
    """
    try:
        alignment = Alignment(table, claim, check)
        missing = _missing(alignment)
        groups = alignment.groups()
    except RowsMissing as reason:
        return [Evidence(None, missing=str(reason))]
    compared = _compared_groups(claim, check)
    if compared is not None and table.complete and len(claim.by) == 1:
        absent = [label for label in compared if isinstance(check.is_.within, dict) and label not in groups]
        missing |= {label: f"no rows with {claim.by[0]} {label}" for label in absent if label not in missing}
    labels = [label for label in {**groups, **missing} if compared is None or label in compared]
    return [
        _of_group(alignment, check, label, groups[label])
        if label in groups
        else Evidence(label, missing=missing[label])
        for label in _in_published_order(claim, labels)
    ]


def _missing(alignment: Alignment) -> dict[str | None, str]:
    """Groups that could not be had, or that a selection lists in vain; `RowsMissing` if the whole check is."""
    reasons: dict[str | None, str] = {}
    for leaf in alignment.leaves.values():
        for column, label, of_check, of_group in _lost(alignment.table, leaf):
            if alignment.by != (column,):
                raise RowsMissing(of_check)
            reasons.setdefault(label, of_group)
    return reasons


def _lost(table: Table, leaf: Measure) -> Iterator[tuple[str, str, str, str]]:
    """Column, value, reason for a check and reason for a group of what ``leaf`` lacks; first what could not be had."""
    for name, why in table.unavailable_to(leaf).items():
        yield "dataset", name, f"{name}: {why}", why
    for column, level in table.absent(leaf):
        text = f"no rows of `{leaf.rows}` with {column} {level}"
        yield column, str(level), text, text


def _compared_groups(claim: Claim, check: Check) -> list[str] | None:
    """Groups that can be compared with a published value; None if the check compares with none, or all with one."""
    within, published = check.is_.within, claim.published_for(check)
    if isinstance(within, dict):
        return list(within)
    return list(published) if within is not None and isinstance(published, dict) else None


def _in_published_order(claim: Claim, labels: list[str | None]) -> list[str | None]:
    order = list(claim.published) if isinstance(claim.published, dict) else []
    return sorted(labels, key=lambda label: order.index(label) if label in order else len(order))


def _of_group(alignment: Alignment, check: Check, label: str | None, group: Group) -> Evidence:
    try:
        if check.pooled:
            return _pooled(alignment, label, group)
        if check.decide == "every":
            return _every(alignment, label, group)
        if check.decide == "share":
            return _share(alignment, check, label, group)
        return _interval(alignment, label, group)
    except RowsMissing as reason:  # an `x` that is a selection is read with the statistic
        return Evidence(label, missing=str(reason))


def _every(alignment: Alignment, label: str | None, group: Group) -> Evidence:
    one = alignment.aligned(group)
    told = tuple(alignment.table.key(one.columns, key) for key in one.keys)
    return Evidence(
        label, len(one.keys), values=_exact(alignment, one), cells=told, sets=one.sets if alignment.inner else ()
    )


def _share(alignment: Alignment, check: Check, label: str | None, group: Group) -> Evidence:
    one = alignment.aligned(group)
    if alignment.inner and len(set(np.bincount(one.keys[:, 0])) - {0}) > 1:
        raise ClaimsError("a share over data sets with different numbers of units: use `each: dataset`")
    exact = _exact(alignment, one)
    if check.holds is not None:
        inside = check.holds.range()
        holds = np.array([value in inside for value in exact])
    elif np.isin(exact, (0, 1)).all():
        holds = exact == 1
    else:
        other = exact[~np.isin(exact, (0, 1))][0]
        raise ClaimsError(f"a share counts units of value 0 or 1, found {other:g}; `holds` says when a unit counts")
    return Evidence(label, len(exact), ClopperPearson(int(holds.sum()), len(exact)), sets=one.sets)


def _exact(alignment: Alignment, one: Aligned) -> np.ndarray:
    """The check's measure in each unit by itself."""
    exact = combine(alignment.measure, lambda leaf: one.values[repr(leaf)])
    undefined = np.flatnonzero(np.isnan(exact))
    if len(undefined):
        raise ClaimsError(f"not defined for {alignment.table.key(one.columns, one.keys[undefined[0]])}")
    return exact


def _interval(alignment: Alignment, label: str | None, group: Group) -> Evidence:
    one = alignment.averaged(group)
    if not all(np.isfinite(value).all() for value in one.values.values()):
        raise ClaimsError("an infinite value; an interval needs finite ones (`decide: every` does not)")
    strata = alignment.strata(one.keys)
    make = _by_jackknife if alignment.measure.contains("ratio") else _by_units
    full = {name: _mean(value, strata) for name, value in one.values.items()}
    found = _estimated(alignment.measure, label, len(one.keys), full, lambda choice: make(choice, one.values, strata))
    return replace(found, sets=one.sets)


def _by_units(measure: Measure, values: dict[str, np.ndarray], strata: np.ndarray | None) -> Estimate:
    return of_mean(combine(measure, lambda leaf: values[repr(leaf)]), strata)


def _by_jackknife(measure: Measure, values: dict[str, np.ndarray], strata: np.ndarray | None) -> Estimate:
    replicates = {name: np.array([_mean(v, strata), *left_out_means(v, strata)]) for name, v in values.items()}
    return _jackknifed(measure, replicates, strata)


def _pooled(alignment: Alignment, label: str | None, group: Group) -> Evidence:
    try:
        parts = {name: _pooled_replicates(alignment, leaf, group) for name, leaf in alignment.leaves.items()}
    except Undecidable as reason:
        return Evidence(label, undecidable=str(reason))
    keys = next(iter(parts.values()))[0]
    if any(not np.array_equal(keys, other) for other, _ in parts.values()):
        raise ClaimsError(f"a pooled check whose statistics have different units ({', '.join(alignment.unit)})")
    replicates = {name: values for name, (_, values) in parts.items()}
    full = {name: values[0] for name, values in replicates.items()}
    strata = alignment.strata(keys)
    found = _estimated(alignment.measure, label, len(keys), full, lambda one: _jackknifed(one, replicates, strata))
    return replace(found, sets=alignment.sets(alignment.rows(next(iter(alignment.leaves.values())), group)))


def _pooled_replicates(alignment: Alignment, leaf: Measure, group: Group) -> tuple[np.ndarray, np.ndarray]:
    """Units of ``leaf``, and its value over all of them, then without each in turn; data sets count equally."""
    table, rows = alignment.table, alignment.rows(leaf, group)
    keys, unit = unique_keys(np.column_stack([table.column(name).codes[rows] for name in alignment.unit]))
    sets = alignment.data_sets(rows)
    n_sets = len(np.unique(sets))

    def value(kept: np.ndarray) -> float:
        found, cell = unique_keys(sets[kept][:, None])
        if len(found) < n_sets:
            raise Undecidable("a data set has one unit only")
        return float(table.statistic(leaf, rows[kept], cell, n_sets).mean())

    everything = np.ones(len(rows), bool)
    return keys, np.array([value(everything), *(value(unit != one) for one in range(len(keys)))])


def _estimated(
    measure: Measure, label: str | None, n: int, full: dict[str, float], make: Callable[[Measure], Estimate]
) -> Evidence:
    """The estimate that ``make`` makes of ``measure``, or of each of its candidates if it is the best of several."""
    try:
        estimates = tuple(make(candidate) for candidate in measure.candidates())
    except Undecidable as reason:
        value = float(combine(measure, lambda leaf: np.float64(full[repr(leaf)])))
        return Evidence(label, n, undecidable=str(reason), value=value)
    if len(estimates) == 1:
        return Evidence(label, n, estimates[0])
    if measure.chooses_smallest():
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


def _mean(values: np.ndarray, strata: np.ndarray | None) -> float:
    if strata is None:
        return float(values.mean())
    return float(np.mean([values[strata == one].mean() for one in np.unique(strata)]))


def _jackknifed(measure: Measure, replicates: dict[str, np.ndarray], strata: np.ndarray | None) -> Estimate:
    values = combine(measure, lambda leaf: replicates[repr(leaf)])
    if not _positive_denominators(measure, replicates):
        raise Undecidable("a denominator that is not positive, at least without one of the units")
    if not np.isfinite(values).all():
        raise Undecidable("not defined without one of the units")
    return of_replicates(values[0], values[1:], strata, log=measure.name == "ratio")


def _positive_denominators(measure: Measure, replicates: dict[str, np.ndarray]) -> bool:
    """Whether the denominators of all ratios inside are positive in all replicates."""
    if measure.name == "ratio" and not (combine(measure.parts[1], lambda leaf: replicates[repr(leaf)]) > 0).all():
        return False
    return all(_positive_denominators(part, replicates) for part in measure.parts)
