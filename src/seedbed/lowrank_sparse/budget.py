"""What a compressed model costs: parameters, exactly, and bytes (Section 5 of the specification)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Index = Literal["none", "bitmap", "csr"]
CHUNK = 1 << 16


@dataclass(frozen=True)
class Compressed:
    """A compressed matrix: ``weight`` (m, n) as the model computes with it, held as ``rank`` (m + n) numbers in factors
    and ``nonzeros`` entries."""

    weight: Tensor
    rank: int
    nonzeros: int

    @property
    def parameters(self) -> int:
        """r(m + n) + nnz, or mn where that is no more: then the matrix is stored dense."""
        return min(self.rank * sum(self.weight.shape) + self.nonzeros, self.weight.numel())

    @property
    def dense(self) -> bool:
        """Whether the matrix is stored dense."""
        return self.parameters == self.weight.numel()

    def bytes(self, index: Index) -> float:
        """Bytes: 2 a number, and for the places of entries nothing, a bitmap, or 2 an entry and 4 a row (CSR)."""
        m, n = self.weight.shape
        if self.dense or not self.nonzeros:
            return 2 * self.parameters
        places = {"none": 0, "bitmap": m * n / 8, "csr": (2 if n <= 1 << 16 else 4) * self.nonzeros + 4 * (m + 1)}
        return 2 * self.parameters + places[index]


def budget(shapes: Iterable[tuple[int, int]], ratio: float) -> int:
    """K = (1 − ρ) Σ mn, rounded down: parameters that may stay of matrices of these shapes."""
    if not 0 <= ratio <= 1:
        raise ValueError(f"ratio {ratio} is not between 0 and 1")
    return int((1 - ratio) * sum(m * n for m, n in shapes) + 1e-6)


def spent(costs: Tensor, s: Tensor) -> float:
    """Σ c_k s_k (N,), added up in float64, a part at a time: float64 copies of millions of candidates are large."""
    parts = zip(costs.split(CHUNK), s.split(CHUNK), strict=True)
    return float(sum((c * part).sum(dtype=torch.float64) for c, part in parts))


def whole_units(units: Sequence[float], costs: Sequence[int], total: int) -> list[int]:
    """``units`` rounded down, and what is then left of ``total`` parameters given out by largest fraction, a unit each.

    ``costs`` are the parameters of one unit: m + n of a rank, m of one entry in each of m rows.
    """
    counts = [math.floor(unit + 1e-9) for unit in units]
    left = total - sum(count * cost for count, cost in zip(counts, costs, strict=True))
    for place in sorted(range(len(units)), key=lambda place: counts[place] - units[place]):
        if costs[place] <= left and units[place] > counts[place]:
            counts[place] += 1
            left -= costs[place]
    return counts


def parameter_count(compressed: Mapping[str, Compressed], index: Index = "none") -> dict[str, float]:
    """Parameters kept, the share removed (``realised_ratio``), and bytes as a share of the dense ones at 2 a number."""
    kept = sum(matrix.parameters for matrix in compressed.values())
    total = sum(matrix.weight.numel() for matrix in compressed.values())
    size = sum(matrix.bytes(index) for matrix in compressed.values())
    return {"parameters": kept, "realised_ratio": 1 - kept / total, "byte_share": size / (2 * total)}
