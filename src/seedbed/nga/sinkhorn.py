"""Sinkhorn normalisation of rectangular score matrices, batched, in scaling form (Section 3.3)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

# Log of the smallest kernel entry beside a row's largest: products of two scalings stay finite in float32.
FLOOR = -40.0


def sinkhorn(
    logits: Tensor,
    rows: Tensor | None = None,
    columns: Tensor | None = None,
    dummies: Tensor | None = None,
    mask: Tensor | None = None,
    n_iter: int = 20,
) -> Tensor:
    """Project exp(logits) onto row-stochastic matrices whose columns sum to at most one.

    Each of ``n_iter`` sweeps normalises rows, then columns; a row step comes last. Rows of zero logits make up for
    missing rows (`dummies`); they are all equal, so one row with that weight stands for them.

    Parameters
    ----------
    logits : (…, n1, n2)
        Scores, n1 ≤ n2.
    rows : (…, n1, 1), optional
        1 for rows, 0 for padding (default: all rows).
    columns : (…, n2, 1), optional
        1 for columns, 0 for padding (default: all columns).
    dummies : (…, 1, 1), optional
        Number of dummy rows (default: n2 - n1).
    mask : bool (…, n1, n2), optional
        Cells that may be used (default: all). A row that has none spreads its mass over the others, which are zero in
        what is returned.

    Returns
    -------
    Tensor (…, n1, n2)
        Padding rows hold no meaning; padding columns are zero.
    """
    n1, n2 = logits.shape[-2:]
    rows = logits.new_ones(n1, 1) if rows is None else rows
    columns = logits.new_ones(n2, 1) if columns is None else columns
    dummies = logits.new_full((1, 1), n2 - n1) if dummies is None else dummies
    mask = torch.ones(n1, n2, dtype=torch.bool) if mask is None else mask
    batch = logits.shape[:-2]
    weights = torch.cat([rows.expand(*batch, n1, 1), dummies.expand(*batch, 1, 1)], dim=-2).reshape(-1, 1, n1 + 1)
    columns = columns.expand(*batch, n2, 1).reshape(-1, 1, n2)
    return _Scaling.apply(logits, mask, weights, columns, n_iter)


class _Scaling(torch.autograd.Function):
    """S = diag(u) exp(scores) diag(v) after alternating updates of u and v, which are row vectors (…, 1, n) here.

    The backward pass is that of the unrolled iteration, exactly, but it keeps the scalings alone: with log u and log v
    as variables each sweep costs two vector-matrix products, and one product of matrices at the end collects them. (A
    row vector times a contiguous matrix is the product that BLAS does several times as fast as the others.) Masking and
    the shift by each row's maximum, under which S does not change, are in here too: done outside, they were a third of
    the time.
    """

    @staticmethod
    def forward(ctx, logits: Tensor, mask: Tensor, weights: Tensor, columns: Tensor, n_iter: int) -> Tensor:
        n1, n2 = logits.shape[-2:]
        kernel = logits.new_ones(*logits.shape[:-2], n1 + 1, n2)  # the last row is that of the dummies
        scores = kernel[..., :n1, :].copy_(logits).masked_fill_(~mask, -torch.inf)
        highest = scores.amax(dim=-1, keepdim=True).clamp_min_(torch.finfo(logits.dtype).min)
        scores.sub_(highest).clamp_min_(FLOOR).exp_()
        kernel = kernel.reshape(-1, n1 + 1, n2)
        transposed = kernel.transpose(1, 2).contiguous()
        u, v = [], [columns]
        for _ in range(n_iter):
            u.append(torch.bmm(v[-1], transposed).reciprocal_())
            v.append(columns / torch.bmm(weights * u[-1], kernel))
        u.append(torch.bmm(v[-1], transposed).reciprocal_())
        plan = (kernel[:, :n1] * u[-1][..., :n1].transpose(1, 2)).mul_(v[-1]).reshape(logits.shape).mul_(mask)
        ctx.save_for_backward(kernel, transposed, weights, plan, *u, *v)
        return plan

    @staticmethod
    def backward(ctx, gradient: Tensor):
        kernel, transposed, weights, plan, *scalings = ctx.saved_tensors
        u, v = scalings[: len(scalings) // 2], scalings[len(scalings) // 2 :]
        n1, n2 = gradient.shape[-2:]
        by_plan = (gradient * plan).reshape(-1, n1, n2)
        row = torch.zeros_like(weights)  # gradient of log u; each step turns it into that of log v, and back
        row[:, 0, :n1] = by_plan.sum(dim=2)
        left, right = [u[-1] * row], [v[-1]]
        column = by_plan.sum(dim=1, keepdim=True) - v[-1] * torch.bmm(left[0], kernel)
        for before, u_step, after in zip(v[-2::-1], u[-2::-1], v[:0:-1], strict=True):
            left.append(weights * u_step)
            right.append(after * column)
            row = -left[-1] * torch.bmm(right[-1], transposed)
            left.append(u_step * row)
            right.append(before)
            column = -before * torch.bmm(left[-1], kernel)
        used = torch.cat(left, dim=1)[..., :n1].transpose(1, 2)
        kernel = kernel[:, :n1]
        by_scores = by_plan.sub_(torch.bmm(used, torch.cat(right, dim=1)).mul_(kernel))
        by_scores.mul_(kernel > 2 * math.exp(FLOOR))  # what lies at the floor, as all masked cells do, has no gradient
        return by_scores.reshape(gradient.shape), None, None, None, None
