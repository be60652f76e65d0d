"""AWQ (Lin et al. 2024): input channels are scaled up before rounding, the more the larger their activations.

The scale of channel j is mean|x_j|^α; its inverse is folded into the operation before the layer. Rounding to nearest
commutes with a factor on a row, so a scale folded into a quantized layer only scales its rows, and Q(W · s) / s in
place of W computes what the folded model does.
"""

from __future__ import annotations

import torch
from torch import Tensor

from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.rtn import rtn_quantize

SMALLEST = 1e-4  # of mean |x_j|, so that no scale is zero [code of AWQ]


def awq_scale_search(
    w: Tensor, x: Tensor, bits: int, group_size: int = 128, grid: int = 20, sym: bool = True
) -> Tensor:
    """The scales (I,) = mean|x_j|^α, α ∈ {0, 1/grid, …, 1}, that minimize ‖X Wᵀ − X (Q(W · s) / s)ᵀ‖².

    ``w`` is (O, I); layers that read the same input share their scales, so give their rows together. ``x`` is (…, I).
    """
    inputs = HessianAccumulator(w.shape[1], w.device).update(x)
    return _search(w, inputs, bits, group_size, grid, sym)[0]


def approximate(w: Tensor, inputs: HessianAccumulator, bits: int, group_size: int, sym: bool, grid: int = 20) -> Tensor:
    """``w`` (O, I) after AWQ for ``inputs``."""
    return _search(w, inputs, bits, group_size, grid, sym)[1]


def _search(
    w: Tensor, inputs: HessianAccumulator, bits: int, group_size: int, grid: int, sym: bool
) -> tuple[Tensor, Tensor]:
    """The best scales (I,), and Q(W · s) / s (O, I) with them; the first of equally good ones."""
    hessian, magnitude = inputs.value.to(w.dtype), inputs.mean_magnitude.to(w.dtype).clamp(min=SMALLEST)
    best = (torch.inf, None, None)
    for step in range(grid + 1):
        scales = magnitude ** (step / grid)
        approximation = rtn_quantize(w * scales, bits, group_size, sym).dequantize() / scales
        difference = approximation - w
        error = float(((difference @ hessian) * difference).sum())
        if error < best[0]:
            best = (error, scales, approximation)
    return best[1], best[2]
