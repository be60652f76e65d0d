"""Sinkhorn normalisation of rectangular score matrices, batched, in scaling form (Section 3.3)."""

from __future__ import annotations

import torch
from torch import Tensor

FLOOR = (
    -40.0
)  # log of the smallest kernel entry beside a row's largest: products of two scalings stay finite in float32


def sinkhorn(
    logits: Tensor,
    rows: Tensor | None = None,
    columns: Tensor | None = None,
    dummies: Tensor | None = None,
    n_iter: int = 20,
) -> Tensor:
    """Project exp(logits) onto row-stochastic matrices whose columns sum to at most one.

    Each of ``n_iter`` sweeps normalises rows, then columns; a row step comes last. Rows of zero logits make up for
    missing rows (`dummies`); they are all equal, so one row with that weight stands for them.

    Parameters
    ----------
    logits : (…, n1, n2)
        Scores, n1 ≤ n2. Cells that must not be used hold a large negative finite number; a row that has no other cell
        spreads its mass over them.
    rows : (…, n1, 1), optional
        1 for rows, 0 for padding (default: all rows).
    columns : (…, n2, 1), optional
        1 for columns, 0 for padding (default: all columns).
    dummies : (…, 1, 1), optional
        Number of dummy rows (default: n2 - n1).

    Returns
    -------
    Tensor (…, n1, n2)
        Padding rows hold no meaning; padding columns are zero.
    """
    n1, n2 = logits.shape[-2:]
    rows = logits.new_ones(n1, 1) if rows is None else rows
    columns = logits.new_ones(n2, 1) if columns is None else columns
    dummies = logits.new_full((1, 1), n2 - n1) if dummies is None else dummies
    batch = logits.shape[:-2]
    weights = torch.cat([rows.expand(*batch, n1, 1), dummies.expand(*batch, 1, 1)], dim=-2).reshape(-1, 1, n1 + 1)
    columns = columns.expand(*batch, n2, 1).reshape(-1, 1, n2)
    shifted = (logits - logits.amax(dim=-1, keepdim=True)).clamp_min(FLOOR).reshape(-1, n1, n2)
    scores = torch.cat([shifted, shifted.new_zeros(len(shifted), 1, n2)], dim=-2)
    return _Scaling.apply(scores, weights, columns, n_iter)[:, :n1].reshape(logits.shape)


class _Scaling(torch.autograd.Function):
    """S = diag(u) exp(scores) diag(v) after alternating updates of u and v, which are row vectors (…, 1, n) here.

    The backward pass is that of the unrolled iteration, exactly, but it keeps the scalings alone: with log u and log v
    as variables each sweep costs two vector-matrix products, and one product of matrices at the end collects them. (A
    row vector times a contiguous matrix is the product that BLAS does several times as fast as the others.)
    """

    @staticmethod
    def forward(ctx, scores: Tensor, weights: Tensor, columns: Tensor, n_iter: int) -> Tensor:
        kernel = scores.exp()
        transposed = kernel.transpose(1, 2).contiguous()
        u, v = [], [columns]
        for _ in range(n_iter):
            u.append(torch.bmm(v[-1], transposed).reciprocal_())
            v.append(columns / torch.bmm(weights * u[-1], kernel))
        u.append(torch.bmm(v[-1], transposed).reciprocal_())
        plan = u[-1].transpose(1, 2) * kernel * v[-1]
        ctx.save_for_backward(kernel, transposed, weights, plan, *u, *v)
        return plan

    @staticmethod
    def backward(ctx, gradient: Tensor):
        kernel, transposed, weights, plan, *scalings = ctx.saved_tensors
        u, v = scalings[: len(scalings) // 2], scalings[len(scalings) // 2 :]
        by_plan = gradient * plan
        row = by_plan.sum(dim=2).unsqueeze(1)  # gradient of log u; each step turns it into that of log v, and back
        left, right = [u[-1] * row], [v[-1]]
        column = by_plan.sum(dim=1, keepdim=True) - v[-1] * torch.bmm(left[0], kernel)
        for before, u_step, after in zip(v[-2::-1], u[-2::-1], v[:0:-1], strict=True):
            left.append(weights * u_step)
            right.append(after * column)
            row = -left[-1] * torch.bmm(right[-1], transposed)
            left.append(u_step * row)
            right.append(before)
            column = -before * torch.bmm(left[-1], kernel)
        outer = torch.bmm(torch.cat(left, dim=1).transpose(1, 2), torch.cat(right, dim=1))
        return by_plan - kernel * outer, None, None, None
