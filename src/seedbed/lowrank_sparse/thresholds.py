"""Ablation of C6: each part cut at a threshold of its own, without a common budget."""

from __future__ import annotations

import torch
from torch import Tensor

from seedbed.lowrank_sparse.candidates import CandidatePool


def threshold_mask(pool: CandidatePool, rank_share: float, entry_share: float) -> Tensor:
    """Mask (N,): the largest ``rank_share`` of all σ_i, and the largest ``entry_share`` of all |S_ij|."""
    values, mask = pool.values.abs(), torch.zeros(len(pool), dtype=torch.bool, device=pool.values.device)
    for kind, share in ((pool.is_rank, rank_share), (~pool.is_rank, entry_share)):
        place = kind.nonzero().flatten()
        order = torch.sort(values[place], descending=True, stable=True).indices
        mask[place[order[: round(share * len(place))]]] = True
    return mask
