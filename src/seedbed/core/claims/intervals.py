"""Interval estimates: Student t, the studentised bootstrap, the jackknife, Clopper-Pearson.

Every estimate answers the same questions: its ``lower`` and ``upper`` limit with a given probability of error on that
side, and the p-values of the two one-sided hypotheses. Limits and p-values come from the same distribution, so that
``lower(tail) >= c`` exactly where ``p_at_most(c) <= tail``.

========================  ===============================================================================
mean of 5 to 7 units      Student t
mean of 8 units or more   studentised bootstrap (bootstrap-t)
ratio, pooled statistic   jackknife over units with Student t, on the log scale where a ratio is positive
share of units            Clopper-Pearson
best of several           limits and p-values of each, with Bonferroni's correction on the side that chooses
========================  ===============================================================================

Units may be nested in strata (data sets): these are fixed, count equally, and are resampled inside. Degrees of freedom
are then Welch-Satterthwaite's.

References
----------
Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 11 and 12.
Clopper and Pearson (1934), Biometrika 26, 404-413.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

MIN_UNITS = 5
BOOTSTRAP_FROM = 8
DRAWS = 9_999  # with the sample itself 10,000
SEED = 20_260
LEAST_ERROR = 1 / 3  # a resample's standard error counts as at least this share of the sample's own
NO_SPREAD = 1e-12  # relative; below it is rounding
BLOCK = 1_000_000  # entries of a block of resamples
CACHED_UP_TO = 2_000  # units; resamples of more are drawn again for each check


class Undecidable(Exception):
    """The units do not carry an interval; the message says why."""


class Estimate(Protocol):
    """A value with its uncertainty."""

    method: str

    @property
    def value(self) -> float: ...

    def lower(self, tail: float) -> float:
        """Lower limit, wrong with probability ``tail``."""

    def upper(self, tail: float) -> float:
        """Upper limit, wrong with probability ``tail``."""

    def p_at_most(self, bound: float) -> float:
        """p-value of the hypothesis that the true value is at most ``bound``."""

    def p_at_least(self, bound: float) -> float:
        """p-value of the hypothesis that the true value is at least ``bound``."""


@dataclass(frozen=True)
class StudentT:
    """A value whose error, over its standard error, follows Student's t."""

    value: float
    error: float
    df: float
    method: str = "Student t"

    def lower(self, tail: float) -> float:
        return self.value + self.error * _t_quantile(tail, self.df)

    def upper(self, tail: float) -> float:
        return self.value - self.error * _t_quantile(tail, self.df)

    def p_at_most(self, bound: float) -> float:
        return _t_below((bound - self.value) / self.error, self.df)

    def p_at_least(self, bound: float) -> float:
        return _t_below((self.value - bound) / self.error, self.df)


@dataclass(frozen=True)
class BootstrapT:
    """A mean whose studentised error follows the sorted ``draws`` of the bootstrap."""

    value: float
    error: float
    draws: np.ndarray
    method: str = "bootstrap-t"

    def lower(self, tail: float) -> float:
        return self.value - self.error * self._order(len(self.draws) - self._rank(tail))

    def upper(self, tail: float) -> float:
        return self.value - self.error * self._order(self._rank(tail) - 1)

    def p_at_most(self, bound: float) -> float:
        beyond = len(self.draws) - np.searchsorted(self.draws, (self.value - bound) / self.error, "left")
        return (1 + int(beyond)) / (len(self.draws) + 1)

    def p_at_least(self, bound: float) -> float:
        beyond = np.searchsorted(self.draws, (self.value - bound) / self.error, "right")
        return (1 + int(beyond)) / (len(self.draws) + 1)

    def _rank(self, tail: float) -> int:
        return math.floor((len(self.draws) + 1) * tail * (1 + 1e-9))

    def _order(self, index: int) -> float:
        if 0 <= index < len(self.draws):
            return float(self.draws[index])
        return math.inf if index >= 0 else -math.inf


@dataclass(frozen=True)
class LogScale:
    """The exponential of another estimate: a positive value whose relative error is symmetric."""

    inner: StudentT
    method: str = "jackknife t, log scale"

    @property
    def value(self) -> float:
        return math.exp(self.inner.value)

    def lower(self, tail: float) -> float:
        return math.exp(self.inner.lower(tail))

    def upper(self, tail: float) -> float:
        return math.exp(self.inner.upper(tail))

    def p_at_most(self, bound: float) -> float:
        return self.inner.p_at_most(math.log(bound)) if bound > 0 else 0.0

    def p_at_least(self, bound: float) -> float:
        return self.inner.p_at_least(math.log(bound)) if bound > 0 else 1.0


