"""The naive distinguisher on separable, inseparable and degenerate samples."""

from __future__ import annotations

import numpy as np
import pytest

from seedbed.smote_privacy.distinguisher import real_vs_synthetic
from seedbed.smote_privacy.smote import Oversampled


def test_separable_rows_are_told_apart():
    rng = np.random.default_rng(0)
    sample = Oversampled(real=rng.normal(0, 1, (21, 2)), synthetic=rng.normal(9, 1, (80, 2)), k=5)
    for split in real_vs_synthetic(sample, rng, n_splits=2):
        assert (split.precision, split.recall, split.n_called_real) == (1, 1, 11)
        assert split.prevalence == pytest.approx(11 / 51)


def test_rows_of_one_distribution_give_the_precision_of_guessing():
    rng = np.random.default_rng(0)
    sample = Oversampled(real=rng.normal(size=(300, 2)), synthetic=rng.normal(size=(300, 2)), k=5)
    splits = real_vs_synthetic(sample, rng, n_splits=3)
    assert np.mean([split.precision for split in splits]) == pytest.approx(0.5, abs=0.08)
    assert np.mean([split.recall for split in splits]) == pytest.approx(0.5, abs=0.12)


def test_precision_is_zero_and_marked_where_nothing_is_called_real():
    """Real rows that sit exactly on four times as many synthetic ones are never the majority of a leaf."""
    rng = np.random.default_rng(0)
    sample = Oversampled(real=np.zeros((10, 2)), synthetic=np.zeros((200, 2)), k=5)
    (split,) = real_vs_synthetic(sample, rng, n_splits=1)
    assert (split.precision, split.recall, split.n_called_real) == (0, 0, 0)


def test_test_half_was_not_trained_on():
    """Labels are random on distinct points: a forest that saw its test rows would be right about them."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 3))
    (split,) = real_vs_synthetic(Oversampled(points[:200], points[200:], 5), rng, n_splits=1)
    assert split.precision < 0.7


def test_halves_are_random_whatever_the_order_of_the_rows():
    """Real rows in two clusters, one after the other: only a forest that saw both finds both."""
    rng = np.random.default_rng(0)
    real = np.concatenate([rng.normal(-9, 1, (40, 1)), rng.normal(9, 1, (40, 1))])
    (split,) = real_vs_synthetic(Oversampled(real, rng.normal(size=(80, 1)), 5), rng, n_splits=1)
    assert split.recall == 1


def test_splits_are_fresh_and_follow_the_generator():
    rng = np.random.default_rng(0)
    sample = Oversampled(rng.normal(size=(60, 2)), rng.normal(size=(60, 2)), 5)
    first, second = (real_vs_synthetic(sample, np.random.default_rng(1), n_splits=3) for _ in range(2))
    assert first == second
    assert len(set(first)) > 1


def test_too_few_rows():
    with pytest.raises(ValueError, match="got 1 real, 5 synthetic"):
        real_vs_synthetic(Oversampled(np.zeros((1, 2)), np.zeros((5, 2)), 5), np.random.default_rng(0))
