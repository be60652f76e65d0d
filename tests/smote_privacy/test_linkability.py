"""Linkability: closed forms of the rates, Anonymeter's own answers, and releases whose risk is known."""

from __future__ import annotations

import numpy as np
import pytest

from seedbed.smote_privacy.held_out import HeldOutRelease, release_half
from seedbed.smote_privacy.linkability import (
    control_corrected_risk,
    count_links,
    linkability_risk,
    measure,
    nearest_synthetic,
    wilson_rate,
)


def test_rate_is_wilsons():
    rate, half_width = wilson_rate(3, 10)
    low, high = rate - half_width, rate + half_width
    for end in (low, high):  # the score interval solves (p_hat - p)² = z² p (1 - p) / n
        assert (0.3 - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end) / 10, abs=1e-7)


def test_risk_is_that_of_anonymeter():
    """Printed by anonymeter 1.1.0 for 10 links of 10 attacks, with none in the control."""
    result = control_corrected_risk(10, 0, 10)
    assert result.risk == pytest.approx(0.8388748419471806, abs=1e-12)
    assert result.low == pytest.approx(0.675671574470861, abs=1e-12)
    assert result.high == 1


def test_risk_is_cut_at_zero_and_vanishes_where_the_control_does_as_well():
    assert control_corrected_risk(2, 7, 10).risk == 0
    equal = control_corrected_risk(4, 4, 10)
    assert (equal.risk, equal.low) == (0, 0)
    assert control_corrected_risk(100_000, 0, 100_000).risk == pytest.approx(1, abs=1e-4)
    with pytest.raises(ValueError, match="n_attacks=10, got 11"):
        control_corrected_risk(11, 0, 10)


def test_released_training_rows_are_all_linked_and_a_far_control_never():
    """Both parts of a record are nearest to itself; the two parts of a far corner are nearest to different rows."""
    train = np.random.default_rng(0).permuted(np.tile(np.linspace(-1, 1, 30), (4, 1)), axis=1).T
    far = np.tile([50.0, 50.0, -50.0, -50.0], (30, 1)) + np.random.default_rng(1).normal(size=(30, 4))
    columns = np.array([0, 1]), np.array([2, 3])
    assert count_links(train, train, columns) == 30
    shared = np.argmax(train[:, :2].sum(axis=1)) == np.argmin(train[:, 2:].sum(axis=1))
    assert count_links(far, train, columns) == (30 if shared else 0)
    assert not shared
    release = HeldOutRelease(train=train, holdout=train[::-1] + [[0.9, -0.9, 0.9, -0.9]], synthetic=train)
    result = linkability_risk(release, np.random.default_rng(2), n_attacks=20)
    assert result.n_linked == 20
    assert result.n_control_linked < 5


def test_equal_columns_link_everything_on_both_sides():
    """If all columns are one, both parts ask the same question: all linked, and the risk over the control is none."""
    rng = np.random.default_rng(0)
    train, holdout, synthetic = (np.tile(rng.normal(size=(n, 1)), (1, 4)) for n in (20, 20, 100))
    result = linkability_risk(HeldOutRelease(train, holdout, synthetic), rng, n_attacks=15)
    assert (result.n_linked, result.n_control_linked, result.risk) == (15, 15, 0)


def test_independent_columns_link_by_chance_only():
    rng = np.random.default_rng(0)
    release = HeldOutRelease(*(rng.normal(size=(n, 4)) for n in (300, 300, 400)))
    result = linkability_risk(release, rng, n_attacks=300)
    assert max(result.n_linked, result.n_control_linked) <= 8


def test_distance_is_l1_after_scaling_to_the_range_of_both_tables():
    targets = np.array([[0.0, 0.0]])
    synthetic = np.array([[0.0, 60.0], [1.0, 0.0], [0.4, 30.0], [-1.0, -100.0]])
    assert nearest_synthetic(targets, synthetic)[0] == 0  # ranges 2 and 160: 0.375, 0.5, 0.3875, 1.125
    rng = np.random.default_rng(0)
    targets, synthetic = rng.normal(size=(12, 3)) * [1, 10, 100], rng.normal(size=(40, 3)) * [1, 10, 100]
    spread = np.maximum(targets.max(0), synthetic.max(0)) - np.minimum(targets.min(0), synthetic.min(0))
    for target, found in zip(targets, nearest_synthetic(targets, synthetic), strict=True):
        assert found == min(range(40), key=lambda row: np.abs((synthetic[row] - target) / spread).sum())


def test_constant_columns_are_harmless_and_the_first_of_equals_wins():
    assert nearest_synthetic(np.ones((2, 2)), np.ones((5, 2))).tolist() == [0, 0]
    assert nearest_synthetic(np.array([[7.0, 0.0]]), np.array([[7.0, 2.0], [7.0, -1.0], [7.0, 3.0]])).tolist() == [1]


def test_measure_averages_repeats_on_one_release_and_follows_the_generator():
    minority = np.random.default_rng(0).normal(size=(40, 4))
    first, second = (measure(minority, 200, np.random.default_rng(1), n_repeats=6) for _ in range(2))
    assert first == second
    rng = np.random.default_rng(1)
    release = release_half(minority, 200, 5, rng)
    risks = [linkability_risk(release, rng) for _ in range(6)]
    assert first == {"risk": np.mean([r.risk for r in risks]), "risk_low": np.mean([r.low for r in risks])}


def test_errors_name_the_value():
    release = HeldOutRelease(np.zeros((5, 1)), np.zeros((5, 1)), np.zeros((9, 1)))
    with pytest.raises(ValueError, match="two columns"):
        linkability_risk(release, np.random.default_rng(0))
    wide = HeldOutRelease(np.zeros((5, 2)), np.zeros((4, 2)), np.zeros((9, 2)))
    with pytest.raises(ValueError, match="the 4 rows of each side, got 10"):
        linkability_risk(wide, np.random.default_rng(0))
