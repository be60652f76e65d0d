"""Quantization error of several runs compared at equal full-precision loss."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

POINTS = 20  # losses at which runs are compared, evenly over the common range
Curve = Sequence[tuple[float, float]]


def errors_at_equal_loss(curves: Mapping[str, Curve]) -> dict[str, float]:
    """Mean error of each run over the range of losses that all runs pass through; empty where there is none.

    ``curves``: run -> (loss, error) of its checkpoints, in any order. Error is interpolated linearly along the loss.
    """
    curves = {name: np.array(sorted(curve)).T for name, curve in curves.items()}
    low = max(loss.min() for loss, _ in curves.values())
    high = min(loss.max() for loss, _ in curves.values())
    if low > high:
        return {}
    losses = np.linspace(low, high, POINTS)
    return {name: float(np.interp(losses, *curve).mean()) for name, curve in curves.items()}
