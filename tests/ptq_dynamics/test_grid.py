"""The grid and rounding to nearest."""

import pytest
import torch

from seedbed.ptq_dynamics.grid import QuantizedTensor, group_grid, pack, per_column, to_grid, unpack
from seedbed.ptq_dynamics.rtn import rtn_quantize

W = torch.randn(6, 100, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@pytest.mark.parametrize("sym", [True, False])
@pytest.mark.parametrize("bits", [2, 3, 4])
def test_a_group_takes_at_most_2_to_the_b_values_within_range(bits, sym):
    found = rtn_quantize(W, bits, 64, sym)
    for columns in (slice(0, 64), slice(64, 100)):  # the last group is short
        for row in found.dequantize()[:, columns]:
            assert len(row.unique()) <= 2**bits
    assert found.q.min() >= 0 and found.q.max() < 2**bits
    assert found.scale.shape == (6, 2)


@pytest.mark.parametrize("sym", [True, False])
def test_no_weight_moves_by_more_than_half_a_step(sym):
    found = rtn_quantize(W, 4, 64, sym)
    step = per_column(found.scale, 64, 100)
    error = (found.dequantize() - W).abs()
    clipped = found.q == 15  # a symmetric grid has no point for the largest positive weight
    assert (error[~clipped] <= step[~clipped] / 2 + 1e-12).all()
    assert (error <= step + 1e-12).all()


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("sym", [True, False])
def test_zero_lies_on_the_grid_even_if_all_weights_have_one_sign(sym, sign):
    _, zero = group_grid(sign * (W.abs() + 1), 3, 64, sym)
    assert torch.equal(zero, zero.round()) and zero.min() >= 0 and zero.max() <= 7


def test_zeros_stay_zeros():
    assert (rtn_quantize(torch.zeros(2, 8), 3, 4).dequantize() == 0).all()


def test_quantizing_again_with_stored_scales_changes_nothing():
    found = rtn_quantize(W, 3, 64, sym=False)
    scale, zero = (per_column(value, 64, 100) for value in (found.scale, found.zero))
    assert torch.equal(to_grid(found.dequantize(), scale, zero, 3).int(), found.q)


def test_the_order_of_columns_inside_a_group_does_not_matter():
    order = torch.randperm(64, generator=torch.Generator().manual_seed(1))
    one, other = rtn_quantize(W[:, :64], 3, 64), rtn_quantize(W[:, :64][:, order], 3, 64)
    assert torch.equal(one.dequantize()[:, order], other.dequantize())


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_pack_round_trip(bits):
    found = rtn_quantize(W, bits, 64)
    packed = pack(found.q, bits)
    assert packed.numel() == -(-bits * 600 // 8)
    back = QuantizedTensor(unpack(packed, bits, (6, 100)), found.scale, found.zero, bits, 64)
    assert torch.equal(back.dequantize(), found.dequantize())


def test_the_asymmetric_grid_of_a_known_group():
    scale, zero = group_grid(torch.tensor([[-1.0, 0.0, 2.0, 0.5]]), 2, 4, sym=False)
    assert (scale.item(), zero.item()) == (1.0, 1.0)
    assert rtn_quantize(torch.tensor([[-1.0, 0.2, 2.0, 0.6]]), 2, 4, sym=False).q.tolist() == [[0, 1, 3, 2]]


def test_the_error_vanishes_with_the_bits():
    errors = [float((rtn_quantize(W, bits, 64).dequantize() - W).abs().max()) for bits in (4, 8, 16)]
    assert errors[0] > 10 * errors[1] > 100 * errors[2] and errors[2] < 2e-4
