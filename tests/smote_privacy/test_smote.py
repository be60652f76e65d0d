"""SMOTE draws what imbalanced-learn draws, and its variants and defences do what they say."""

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE
from scipy.stats import chisquare

from seedbed.smote_privacy.smote import (
    Oversampled,
    hyper_rectangle_sample,
    nearest_neighbours,
    oversample,
    rounding,
    smote_nc_sample,
    smote_sample,
    uniform_noise,
)


@pytest.fixture
def M():
    return np.random.default_rng(0).normal(size=(40, 6))


@pytest.mark.parametrize(("k", "seed"), [(5, 0), (3, 7)])
def test_bytes_are_those_of_imbalanced_learn(M, k, seed):
    majority = np.random.default_rng(1).normal(size=(300, 6))
    X, y = np.concatenate([M, majority]), np.repeat([1, 0], [40, 300])
    theirs = SMOTE(k_neighbors=k, random_state=seed).fit_resample(X, y)[0][len(X) :]
    ours, base_idx, nbr_idx, u = smote_sample(M, k, n_samples=260, rng=np.random.RandomState(seed))
    assert ours.tobytes() == theirs.tobytes()
    np.testing.assert_array_equal(ours, M[base_idx] + u[:, None] * (M[nbr_idx] - M[base_idx]))


def test_bytes_are_those_of_imbalanced_learn_with_duplicates(M):
    X = np.concatenate([M, M[:8], M[:3], np.random.default_rng(1).normal(size=(200, 6))])
    y = np.repeat([1, 0], [51, 200])
    theirs = SMOTE(random_state=2).fit_resample(X, y)[0][len(X) :]
    assert smote_sample(X[:51], n_samples=149, rng=np.random.RandomState(2))[0].tobytes() == theirs.tobytes()


@pytest.mark.parametrize("rng", [np.random.default_rng(3), np.random.RandomState(3)])
def test_directed_edges_are_uniform(M, rng):
    _, base_idx, nbr_idx, u = smote_sample(M, 5, n_samples=100_000, rng=rng)
    neighbours = nearest_neighbours(M, 5)
    place = (neighbours[base_idx] == nbr_idx[:, None]).argmax(axis=1)
    counts = np.bincount(base_idx * 5 + place, minlength=200)
    assert chisquare(counts).pvalue > 1e-3
    assert chisquare(np.histogram(u, 20, (0, 1))[0]).pvalue > 1e-3


def test_neighbours_can_be_reused(M):
    fresh = smote_sample(M, n_samples=50, rng=np.random.default_rng(1))[0]
    reused = smote_sample(M, n_samples=50, rng=np.random.default_rng(1), neighbours=nearest_neighbours(M, 5))[0]
    assert fresh.tobytes() == reused.tobytes()
    with pytest.raises(ValueError, match="neighbours must have shape"):
        smote_sample(M, 4, n_samples=50, neighbours=nearest_neighbours(M, 5))


def test_neighbours_are_the_nearest_others(M):
    distance = np.linalg.norm(M[:, None] - M, axis=2)
    np.testing.assert_array_equal(nearest_neighbours(M, 7), distance.argsort(axis=1)[:, 1:8])


@pytest.mark.parametrize("k", [0, 40])
def test_too_few_rows_are_refused(M, k):
    with pytest.raises(ValueError, match=f"k={k} neighbours"):
        nearest_neighbours(M, k)


def test_integer_rows_are_not_truncated():
    integers = np.random.default_rng(0).integers(0, 50, size=(20, 3))
    rows, base_idx, nbr_idx, u = smote_sample(integers, n_samples=100, rng=np.random.default_rng(0))
    assert rows.dtype == np.float64
    np.testing.assert_allclose(rows, integers[base_idx] + u[:, None] * (integers[nbr_idx] - integers[base_idx]))


