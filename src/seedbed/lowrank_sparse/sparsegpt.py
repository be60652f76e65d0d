"""Baseline SparseGPT (Frantar and Alistarh 2023): optimal-brain-surgeon pruning, a block of columns at a time."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed, budget
from seedbed.lowrank_sparse.magnitude import keep_largest


def sparsegpt(W: Tensor, H: Tensor, ratio: float, block: int = 128, damping: float = 0.01) -> tuple[Tensor, Tensor]:
    """Pruned and corrected weights (m, n), and their mask.

    ``H`` (n, n) ∝ XᵀX. In each block of columns the entries with the smallest w²/[H⁻¹]_jj² (of the Cholesky factor) go,
    and what is lost is made up for in the columns to the right.
    """
    W = W.clone()
    H = H.clone()
    dead = H.diagonal() == 0
    H.diagonal()[dead] = 1
    W[:, dead] = 0
    H.diagonal().add_(damping * H.diagonal().mean())
    inverse = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(H)), upper=True)
    mask = torch.zeros_like(W, dtype=torch.bool)
    for start in range(0, W.shape[1], block):
        columns = slice(start, min(start + block, W.shape[1]))
        part, factor = W[:, columns].clone(), inverse[columns, columns]
        scores = part.square() / factor.diagonal().square()
        kept = keep_largest(scores, budget([part.shape], ratio))
        errors = torch.zeros_like(part)
        for column in range(part.shape[1]):
            pruned = part[:, column] * kept[:, column]
            error = (part[:, column] - pruned) / factor[column, column]
            part[:, column:] -= error[:, None] * factor[column, column:]
            part[:, column] = pruned
            errors[:, column] = error
        W[:, columns], mask[:, columns] = part, kept
        W[:, columns.stop :] -= errors @ inverse[columns, columns.stop :]
    return W * mask, mask


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of each matrix removed."""
    pruned = {name: sparsegpt(W, grams[name], ratio) for name, W in weights.items()}
    return {name: Compressed(W, 0, int(mask.sum())) for name, (W, mask) in pruned.items()}
