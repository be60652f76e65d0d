"""Loss planes, on a loss that is the squared distance from the first model."""

import numpy as np
import pytest
import torch

from seedbed.core.lm.models import llama
from seedbed.core.lm.parameters import stack
from seedbed.ptq_dynamics.geometry import planes
from seedbed.ptq_dynamics.landscape import loss_plane, plane_axes


@pytest.fixture
def model():
    return llama(8, 4, 1, 1, 4, seed=0)


def thetas(model):
    theta0 = stack([model])[0]
    generator = torch.Generator().manual_seed(0)
    return theta0, *(theta0 + torch.randn(theta0.shape, generator=generator) for _ in range(2))


def test_the_axes_are_orthonormal_and_reach_both_models(model):
    theta0, theta1, theta2 = thetas(model)
    first, second, (length, along, across) = plane_axes(theta0, theta1, theta2)
    assert float(first @ second) == pytest.approx(0, abs=1e-5)
    assert float(first.norm()) == pytest.approx(1) and float(second.norm()) == pytest.approx(1)
    assert torch.allclose(theta0 + length * first, theta1, atol=1e-5)
    assert torch.allclose(theta0 + along * first + across * second, theta2, atol=1e-5)


def test_places_are_true_distances(model):
    three = thetas(model)

    def squared(m):
        return float((stack([m])[0] - three[0]).square().sum())

    table = loss_plane(model, squared, *three, (np.array([-1.0, 0, 2]), np.array([0.0, 3])))
    assert table.loss.to_numpy() == pytest.approx(table.alpha**2 + table.beta**2, abs=1e-3)
    assert torch.equal(stack([model])[0], three[0])


def test_planes_share_a_box_that_holds_all_models(model):
    theta0, theta1, theta2 = thetas(model)
    quantized = llama(8, 4, 1, 1, 4, seed=1)
    found = list(planes(model, lambda m: 0.0, {"a": (theta0, theta1, quantized), "b": (theta0, theta2, quantized)}, 3))
    assert [name for name, place, _ in found if not place] == ["a", "b"]
    boxes = {n: {values["plane_beta"] for name, place, values in found if place and name == n} for n in "ab"}
    assert boxes["a"] == boxes["b"]
    for _, place, values in found:
        if not place:
            assert abs(values["quantized_beta"]) <= max(boxes["a"])
