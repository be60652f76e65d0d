"""First passage: after how many iterations a criterion reaches its target (Section 5 of the specification)."""

from __future__ import annotations

import numpy as np


def iterations_to(curve: np.ndarray, target: np.ndarray, every: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """First iteration at which ``curve`` (…, time) is at most ``target`` (…), and whether it never was.

    Value t of the curve belongs to iteration ``t * every``. A censored run gets the iteration of the last value.
    """
    reached = curve <= np.asarray(target)[..., None]
    censored = ~reached.any(-1)
    first = np.where(censored, curve.shape[-1] - 1, reached.argmax(-1))
    return first * every, censored


def moving_average(curve: np.ndarray, decay: float = 0.9) -> np.ndarray:
    """Exponential moving average along the last axis, started at the first value (criterion ``ema``)."""
    smooth = np.empty_like(curve)
    smooth[..., 0] = curve[..., 0]
    for t in range(1, curve.shape[-1]):
        smooth[..., t] = decay * smooth[..., t - 1] + (1 - decay) * curve[..., t]
    return smooth


def targets(reference: np.ndarray, share: float) -> np.ndarray:
    """Loss (…) after ``share`` of the total decrease of the full-graph reference ``reference`` (…, time)."""
    return reference[..., 0] - share * (reference[..., 0] - reference[..., -1])


def value_at(curve: np.ndarray, other: np.ndarray, target: np.ndarray) -> np.ndarray:
    """``other`` (…) where ``curve`` (…, time) first falls to ``target`` (…), linear between two evaluations.

    NaN where it never does.
    """
    place, censored = iterations_to(curve, target)
    before = np.maximum(place - 1, 0)
    ends = [
        [np.take_along_axis(values, at[..., None], -1)[..., 0] for at in (before, place)] for values in (curve, other)
    ]
    (high, low), (left, right) = ends
    fall = np.where(high > low, high - low, 1)
    weight = np.where(place > 0, (high - target) / fall, 1)
    return np.where(censored, np.nan, left + np.clip(weight, 0, 1) * (right - left))
