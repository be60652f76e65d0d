"""Probe and postpone: a job that proves longer than predicted waits until others had their turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seedbed.schedpred.instance import Number
from seedbed.schedpred.processor_sharing import Observation, Policy

REACHED = 1e-12  # relative; a float may end one rounding short of its level


class MultilevelFeedback(Policy):
    """Serve the job that has passed the fewest levels; of those the smallest prediction, then the lowest index.

    Parameters
    ----------
    levels : sequence of numbers
        Increasing; a job passes a level when its work reaches that multiple of its prediction. ``[1]``: run each job
        for its predicted size, then postpone it.
    """

    def __init__(self, levels: Sequence[Number]) -> None:
        self.levels = tuple(levels)

    def rates(self, seen: Observation) -> np.ndarray:
        unfinished = np.flatnonzero(~seen.completed)
        passed = self._passed(seen)[unfinished]
        front = unfinished[passed == passed.min()]
        rates = seen.received - seen.received
        rates[front[np.argmin(seen.predictions[front])]] = 1
        return rates

    def breakpoint(self, seen: Observation, rates: np.ndarray) -> Number:
        job = int(np.argmax(rates))
        passed = self._passed(seen)[job]
        if passed == len(self.levels):
            return super().breakpoint(seen, rates)
        return self.levels[passed] * seen.predictions[job] - seen.received[job]

    def _passed(self, seen: Observation) -> np.ndarray:
        tolerance = 0 if seen.received.dtype == object else REACHED
        return sum((seen.received >= level * (1 - tolerance) * seen.predictions).astype(int) for level in self.levels)


POLICY = MultilevelFeedback
