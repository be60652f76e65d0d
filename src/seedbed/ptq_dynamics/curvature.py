"""Curvature of the loss in the weights: Hessian trace and top eigenvalues, from products of the Hessian with vectors.

Products come from a second backward pass. Vectors are flat, (P,), over the parameters that ask for gradients.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

LossFunction = Callable[[nn.Module, Tensor], Tensor]
Product = Callable[[Tensor], Tensor]


def hessian_product(model: nn.Module, loss_fn: LossFunction, batch: Tensor) -> tuple[Product, Tensor]:
    """The function v (P,) → H v (P,), and the gradient (P,), of ``loss_fn(model, batch)``.

    The first backward pass is kept, so a product costs one backward pass. Attention must be one that has second
    derivatives (``eager``).
    """
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    gradients = torch.autograd.grad(loss_fn(model, batch), parameters, create_graph=True)
    flat = torch.cat([gradient.flatten() for gradient in gradients])

    def product(v: Tensor) -> Tensor:
        parts = torch.autograd.grad(flat, parameters, v, retain_graph=True)
        return torch.cat([part.flatten() for part in parts])

    return product, flat.detach()


def hutchinson(product: Product, size: int, probes: int, rng: np.random.Generator) -> np.ndarray:
    """zᵀ H z (probes,) for Rademacher vectors z: each is an unbiased estimate of the trace, with the variance
    2 (‖H‖_F² − Σ H_ii²)."""
    estimates = []
    for _ in range(probes):
        z = torch.from_numpy(rng.choice(np.array([-1, 1], np.float32), size))
        estimates.append(float(z @ product(z)))
    return np.array(estimates)


def lanczos(product: Product, size: int, k: int, iters: int, rng: np.random.Generator) -> np.ndarray:
    """The ``k`` algebraically largest eigenvalues, in decreasing order, from ``iters`` products.

    Lanczos with full reorthogonalization: unlike power iteration, it is not drawn to a negative eigenvalue of larger
    magnitude, and converges sooner.
    """
    iters = min(iters, size)
    v = torch.from_numpy(rng.normal(size=size).astype(np.float32))
    basis = torch.empty(iters, size)
    diagonal, off = np.zeros(iters), np.zeros(iters)
    for step in range(iters):
        basis[step] = v / v.norm()
        w = product(basis[step])
        diagonal[step] = float(w @ basis[step])
        for _ in range(2):
            w = w - basis[: step + 1].T @ (basis[: step + 1] @ w)
        off[step] = float(w.norm())
        if off[step] < 1e-6 * np.abs(diagonal).max():  # an invariant subspace
            iters = step + 1
            break
        v = w
    tridiagonal = np.diag(diagonal[:iters]) + np.diag(off[: iters - 1], 1) + np.diag(off[: iters - 1], -1)
    return np.linalg.eigvalsh(tridiagonal)[::-1][:k]


def hessian_trace(model: nn.Module, loss_fn: LossFunction, batch: Tensor, probes: int, seed: int) -> float:
    """Hutchinson's estimate of the trace of the Hessian of ``loss_fn(model, batch)``, with ``probes`` vectors."""
    product, gradient = hessian_product(model, loss_fn, batch)
    return float(hutchinson(product, len(gradient), probes, np.random.default_rng(seed)).mean())


def hessian_top_eigs(
    model: nn.Module, loss_fn: LossFunction, batch: Tensor, k: int = 1, iters: int = 20, seed: int = 0
) -> np.ndarray:
    """The ``k`` largest eigenvalues of the Hessian of ``loss_fn(model, batch)``, in decreasing order."""
    product, gradient = hessian_product(model, loss_fn, batch)
    return lanczos(product, len(gradient), k, iters, np.random.default_rng(seed))
