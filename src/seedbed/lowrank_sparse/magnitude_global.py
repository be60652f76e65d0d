"""Baseline: keep the entries of largest magnitude over all matrices together."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget
from seedbed.lowrank_sparse.magnitude import keep_largest, sparse


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of all entries removed."""
    flat = torch.cat([W.abs().flatten() for W in weights.values()])
    mask = keep_largest(flat, budget([W.shape for W in weights.values()], ratio))
    parts = mask.split([W.numel() for W in weights.values()])
    return {name: sparse(W, part.view(W.shape)) for (name, W), part in zip(weights.items(), parts, strict=True)}
