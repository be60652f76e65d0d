"""Baseline: keep the entries of largest magnitude."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget


def keep_largest(scores: Tensor, count: int) -> Tensor:
    """Mask of the shape of ``scores``: its ``count`` largest, the first ones of equals."""
    order = torch.sort(scores.flatten(), descending=True, stable=True).indices
    mask = torch.zeros(scores.numel(), dtype=torch.bool, device=scores.device)
    mask[order[:count]] = True
    return mask.view(scores.shape)


def sparse(W: Tensor, mask: Tensor) -> Compressed:
    """``W`` (m, n) with the entries of ``mask`` alone."""
    return Compressed(W * mask, 0, int(mask.sum()))


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of each matrix removed."""
    return {name: sparse(W, keep_largest(W.abs(), budget([W.shape], ratio))) for name, W in weights.items()}
