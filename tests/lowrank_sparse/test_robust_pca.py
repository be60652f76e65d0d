import numpy as np
import pytest
import torch

from seedbed.lowrank_sparse.planted import lambda_limits, plant, recovery
from seedbed.lowrank_sparse.robust_pca import default_lambda, robust_pca, shrink, singular_value_threshold


def gaussian(m, n, seed=0):
    return torch.from_numpy(np.random.default_rng(seed).standard_normal((m, n)))


def objective(L, S, lam):
    return float(torch.linalg.matrix_norm(L, "nuc") + lam * S.abs().sum())


@pytest.mark.parametrize("schedule", ["constant", "ialm"])
def test_a_planted_split_is_recovered_exactly(schedule):
    planted = plant(200, 200, 10, 0.05, np.random.default_rng(0))
    found = recovery(planted, robust_pca(planted.W, n_iter=60, tol=1e-8, schedule=schedule, backend="svd"))
    assert found["low_rank_error"] < 1e-5
    assert found["rank"] == 10
    assert found["support_exact"] == 1


def test_beyond_what_theory_allows_it_is_not_recovered():
    planted = plant(100, 100, 60, 0.3, np.random.default_rng(0))
    assert recovery(planted, robust_pca(planted.W, n_iter=100))["low_rank_error"] > 0.1


def test_one_part_vanishes_exactly_at_the_limits_of_lambda():
    W = gaussian(30, 20)
    low, high = lambda_limits(W)

    def parts(lam):
        found = robust_pca(W, lam, n_iter=2000, tol=1e-12, backend="svd")
        return float(found.L.norm()), float(found.S.norm())

    assert parts(0.99 * low)[0] == 0
    assert parts(1.05 * low)[0] > 1e-3
    assert parts(1.01 * high)[1] < 1e-9
    assert parts(0.95 * high)[1] > 1e-3


def test_the_solution_meets_the_optimality_conditions():
    """Y = UVᵀ + M with MᵀU = 0, MV = 0, ‖M‖ ≤ 1 is λ sign(S) on the support of S and at most λ elsewhere."""
    W = gaussian(40, 30, 1)
    lam = default_lambda(W.shape)
    found = robust_pca(W, lam, n_iter=4000, tol=1e-11, backend="svd")
    L, S = found.L, found.S
    assert 0 < found.rank < 30
    mu, Y = W.numel() / (4 * float(W.abs().sum())), torch.zeros_like(W)
    low_rank, sparse = torch.zeros_like(W), torch.zeros_like(W)
    for _ in range(4000):  # the multiplier, from the iteration spelt out
        U, s, Vt = torch.linalg.svd(W - sparse + Y / mu, full_matrices=False)
        low_rank = (U * (s - 1 / mu).clamp_min(0)) @ Vt
        sparse = shrink(W - low_rank + Y / mu, lam / mu)
        Y = Y + mu * (W - low_rank - sparse)
    torch.testing.assert_close(L, low_rank, atol=1e-6, rtol=0)
    U, V = found.U, found.Vt.T
    M = Y - U @ V.T
    assert float((U.T @ M).abs().max()) < 1e-6
    assert float((M @ V).abs().max()) < 1e-6
    assert float(torch.linalg.matrix_norm(M, 2)) <= 1 + 1e-6
    assert float(Y.abs().max()) <= lam + 1e-6
    torch.testing.assert_close(Y[S != 0], lam * S[S != 0].sign(), atol=1e-6, rtol=0)


def test_no_feasible_pair_has_a_lower_objective():
    planted = plant(60, 50, 5, 0.1, np.random.default_rng(2))
    W, lam = planted.W, default_lambda((60, 50))
    found = robust_pca(W, n_iter=500, tol=1e-9, backend="svd")
    ours = objective(found.L, W - found.L, lam)
    zero = torch.zeros_like(W)
    for L, S in ((W, zero), (zero, W), (planted.L, planted.S)):
        assert ours <= objective(L, S, lam) * (1 + 1e-6)


@pytest.mark.parametrize("schedule", ["constant", "ialm"])
def test_equivariances(schedule):
    W = gaussian(24, 16, 3)
    rows, columns = torch.randperm(24), torch.randperm(16)
    base = robust_pca(W, n_iter=15, schedule=schedule)
    for changed, back in (
        (3.5 * W, lambda L: L / 3.5),
        (W.T, lambda L: L.T),
        (-W, lambda L: -L),
        (W[rows][:, columns], lambda L: L[rows.argsort()][:, columns.argsort()]),
    ):
        other = robust_pca(changed.contiguous(), n_iter=15, schedule=schedule)
        torch.testing.assert_close(back(other.L), base.L, atol=1e-8, rtol=0)
        torch.testing.assert_close(back(other.S), base.S, atol=1e-8, rtol=0)


@pytest.mark.parametrize("shape", [(60, 40), (40, 60)])
def test_gram_and_lapack_agree_in_single_precision(shape):
    W = gaussian(*shape, 4).float()
    for threshold in (0.5, 4.0, 1e3):
        (U, sigma, Vt), (U2, sigma2, Vt2) = (singular_value_threshold(W, threshold, b) for b in ("gram", "svd"))
        assert len(sigma) == len(sigma2)
        torch.testing.assert_close(sigma, sigma2, atol=1e-4, rtol=1e-5)
        torch.testing.assert_close((U * sigma) @ Vt, (U2 * sigma2) @ Vt2, atol=1e-4, rtol=1e-4)


def test_entries_that_are_rounding_are_not_counted():
    found = robust_pca(gaussian(50, 40, 5).float(), n_iter=30, schedule="ialm")
    assert float(found.S[found.S != 0].abs().min()) > 1e-6
    assert found.history[-1]["density"] == pytest.approx(found.density, abs=1e-3)


def test_residual_is_what_neither_part_has():
    W = gaussian(30, 20, 6)
    found = robust_pca(W, n_iter=1)
    assert found.residual == pytest.approx(float((W - found.L - found.S).norm() / W.norm()), abs=1e-9)


@pytest.mark.parametrize("bad", [torch.zeros(3, 3), torch.full((3, 3), torch.nan), torch.ones(3)])
def test_what_is_no_matrix_is_refused(bad):
    with pytest.raises(ValueError, match="finite, non-zero matrix"):
        robust_pca(bad)
