"""The published procedures and ours agree where the published lists are long enough."""

import numpy as np
import pytest

from seedbed.smote_privacy.distin_smote import distin_smote
from seedbed.smote_privacy.published import (
    column_extremes,
    hull_vertices,
    published_distin_smote,
    published_recon_smote,
)
from seedbed.smote_privacy.recon_smote import recon_smote
from seedbed.smote_privacy.scoring import match_scores
from seedbed.smote_privacy.smote import oversample


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(0)
    return oversample(rng.normal(size=(25, 4)), 250, 5, rng)


def one_hot_sample():
    rng = np.random.default_rng(0)
    real = np.unique(np.eye(3)[rng.integers(0, 3, size=(20, 4))].reshape(20, 12), axis=0)
    return oversample(real, 200, 4, rng)


def test_distin_smote_agrees(sample):
    rng = np.random.default_rng(1)
    rows, is_real = sample.augmented_minority(rng)
    published = published_distin_smote(rows, 5, 11, rng)
    np.testing.assert_array_equal(published, distin_smote(rows))
    np.testing.assert_array_equal(published, is_real)
    np.testing.assert_array_equal(published_distin_smote(rows, 5, 11, rng, use_hull=False), is_real)


def test_distin_smote_agrees_where_qhull_fails():
    rng = np.random.default_rng(1)
    sample = one_hot_sample()
    rows, is_real = sample.augmented_minority(rng)
    assert len(hull_vertices(rows)) < 3  # columns 0/1 have no single extreme either: the search starts at random rows
    published = published_distin_smote(rows, 4, 1 + sample.ratio, rng, multiplier=4)
    assert published[is_real].all()
    np.testing.assert_array_equal(published, distin_smote(rows))


def test_short_lists_leave_synthetic_rows(sample):
    rng = np.random.default_rng(1)
    rows, is_real = sample.augmented_minority(rng)
    published = published_distin_smote(rows, 5, 11, rng, multiplier=0.2)
    assert published[is_real].all() and published.sum() > is_real.sum()


@pytest.mark.parametrize("seed", range(3))
def test_recon_smote_agrees(seed):
    rng = np.random.default_rng(seed)
    sample = oversample(rng.normal(size=(20, 4)), 500, 5, rng)
    published = published_recon_smote(sample.synthetic, 5, sample.ratio)
    ours = recon_smote(sample.synthetic)
    assert match_scores(published, sample.real)["precision"] == 1
    assert match_scores(published, ours, 1e-9)["recall"] >= 0.9
    assert match_scores(published, ours, 1e-9)["precision"] == 1


def test_recon_smote_counts_pairs_of_lines():
    corners = np.array([[0.0, 0, 0], [1, 0, 0.2], [0.3, 0.8, 0]])
    u = np.linspace(0.1, 0.9, 9)[:, None]
    rows = np.concatenate([corners[i] + u * (corners[j] - corners[i]) for i, j in ((0, 1), (1, 2), (2, 0))])
    assert len(published_recon_smote(rows, 2, 9)) == 0
    assert match_scores(published_recon_smote(rows, 2, 9, min_pairs=1), corners)["f1"] == 1


def test_vertices_of_the_hull_stay():
    """A copy of a vertex lies "between" the vertex and any row, by the published test, and so does the vertex."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 2))
    rows = np.concatenate([rows, rows])
    assert published_distin_smote(rows, 5, 2, rng)[hull_vertices(rows)].all()


def test_recon_smote_without_lines_finds_nothing():
    rows = np.random.default_rng(0).normal(size=(60, 4))
    assert published_recon_smote(rows, 5, 3).shape == (0, 4)


def test_hull_vertices_are_those_of_a_square():
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.2], [0.4, 0.4]])
    assert sorted(hull_vertices(square)) == [0, 1, 2, 3]


def test_column_extremes_are_single():
    rows = np.array([[0.0, 1], [0, 2], [3, 2], [1, 1.5]])
    assert column_extremes(rows).tolist() == [0, 2]
    assert hull_vertices(np.array([[0.0, 1], [1, 1], [2, 1]])).tolist() == [0, 2]  # flat: no hull
