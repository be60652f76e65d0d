"""Definition 3.1 on exact numbers."""

from fractions import Fraction

import numpy as np
import pytest

from seedbed.schedpred.instance import Instance, constant_prediction_exists, prediction_error, with_spoiler
from seedbed.schedpred.partition import classify_by_search, random_rational, worthless_at
from seedbed.schedpred.smooth_instances import draw_smooth


def test_error_and_spread_are_exact():
    instance = Instance([1, Fraction(2, 3)], [Fraction(3, 2), 1])
    assert (instance.eta, instance.P) == (Fraction(3, 2), Fraction(3, 2))
    assert prediction_error([1, 2], [3, 2]) == 3


def test_the_border_is_robust_and_a_hair_beyond_is_smooth():
    border = Instance([1, 4], [2, 4])  # η = 2 = sqrt(P)
    assert border.classify() == "robust"
    assert constant_prediction_exists([1, 4], 2)
    assert Instance([1, Fraction(4) + Fraction(1, 10**18)], [2, 4]).classify() == "smooth"
    assert Instance([1.0, float(np.nextafter(4, 5))], [2.0, 4.0]).classify() == "smooth"


def test_perfect_predictions_are_consistent_and_zero_is_robust():
    assert Instance([3, 3], [3, 3]).classify() == "consistent"
    assert Instance([3, 5], [0, 5]).classify() == "robust"


def test_classes_agree_with_brute_force():
    rng = np.random.default_rng(3)
    instances = [random_rational(rng) for _ in range(500)]
    assert all(instance.classify() == classify_by_search(instance) for instance in instances)
    assert {instance.classify() for instance in instances} == {"consistent", "robust", "smooth"}
    assert sum(instance.eta**2 == instance.P for instance in instances) > 10


def test_a_spoiler_makes_any_finite_error_smooth():
    robust = Instance([2, 2], [1, 3])
    assert (robust.classify(), with_spoiler(robust).classify()) == ("robust", "smooth")
    assert with_spoiler(robust).eta == robust.eta
    with pytest.raises(ValueError, match="infinite"):
        with_spoiler(Instance([1, 1], [0, 1]))


def test_worthless_predictions_exist_at_every_absolute_error():
    for error in (1, 100, 10**4):
        instance = worthless_at((1, 2, 5), error)
        assert sum(abs(p - x) for p, x in zip(instance.predictions, instance.sizes, strict=True)) == error
        assert instance.classify() == "robust"


@pytest.mark.parametrize("family", ["pareto", "lognormal", "uniform", "bimodal", "equal"])
def test_random_instances_are_smooth_and_have_their_error(family):
    x, p = draw_smooth(family, 2.0, 20, 30, np.random.default_rng(1))
    for sizes, predictions in zip(x, p, strict=True):
        instance = Instance(sizes, predictions)
        assert instance.classify() == "smooth"
        assert instance.eta == pytest.approx(2, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(([1], [1, 2]), "1 sizes and 2 predictions"), (([0], [1]), "positive"), (([1], [-1]), "negative")],
)
def test_wrong_numbers_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        Instance(*arguments)
