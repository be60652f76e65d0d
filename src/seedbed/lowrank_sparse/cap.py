"""CAP as a whole: robust PCA, probabilities, policy gradient, masks (Section 3 of the specification)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.policy_gradient import FLOOR, PolicyGradient, Step, reinforce
from seedbed.lowrank_sparse.probabilities import Init, init_probabilities
from seedbed.lowrank_sparse.robust_pca import RobustPCA, default_lambda, robust_pca
from seedbed.lowrank_sparse.selection import select_topk

Kind = Literal["both", "L", "S", "low_rank", "sparse"]
Scope = Literal["global", "matrix"]


@dataclass(frozen=True)
class Decomposing:
    """How stage 1 splits the matrices."""

    n_iter: int = 10
    lambda_factor: float = 1.0
    """Times the default λ."""
    keep_residual: bool = False
    """Add W − L − S to S, which the paper discards [ours]."""
    activations: bool = False
    """Scale the columns by the root mean square of their inputs first [ours; not the paper's]."""
    schedule: Literal["constant", "ialm"] = "constant"


@dataclass(frozen=True)
class Allocating:
    """How stage 2 divides the budget."""

    scope: Scope = "global"
    """One budget for all matrices, or each its own share."""
    init: Init = "density"
    policy: PolicyGradient = field(default_factory=PolicyGradient)


@dataclass(frozen=True)
class Allocation:
    """``mask`` (N,), the probabilities (N,) at the start and at the end, and a record of each policy step."""

    mask: Tensor
    initial: Tensor
    final: Tensor
    trace: list[Step]


def decompose(weights: Mapping[str, Tensor], settings: Decomposing, rms: Mapping[str, Tensor]) -> dict[str, RobustPCA]:
    """Robust PCA of all ``weights`` (m, n), with ``activations`` after scaling their columns by ``rms`` (n,)."""
    splits = {}
    for name, W in weights.items():
        scaled = W * rms[name] if settings.activations else W
        lam = settings.lambda_factor * default_lambda(W.shape)
        split = robust_pca(scaled, lam, n_iter=settings.n_iter, schedule=settings.schedule)
        splits[name] = replace(split, S=scaled - split.L) if settings.keep_residual else split
    return splits


def one_part(weights: Mapping[str, Tensor], kind: Kind, splits: Mapping[str, RobustPCA]) -> dict[str, RobustPCA]:
    """What is left for candidates if only one part counts.

    ``L`` and ``S`` leave the other part of robust PCA out. ``low_rank`` and ``sparse``, a fairer comparison, take
    all of W as that part: every singular triple, or every entry.
    """
    found = {}
    for name, W in weights.items():
        split, empty = splits[name], torch.zeros_like(W)
        no_rank = (W[:, :0], W[0, :0], W[:0])
        parts = {
            "both": lambda split=split: split,
            "L": lambda split=split, empty=empty: replace(split, S=empty),
            "S": lambda split=split, no_rank=no_rank: RobustPCA(*no_rank, split.S, split.residual),
            "low_rank": lambda W=W, empty=empty: RobustPCA(*torch.linalg.svd(W, full_matrices=False), empty, 0.0),
            "sparse": lambda W=W, no_rank=no_rank: RobustPCA(*no_rank, W, 0.0),
        }
        found[name] = parts[kind]()
    return found


def allocate(
    pool: CandidatePool,
    ratio: float,
    settings: Allocating,
    loss: Callable[[dict[str, Tensor], int], float],
    rng: np.random.Generator,
) -> Allocation:
    """Divide the budget of ``ratio`` over the candidates of ``pool``.

    ``loss(weights, step)`` is that of the model with these weights on the mini-batch of ``step``; without policy
    iterations it is not called.
    """
    total = budget([part.shape for part in pool.parts.values()], ratio)
    first = final = init_probabilities(pool, total, settings.init)
    trace: list[Step] = []
    if settings.policy.n_iter:

        def masked_loss(mask: Tensor, step: int) -> float:
            return loss({name: pool.weight(name, mask) for name in pool.parts}, step)

        start = first.clamp(FLOOR, 1 - FLOOR)
        for s, step in reinforce(start, pool.costs, masked_loss, total, settings.policy, rng):
            final = s
            trace.append(step)
    return Allocation(select(pool, final, ratio, settings.scope), first, final, trace)


def select(pool: CandidatePool, s: Tensor, ratio: float, scope: Scope) -> Tensor:
    """Masks (N,) by probability, under one budget or one a matrix."""
    if scope == "global":
        total = budget([part.shape for part in pool.parts.values()], ratio)
        return select_topk(s, pool.density, pool.costs, total)
    mask = torch.zeros(len(pool), dtype=torch.bool)
    for part in pool.parts.values():
        own = slice(part.ranks.start, part.entries.stop)
        mask[own] = select_topk(s[own], pool.density[own], pool.costs[own], budget([part.shape], ratio))
    return mask


def layer_budgets(compressed: Mapping[str, Compressed]) -> dict[str, dict[str, float]]:
    """Matrix -> parameters kept as a share of its entries (``kept``), of these in factors (``low_rank_share``), rank,
    and the density of S."""
    return {
        name: {
            "kept": matrix.parameters / matrix.weight.numel(),
            "low_rank_share": matrix.rank * sum(matrix.weight.shape) / max(matrix.parameters, 1),
            "rank": matrix.rank,
            "density": matrix.nonzeros / matrix.weight.numel(),
        }
        for name, matrix in compressed.items()
    }
