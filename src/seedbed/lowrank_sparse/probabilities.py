"""Retention probabilities that the policy gradient starts from (Section 3.3; [R])."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import CHUNK
from seedbed.lowrank_sparse.candidates import CandidatePool

Init = Literal["density", "magnitude", "uniform"]
STEPS = 100


def init_probabilities(pool: CandidatePool, budget: int, how: Init = "density", temperature: float = 1.0) -> Tensor:
    """s (N,) in (0, 1) with Σ c_k s_k = ``budget``.

    ``density``: sigmoid((log d_k − τ)/T) with the density d_k and τ found by search. ``magnitude``: the same with the
    values relative to the largest of their kind in their matrix. ``uniform``: K/Σc.

    Raises
    ------
    ValueError
        If the budget is not positive.
    """
    total = int(pool.costs.sum())
    if budget <= 0:
        raise ValueError(f"budget {budget} is not positive")
    if how == "uniform" or budget >= total:
        return torch.full((len(pool),), min(budget / total, 1.0))
    scores = pool.density if how == "density" else _relative_magnitude(pool)
    logits = scores.clamp_min_(1e-30).log_().div_(temperature)
    return logits.sub_(_threshold(pool.costs, logits, budget)).sigmoid_()


def _threshold(costs: Tensor, logits: Tensor, budget: int) -> float:
    """τ with Σ c sigmoid(logit − τ) within 1e-6 of ``budget``: Newton steps, bisection where they leave the bracket."""
    low, high = float(logits.min()) - 40, float(logits.max()) + 40
    tau = (low + high) / 2
    for _ in range(STEPS):
        cost, slope = _spent_and_slope(costs, logits, tau)
        excess = cost - budget
        if abs(excess) <= 1e-6 * budget:
            break
        low, high = (tau, high) if excess > 0 else (low, tau)
        newton = tau + excess / slope if slope else high
        tau = newton if low < newton < high else (low + high) / 2
    return tau


def _spent_and_slope(costs: Tensor, logits: Tensor, tau: float) -> tuple[float, float]:
    """Σ c s and Σ c s (1 − s) of s = sigmoid(logit − τ), in float64, a part at a time (see `budget.spent`)."""
    cost, slope = 0.0, 0.0
    for c, part in zip(costs.split(CHUNK), logits.split(CHUNK), strict=True):
        s = torch.sigmoid(part - tau)
        product = c * s
        cost += product.sum(dtype=torch.float64)
        slope += (product * (1 - s)).sum(dtype=torch.float64)
    return float(cost), float(slope)


def _relative_magnitude(pool: CandidatePool) -> Tensor:
    relative = pool.values.abs().clone()
    for part in pool.parts.values():
        for place in (part.ranks, part.entries):
            if place.stop > place.start:
                relative[place] /= relative[place].max()
    return relative
