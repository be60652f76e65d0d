"""Bounds at the errors where they are known."""

import math
from fractions import Fraction

import pytest

from seedbed.schedpred.bounds import last_big_bound, last_big_choices, smoothness_bounds


def test_last_big_at_whole_squares():
    assert [last_big_bound(q, 8) for q in (2, 3, 4, 5)] == [
        Fraction(3, 2),
        Fraction(5, 3),
        Fraction(7, 4),
        Fraction(9, 5),
    ]


def test_last_big_between_and_beyond():
    assert last_big_bound(Fraction(3, 2), 2) == Fraction(5, 4)
    assert last_big_bound(1, 2) == 1
    assert last_big_bound(100, 4) == 2 - Fraction(1, 4)
    grid = [last_big_bound(1 + Fraction(k, 20), 4) for k in range(80)]
    assert grid == sorted(grid)
    with pytest.raises(ValueError, match="two machines"):
        last_big_choices(2, 1)


def test_identical_machines():
    for eta_squared in (1, 1.3, 2, 2.7, 4, 9):
        bounds = smoothness_bounds("identical", math.sqrt(eta_squared), m=4)
        assert 1 <= bounds["prior_lower"] <= bounds["lower"] + 1e-12 <= bounds["upper"] + 1e-9
        assert bounds["upper"] < bounds["prior_upper"]
    assert smoothness_bounds("identical", math.sqrt(1.7), m=4)["upper"] == pytest.approx(1.7)
    assert smoothness_bounds("identical", math.sqrt(1.8), m=4)["upper"] == 1.75
    assert smoothness_bounds("identical", math.sqrt(1.625), m=4)["prior_upper"] == pytest.approx(1.75)
    assert smoothness_bounds("identical", 3)["upper"] == 2


def test_single_and_related():
    assert smoothness_bounds("single", 1.5) == {"lower": 1.5, "upper": 2.25, "prior_lower": 1, "prior_upper": math.inf}
    assert smoothness_bounds("single", 3)["lower"] == 2
    assert [smoothness_bounds("related", eta)["lower"] for eta in (1, 4, 8, 32)] == [1, 2, 3, 5]
    assert smoothness_bounds("related", 4)["upper"] == 16


def test_unknown():
    with pytest.raises(ValueError, match="problem"):
        smoothness_bounds("open shop", 2)
    with pytest.raises(ValueError, match="eta"):
        smoothness_bounds("single", 0.5)
