"""The adaptive adversary that stops (ours): a lower bound for every deterministic policy on one machine.

All predictions are 1. Until a time of the adversary's choice a job completes only when its work reaches ``η``. At that
time every unfinished job gets the smallest size that is still possible: ``1 / η``, or the work that it has received and
an infinitesimal more. The adversary simulates the policy, so it knows what each stop would cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from seedbed.schedpred.instance import Instance, Number, with_spoiler
from seedbed.schedpred.processor_sharing import Event, Policy, SharedRun, as_array, share
from seedbed.schedpred.total_completion_time import in_order, optimal_total_completion_time

INFINITESIMAL = Fraction(1, 10**10)
SUBPOINTS = 4
STOPS_AT_ONCE = 2**20


@dataclass(frozen=True)
class GameResult:
    """What the adversary made the policy pay.

    Attributes
    ----------
    ratio : number
        Ratio of the policy on the sizes that were fixed at the stop: the policy's true one.
    evaluated : number
        What the adversary counted on: the ratio if the policy served the rest optimally from the stop on.
    instance : Instance
        Sizes and predictions.
    stop_time : number
        When the adversary stopped.
    """

    ratio: Number
    evaluated: Number
    instance: Instance
    stop_time: Number


@dataclass(frozen=True)
class StopAdversary:
    """The adversary for ``n`` jobs of error at most ``eta``; all is exact if ``eta`` is a fraction.

    Parameters
    ----------
    eta : number
        Error, more than 1.
    n : int
        Number of jobs, without the spoiler.
    spoiler : bool
        Whether one more, tiny job makes the instance `smooth` (see `with_spoiler`).
    """

    eta: Number
    n: int
    spoiler: bool = True

    def play(self, policy: Policy) -> GameResult:
        """Simulate ``policy``, stop where the ratio would be largest, and run it on the sizes that result."""
        one = self.eta / self.eta
        opening = Instance((self.eta,) * self.n, (one,) * self.n)
        if self.spoiler:
            opening = with_spoiler(opening)
        p = as_array(opening.predictions)
        run = share(policy, as_array(opening.sizes), p)
        (before, after), subpoint, evaluated = self._best_stop(run)
        elapsed = (after.time - before.time) * subpoint / SUBPOINTS
        work = before.received + before.rates * elapsed
        x = np.where(before.completed, before.received, self._least_sizes(work))
        if self.spoiler:
            x[-1] = opening.sizes[-1]
        ratio = share(policy, x, p).total_completion_time / optimal_total_completion_time(x)
        return GameResult(ratio, evaluated, Instance(tuple(x), opening.predictions), before.time + elapsed)

    def _least_sizes(self, work: np.ndarray) -> np.ndarray:
        """Smallest sizes (n,) that unfinished jobs may have after this ``work`` (n,)."""
        more = work * (1 + INFINITESIMAL if work.dtype == object else 1 + float(INFINITESIMAL))
        return np.minimum(np.maximum(more, 1 / self.eta), self.eta)

    def _best_stop(self, run: SharedRun) -> tuple[tuple[Event, Event], int, float]:
        """The interval, the subpoint in it and the ratio of the best stop, evaluated in floats."""
        intervals = list(pairwise(run.events))
        best = (-np.inf, 0, 0)
        width = len(run.completion_times)
        block = max(1, STOPS_AT_ONCE // (SUBPOINTS * width))
        for start in range(0, len(intervals), block):
            part = intervals[start : start + block]
            ratios = self._evaluate(part, run.completion_times.astype(float))
            place = np.unravel_index(np.argmax(ratios), ratios.shape)
            best = max(best, (ratios[place], -(start + place[0]), -place[1]))
        return intervals[-best[1]], -best[2], float(best[0])

    def _evaluate(self, intervals: list[tuple[Event, Event]], completion_times: np.ndarray) -> np.ndarray:
        """Ratio (intervals, SUBPOINTS) if the adversary stopped there and the policy then were optimal."""
        eta = float(self.eta)
        times = np.array([[float(before.time), float(after.time)] for before, after in intervals])
        received = np.array([before.received for before, _ in intervals], float)
        rates = np.array([before.rates for before, _ in intervals], float)
        completed = np.array([before.completed for before, _ in intervals])[:, None, :]
        elapsed = np.diff(times) * np.arange(SUBPOINTS) / SUBPOINTS
        work = received[:, None, :] + elapsed[:, :, None] * rates[:, None, :]
        time = times[:, :1] + elapsed
        rest = np.where(completed, 0, np.maximum(0, 1 / eta - work))
        sizes = np.where(completed, work, np.maximum(1 / eta, work))
        if self.spoiler:
            sizes[..., -1] = rest[..., -1] = 0
        unfinished = (~completed).sum(axis=-1)
        # Completed jobs have no rest and come first in the order, where they delay nobody.
        cost = (
            np.where(completed, completion_times, 0).sum(axis=-1) + unfinished * time + in_order(np.sort(rest, axis=-1))
        )
        return cost / optimal_total_completion_time(sizes)
