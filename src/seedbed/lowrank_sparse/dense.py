"""The model as it is, at any ratio: what the others are held against."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """Nothing removed."""
    return {name: Compressed(W, 0, W.numel()) for name, W in weights.items()}