def test_a_hyper_rectangle_has_one_position_per_feature(M):
    rows, base_idx, nbr_idx, u = hyper_rectangle_sample(M, n_samples=200, rng=np.random.default_rng(0))
    np.testing.assert_allclose((rows - M[base_idx]) / (M[nbr_idx] - M[base_idx]), u)
    assert abs(np.corrcoef(u.T)[np.triu_indices(6, 1)]).max() < 0.3


def test_smote_nc_votes_and_counts_categories_in_the_distance():
    rng = np.random.default_rng(0)
    numeric = np.concatenate([rng.normal(size=(20, 2)), rng.normal(size=(20, 2))])
    categorical = np.repeat([[7, 1], [9, 2]], 20, axis=0)  # two categories differ: each group is on its own
    rows, codes = smote_nc_sample(numeric * 1e-3, categorical, 3, n_samples=300, rng=rng)
    assert {tuple(code) for code in codes} == {(7, 1), (9, 2)}
    mixed = np.repeat([[0], [1]], [19, 1], axis=0)  # the only row of its category is outvoted by its neighbours
    assert not smote_nc_sample(numeric[:20], mixed, 3, n_samples=300, rng=rng)[1].any()
    assert rows.shape == (300, 2)


def test_smote_nc_finds_the_neighbours_of_imbalanced_learn():
    from imblearn.over_sampling import SMOTENC

    rng = np.random.default_rng(0)
    numeric, codes = rng.normal(size=(30, 3)), rng.integers(0, 3, size=(30, 2))
    majority = np.concatenate([rng.normal(size=(200, 3)), rng.integers(0, 3, size=(200, 2))], axis=1)
    X, y = np.concatenate([np.concatenate([numeric, codes], axis=1), majority]), np.repeat([1, 0], [30, 200])
    theirs = SMOTENC([3, 4], random_state=5).fit_resample(X, y)[0][len(X) :, :3]
    ours, _ = smote_nc_sample(numeric, codes, n_samples=170, rng=np.random.RandomState(5))
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_the_order_of_synthetic_rows_tells_nothing(M):
    in_order = smote_sample(M, n_samples=500, rng=np.random.default_rng(4))[0]
    shuffled = oversample(M, 500, 5, np.random.default_rng(4)).synthetic
    assert (in_order == shuffled).all(axis=1).sum() < 10
    np.testing.assert_array_equal(np.unique(in_order, axis=0), np.unique(shuffled, axis=0))


def test_the_augmented_minority_is_shuffled_with_its_truth(M):
    sample = oversample(M, 100, 5, np.random.default_rng(0))
    rows, is_real = sample.augmented_minority(np.random.default_rng(1))
    assert sample.ratio == 2.5
    np.testing.assert_array_equal(np.unique(rows[is_real], axis=0), np.unique(M, axis=0))
    np.testing.assert_array_equal(np.unique(rows[~is_real], axis=0), np.unique(sample.synthetic, axis=0))
    assert 10 < is_real[:70].sum() < 30


def test_defences_touch_synthetic_rows_only(M):
    sample = Oversampled(M, np.random.default_rng(0).normal(size=(400, 6)), 5)
    noisy = uniform_noise(sample, 0.01, np.random.default_rng(0))
    difference = noisy.synthetic - sample.synthetic
    assert 0.0099 < difference.max() <= 0.01 and -0.01 <= difference.min() < -0.0099
    np.testing.assert_array_equal(uniform_noise(sample, 0.0, np.random.default_rng(0)).synthetic, sample.synthetic)
    rounded = rounding(sample, np.array([0.5, 1, 1, 1, 1, 2]))
    np.testing.assert_array_equal(rounded.synthetic[:, 0] * 2 % 1, 0)
    np.testing.assert_array_equal(rounded.synthetic[:, 5] % 2, 0)
    assert abs(rounded.synthetic - sample.synthetic).max() <= 1
    assert noisy.real is M and rounded.real is M
