"""Matrices with a known split, and the λ at which robust PCA gives all to one part (specification, Section 10)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from seedbed.lowrank_sparse.robust_pca import RobustPCA


@dataclass(frozen=True)
class Planted:
    """W = L + S, (m, n) each, float64."""

    L: Tensor
    S: Tensor

    @property
    def W(self) -> Tensor:
        return self.L + self.S


def plant(m: int, n: int, rank: int, spikes: float, rng: np.random.Generator) -> Planted:
    """L of ``rank`` with entries of unit scale, and the share ``spikes`` of entries ±1 added to it."""
    L = rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n)) / np.sqrt(rank)
    S = np.zeros(m * n)
    where = rng.permutation(m * n)[: round(spikes * m * n)]
    S[where] = rng.choice([-1.0, 1.0], len(where))
    return Planted(torch.from_numpy(L), torch.from_numpy(S.reshape(m, n)))


def recovery(planted: Planted, found: RobustPCA) -> dict[str, float]:
    """Relative error of L, its rank, whether the support of S is exact, and iterations."""
    return {
        "low_rank_error": float((found.L - planted.L).norm() / planted.L.norm()),
        "rank": found.rank,
        "support_exact": float(bool(((found.S.abs() > 1e-3) == (planted.S != 0)).all())),
        "iterations": len(found.history),
    }


def lambda_limits(W: Tensor) -> tuple[float, float]:
    """λ below which S = W is optimal, 1/‖sign W‖_2, and above which L = W is, ‖UVᵀ‖_max (W of full rank, no zeros)."""
    U, _, Vt = torch.linalg.svd(W, full_matrices=False)
    return 1 / float(torch.linalg.matrix_norm(W.sign(), 2)), float((U @ Vt).abs().max())
