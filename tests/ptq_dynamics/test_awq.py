"""AWQ against its grid-search definition."""

import torch

from seedbed.ptq_dynamics.awq import approximate, awq_scale_search
from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.rtn import rtn_quantize

GENERATOR = torch.Generator().manual_seed(0)
W = torch.randn(12, 32, generator=GENERATOR)
X = torch.randn(200, 32, generator=GENERATOR) * torch.logspace(-1, 1.5, 32)


def output_error(scales):
    w_hat = rtn_quantize(W * scales, 3, 16, sym=False).dequantize() / scales
    return float((X @ (w_hat - W).T).double().square().sum())


def test_the_scales_are_the_best_of_the_grid():
    candidates = [X.abs().mean(0) ** (step / 20) for step in range(21)]
    best = min(candidates, key=output_error)
    found = awq_scale_search(W, X, 3, 16, grid=20, sym=False)
    assert torch.allclose(found, best)
    assert output_error(found) < 0.8 * output_error(torch.ones(32))


def test_with_inputs_of_one_size_it_rounds_to_nearest():
    x = torch.sign(X)
    found = approximate(W, HessianAccumulator(32).update(x), 3, 16, sym=False)
    assert torch.equal(found, rtn_quantize(W, 3, 16, sym=False).dequantize())


def test_a_factor_on_a_row_does_not_change_rounding():
    """So a scale folded into a quantized layer before leaves its rounding as it is."""
    factor = torch.tensor(2.0) ** torch.arange(-6, 6)[:, None]
    assert torch.equal(rtn_quantize(W * factor, 3, 16).q, rtn_quantize(W, 3, 16).q)
