"""The candidates of CAP's second stage: every singular triple of L and every non-zero entry of S (Section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from seedbed.lowrank_sparse.budget import Compressed
from seedbed.lowrank_sparse.robust_pca import RobustPCA


@dataclass(frozen=True)
class Part:
    """Where the candidates of one matrix (m, n) lie: first its rank-one parts, then its entries."""

    shape: tuple[int, int]
    ranks: slice
    entries: slice


class CandidatePool:
    """All candidates of all matrices as flat arrays of length N.

    ``costs`` (N,): m + n parameters for a rank-one part, 1 for an entry. ``values`` (N,): σ_i or S_ij.
    ``parts``: matrix -> its place.
    """

    def __init__(
        self, decompositions: Mapping[str, RobustPCA], column_scales: Mapping[str, Tensor] | None = None
    ) -> None:
        """``column_scales`` (n,) undoes a scaling of the columns before the decomposition."""
        self.decompositions, self.column_scales = decompositions, column_scales
        self.parts: dict[str, Part] = {}
        self._where: dict[str, Tensor] = {}
        values, start = [], 0
        for name, split in decompositions.items():
            shape = tuple(split.S.shape)
            where = split.S.flatten().nonzero().flatten()
            ranks = slice(start, start + split.rank)
            entries = slice(ranks.stop, ranks.stop + len(where))
            self.parts[name], self._where[name], start = Part(shape, ranks, entries), where.int(), entries.stop
            values += [split.sigma, split.S.flatten()[where]]
        self.values = torch.cat(values)
        small = max(sum(part.shape) for part in self.parts.values()) <= torch.iinfo(torch.int16).max
        self.costs = torch.ones(start, dtype=torch.int16 if small else torch.int32, device=self.values.device)
        for part in self.parts.values():
            self.costs[part.ranks] = sum(part.shape)

    @property
    def is_rank(self) -> Tensor:
        """Which candidates (N,) are rank-one parts."""
        found = torch.zeros(len(self), dtype=torch.bool, device=self.values.device)
        for part in self.parts.values():
            found[part.ranks] = True
        return found

    @property
    def density(self) -> Tensor:
        """Squared value over cost (N,): σ_i²/(m + n) or S_ij² [R]."""
        return self.values.square().div_(self.costs)

    def __len__(self) -> int:
        return len(self.values)

    def weight(self, name: str, mask: Tensor) -> Tensor:
        """W̃(m) (m, n) = U diag(σ ⊙ m_σ) Vᵀ + S ⊙ m_S of one matrix, for the mask (N,) of all candidates."""
        split, part = self.decompositions[name], self.parts[name]
        keep = mask[part.ranks].nonzero().flatten()
        low_rank = (split.U.index_select(1, keep) * split.sigma[keep]) @ split.Vt.index_select(0, keep)
        entries = self.values[part.entries] * mask[part.entries]
        sparse = entries.new_zeros(split.S.numel()).scatter_(0, self._where[name].long(), entries)
        weight = sparse.view(part.shape).add_(low_rank)
        return weight.div_(self.column_scales[name]) if self.column_scales else weight

    def compressed(self, mask: Tensor) -> dict[str, Compressed]:
        """Every matrix with the candidates that ``mask`` (N,) keeps."""
        return {
            name: Compressed(self.weight(name, mask), int(mask[part.ranks].sum()), int(mask[part.entries].sum()))
            for name, part in self.parts.items()
        }
