"""Baseline AlphaPruning (Lu et al. 2024): matrices with heavier-tailed spectra are pruned less; Wanda inside each."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed
from seedbed.lowrank_sparse.owl import mean_kept
from seedbed.lowrank_sparse.task import activation_rms
from seedbed.lowrank_sparse.wanda import prune_rows


def hill_exponent(W: Tensor, tail: float = 0.5) -> float:
    """α of the power law in the upper ``tail`` of the eigenvalues of WᵀW, by Hill's estimator."""
    eigenvalues = torch.linalg.svdvals(W.double()).square()
    count = max(int(tail * len(eigenvalues)), 1)
    logs = eigenvalues.clamp_min(1e-30).log()
    return 1 + count / max(float((logs[:count] - logs[count]).sum()), 1e-12)


def alpha_ratios(weights: Mapping[str, Tensor], ratio: float, tau: float = 0.2) -> dict[str, float]:
    """Sparsity of each matrix: linear in its Hill exponent over ``ratio`` [1 − τ, 1 + τ], mean (by size) ``ratio``."""
    alphas = {name: hill_exponent(W) for name, W in weights.items()}
    low, high = min(alphas.values()), max(alphas.values())
    if math.isclose(low, high):
        return dict.fromkeys(weights, ratio)
    shift = {name: ratio * tau * (2 * (alpha - low) / (high - low) - 1) for name, alpha in alphas.items()}
    return mean_kept(shift, weights, ratio)


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of all entries removed, unevenly over the matrices."""
    norms = {name: activation_rms(gram) for name, gram in grams.items()}
    return prune_rows(weights, norms, alpha_ratios(weights, ratio), ratio)
