"""Round to nearest: every weight goes to the next point of its group's grid."""

from __future__ import annotations

import torch
from torch import Tensor

from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.grid import QuantizedTensor, group_grid, per_column, to_grid


def rtn_quantize(w: Tensor, bits: int, group_size: int = 128, sym: bool = True) -> QuantizedTensor:
    """Quantize ``w`` (…, O, I) to nearest on the grid of `group_grid`."""
    scale, zero = group_grid(w, bits, group_size, sym)
    columns = w.shape[-1]
    q = to_grid(w, per_column(scale, group_size, columns), per_column(zero, group_size, columns), bits)
    return QuantizedTensor(q.to(torch.int32), scale, zero, bits, group_size)


def approximate(w: Tensor, inputs: HessianAccumulator, bits: int, group_size: int, sym: bool) -> Tensor:
    """``w`` (O, I) after rounding to nearest; ``inputs`` are not used."""
    return rtn_quantize(w, bits, group_size, sym).dequantize()
