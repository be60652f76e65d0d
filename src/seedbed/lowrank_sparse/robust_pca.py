"""Stage 1 of CAP: robust PCA, a matrix as low rank plus sparse (Candès et al. 2011; Section 3.1 of the specification).

minimise ‖L‖_* + λ‖S‖_1 subject to W = L + S, by the method of multipliers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor

Backend = Literal["gram", "svd"]
Schedule = Literal["constant", "ialm"]
NEGLIGIBLE = 1e-6  # of the largest |W|: a smaller entry of S is rounding, and dropped


@dataclass
class RobustPCA:
    """W ≈ L + S with L = U diag(σ) Vᵀ.

    U (m, r), ``sigma`` (r,), descending, Vt (r, n), S (m, n). ``residual`` is ‖W − L − S‖_F / ‖W‖_F; what it measures
    is in neither part. ``history`` has one record an iteration: residual, rank of L, density of S.
    """

    U: Tensor
    sigma: Tensor
    Vt: Tensor
    S: Tensor
    residual: float
    history: list[dict[str, float]] = field(default_factory=list)

    @property
    def L(self) -> Tensor:
        """The low-rank part (m, n)."""
        return (self.U * self.sigma) @ self.Vt

    @property
    def rank(self) -> int:
        return len(self.sigma)

    @property
    def density(self) -> float:
        """Share of the entries of S that are not zero."""
        return int(self.S.count_nonzero()) / self.S.numel()


def default_lambda(shape: tuple[int, int] | torch.Size) -> float:
    """λ = 1/√max(m, n), for which recovery is proven."""
    return 1 / math.sqrt(max(shape))


def shrink(values: Tensor, threshold: float) -> Tensor:
    """Soft threshold: sign(x) max(|x| − threshold, 0)."""
    return values - values.clamp(-threshold, threshold)


def singular_value_threshold(M: Tensor, threshold: float, backend: Backend = "gram") -> tuple[Tensor, Tensor, Tensor]:
    """The proximal map of threshold × nuclear norm: U (m, r), max(σ − threshold, 0) (r,) and Vt (r, n) of ``M`` (m, n).

    Only the triples above the threshold are kept. ``gram`` takes them from the eigenvectors of the smaller of MᵀM and
    MMᵀ, which in float32 is exact to 1e-5 for σ > 1e-3 σ_max; the thresholds here are far above. ``svd`` is LAPACK's.
    """
    if backend == "svd":
        U, sigma, Vt = torch.linalg.svd(M, full_matrices=False)
        kept = int((sigma > threshold).sum())
        return U[:, :kept], sigma[:kept] - threshold, Vt[:kept]
    if len(M) < M.shape[1]:
        V, sigma, Ut = singular_value_threshold(M.T, threshold)
        return Ut.T, sigma, V.T
    squares, V = torch.linalg.eigh(M.T @ M)
    kept = int((squares > threshold**2).sum())
    V = V[:, len(squares) - kept :].flip(1)
    sigma = squares[len(squares) - kept :].flip(0).sqrt()
    return M @ V / sigma, sigma - threshold, V.T


def robust_pca(
    W: Tensor,
    lam: float | None = None,
    mu: float | None = None,
    n_iter: int = 10,
    tol: float = 1e-6,
    schedule: Schedule = "constant",
    backend: Backend = "gram",
) -> RobustPCA:
    """Split ``W`` (m, n) into low rank and sparse.

    Parameters
    ----------
    W
        Matrix.
    lam
        λ; default 1/√max(m, n).
    mu
        Penalty; default mn / (4‖W‖_1) for ``constant`` [R], 1.25/‖W‖_2 for ``ialm``.
    n_iter
        Iterations at most.
    tol
        Stop where ‖W − L − S‖_F < tol ‖W‖_F.
    schedule
        ``constant`` μ with Y = 0 at the start [R], or ``ialm`` (Lin et al. 2010): Y = W/max(‖W‖_2, ‖W‖_∞/λ) and μ grows
        by half an iteration, up to 10⁷ times.
    backend
        As in `singular_value_threshold`.

    Raises
    ------
    ValueError
        If ``W`` is no matrix of finite numbers, or zero.
    """
    if W.ndim != 2 or not W.isfinite().all() or not W.any():
        raise ValueError(f"robust PCA needs a finite, non-zero matrix; got shape {tuple(W.shape)}")
    lam = lam or default_lambda(W.shape)
    norm, negligible = float(W.norm()), NEGLIGIBLE * float(W.abs().max())
    Y, S = torch.zeros_like(W), torch.zeros_like(W)
    growth, ceiling = 1.0, math.inf
    if schedule == "ialm":
        spectral = float(torch.linalg.matrix_norm(W, 2))
        Y = W / max(spectral, float(W.abs().max()) / lam)
        mu = mu or 1.25 / spectral
        growth, ceiling = 1.5, 1e7 * mu
    mu = mu or W.numel() / (4 * float(W.abs().sum()))
    history: list[dict[str, float]] = []
    for _ in range(n_iter):
        U, sigma, Vt = singular_value_threshold(W - S + Y / mu, 1 / mu, backend)
        rest = W - (U * sigma) @ Vt
        S = shrink(rest + Y / mu, lam / mu)
        gap = rest - S
        Y += mu * gap
        mu = min(growth * mu, ceiling)
        density = int((S.abs() > negligible).count_nonzero()) / S.numel()
        history.append({"residual": float(gap.norm()) / norm, "rank": len(sigma), "density": density})
        if history[-1]["residual"] < tol:
            break
    S[S.abs() <= negligible] = 0
    return RobustPCA(U, sigma, Vt, S, float((rest - S).norm()) / norm, history)
