"""Ranges of numbers: what a rule asks for, and what a measure can be at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

INF = math.inf


@dataclass(frozen=True)
class Range:
    """The numbers from ``low`` to ``high``; ``low_in`` and ``high_in`` say whether the ends belong to it."""

    low: float = -INF
    high: float = INF
    low_in: bool = True
    high_in: bool = True

    def __contains__(self, value: float) -> bool:
        above = value >= self.low if self.low_in else value > self.low
        below = value <= self.high if self.high_in else value < self.high
        return above and below

    def holds(self, low: float, high: float) -> bool:
        """Whether the whole interval from ``low`` to ``high`` lies inside."""
        return low in self and high in self

    def empty(self) -> bool:
        """Whether no number lies inside."""
        return self.low > self.high or (self.low == self.high and not (self.low_in and self.high_in))

    def overlap(self, other: Range) -> Range:
        """The numbers that lie in both."""
        low, low_in = max((self.low, not self.low_in), (other.low, not other.low_in))
        high, high_in = min((self.high, self.high_in), (other.high, other.high_in))
        return Range(low, high, not low_in, high_in)

    def covers(self, other: Range) -> bool:
        """Whether every number of ``other`` lies inside."""
        return self.overlap(other) == other

    def outside(self) -> tuple[Range, ...]:
        """What lies below and what lies above, where there is such."""
        below = Range(-INF, self.low, True, not self.low_in)
        above = Range(self.high, INF, not self.high_in, True)
        return tuple(side for side, end in ((below, self.low), (above, self.high)) if math.isfinite(end))

    def times(self, factor: float) -> Range:
        """Every number of the range times ``factor``, which is not zero."""
        ends = [(self.low * factor, self.low_in), (self.high * factor, self.high_in)]
        (low, low_in), (high, high_in) = ends if factor > 0 else ends[::-1]
        return Range(low, high, low_in, high_in)

    def plus(self, other: Range) -> Range:
        """Sums of a number of each."""
        return Range(
            self.low + other.low, self.high + other.high, self.low_in and other.low_in, self.high_in and other.high_in
        )


EVERYTHING = Range()
