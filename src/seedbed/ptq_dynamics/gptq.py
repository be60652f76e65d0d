"""GPTQ (Frantar et al. 2023): columns are quantized in turn, the error of each spread over those still to come.

With U upper triangular and H⁻¹ = Uᵀ U, quantizing column i leaves e = (w_i − ŵ_i) / U_ii, and the columns j after it
become w_j − e U_ij: the optimal-brain-surgeon update for a fixed order.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator

import torch
from torch import Tensor

from seedbed.core.errors import SeedbedError
from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.grid import QuantizedTensor, group_grid

log = logging.getLogger(__name__)
RAISED = (1.0, 10**0.5, 10.0)  # damping is raised up to tenfold where H is not positive definite
DOUBLE_UP_TO = 512  # columns up to which H is factorized in float64


def gptq_quantize(
    w: Tensor,
    hessian: Tensor,
    bits: int,
    group_size: int = 128,
    damp: float = 0.01,
    act_order: bool = False,
    block: int = 128,
    sym: bool = True,
) -> QuantizedTensor:
    """Quantize ``w`` (O, I) for inputs with ``hessian`` (I, I).

    The grid of a group is that of its weights when the group is reached, after the updates of all columns before it.
    Updates are made at once inside a block of ``block`` columns, and once a block to the columns after it. Inputs that
    are always zero (H_ii = 0) get weight zero.

    Parameters
    ----------
    damp
        ρ: ρ · mean(diag H) is added to the diagonal of H.
    act_order
        Quantize columns in the order of decreasing H_ii. Groups are those of the columns as they come; their grids are
        those of the weights before any update.

    Raises
    ------
    SeedbedError
        If H is not positive definite even with ten times the damping.
    """
    columns = w.shape[1]
    w_t = torch.where(hessian.diagonal() == 0, 0, w).T.contiguous()  # rows are W's columns, contiguous
    order = torch.arange(columns, device=w.device)
    grids: list[tuple[Tensor, Tensor]] = []  # scale and zero (O,) of each group
    if act_order:
        grids = [(s.contiguous(), z.contiguous()) for s, z in zip(*_by_group(w_t, bits, group_size, sym), strict=True)]
        order = torch.argsort(hessian.diagonal(), descending=True, stable=True)
        w_t, hessian = w_t[order], hessian[order][:, order]
    group = (order // group_size).tolist()
    u = inverse_factor(hessian, damp).to(w.dtype)
    diagonal = u.diagonal().tolist()
    q = torch.empty_like(w_t)
    for start, end in _blocks(columns, block, columns if act_order else group_size):
        errors = torch.empty_like(w_t[start:end])
        for i in range(start, end):
            if len(grids) == group[i]:
                grids += zip(*_by_group(w_t[i : i + group_size], bits, group_size, sym), strict=True)
            scale, zero = grids[group[i]]
            torch.div(w_t[i], scale, out=q[i]).round_().add_(zero).clamp_(0, 2**bits - 1)
            error = errors[i - start]
            torch.sub(w_t[i], (q[i] - zero).mul_(scale), out=error).div_(diagonal[i])
            w_t[i + 1 : end].addr_(u[i, i + 1 : end], error, alpha=-1)
        w_t[end:].addmm_(u[start:end, end:].T, errors, alpha=-1)
    scale, zero = (torch.stack(values, dim=1) for values in zip(*grids, strict=True))
    return QuantizedTensor(q[torch.argsort(order)].T.to(torch.int32), scale, zero, bits, group_size)


def inverse_factor(hessian: Tensor, damp: float) -> Tensor:
    """U (I, I), upper triangular, with (H + damping)⁻¹ = Uᵀ U.

    The published procedure factorizes, inverts and factorizes again. The factor of H in reverse order gives
    H = R Rᵀ with R upper triangular, so U is R⁻¹: half the work [ours].
    """
    h = hessian.to(torch.float64 if len(hessian) <= DOUBLE_UP_TO else torch.float32, copy=True)
    diagonal = h.diagonal()
    diagonal[diagonal == 0] = 1
    mean, before = diagonal.mean(), diagonal.clone()
    for raised in RAISED:
        diagonal.copy_(before + raised * damp * mean)
        lower, failed = torch.linalg.cholesky_ex(h.flip(0, 1))
        if not failed:
            identity = torch.eye(len(h), dtype=h.dtype, device=h.device)
            return torch.linalg.solve_triangular(lower, identity, upper=False).flip(0, 1)
        log.warning("H (%d columns) is not positive definite with damping %.3g", len(h), raised * damp)
    raise SeedbedError(f"H ({len(h)} columns) is not positive definite with ten times the damping of {damp}")


def _by_group(w_t: Tensor, bits: int, group_size: int, sym: bool) -> tuple[Tensor, Tensor]:
    """Scale and zero (⌈I / g⌉, O) of the groups of ``w_t`` (I, O)."""
    return tuple(values.T for values in group_grid(w_t.T, bits, group_size, sym))


def _blocks(columns: int, block: int, group_size: int) -> Iterator[tuple[int, int]]:
    """First and one past the last column of each block. No group begins inside a block and ends after it, so that its
    weights are up to date when its grid is made."""
    start = 0
    while start < columns:
        whole_groups = block // group_size * group_size
        end = min(start + (whole_groups or min(block, group_size - start % group_size)), columns)
        yield start, end
        start = end


def approximate(w: Tensor, inputs: HessianAccumulator, bits: int, group_size: int, sym: bool) -> Tensor:
    """``w`` (O, I) after GPTQ for ``inputs``."""
    return gptq_quantize(w, inputs.value, bits, group_size, sym=sym).dequantize()
