"""Round robin: continuous, equal shares; it looks at no prediction (Motwani, Phillips, Torng 1994)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from seedbed.schedpred.instance import Number
from seedbed.schedpred.processor_sharing import Observation, Policy
from seedbed.schedpred.total_completion_time import in_order


class RoundRobin(Policy):
    """Every unfinished job gets the same share of the machine."""

    def rates(self, seen: Observation) -> np.ndarray:
        rates = seen.received - seen.received
        rates[~seen.completed] = Fraction(1, int((~seen.completed).sum()))
        return rates

    def total_completion_time(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Each pair of jobs delays each other by the smaller of both: ``sum x + 2 sum_{i<j} min(x_i, x_j)``."""
        return 2 * in_order(np.sort(x, axis=-1)) - x.sum(axis=-1)

    def smoothness(self, eta: Number, n: int) -> Number:
        """``2 - 2 / (n + 1)``, whatever the predictions."""
        return 2 - Fraction(2, n + 1)


POLICY = RoundRobin