@dataclass(frozen=True)
class Negated:
    """Minus another estimate."""

    inner: Estimate

    @property
    def method(self) -> str:
        return self.inner.method

    @property
    def value(self) -> float:
        return -self.inner.value

    def lower(self, tail: float) -> float:
        return -self.inner.upper(tail)

    def upper(self, tail: float) -> float:
        return -self.inner.lower(tail)

    def p_at_most(self, bound: float) -> float:
        return self.inner.p_at_least(-bound)

    def p_at_least(self, bound: float) -> float:
        return self.inner.p_at_most(-bound)


@dataclass(frozen=True)
class Smallest:
    """The smallest of several values, whichever it is.

    It lies above a bound if all do: no correction. It lies below a bound if one does, and which one was chosen by the
    data: Bonferroni's correction.
    """

    of: tuple[Estimate, ...]

    @property
    def method(self) -> str:
        return self.of[0].method

    @property
    def value(self) -> float:
        return min(one.value for one in self.of)

    def lower(self, tail: float) -> float:
        return min(one.lower(tail) for one in self.of)

    def upper(self, tail: float) -> float:
        return min(one.upper(tail / len(self.of)) for one in self.of)

    def p_at_most(self, bound: float) -> float:
        return max(one.p_at_most(bound) for one in self.of)

    def p_at_least(self, bound: float) -> float:
        return min(1.0, len(self.of) * min(one.p_at_least(bound) for one in self.of))


@dataclass(frozen=True)
class ClopperPearson:
    """The chance of success, from ``successes`` in ``n`` independent trials."""

    successes: int
    n: int
    method: str = "Clopper–Pearson"

    @property
    def value(self) -> float:
        return self.successes / self.n

    def lower(self, tail: float) -> float:
        from scipy.special import betaincinv

        return float(betaincinv(self.successes, self.n - self.successes + 1, tail)) if self.successes else 0.0

    def upper(self, tail: float) -> float:
        from scipy.special import betaincinv

        failures = self.n - self.successes
        return 1 - float(betaincinv(failures, self.successes + 1, tail)) if failures else 1.0

    def p_at_most(self, bound: float) -> float:
        from scipy.special import betainc

        return float(betainc(self.successes, self.n - self.successes + 1, _unit(bound))) if self.successes else 1.0

    def p_at_least(self, bound: float) -> float:
        from scipy.special import betainc

        failures = self.n - self.successes
        return float(betainc(failures, self.successes + 1, 1 - _unit(bound))) if failures else 1.0


def of_mean(values: np.ndarray, strata: np.ndarray | None = None) -> Estimate:
    """The mean of ``values``, one a unit; with ``strata``, the mean over strata of the mean inside each.

    Raises
    ------
    Undecidable
        With fewer than five units, fewer than two in a stratum, or units that are all alike.
    """
    parts = _split(values, strata)
    _enough(parts)
    value, error, df = _stratified_mean(parts)
    if len(values) < BOOTSTRAP_FROM:
        return StudentT(value, error, df)
    return BootstrapT(value, error, np.sort(studentised_draws(parts)))


def of_replicates(full: float, left_out: np.ndarray, strata: np.ndarray | None = None, log: bool = False) -> Estimate:
    """A smooth function of the units by the jackknife.

    Parameters
    ----------
    full : float
        The function of all units.
    left_out : array of shape (n_units,)
        The function of all units but one.
    strata : array of shape (n_units,), optional
    log : bool
        Take logarithms first, if all values are positive.
    """
    if log and full > 0 and (left_out > 0).all():
        return LogScale(_jackknife(math.log(full), np.log(left_out), strata))
    return _jackknife(full, left_out, strata)


def left_out_means(values: np.ndarray, strata: np.ndarray | None = None) -> np.ndarray:
    """Mean over strata of the mean inside each, without each unit in turn."""
    index = _strata_index(len(values), strata)
    n = np.bincount(index)
    if (n < 2).any():
        raise Undecidable("a data set has one unit only")
    means = np.bincount(index, weights=values) / n
    return means.mean() + (means[index] - values) / (n[index] - 1) / len(n)


