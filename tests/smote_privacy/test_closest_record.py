"""Closest-record metrics: copies of the training rows, fresh rows, hand-made distances."""

from __future__ import annotations

import numpy as np
import pytest

from seedbed.smote_privacy.closest_record import closest_record_ratio, closest_record_share, measure, nearest_distances
from seedbed.smote_privacy.held_out import release_half


def test_copies_of_the_training_rows_are_a_full_leak():
    train, holdout = np.random.default_rng(0).normal(size=(2, 50, 3))
    assert closest_record_share(train, train, holdout) == 1
    assert closest_record_share(holdout, train, holdout) == 0
    assert closest_record_ratio(train, train, holdout) == 0


def test_fresh_rows_are_no_leak():
    rng = np.random.default_rng(0)
    share, ratio = np.mean(
        [
            (closest_record_share(synthetic, train, holdout), closest_record_ratio(synthetic, train, holdout))
            for synthetic, train, holdout in (rng.normal(size=(3, 400, 3)) for _ in range(20))
        ],
        axis=0,
    )
    assert share == pytest.approx(0.5, abs=0.02)
    assert ratio == pytest.approx(1, abs=0.1)


def test_ties_count_half():
    train, holdout = np.array([[0.0], [10.0]]), np.array([[2.0], [10.0]])
    synthetic = np.array([[1.0], [10.0], [0.5], [1.5]])  # tie, tie, train, holdout
    assert closest_record_share(synthetic, train, holdout) == 0.5
    assert closest_record_share(synthetic[:3], train, holdout) == pytest.approx(2 / 3)


def test_ratio_is_that_of_the_percentiles():
    train = np.zeros((1, 1))
    synthetic, holdout = np.arange(101.0)[:, None], 2 * np.arange(101.0)[:, None]
    assert closest_record_ratio(synthetic, train, holdout, percentile=5) == pytest.approx(0.5)
    assert closest_record_ratio(synthetic, train, holdout[:51], percentile=50) == pytest.approx(1)
    assert np.isnan(closest_record_ratio(synthetic, train, np.zeros((3, 1))))


def test_distances_are_those_of_the_full_matrix():
    queries, records = np.random.default_rng(0).normal(size=(2, 30, 4))
    full = np.linalg.norm(queries[:, None] - records[None], axis=2)
    np.testing.assert_allclose(nearest_distances(queries, records), full.min(axis=1))


def test_unequal_sets_are_refused():
    with pytest.raises(ValueError, match="got 3 and 4"):
        closest_record_share(np.zeros((2, 2)), np.zeros((3, 2)), np.zeros((4, 2)))


def test_smote_rows_hug_their_training_rows():
    minority = np.random.default_rng(0).normal(size=(61, 6))
    first, second = (measure(minority, 600, np.random.default_rng(1)) for _ in range(2))
    assert first == second
    assert first["share"] > 0.75
    assert first["distance_ratio"] < 0.5
    same = np.zeros((61, 6))
    assert measure(same, 600, np.random.default_rng(1)).keys() == {"share"}


def test_release_splits_all_rows_and_halves_the_number_of_synthetic_rows():
    minority = np.random.default_rng(0).normal(size=(25, 2))
    release = release_half(minority, 101, 5, np.random.default_rng(1))
    assert (len(release.train), len(release.holdout), len(release.synthetic)) == (12, 13, 50)
    everyone = np.concatenate([release.train, release.holdout])
    assert {row.tobytes() for row in everyone} == {row.tobytes() for row in minority}
    with pytest.raises(ValueError, match="half of 11 minority rows is 5"):
        release_half(minority[:11], 50, 5, np.random.default_rng(0))
