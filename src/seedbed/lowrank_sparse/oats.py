"""Baseline OATS (Zhang and Papyan 2025): low rank plus sparse of the matrix scaled by its inputs."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget
from seedbed.lowrank_sparse.magnitude import row_mask
from seedbed.lowrank_sparse.task import activation_rms


def oats(W: Tensor, act_rms: Tensor, ratio: float, kappa: float = 0.25, n_iter: int = 80) -> Compressed:
    """Alternate a truncated SVD and a row-wise hard threshold on W D, D = diag(``act_rms``) (n,), and undo D.

    ``kappa`` of the (1 − ratio) mn parameters are in factors. Only the leading triples are needed, so they come from
    the eigenvectors of the smaller Gram matrix.
    """
    total = budget([W.shape], ratio)
    rank = int(kappa * total) // sum(W.shape)
    count = (total - rank * sum(W.shape)) // len(W)
    scaled = W * act_rms
    sparse = torch.zeros_like(W)
    for _ in range(n_iter):
        low_rank = leading(scaled - sparse, rank)
        rest = scaled - low_rank
        mask = row_mask(rest.abs(), count)
        sparse = rest * mask
    return Compressed((low_rank + sparse) / act_rms, rank, int(mask.sum()))


def leading(M: Tensor, rank: int) -> Tensor:
    """The nearest matrix (m, n) to ``M`` of that rank: M V Vᵀ, V the leading eigenvectors of MᵀM, or with MMᵀ."""
    if len(M) < M.shape[1]:
        return leading(M.T, rank).T
    V = torch.linalg.eigh(M.T @ M).eigenvectors[:, M.shape[1] - rank :]
    return (M @ V) @ V.T


def compress(
    weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float, n_iter: int = 80
) -> dict[str, Compressed]:
    """The share ``ratio`` of each matrix removed."""
    return {name: oats(W, activation_rms(grams[name]), ratio, n_iter=n_iter) for name, W in weights.items()}
