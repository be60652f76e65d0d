"""Baseline: truncated SVD of each matrix."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget, whole_units


def ranks_within(weights: Mapping[str, Tensor], ratio: float) -> dict[str, int]:
    """⌊(1 − ρ) mn / (m + n)⌋ for each matrix, or one more where all of the budget allows."""
    shapes = [W.shape for W in weights.values()]
    units = [(1 - ratio) * m * n / (m + n) for m, n in shapes]
    return dict(zip(weights, whole_units(units, [sum(s) for s in shapes], budget(shapes, ratio)), strict=True))


def truncated_svd(W: Tensor, rank: int) -> Tensor:
    """The nearest matrix (m, n) of that rank."""
    U, sigma, Vt = torch.linalg.svd(W, full_matrices=False)
    return (U[:, :rank] * sigma[:rank]) @ Vt[:rank]


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of each matrix removed."""
    ranks = ranks_within(weights, ratio)
    return {name: Compressed(truncated_svd(W, ranks[name]), ranks[name], 0) for name, W in weights.items()}
