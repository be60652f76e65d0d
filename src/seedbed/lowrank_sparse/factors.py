"""A linear layer as factors and a sparse matrix, as CAP stores it (Section 3.4)."""

from __future__ import annotations

from torch import Tensor, nn

from seedbed.lowrank_sparse.candidates import CandidatePool


class LowRankSparseLinear(nn.Module):
    """x ↦ U'(V'ᵀx) + Sx + b with U' (m, r) = [√σ u], V' (n, r) = [√σ v] and S (m, n) in CSR.

    ``sparse=False`` holds S dense, which trains and moves to any device.
    """

    def __init__(self, U: Tensor, V: Tensor, S: Tensor, bias: Tensor | None = None, sparse: bool = True) -> None:
        super().__init__()
        self.U, self.V = nn.Parameter(U), nn.Parameter(V)
        self.S = nn.Parameter(S.to_sparse_csr() if sparse else S, requires_grad=not sparse)
        self.bias = None if bias is None else nn.Parameter(bias)

    @classmethod
    def of(cls, pool: CandidatePool, name: str, mask: Tensor, bias: Tensor | None = None) -> LowRankSparseLinear:
        """The matrix ``name`` of ``pool`` with the candidates that ``mask`` (N,) keeps."""
        split, part = pool.decompositions[name], pool.parts[name]
        keep = mask[part.ranks].bool()
        root = split.sigma[keep].sqrt()
        U, V = split.U[:, keep] * root, split.Vt[keep].T * root[:, None].T
        S = pool.weight(name, mask & ~pool.is_rank)
        if pool.column_scales:
            V = V / pool.column_scales[name][:, None]
        return cls(U, V, S, bias)

    def forward(self, x: Tensor) -> Tensor:
        """x (..., n) to (..., m)."""
        flat = x.reshape(-1, x.shape[-1])
        y = (flat @ self.V) @ self.U.T + (self.S @ flat.T).T
        y = y if self.bias is None else y + self.bias
        return y.view(*x.shape[:-1], -1)
