"""GPTQ written straight, as the peer of the race: the published factor, and every update made at once."""

from __future__ import annotations

import torch
from torch import Tensor

from seedbed.ptq_dynamics.grid import QuantizedTensor, group_grid, to_grid


def gptq_by_column(
    w: Tensor, hessian: Tensor, bits: int, group_size: int = 128, damp: float = 0.01, sym: bool = True
) -> QuantizedTensor:
    """As `gptq_quantize` in the order of the columns: U = chol(H⁻¹)ᵀ, and after each column W_{:,i:} −= e U_{i,i:}."""
    w, h = w.clone(), hessian.to(w.dtype, copy=True)
    dead = h.diagonal() == 0
    h.diagonal()[dead] = 1
    w[:, dead] = 0
    h.diagonal().add_(damp * h.diagonal().mean())
    u = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(h)), upper=True)
    q, scales, zeros = torch.empty_like(w), [], []
    for i in range(w.shape[1]):
        if i % group_size == 0:
            scale, zero = group_grid(w[:, i : i + group_size], bits, group_size, sym)
            scales.append(scale)
            zeros.append(zero)
        q[:, i : i + 1] = to_grid(w[:, i : i + 1], scale, zero, bits)
        error = (w[:, i : i + 1] - (q[:, i : i + 1] - zero) * scale) / u[i, i]
        w[:, i:] -= error @ u[i : i + 1, i:]
    return QuantizedTensor(q.to(torch.int32), torch.cat(scales, 1), torch.cat(zeros, 1), bits, group_size)