def studentised_draws(parts: list[np.ndarray]) -> np.ndarray:
    """Error of the mean over its standard error, in `DRAWS` resamples drawn inside each stratum.

    Resamples of few units may have no spread at all although the sample has: their standard error counts as at least
    `LEAST_ERROR` of the sample's own.

    Parameters
    ----------
    parts : list of arrays of shape (..., n_units)
        The units of each stratum; leading dimensions are independent samples.
    """
    deviations = [part - part.mean(-1, keepdims=True) for part in parts]
    shift, variance = 0.0, 0.0
    for stream, deviation in enumerate(deviations):
        n = deviation.shape[-1]
        first, second = _resampled_moments(deviation, stream)
        shift = shift + first
        variance = variance + np.maximum(second - first**2, 0) / (n - 1)
    own = sum((d**2).sum(-1) / (d.shape[-1] * (d.shape[-1] - 1)) for d in deviations)
    return shift / np.sqrt(np.maximum(variance, LEAST_ERROR**2 * own[..., None]))


def _resampled_moments(deviation: np.ndarray, stream: int) -> tuple[np.ndarray, np.ndarray]:
    n = deviation.shape[-1]
    both = np.stack([deviation, deviation**2])
    blocks = [both @ counts.T / n for counts in _resamples(n, stream)]
    first, second = np.concatenate(blocks, axis=-1)
    return first, second


def _resamples(n: int, stream: int) -> Iterator[np.ndarray]:
    """Blocks of resamples: how often each of ``n`` units is drawn; the same for all checks."""
    rows = max(1, BLOCK // n)
    if n <= CACHED_UP_TO:
        counts = _cached_counts(n, stream)
        yield from (counts[start : start + rows].astype(float) for start in range(0, DRAWS, rows))
    else:
        yield from (block.astype(float) for block in _count_blocks(n, stream, rows))


@lru_cache(maxsize=16)
def _cached_counts(n: int, stream: int) -> np.ndarray:
    return np.concatenate(list(_count_blocks(n, stream, max(1, BLOCK // n))))


def _count_blocks(n: int, stream: int, rows: int) -> Iterator[np.ndarray]:
    rng = np.random.default_rng([SEED, n, stream])
    for start in range(0, DRAWS, rows):
        block = min(rows, DRAWS - start)
        drawn = rng.integers(n, size=(block, n)) + np.arange(block)[:, None] * n
        yield np.bincount(drawn.ravel(), minlength=block * n).reshape(block, n).astype(np.uint8)


def _jackknife(full: float, left_out: np.ndarray, strata: np.ndarray | None) -> StudentT:
    parts = _split(left_out, strata)
    _enough(parts)
    pieces = [(len(p) - 1) / len(p) * float(((p - p.mean()) ** 2).sum()) for p in parts]
    return StudentT(full, math.sqrt(sum(pieces)), _welch(pieces, parts), method="jackknife t")


def _stratified_mean(parts: list[np.ndarray]) -> tuple[float, float, float]:
    pieces = [float(p.var(ddof=1)) / len(p) / len(parts) ** 2 for p in parts]
    return float(np.mean([p.mean() for p in parts])), math.sqrt(sum(pieces)), _welch(pieces, parts)


def _welch(pieces: list[float], parts: list[np.ndarray]) -> float:
    return sum(pieces) ** 2 / sum(piece**2 / (len(part) - 1) for piece, part in zip(pieces, parts, strict=True))


def _strata_index(n: int, strata: np.ndarray | None) -> np.ndarray:
    return np.zeros(n, int) if strata is None else np.unique(strata, return_inverse=True)[1]


def _split(values: np.ndarray, strata: np.ndarray | None) -> list[np.ndarray]:
    index = _strata_index(len(values), strata)
    return [values[index == stratum] for stratum in range(index.max() + 1)]


def _enough(parts: list[np.ndarray]) -> None:
    n = sum(map(len, parts))
    if n < MIN_UNITS:
        raise Undecidable(f"{n} units; an interval needs {MIN_UNITS} (`decide: every` looks at each unit)")
    if min(map(len, parts)) < 2:
        raise Undecidable("a data set has one unit only")
    if all(np.ptp(part) <= NO_SPREAD * np.abs(part).max() for part in parts):
        raise Undecidable(f"the {n} units do not differ, so that there is no interval (`decide: every` is exact)")


def _t_quantile(p: float, df: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def _t_below(t: float, df: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(df, t))


def _unit(bound: float) -> float:
    return min(max(bound, 0.0), 1.0)
