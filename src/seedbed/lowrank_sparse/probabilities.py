"""Retention probabilities that the policy gradient starts from (Section 3.3; [R])."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from seedbed.lowrank_sparse.candidates import CandidatePool

Init = Literal["density", "magnitude", "uniform"]


def init_probabilities(pool: CandidatePool, budget: int, how: Init = "density", temperature: float = 1.0) -> Tensor:
    """s (N,) in (0, 1) with Σ c_k s_k = ``budget``.

    ``density``: sigmoid((log d_k − τ)/T) with the density d_k, τ by bisection. ``magnitude``: the same with the values
    relative to the largest of their kind in their matrix. ``uniform``: K/Σc.

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
    logits = scores.clamp_min(1e-30).log() / temperature
    low, high = float(logits.min()) - 40, float(logits.max()) + 40
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _spent(pool.costs, logits - middle) > budget else (low, middle)
    return torch.sigmoid(logits - high)


def _spent(costs: Tensor, logits: Tensor) -> float:
    return float((costs * torch.sigmoid(logits)).sum(dtype=torch.float64))


def _relative_magnitude(pool: CandidatePool) -> Tensor:
    relative = pool.values.abs().clone()
    for part in pool.parts.values():
        for place in (part.ranks, part.entries):
            if place.stop > place.start:
                relative[place] /= relative[place].max()
    return relative
