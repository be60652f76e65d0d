"""Baseline Wanda (Sun et al. 2024): |W_ij| ‖X_j‖, compared inside each output row."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget, whole_units
from seedbed.lowrank_sparse.magnitude import row_mask, sparse
from seedbed.lowrank_sparse.task import activation_rms


def wanda_mask(W: Tensor, act_norm: Tensor, ratio: float) -> Tensor:
    """Mask (m, n): the ⌊(1 − ratio) n⌋ entries of the highest score in each row of ``W`` (m, n); ``act_norm`` (n,)."""
    return row_mask(W.abs() * act_norm, int((1 - ratio) * W.shape[1] + 1e-6))


def prune_rows(
    weights: Mapping[str, Tensor], norms: Mapping[str, Tensor], ratios: Mapping[str, float], ratio: float
) -> dict[str, Compressed]:
    """Each matrix at its own ratio; rounding is such that the share ``ratio`` of all entries is removed."""
    total = budget([W.shape for W in weights.values()], ratio)
    units = [(1 - ratios[name]) * W.shape[1] for name, W in weights.items()]
    counts = whole_units(units, [len(W) for W in weights.values()], total)
    return {
        name: sparse(W, row_mask(W.abs() * norms[name], count))
        for (name, W), count in zip(weights.items(), counts, strict=True)
    }


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of every row removed."""
    norms = {name: activation_rms(gram) for name, gram in grams.items()}
    return prune_rows(weights, norms, dict.fromkeys(weights, ratio), ratio)
