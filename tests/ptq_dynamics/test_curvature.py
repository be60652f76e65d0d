"""Trace and top eigenvalues on quadratics with a known spectrum, and on a model."""

import numpy as np
import pytest
import torch
from torch import nn

from seedbed.core.lm.models import llama
from seedbed.ptq_dynamics.curvature import hessian_product, hessian_top_eigs, hessian_trace, hutchinson, lanczos
from seedbed.ptq_dynamics.geometry import geometry, next_token_loss


class Quadratic(nn.Module):
    """θᵀ A θ / 2, whose Hessian is A."""

    def __init__(self, matrix):
        super().__init__()
        self.theta = nn.Parameter(torch.ones(len(matrix)))
        self.matrix = matrix


def loss(model, _batch):
    return model.theta @ model.matrix @ model.theta / 2


def symmetric(eigenvalues, seed=0):
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(eigenvalues),) * 2))[0]
    return torch.from_numpy((rotation * eigenvalues) @ rotation.T).float()


def test_one_probe_gives_the_trace_of_a_diagonal_matrix_exactly():
    model = Quadratic(torch.diag(torch.arange(1.0, 9.0)))
    assert hessian_trace(model, loss, None, probes=1, seed=0) == pytest.approx(36)


def test_hutchinson_is_unbiased_with_its_variance():
    matrix = symmetric([5.0, 2.0, -1.0, 0.5])
    product, _ = hessian_product(Quadratic(matrix), loss, None)
    estimates = hutchinson(product, 4, 3000, np.random.default_rng(0))
    variance = 2 * float(matrix.square().sum() - matrix.diagonal().square().sum())
    assert estimates.mean() == pytest.approx(6.5, abs=4 * (variance / 3000) ** 0.5)
    assert estimates.var() == pytest.approx(variance, rel=0.15)


def test_the_top_eigenvalues_are_the_algebraically_largest():
    eigenvalues = [-50.0, 7.0, 3.0, 1.0, *np.linspace(-1, 0.5, 30)]  # the largest magnitude is negative
    model = Quadratic(symmetric(eigenvalues))
    assert hessian_top_eigs(model, loss, None, k=2, iters=20) == pytest.approx([7, 3], rel=1e-4)


def test_lanczos_stops_in_an_invariant_subspace():
    assert lanczos(lambda v: 2 * v, 5, 1, 5, np.random.default_rng(0)) == pytest.approx([2])


def test_geometry_of_a_model_agrees_with_finite_differences():
    model, moved = (llama(32, 8, 1, 2, 8, seed=0) for _ in range(2))
    with torch.no_grad():
        for parameter in moved.parameters():
            parameter += 2e-3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1))
    tokens = torch.randint(0, 32, (4, 9), generator=torch.Generator().manual_seed(2))
    found = geometry(model, moved, tokens, probes=2, iterations=3, rng=np.random.default_rng(0))
    assert found["predicted_delta"] == pytest.approx(found["measured_delta"], rel=0.02)
    size = sum(p.numel() for p in model.parameters())
    assert found["isotropic_delta"] == pytest.approx(found["trace"] * found["distance"] ** 2 / 2 / size)


def test_the_trace_of_a_model_is_that_of_its_exact_hessian():
    model = llama(8, 4, 1, 1, 4, seed=0, hidden=4)
    model.set_attn_implementation("eager")
    tokens = torch.randint(0, 8, (2, 5), generator=torch.Generator().manual_seed(0))
    product, gradient = hessian_product(model, next_token_loss, tokens)
    matrix = torch.stack([product(row) for row in torch.eye(len(gradient))])
    assert torch.allclose(matrix, matrix.T, atol=1e-5)
    estimate = hutchinson(product, len(gradient), 100, np.random.default_rng(0))
    assert estimate.mean() == pytest.approx(float(matrix.trace()), abs=4 * estimate.std() / 10)
    top = hessian_top_eigs(model, next_token_loss, tokens, iters=30)[0]
    assert top == pytest.approx(float(torch.linalg.eigvalsh(matrix)[-1]), rel=1e-3)
