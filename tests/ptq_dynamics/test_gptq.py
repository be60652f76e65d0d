"""GPTQ against its definition by the optimal brain surgeon, and what follows from it."""

import pytest
import torch

from seedbed.core.errors import SeedbedError
from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.gptq import gptq_quantize, inverse_factor
from seedbed.ptq_dynamics.gptq_by_column import gptq_by_column
from seedbed.ptq_dynamics.grid import group_grid, to_grid
from seedbed.ptq_dynamics.rtn import rtn_quantize


def layer(rows, columns, seed=0, samples=200):
    """Weights, and the Hessian of inputs that are correlated."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(samples, columns, generator=generator, dtype=torch.float64)
    x = x @ torch.randn(columns, columns, generator=generator, dtype=torch.float64)
    return torch.randn(rows, columns, generator=generator, dtype=torch.float64), 2 / samples * x.T @ x, x


def brain_surgeon(w, hessian, bits, group_size, damp, sym):
    """Column by column: round, then move all later weights by −e [H_F⁻¹]_{·i} / [H_F⁻¹]_{ii}, and take i out of the inverse
    by its Schur complement (Frantar and Alistarh 2022, Eqs. 2, 3 and Lemma 1)."""
    w = w.clone()
    inverse = torch.linalg.inv(hessian + damp * hessian.diagonal().mean() * torch.eye(len(hessian), dtype=w.dtype))
    found = torch.empty_like(w)
    for i in range(w.shape[1]):
        if i % group_size == 0:
            scale, zero = group_grid(w[:, i : i + group_size], bits, group_size, sym)
        found[:, i] = ((to_grid(w[:, i : i + 1], scale, zero, bits) - zero) * scale)[:, 0]
        error = (w[:, i] - found[:, i]) / inverse[i, i]
        w[:, i + 1 :] -= error[:, None] * inverse[i, i + 1 :]
        inverse = inverse - inverse[:, i : i + 1] @ inverse[i : i + 1, :] / inverse[i, i]
    return found


@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize("group_size", [2, 3, 6])
def test_gptq_is_the_optimal_brain_surgeon_in_a_fixed_order(group_size, sym):
    w, hessian, _ = layer(4, 6)
    found = gptq_quantize(w, hessian, 3, group_size, block=2, sym=sym).dequantize()
    assert torch.allclose(found, brain_surgeon(w, hessian, 3, group_size, 0.01, sym), atol=1e-9, rtol=0)


def test_with_equal_uncorrelated_inputs_gptq_rounds_to_nearest():
    w, _, _ = layer(8, 100)
    one = gptq_quantize(w, 3.7 * torch.eye(100, dtype=w.dtype), 3, 64)
    other = rtn_quantize(w, 3, 64)
    assert torch.equal(one.q, other.q) and torch.equal(one.scale, other.scale) and torch.equal(one.zero, other.zero)


def test_with_uncorrelated_inputs_no_error_is_passed_on():
    w, _, _ = layer(8, 64)
    hessian = torch.diag(torch.linspace(0.1, 5, 64, dtype=w.dtype))
    assert torch.equal(gptq_quantize(w, hessian, 3, 32).q, rtn_quantize(w, 3, 32).q)


@pytest.mark.parametrize("block", [1, 7, 64, 100, 1000])
@pytest.mark.parametrize("group_size", [10, 64, 100])
def test_blocks_change_nothing(block, group_size):
    w, hessian, _ = layer(5, 100)
    one = gptq_quantize(w, hessian, 3, group_size, block=block, sym=False)  # a symmetric grid has ties
    other = gptq_by_column(w, hessian, 3, group_size, sym=False)
    assert torch.allclose(one.dequantize(), other.dequantize(), atol=1e-9, rtol=0)


def test_the_output_error_is_smaller_than_that_of_rounding():
    ratios = []
    for seed in range(10):
        w, hessian, x = layer(16, 48, seed)
        gptq, rtn = gptq_quantize(w, hessian, 3, 16).dequantize(), rtn_quantize(w, 3, 16).dequantize()
        ratios.append(float((x @ (gptq - w).T).norm() / (x @ (rtn - w).T).norm()))
    assert sum(ratios) / 10 < 0.7


def test_with_16_bits_nothing_is_lost():
    w, hessian, _ = layer(4, 32)
    assert (gptq_quantize(w, hessian, 16, 16).dequantize() - w).abs().max() < 2e-3


def test_act_order_is_gptq_on_sorted_columns():
    w, hessian, _ = layer(5, 40)
    order = torch.argsort(hessian.diagonal(), descending=True)
    one = gptq_quantize(w, hessian, 3, 40, act_order=True)
    other = gptq_quantize(w[:, order], hessian[order][:, order], 3, 40)
    assert torch.equal(one.q[:, order], other.q)


def test_act_order_keeps_the_groups_of_the_columns():
    w, hessian, _ = layer(5, 40)
    found = gptq_quantize(w, hessian, 3, 8, act_order=True)
    scale, zero = group_grid(w, 3, 8, sym=True)
    assert torch.equal(found.scale, scale) and torch.equal(found.zero, zero)


def test_inputs_that_are_always_zero_get_weight_zero():
    w, hessian, _ = layer(4, 8)
    hessian[3], hessian[:, 3] = 0, 0
    found = gptq_quantize(w, hessian, 3, 4).dequantize()
    assert (found[:, 3] == 0).all() and found[:, 2].abs().max() > 0


def test_the_factor_is_that_of_the_inverse():
    _, hessian, _ = layer(1, 20)
    u = inverse_factor(hessian, 0.01)
    damped = hessian + 0.01 * hessian.diagonal().mean() * torch.eye(20, dtype=hessian.dtype)
    assert torch.allclose(u.T @ u @ damped, torch.eye(20, dtype=u.dtype), atol=1e-9)
    assert torch.equal(u, u.triu()) and (u.diagonal() > 0).all()


def indefinite(smallest):
    """Mean of the diagonal about 1, and one eigenvalue of ``smallest``."""
    rotation = torch.linalg.qr(torch.randn(10, 10, generator=torch.Generator().manual_seed(0), dtype=torch.float64))[0]
    return rotation @ torch.diag(torch.tensor([smallest] + [1.0] * 9, dtype=torch.float64)) @ rotation.T


def test_damping_is_raised_where_the_hessian_is_not_positive_definite(caplog):
    u = inverse_factor(indefinite(-0.05), 0.01)
    assert u.isfinite().all()
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]


def test_a_hessian_that_damping_cannot_mend_is_an_error():
    with pytest.raises(SeedbedError, match="not positive definite"):
        gptq_quantize(torch.ones(2, 10, dtype=torch.float64), indefinite(-0.5), 3)


def test_the_hessian_of_parts_is_that_of_the_whole():
    x = torch.randn(50, 7, generator=torch.Generator().manual_seed(0))
    inputs = HessianAccumulator(7).update(x[:20].view(4, 5, 7)).update(x[20:])
    assert torch.allclose(inputs.value, 2 / 50 * x.T @ x, atol=1e-5)
    assert torch.allclose(inputs.mean_magnitude, x.abs().mean(0))
