"""The final masks of CAP: global top-K by probability under the budget (Section 3.4)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor


def select_topk(scores: Tensor, density: Tensor, costs: Tensor, budget: int) -> Tensor:
    """Mask (N,), bool: candidates by falling ``scores``, ties by falling ``density``, each added if its cost fits [R].

    A candidate that does not fit is skipped and the next ones are tried, so less than the smallest cost of those left
    out stays unused.
    """
    order = np.lexsort([-density.cpu().numpy(), -scores.cpu().numpy()])
    cost = costs.cpu().numpy()[order]
    kept = np.zeros(len(order), bool)
    start, left = 0, budget
    while start < len(order):
        total = np.cumsum(cost[start:])
        fits = int(np.searchsorted(total, left, side="right"))
        kept[order[start : start + fits]] = True
        left -= int(total[fits - 1]) if fits else 0
        start += fits
        later = np.flatnonzero(cost[start:] <= left)  # the next one that fits
        start = start + int(later[0]) if len(later) else len(order)
    return torch.from_numpy(kept).to(scores.device)
