"""Projection of probabilities onto the budget {s ∈ [0, 1]^N : Σ c_k s_k ≤ K} (Section 3.3)."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from seedbed.lowrank_sparse.budget import spent

Norm = Literal["cost", "euclidean"]
STEPS = 100


def project_budget(y: Tensor, costs: Tensor, budget: float, norm: Norm = "cost") -> Tensor:
    """The nearest point to ``y`` (N,) within the budget, to 1e-7 of the budget.

    ``euclidean`` minimises Σ(s − y)²: s = clip(y − ν c, 0, 1). ``cost`` minimises Σ c (s − y)²: s = clip(y − ν, 0, 1),
    which treats a rank-one part of cost 1,000 as it does an entry of cost 1 [R]. The multiplier ν ≥ 0 is found by
    Newton steps, which are exact once the set of s between 0 and 1 is right, and by bisection where they leave the
    bracket.
    """
    s = y.clamp(0, 1)
    excess = spent(costs, s) - budget
    if excess <= 0:
        return s
    step = costs.to(y.dtype) if norm == "euclidean" else 1.0
    weights = step.square() if norm == "euclidean" else costs
    nu, low, high = 0.0, 0.0, float(y.max())  # nothing is left at ν = max y, in either norm: costs are 1 or more
    for _ in range(STEPS):
        slope = spent(weights, (s > 0) & (s < 1))
        newton = nu + excess / slope if slope else high
        nu = newton if low < newton < high else (low + high) / 2
        s = (y - nu * step).clamp_(0, 1)
        excess = spent(costs, s) - budget
        low, high = (nu, high) if excess > 0 else (low, nu)
        if abs(excess) <= 1e-7 * budget:
            break
    return s
