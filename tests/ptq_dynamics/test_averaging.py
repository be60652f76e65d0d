"""LAWA and soups."""

import pytest
import torch
from torch import nn

from seedbed.ptq_dynamics.averaging import LAWA, soup


def state(value):
    return {"w": torch.full((3,), value), "steps": torch.tensor(7)}


def test_a_soup_is_linear():
    theta, delta = torch.randn(3), torch.randn(3)
    both = soup([{"w": theta + delta}, {"w": theta - delta}])
    assert torch.allclose(both["w"], theta, atol=1e-6)
    assert torch.allclose(soup([state(1.0), state(3.0)], [0.9, 0.1])["w"], torch.full((3,), 1.2))


def test_a_soup_of_one_model_is_that_model():
    assert torch.equal(soup([state(0.3)] * 4)["w"], state(0.3)["w"])
    assert soup([state(1.0)])["steps"] == 7


def test_half_precision_is_averaged_in_single():
    parts = [{"w": torch.full((2,), value, dtype=torch.bfloat16)} for value in (256.0, 1.0, 1.0)]
    assert soup(parts)["w"].dtype == torch.bfloat16
    assert torch.equal(soup(parts)["w"], torch.full((2,), 86.0, dtype=torch.bfloat16))


def test_faulty_soups_are_refused():
    with pytest.raises(ValueError, match="weights"):
        soup([state(1.0)], [0.5])
    with pytest.raises(ValueError, match="different tensors"):
        soup([state(1.0), {"w": torch.ones(3)}])


def test_lawa_is_the_mean_of_the_last_k():
    model, average, last = nn.Linear(1, 1, bias=False), LAWA(3, every=10), LAWA(1, every=10)
    with pytest.raises(ValueError, match="no checkpoint"):
        average.average()
    for step in range(51):
        nn.init.constant_(model.weight, step)
        average.update(model, step)
        last.update(model, step)
    assert average.average()["weight"].item() == pytest.approx(40)  # of 30, 40, 50
    assert last.average()["weight"].item() == 50
