"""CAP as a whole: robust PCA, probabilities, policy gradient, masks (Section 3 of the specification)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.policy_gradient import PolicyGradient, Step, reinforce
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
    all of W as that part: every singular triple, or every entry; they need no ``splits``.
    """
    found = {}
    for name, W in weights.items():
        no_rank, empty = (W[:, :0], W[0, :0], W[:0]), torch.zeros(1).expand(W.shape)
        match kind:
            case "both":
                found[name] = splits[name]
            case "L":
                found[name] = replace(splits[name], S=empty)
            case "S":
                found[name] = RobustPCA(*no_rank, splits[name].S, splits[name].residual)
            case "low_rank":
                found[name] = RobustPCA(*torch.linalg.svd(W, full_matrices=False), empty, 0.0)
            case "sparse":
                found[name] = RobustPCA(*no_rank, W, 0.0)
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
    return next(trajectory(pool, ratio, settings, loss, rng, [settings.policy.n_iter]))


def trajectory(
    pool: CandidatePool,
    ratio: float,
    settings: Allocating,
    loss: Callable[[dict[str, Tensor], int], float],
    rng: np.random.Generator,
    stops: Sequence[int],
    first: Tensor | None = None,
) -> Iterator[Allocation]:
    """As `allocate`, after each of the rising numbers of policy iterations ``stops`` of one run.

    ``first`` (N,) are the initial probabilities, if they are there already.
    """
    total = budget([part.shape for part in pool.parts.values()], ratio)
    first = s = init_probabilities(pool, total, settings.init) if first is None else first
    trace: list[Step] = []

    def masked_loss(mask: Tensor, step: int) -> float:
        return loss({name: pool.weight(name, mask) for name in pool.parts}, step)

    policy = replace(settings.policy, n_iter=max(stops))
    steps = reinforce(first, pool.costs, masked_loss, total, policy, rng)
    for stop in stops:
        while len(trace) < stop:
            s, step = next(steps)
            trace.append(step)
        yield Allocation(select(pool, s, ratio, settings.scope), first, s, list(trace))


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
