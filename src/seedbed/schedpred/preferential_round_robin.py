"""Preferential round robin: a share θ of the machine is for round robin, the rest for SPJF (Purohit et al. 2018)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from seedbed.schedpred.instance import Number
from seedbed.schedpred.processor_sharing import Observation, Policy
from seedbed.schedpred.spjf import SPJF, first_predicted


class PreferentialRoundRobin(Policy):
    """Round robin at speed ``theta`` and SPJF at speed ``1 - theta``, on the same jobs.

    Parameters
    ----------
    theta : number
        Share of round robin, in [0, 1]: 0 is SPJF, 1 is round robin.
    """

    def __init__(self, theta: Number) -> None:
        if not 0 <= theta <= 1:
            raise ValueError(f"theta={theta}: must lie in [0, 1]")
        self.theta = theta

    def rates(self, seen: Observation) -> np.ndarray:
        rates = seen.received - seen.received
        rates[~seen.completed] = self.theta * Fraction(1, int((~seen.completed).sum()))
        rates[first_predicted(seen)] += 1 - self.theta
        return rates

    def total_completion_time(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """All instances of a batch step from completion to completion together.

        Only the first job in predicted order has more than the common ``level`` of work, by ``extra``. So the next
        completion is that job's or that of the smallest other unfinished job, and two pointers find both.
        """
        if self.theta == 0:
            return SPJF().total_completion_time(x, p)
        theta = self.theta if x.dtype == object else float(self.theta)
        n, shape = x.shape[-1], x.shape[:-1]
        x = x.reshape(-1, n)
        first = (np.arange(len(x)) * n)[:, None]
        by_prediction = (np.argsort(p.reshape(-1, n), axis=1, kind="stable") + first).ravel()
        by_size = (np.argsort(x, axis=1, kind="stable") + first).ravel()
        x, done = x.ravel(), np.zeros(x.size, bool)
        head_at, small_at = first.ravel().copy(), first.ravel().copy()
        level = extra = time = total = x[head_at] - x[head_at]
        for unfinished in range(n, 0, -1):
            head = _advance(head_at, by_prediction, done)
            small = _advance(small_at, by_size, done)
            share = theta / unfinished
            to_head = (x[head] - level - extra) / (share + 1 - theta)
            to_small = (x[small] - level) / share
            step = np.minimum(to_head, to_small)
            head_ends = to_head <= to_small
            level = level + share * step
            extra = np.where(head_ends, 0, extra + (1 - theta) * step)
            time = time + step
            total = total + time
            done[np.where(head_ends, head, small)] = True
        return total.reshape(shape)

    def smoothness(self, eta: Number, n: int) -> Number:
        """The better of ``η² / (1 - θ)`` and ``2 / θ``: each part alone, slowed down by its share."""
        as_spjf = [eta**2 / (1 - self.theta)] if self.theta < 1 else []
        as_round_robin = [2 / self.theta] if self.theta > 0 else []
        return min(as_spjf + as_round_robin)


def _advance(at: np.ndarray, order: np.ndarray, done: np.ndarray) -> np.ndarray:
    """Move the pointers ``at`` (S,) into ``order``, in place, to the next jobs that are not done; return those jobs."""
    jobs = order[at]
    behind = np.flatnonzero(done[jobs])
    while len(behind):
        at[behind] += 1
        jobs[behind] = order[at[behind]]
        behind = behind[done[jobs[behind]]]
    return jobs


POLICY = PreferentialRoundRobin
