"""The final masks of CAP: global top-K by probability under the budget (Section 3.4)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

SORTED = 10_000  # candidates that are sorted at once


def select_topk(scores: Tensor, density: Tensor, costs: Tensor, budget: int) -> Tensor:
    """Mask (N,), bool: candidates by falling ``scores``, ties by falling ``density``, each added if its cost fits [R].

    A candidate that does not fit is skipped and the next ones are tried, so less than the smallest cost of those left
    out stays unused.
    """
    kept = np.zeros(len(scores), bool)
    _fill(kept, None, [array.cpu().numpy() for array in (scores, density)], costs.cpu().numpy(), budget)
    return torch.from_numpy(kept).to(scores.device)


def _fill(kept: np.ndarray, places: np.ndarray | None, keys: list[np.ndarray], costs: np.ndarray, left: int) -> int:
    """Mark in ``kept`` the candidates of ``places`` (None: all) that fit into ``left``, and return what is then left.

    As quicksort does, but parts that fit as a whole, or not at all, are not sorted: nearly all of millions.
    """
    cost = costs if places is None else costs[places]
    if not len(cost) or left < cost.min():
        return left
    total = int(cost.sum(dtype=np.int64))
    if total <= left:
        kept[slice(None) if places is None else places] = True
        return left - total
    if len(cost) <= SORTED:
        places = np.arange(len(cost)) if places is None else places
        return _fill_in_turn(kept, places[np.lexsort([-key[places] for key in reversed(keys)])], costs, left)
    key = keys[0] if places is None else keys[0][places]
    pivot = np.median(key[:: len(key) // SORTED + 1])
    for part, others in ((key > pivot, keys), (key == pivot, keys[1:]), (key < pivot, keys)):
        chosen = np.flatnonzero(part).astype(np.int32) if places is None else places[part]
        if others:
            left = _fill(kept, chosen, others, costs, left)
        else:  # equal in all keys: in the order of the candidates
            left = _fill_in_turn(kept, chosen, costs, left)
    return left


def _fill_in_turn(kept: np.ndarray, order: np.ndarray, costs: np.ndarray, left: int) -> int:
    """The rule itself, for candidates in ``order``."""
    cost, start = costs[order], 0
    while start < len(order):
        total = np.cumsum(cost[start:], dtype=np.int64)
        fits = int(np.searchsorted(total, left, side="right"))
        kept[order[start : start + fits]] = True
        left -= int(total[fits - 1]) if fits else 0
        start += fits
        later = np.flatnonzero(cost[start:] <= left)  # the next one that fits
        start = start + int(later[0]) if len(later) else len(order)
    return left
