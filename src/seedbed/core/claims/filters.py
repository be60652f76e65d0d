"""Selections of rows, and regions of values, as a card writes them.

A selection gives each column a value, a list of values, or a condition. A row must meet all of them; a row where the
column does not apply (a factor of another experiment) meets none::

    {experiment: attack, method: [recon_smote, distin_smote], k: {at_least: 3}, dataset: {not: abalone}}

Values are texts or integers and are compared exactly, so that a number in a text column is written ``'1e-9'``.

A region is ``above``, ``at_least``, ``below``, ``at_most``, alone or as a band, or ``within``: so far from the
published value, one number for all groups or one for each.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from seedbed.core.claims.ranges import INF, Range
from seedbed.core.validation import nearest

BOUNDS = ("above", "at_least", "below", "at_most")


@dataclass(frozen=True)
class Region:
    """Where a value is asked to lie; ``within`` is resolved against the published value of a group."""

    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    within: float | dict[str, float] | None = None

    def range(self, published: float | None = None, group: str | None = None) -> Range:
        """The numbers of the region; ``published`` and ``group`` are needed where it says ``within``."""
        low, low_in = (self.above, False) if self.above is not None else (self.at_least, True)
        high, high_in = (self.below, False) if self.below is not None else (self.at_most, True)
        bounds = Range(-INF if low is None else low, INF if high is None else high, low_in, high_in)
        if self.within is None:
            return bounds
        distance = self.within[group] if isinstance(self.within, dict) else self.within
        return bounds.overlap(Range(published - distance, published + distance))


@dataclass(frozen=True)
class Condition:
    """What one column of a row must be."""

    only: tuple[str | int, ...] | None = None
    exclude: tuple[str | int, ...] = ()
    range: Range | None = None


Selection = dict[str, tuple[Condition, ...]]


def region(data: Any) -> Region:
    """The region that a card writes as ``data``; `ValueError` says what is wrong with it."""
    allowed = (*BOUNDS, "within")
    if not isinstance(data, Mapping) or not data:
        raise ValueError(f"a region is a mapping such as {{at_least: 0.5}}; allowed: {', '.join(allowed)}")
    for key, value in data.items():
        if key not in allowed:
            raise ValueError(f"unknown key {key!r}: {nearest(str(key), allowed)}")
        if key != "within":
            _number(key, value)
    _one_end(data)
    within = _within(data["within"]) if "within" in data else None
    made = Region(**{key: float(data[key]) for key in BOUNDS if key in data}, within=within)
    if within is None and made.range().empty():
        raise ValueError("no number lies in this region")
    return made


def selection(data: Any) -> Selection:
    """The selection that a card writes as ``data``; `ValueError` says what is wrong with it."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{data!r} is no selection; write {{column: value}}")
    return {str(column): (_condition(str(column), value),) for column, value in data.items()}


def fixed(conditions: Selection, column: str) -> bool:
    """Whether the selection allows one value only in ``column``."""
    return any(one.only is not None and len(one.only) == 1 for one in conditions.get(column, ()))


def _condition(column: str, data: Any) -> Condition:
    if not isinstance(data, Mapping):
        return Condition(only=_values(column, data))
    data = dict(data)
    exclude = _values(column, data.pop("not")) if "not" in data else ()
    for key, value in data.items():
        if key not in BOUNDS:
            raise ValueError(f"{column}: unknown key {key!r}: {nearest(str(key), (*BOUNDS, 'not'))}")
        _number(f"{column}: {key}", value)
    _one_end(data)
    if not data and not exclude:
        raise ValueError(f"{column}: an empty condition; allowed: {', '.join((*BOUNDS, 'not'))}")
    return Condition(exclude=exclude, range=region(data).range() if data else None)


def _values(column: str, data: Any) -> tuple[str | int, ...]:
    values = tuple(data) if isinstance(data, list) else (data,)
    if not values:
        raise ValueError(f"{column}: an empty list selects nothing")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise ValueError(f"{column}: {value!r} is not allowed: texts or integers, as in the metrics table")
    return values


def _one_end(data: Mapping[str, Any]) -> None:
    for open_end, closed_end in (("above", "at_least"), ("below", "at_most")):
        if open_end in data and closed_end in data:
            raise ValueError(f"{open_end!r} and {closed_end!r} are two lower ends or two upper ends: keep one")


def _number(key: str, value: Any) -> float:
    if isinstance(value, str):
        try:
            value = float(value)  # YAML 1.1 reads 1e-9 as a text
        except ValueError:
            pass
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{key}: {value!r} is not allowed: a number")
    return float(value)


def _within(data: Any) -> float | dict[str, float]:
    if isinstance(data, Mapping):
        return {str(group): _positive(f"within: {group}", value) for group, value in data.items()}
    return _positive("within", data)


def _positive(key: str, value: Any) -> float:
    number = _number(key, value)
    if number <= 0:
        raise ValueError(f"{key}: {value!r} is not allowed: a distance above 0 from the published value")
    return number
