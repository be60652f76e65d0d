"""Baseline in the manner of LoSparse, without training: truncated SVD, then the largest entries of what is left."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget
from seedbed.lowrank_sparse.magnitude import keep_largest
from seedbed.lowrank_sparse.svd import truncated_svd


def compress(
    weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float, kappa: float = 0.25
) -> dict[str, Compressed]:
    """The share ``ratio`` of each matrix removed; ``kappa`` of what stays is in factors."""
    found = {}
    for name, W in weights.items():
        total = budget([W.shape], ratio)
        rank = int(kappa * total) // sum(W.shape)
        low_rank = truncated_svd(W, rank)
        mask = keep_largest((W - low_rank).abs(), total - rank * sum(W.shape))
        found[name] = Compressed(low_rank + (W - low_rank) * mask, rank, int(mask.sum()))
    return found
