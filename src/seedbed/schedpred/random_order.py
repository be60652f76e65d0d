"""Run to completion in uniformly random order: what ignorance costs without preemption, in expectation."""

from __future__ import annotations

import numpy as np

from seedbed.schedpred.processor_sharing import Observation, Policy


class RandomOrder(Policy):
    """Jobs run to completion in uniformly random order."""

    def rates(self, seen: Observation) -> np.ndarray:
        raise NotImplementedError("random order is known in expectation only; it has no rates")

    def total_completion_time(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Expectation: of each pair either is first with probability one half, so ``(n + 1) / 2 sum x``."""
        return (x.shape[-1] + 1) * x.sum(axis=-1) / 2


POLICY = RandomOrder
