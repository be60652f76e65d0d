"""Baseline in the manner of ASVD: truncated SVD of W diag(a), a the root mean square of each input."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed
from seedbed.lowrank_sparse.svd import ranks_within, truncated_svd
from seedbed.lowrank_sparse.task import activation_rms


def compress(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor], ratio: float) -> dict[str, Compressed]:
    """The share ``ratio`` of each matrix removed."""
    found, ranks = {}, ranks_within(weights, ratio)
    for name, W in weights.items():
        scale = activation_rms(grams[name])
        found[name] = Compressed(truncated_svd(W * scale, ranks[name]) / scale, ranks[name], 0)
    return found
