"""The uniform quantization grid that all quantizers here share: b bits, groups of consecutive input channels.

A group of g weights of one output row has a scale s and a zero point z; its weights are (q − z) s with integers
0 ≤ q < 2^b. Zero always lies on the grid. A last group may be short.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class QuantizedTensor:
    """Weights on a grid: ``q`` (…, O, I) int32, ``scale`` and ``zero`` (…, O, ⌈I / g⌉)."""

    q: Tensor
    scale: Tensor
    zero: Tensor
    bits: int
    group_size: int

    @property
    def shape(self) -> torch.Size:
        return self.q.shape

    def dequantize(self) -> Tensor:
        """(q − z) s, (…, O, I), in the type of the scales."""
        scale, zero = (per_column(value, self.group_size, self.shape[-1]) for value in (self.scale, self.zero))
        return (self.q - zero) * scale


def group_grid(w: Tensor, bits: int, group_size: int, sym: bool) -> tuple[Tensor, Tensor]:
    """Scale and zero point (…, ⌈I / g⌉) of each group of ``w`` (…, I).

    Asymmetric: s = (max − min) / (2^b − 1) with min ≤ 0 ≤ max, z = round(−min / s).
    Symmetric: s = 2 max|w| / (2^b − 1), z = 2^(b−1). A group of zeros has the scale 1.
    """
    groups = -(-w.shape[-1] // group_size)
    padded = torch.nn.functional.pad(w, (0, groups * group_size - w.shape[-1]))  # zeros change neither end
    grouped = padded.unflatten(-1, (groups, group_size))
    low, high = grouped.amin(-1).clamp(max=0), grouped.amax(-1).clamp(min=0)
    if sym:
        high = torch.maximum(high, -low)
        low = -high
    scale = (high - low) / (2**bits - 1)
    scale = torch.where(scale > 0, scale, torch.ones_like(scale))
    zero = torch.full_like(scale, 2 ** (bits - 1)) if sym else torch.round(-low / scale)
    return scale, zero


def to_grid(w: Tensor, scale: Tensor, zero: Tensor, bits: int) -> Tensor:
    """The integers clip(round(w / s) + z, 0, 2^b − 1), as floats; all arguments have shapes that broadcast."""
    return (torch.round(w / scale) + zero).clamp_(0, 2**bits - 1)


def per_column(values: Tensor, group_size: int, columns: int) -> Tensor:
    """Values (…, ⌈I / g⌉) of groups repeated for their columns, (…, I)."""
    return values.repeat_interleave(group_size, dim=-1)[..., :columns]


def pack(q: Tensor, bits: int) -> Tensor:
    """Integers 0 ≤ q < 2^bits as one stream of bits, (⌈bits · n / 8⌉,) uint8."""
    planes = (q.flatten().numpy()[:, None] >> np.arange(bits)) & 1
    return torch.from_numpy(np.packbits(planes.astype(np.uint8).ravel()))


def unpack(packed: Tensor, bits: int, shape: tuple[int, ...]) -> Tensor:
    """The integers (``shape``), int32, that `pack` packed."""
    count = int(np.prod(shape))
    planes = np.unpackbits(packed.numpy(), count=count * bits).reshape(count, bits)
    return torch.from_numpy((planes.astype(np.int32) << np.arange(bits)).sum(axis=1, dtype=np.int32).reshape(shape))
