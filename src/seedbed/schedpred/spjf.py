"""Shortest Predicted Job First (Theorem 4.2)."""

from __future__ import annotations

import numpy as np

from seedbed.schedpred.instance import Number
from seedbed.schedpred.processor_sharing import Observation, Policy
from seedbed.schedpred.total_completion_time import in_order


class SPJF(Policy):
    """Run jobs to completion in nondecreasing order of their predictions; of equal ones the lower index first."""

    def rates(self, seen: Observation) -> np.ndarray:
        rates = seen.received - seen.received
        rates[first_predicted(seen)] = 1
        return rates

    def total_completion_time(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        return in_order(np.take_along_axis(x, np.argsort(p, axis=-1, kind="stable"), axis=-1))

    def smoothness(self, eta: Number, n: int) -> Number:
        """``η²``, the paper's bound: if i runs before j, ``x_i <= η p_i <= η p_j <= η² x_j``."""
        return eta**2


def first_predicted(seen: Observation) -> int:
    """The unfinished job of the smallest prediction; of equal ones the one of the lowest index."""
    unfinished = np.flatnonzero(~seen.completed)
    return unfinished[np.argmin(seen.predictions[unfinished])]


POLICY = SPJF
