"""Baseline OWL (Yin et al. 2024): matrices with more outliers are pruned less; Wanda inside each."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed
from seedbed.lowrank_sparse.task import activation_rms
from seedbed.lowrank_sparse.wanda import prune_rows


def owl_ratios(scores: Mapping[str, Tensor], ratio: float, M: float = 5.0, lam: float = 0.08) -> dict[str, float]:
    """Sparsity of each matrix: shifted inside ``ratio`` ± ``lam`` by its share of scores above ``M`` times their mean.

    The mean, weighted by size, is ``ratio`` exactly.
    """
    outliers = torch.tensor([float((s > M * s.mean()).double().mean()) for s in scores.values()], dtype=torch.float64)
    span = float(outliers.max() - outliers.min())
    shift = (outliers - outliers.min()) * (2 * lam / span if span else 0.0)
    return mean_kept(dict(zip(scores, (-shift).tolist(), strict=True)), scores, ratio)


def mean_kept(shift: Mapping[str, float], matrices: Mapping[str, Tensor], ratio: float) -> dict[str, float]:
    """``ratio`` + ``shift`` of each matrix, moved together so that the share removed of all entries is ``ratio``."""
    total = sum(matrix.numel() for matrix in matrices.values())
    mean = sum(value * matrices[name].numel() for name, value in shift.items()) / total
    return {name: min(max(ratio + value - mean, 0.0), 1.0) for name, value in shift.items()}


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of all entries removed, unevenly over the blocks: OWL counts outliers block by block."""
    norms = {name: activation_rms(grams[name]) for name in weights}
    blocks: dict[str, list[Tensor]] = {}
    for name, W in weights.items():
        blocks.setdefault(name.split(".")[0], []).append((W.abs() * norms[name]).flatten())
    ratios = owl_ratios({block: torch.cat(scores) for block, scores in blocks.items()}, ratio)
    return prune_rows(weights, norms, {name: ratios[name.split(".")[0]] for name in weights}, ratio)
