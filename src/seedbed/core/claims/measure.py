"""Measures: what a check computes from the metrics table.

A measure is one statistic of one named selection of rows, or a combination of measures::

    {mean: recon}                                          a statistic of the rows `recon`
    {slope: loss, x: tokens, log: both}                    along the column (or the selection) `tokens`
    {mean: perplexity, log: y}                             of logarithms, for skewed values
    {share: best_arm, of: {below: 0.1}}                    share of the rows whose value lies in a region
    {difference: [{mean: full}, {mean: baseline}]}         paired inside the unit
    {ratio: [{mean: ours}, {mean: theirs}], times: 100}
    {difference: [{mean: full}, {max: [{mean: a}, {mean: b}]}]}     full minus the best of its baselines

Statistics of rows: ``mean median min max sum count span std geometric_mean``, ``share`` (with ``of``), ``quantile``
(with ``q``), and along ``x``: ``slope intercept r2 correlation`` (with ``log: x``, ``y`` or ``both``), ``spearman
kendall``, ``smallest_step largest_step`` (between neighbours: at least 0 where values never fall). A paper adds its own
in ``src/seedbed/<paper>/statistics.py``: functions from the rows of one unit, a DataFrame, to a float.

Combinations: ``difference`` and ``ratio`` (of two), ``sum``, ``mean``, ``min``, ``max`` (of a list).

Options everywhere: ``where`` (further conditions on the rows of all that is inside) and ``times`` (a factor).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from seedbed.core.claims.filters import Condition, Region, Selection, region, selection
from seedbed.core.claims.ranges import EVERYTHING, INF, Range
from seedbed.core.validation import nearest

COMBINATIONS = ("difference", "ratio", "sum", "mean", "min", "max")
CHOICES = ("min", "max")
ALONG_X = ("slope", "intercept", "r2", "correlation", "spearman", "kendall", "smallest_step", "largest_step")
LOGS = {name: ("x", "y", "both") for name in ("slope", "intercept", "r2", "correlation")} | {"mean": ("y",)}
OF_VALUES = ("mean", "median", "min", "max", "sum", "count", "span", "std", "geometric_mean", "share", "quantile")
BUILT_IN = (*OF_VALUES, *ALONG_X)
OPTIONS = ("where", "times", "x", "log", "of", "q")

_UNIT = Range(0, 1)
_SIGNED_UNIT = Range(-1, 1)
_NOISY = Range(0, INF, low_in=False)  # of noisy values these are positive by construction
_EXACT = Range(0, INF)


@dataclass(frozen=True)
class Measure:
    """A statistic (``name``) of the selection ``rows``, or a combination (``name``) of ``parts``."""

    name: str
    rows: str | None = None
    parts: tuple[Measure, ...] = ()
    x: str | None = None
    log: str | None = None
    of: Region | None = None
    q: float | None = None
    where: Selection | None = None
    times: float = 1.0

    def leaves(self) -> Iterator[Measure]:
        """The statistics of rows inside, from left to right."""
        if self.rows is not None:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def contains(self, *names: str) -> bool:
        """Whether a combination of one of these names is inside."""
        return bool(self.parts) and (self.name in names or any(part.contains(*names) for part in self.parts))

    def choices(self) -> int:
        """Number of ``min`` and ``max`` of measures inside."""
        return (bool(self.parts) and self.name in CHOICES) + sum(part.choices() for part in self.parts)

    def candidates(self) -> list[Measure]:
        """This measure with each ``min`` or ``max`` of measures replaced by one of its parts, in all ways."""
        if not self.parts:
            return [self]
        if self.name in CHOICES:
            chosen = [one for part in self.parts for one in part.candidates()]
            return chosen if self.times == 1 else [Measure("sum", parts=(one,), times=self.times) for one in chosen]
        options = product(*(part.candidates() for part in self.parts))
        return [replace(self, parts=parts) for parts in options]

    def chooses_smallest(self) -> bool:
        """Whether the value is the smallest of its `candidates` (else the largest); ratios have positive parts."""
        if self.name in CHOICES:
            return (self.name == "min") == (self.times > 0)
        place = next(i for i, part in enumerate(self.parts) if part.choices())
        flips = (self.times < 0) != (place == 1 and self.name in ("difference", "ratio"))
        return self.parts[place].chooses_smallest() != flips

    def with_where(self, extra: Selection | None) -> Measure:
        """This measure with ``extra`` and its own ``where`` handed down to the statistics of rows."""
        conditions = merged(self.where, extra)
        if self.rows is not None:
            return replace(self, where=conditions or None)
        return replace(self, where=None, parts=tuple(part.with_where(conditions) for part in self.parts))

    def bounds(self, exact: bool = False) -> Range:
        """The values that the measure can take whatever the rows are; ``exact`` where each unit is looked at."""
        if self.rows is not None:
            inside = self._leaf_bounds(exact)
        else:
            inside = self._combined_bounds([part.bounds(exact) for part in self.parts])
        return inside.times(self.times)

    def _leaf_bounds(self, exact: bool) -> Range:
        if self.name == "count":
            return Range(0 if self.of else 1, INF)
        if self.name in ("share", "r2"):
            return _UNIT
        if self.name in ("correlation", "spearman", "kendall"):
            return _SIGNED_UNIT
        if self.name in ("span", "std"):
            return _EXACT if exact else _NOISY
        return Range(0, INF, low_in=False) if self.name == "geometric_mean" else EVERYTHING

    def _combined_bounds(self, parts: list[Range]) -> Range:
        if self.name == "difference":
            return parts[0].plus(parts[1].times(-1))
        if self.name == "ratio":
            return _EXACT if all(part.low >= 0 for part in parts) else EVERYTHING
        if self.name in CHOICES:
            pick = min if self.name == "min" else max
            low, high = pick(p.low for p in parts), pick(p.high for p in parts)
            ends = [any(getattr(p, side) for p in parts) for side in ("low_in", "high_in")]
            return Range(low, high, *ends)
        total = parts[0]
        for part in parts[1:]:
            total = total.plus(part)
        return total.times(1 / len(parts)) if self.name == "mean" else total


def merged(one: Selection | None, other: Selection | None) -> Selection:
    """Both sets of conditions; on a column that both name, a row must meet both."""
    result: dict[str, tuple[Condition, ...]] = dict(one or {})
    for column, conditions in (other or {}).items():
        result[column] = (*result.get(column, ()), *conditions)
    return result


def parse_measure(data: Any) -> Measure:
    """The measure that a card writes as ``data``; `ValueError` says what is wrong with it."""
    if not isinstance(data, Mapping):
        raise ValueError(f"{data!r} is no measure; write {{statistic: rows}}, for example {{mean: recall}}")
    names = [key for key in data if key not in OPTIONS]
    if len(names) != 1:
        found = ", ".join(map(repr, names)) or "none"
        raise ValueError(f"a measure has one statistic, found {found}; options: {', '.join(OPTIONS)}")
    name = names[0]
    if isinstance(data[name], list):
        return _parse_combination(name, data)
    return _parse_statistic(name, data)


def _parse_combination(name: str, data: Mapping[str, Any]) -> Measure:
    if name not in COMBINATIONS:
        raise ValueError(f"{name!r} takes the name of rows, not a list; a list: {nearest(str(name), COMBINATIONS)}")
    parts = data[name]
    if len(parts) < 2 or (name in ("difference", "ratio") and len(parts) != 2):
        wanted = "two measures" if name in ("difference", "ratio") else "two measures or more"
        raise ValueError(f"{name} combines {wanted}, found {len(parts)}")
    _only_options(name, data, ("where", "times"))
    return Measure(name, parts=tuple(map(parse_measure, parts)), where=_where(data), times=_times(data))


def _parse_statistic(name: str, data: Mapping[str, Any]) -> Measure:
    if name in COMBINATIONS and name not in BUILT_IN:
        raise ValueError(f"{name} combines a list of two measures, found {data[name]!r}")
    if not isinstance(data[name], str):
        raise ValueError(f"{name} takes the name of rows, found {data[name]!r}")
    _only_options(name, data, ("where", "times", *_own_options(name)))
    for option in _needed_options(name):
        if option not in data:
            raise ValueError(f"{name} needs {option!r}")
    return Measure(
        name,
        rows=data[name],
        x=_text(data, "x"),
        log=_one_of(data, "log", LOGS.get(name, ())),
        of=_of(data),
        q=_fraction(data, "q"),
        where=_where(data),
        times=_times(data),
    )


def _own_options(name: str) -> tuple[str, ...]:
    own = {"share": ("of",), "count": ("of",), "quantile": ("q",)}.get(name, ("x",) if name in ALONG_X else ())
    return (*own, "log") if name in LOGS else own


def _needed_options(name: str) -> tuple[str, ...]:
    return {"share": ("of",), "quantile": ("q",)}.get(name, ("x",) if name in ALONG_X else ())


def _only_options(name: str, data: Mapping[str, Any], allowed: tuple[str, ...]) -> None:
    for key in data:
        if key != name and key not in allowed:
            raise ValueError(f"{name} has no option {key!r}: {nearest(str(key), allowed)}")


def _where(data: Mapping[str, Any]) -> Selection | None:
    return selection(data["where"]) if "where" in data else None


def _of(data: Mapping[str, Any]) -> Region | None:
    if "of" not in data:
        return None
    made = region(data["of"])
    if made.within is not None:
        raise ValueError("of: 'within' is not allowed: above, at_least, below, at_most")
    return made


def _times(data: Mapping[str, Any]) -> float:
    times = data.get("times", 1.0)
    if isinstance(times, bool) or not isinstance(times, int | float) or times == 0 or not abs(times) < INF:
        raise ValueError(f"times: {times!r} is not allowed: a number other than 0")
    return float(times)


def _text(data: Mapping[str, Any], key: str) -> str | None:
    if key in data and not isinstance(data[key], str):
        raise ValueError(f"{key}: {data[key]!r} is not allowed: the name of a column or of rows")
    return data.get(key)


def _one_of(data: Mapping[str, Any], key: str, allowed: tuple[str, ...]) -> str | None:
    if key in data and data[key] not in allowed:
        raise ValueError(f"{key}: {data[key]!r} is not allowed: {nearest(str(data[key]), allowed)}")
    return data.get(key)


def _fraction(data: Mapping[str, Any], key: str) -> float | None:
    value = data.get(key)
    if value is not None and not (isinstance(value, int | float) and 0 <= value <= 1):
        raise ValueError(f"{key}: {value!r} is not allowed: a number from 0 to 1")
    return value
