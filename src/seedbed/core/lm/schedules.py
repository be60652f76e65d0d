"""Learning-rate schedules.

``schedule(step)`` is the learning rate of update number ``step``, counted from 0. Warm-up is linear and reaches the
peak at its last update. A decay starts from the peak and reaches its final value at step ``total``, one step
after the last update, so that no update is spent at a rate of zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class WSD:
    """Warm-up, stable, decay: the peak is held until ``total - cooldown`` and then falls linearly to zero.

    Without a cooldown it is the constant schedule. A cooldown branch of a constant trunk is the same schedule with a
    total and a cooldown: it equals the trunk up to and with update ``total - cooldown``.
    """

    peak: float
    warmup: int = 0
    total: int | None = None
    cooldown: int = 0

    def __post_init__(self) -> None:
        if self.cooldown and (self.total is None or self.cooldown > self.total - self.warmup):
            raise ValueError(f"{self}: a cooldown needs a total of at least warm-up and cooldown together")

    def __call__(self, step: int) -> float:
        if step < self.warmup:
            return self.peak * (step + 1) / self.warmup
        if self.cooldown and step > self.total - self.cooldown:
            return self.peak * max(self.total - step, 0) / self.cooldown
        return self.peak


@dataclass(frozen=True)
class Cosine:
    """Half a cosine from the peak, after the warm-up, to ``final`` times the peak at step ``total``."""

    peak: float
    total: int
    warmup: int = 0
    final: float = 0.0

    def __post_init__(self) -> None:
        if self.warmup >= self.total:
            raise ValueError(f"{self}: the warm-up must be shorter than the total")

    def __call__(self, step: int) -> float:
        if step < self.warmup:
            return self.peak * (step + 1) / self.warmup
        progress = min((step - self.warmup) / (self.total - self.warmup), 1.0)
        return self.peak * (self.final + (1 - self.final) * (1 + math.cos(math.pi * progress)) / 2)


Schedule = WSD | Cosine
