"""Stage 2 of CAP: retention probabilities by policy gradient under the budget (Section 3.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from seedbed.lowrank_sparse.projection import Norm, project_budget

Parametrisation = Literal["probability", "logit"]
FLOOR = 1e-3  # probabilities keep this distance from 0 and 1 [R]


def score_gradient(mask: Tensor, s: Tensor, eps: float = 1e-8) -> Tensor:
    """∇_s log p(m | s) of independent Bernoulli masks: (m − s)/(s(1 − s) + ε)."""
    return (mask - s).div_(s * (1 - s) + eps)


@dataclass(frozen=True)
class PolicyGradient:
    """Settings of `reinforce`."""

    n_iter: int = 3
    lr: float = 0.05
    window: int = 5
    """Losses whose mean is the baseline [R]."""
    decay: float | None = None
    """β of a moving average as baseline instead: δ ← βδ + (1 − β) loss."""
    norm: Norm = "cost"
    parametrisation: Parametrisation = "probability"


@dataclass(frozen=True)
class Step:
    """One iteration: the sampled loss, the baseline, the mean square of the gradient, and the share of probabilities
    that the floor or the ceiling clipped."""

    loss: float
    baseline: float
    gradient_square: float
    clipped: float


def reinforce(
    s: Tensor,
    costs: Tensor,
    loss: Callable[[Tensor, int], float],
    budget: int,
    settings: PolicyGradient,
    rng: np.random.Generator,
) -> Iterator[tuple[Tensor, Step]]:
    """Improve probabilities ``s`` (N,) step by step; yields them with a record after each of ``n_iter`` steps.

    ``loss(mask, step)`` is the model's loss with the candidates of ``mask`` (N,) on the mini-batch of ``step``. One
    mask is sampled a step [R]. The baseline is the mean of the losses before this one, so that the gradient stays
    unbiased; it starts from one extra mask [R]. In ``logit`` parametrisation the gradient is m − s, which is bounded.
    """
    s = s.clamp(FLOOR, 1 - FLOOR)
    generator = torch.Generator(s.device).manual_seed(int(rng.integers(1 << 62)))

    def sample() -> Tensor:
        return (torch.rand(len(s), generator=generator, device=s.device) < s).float()

    recent = deque([loss(sample(), 0)], maxlen=settings.window)
    baseline = recent[0]
    for step in range(settings.n_iter):
        mask = sample()
        value = loss(mask, step)
        logit = settings.parametrisation == "logit"
        gradient = (mask - s if logit else score_gradient(mask, s)).mul_(value - baseline)
        square = float(gradient.square().mean())
        change = gradient.mul_(settings.lr)
        moved = torch.sigmoid(torch.logit(s) - change) if logit else s - change
        del mask, gradient, change  # each is as large as s
        projected = project_budget(moved, costs, budget, settings.norm)
        s = projected.clamp(FLOOR, 1 - FLOOR)
        clipped = float((s != projected).float().mean())
        del moved, projected
        yield s, Step(value, baseline, square, clipped)
        recent.append(value)
        if settings.decay is None:
            baseline = sum(recent) / len(recent)
        else:
            baseline = settings.decay * baseline + (1 - settings.decay) * value
