"""Statistics of the rows of a cell, for many cells at once.

Every built-in takes the values of all rows, their ``x`` (or None), the cell of each row and the number of cells, and
returns one float a cell; a cell where the statistic is not defined gets NaN. No cell is empty.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

import numpy as np
import pandas as pd

from seedbed.core.claims.measure import Measure

Array = np.ndarray
CellStatistic = Callable[[Array, "Array | None", Array, int], Array]


def cell_statistic(leaf: Measure) -> CellStatistic:
    """The built-in of ``leaf``, with its options bound."""
    if leaf.name in ("share", "count") and leaf.of is not None:
        inside = leaf.of.range()
        counted = _mean if leaf.name == "share" else _sum
        return lambda y, x, cell, n: counted(_indicator(y, inside), x, cell, n)
    if leaf.name == "quantile":
        return lambda y, x, cell, n: _quantile(y, cell, n, leaf.q)
    return _BUILT_IN[leaf.name]


def own_statistic(paper: str, name: str) -> Callable[[pd.DataFrame], float]:
    """The function ``name`` of ``seedbed.<paper>.statistics``."""
    return getattr(importlib.import_module(f"seedbed.{paper}.statistics"), name)


def is_built_in(name: str) -> bool:
    """Whether ``name`` is found here."""
    return name in _BUILT_IN or name in ("share", "quantile")


def _indicator(y: Array, inside) -> Array:
    above = y >= inside.low if inside.low_in else y > inside.low
    below = y <= inside.high if inside.high_in else y < inside.high
    return (above & below).astype(float)


def _count(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    return np.bincount(cell, minlength=n).astype(float)


def _sum(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    return np.bincount(cell, weights=y, minlength=n)


def _mean(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    rows = _count(y, x, cell, n)
    if not np.isfinite(y).all():
        return _sum(y, x, cell, n) / rows
    # Summed around a value of the cell, so that equal values have exactly that mean.
    anchor = np.empty(n)
    anchor[cell] = y
    return anchor + np.bincount(cell, weights=y - anchor[cell], minlength=n) / rows


def _std(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    rows = _count(y, x, cell, n)
    squares = np.bincount(cell, weights=(y - _mean(y, x, cell, n)[cell]) ** 2, minlength=n)
    return np.sqrt(np.divide(squares, rows - 1, out=np.full(n, np.nan), where=rows > 1))


def _geometric_mean(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.exp(_mean(np.log(y), x, cell, n))


def _extreme(pick: np.ufunc, start: float) -> CellStatistic:
    def extreme(y: Array, x: Array | None, cell: Array, n: int) -> Array:
        found = np.full(n, start)
        pick.at(found, cell, y)
        return found

    return extreme


_min = _extreme(np.minimum, np.inf)
_max = _extreme(np.maximum, -np.inf)


def _span(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    return _max(y, x, cell, n) - _min(y, x, cell, n)


def _quantile(y: Array, cell: Array, n: int, q: float) -> Array:
    """Linear interpolation between order statistics, numpy's default."""
    ordered = y[np.lexsort((y, cell))]
    rows = np.bincount(cell, minlength=n)
    first = np.concatenate([[0], np.cumsum(rows)[:-1]])
    position = q * (rows - 1)
    below = np.floor(position).astype(int)
    above = np.minimum(below + 1, rows - 1)
    low, high = ordered[first + below], ordered[first + above]
    return low + (high - low) * (position - below)


def _median(y: Array, x: Array | None, cell: Array, n: int) -> Array:
    return _quantile(y, cell, n, 0.5)


def _moments(y: Array, x: Array, cell: Array, n: int) -> tuple[Array, Array, Array]:
    """Sums of squares and products around the means: of x, of x and y, of y."""
    dx, dy = (v - _mean(v, None, cell, n)[cell] for v in (x, y))
    return tuple(np.bincount(cell, weights=product, minlength=n) for product in (dx * dx, dx * dy, dy * dy))


def _quotient(over: Array, under: Array) -> Array:
    return np.divide(over, under, out=np.full(len(over), np.nan), where=under > 0)


def _slope(y: Array, x: Array, cell: Array, n: int) -> Array:
    xx, xy, _ = _moments(y, x, cell, n)
    return _quotient(xy, xx)


def _intercept(y: Array, x: Array, cell: Array, n: int) -> Array:
    return _mean(y, x, cell, n) - _slope(y, x, cell, n) * _mean(x, x, cell, n)


def _correlation(y: Array, x: Array, cell: Array, n: int) -> Array:
    xx, xy, yy = _moments(y, x, cell, n)
    return _quotient(xy, np.sqrt(xx * yy))


def _r2(y: Array, x: Array, cell: Array, n: int) -> Array:
    return _correlation(y, x, cell, n) ** 2


def _ranks(v: Array, cell: Array) -> Array:
    return pd.Series(v).groupby(cell).rank().to_numpy()


def _spearman(y: Array, x: Array, cell: Array, n: int) -> Array:
    return _correlation(_ranks(y, cell), _ranks(x, cell), cell, n)


def _kendall(y: Array, x: Array, cell: Array, n: int) -> Array:
    """Kendall's tau-b."""
    order = np.argsort(cell, kind="stable")
    ends = np.cumsum(np.bincount(cell, minlength=n))[:-1]
    xs, ys = (np.split(v[order], ends) for v in (x, y))
    return np.array([_tau(*pair) for pair in zip(xs, ys, strict=True)])


def _tau(x: Array, y: Array) -> float:
    sx, sy = (np.sign(v[:, None] - v[None, :]) for v in (x, y))
    untied = np.sqrt((sx**2).sum() * (sy**2).sum())
    return float((sx * sy).sum() / untied) if untied else np.nan


def _steps(pick: CellStatistic) -> CellStatistic:
    def step(y: Array, x: Array, cell: Array, n: int) -> Array:
        """Extreme of the differences between neighbours along x; rows of equal x are averaged first."""
        _, level, place = np.unique(np.column_stack([cell, x]), axis=0, return_index=True, return_inverse=True)
        means = _mean(y, None, place.ravel(), len(level))
        owner = cell[level]
        inside = owner[1:] == owner[:-1]
        found = pick(np.diff(means)[inside], None, owner[1:][inside], n)
        return np.where(np.isinf(found), np.nan, found)

    return step


_BUILT_IN: dict[str, CellStatistic] = {
    "mean": _mean,
    "median": _median,
    "min": _min,
    "max": _max,
    "sum": _sum,
    "count": _count,
    "span": _span,
    "std": _std,
    "geometric_mean": _geometric_mean,
    "slope": _slope,
    "intercept": _intercept,
    "r2": _r2,
    "correlation": _correlation,
    "spearman": _spearman,
    "kendall": _kendall,
    "smallest_step": _steps(_min),
    "largest_step": _steps(_max),
}
