"""DistinSMOTE finds exactly the real rows, whatever the order, the coordinates and the columns."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.smote_privacy import distin_smote as module
from seedbed.smote_privacy.collinearity import are_collinear, conditioned, lies_between
from seedbed.smote_privacy.distin_smote import DistinSMOTE, distin_smote
from seedbed.smote_privacy.smote import Oversampled, hyper_rectangle_sample, oversample, smote_nc_sample, uniform_noise


def augmented(n=40, d=4, n_synthetic=400, k=5, seed=0):
    rng = np.random.default_rng(seed)
    return oversample(rng.normal(size=(n, d)), n_synthetic, k, rng).augmented_minority(rng)


def by_brute_force(X, tol=1e-9):
    """The definition, over all triples."""
    is_real = np.ones(len(X), dtype=bool)
    for j, l in combinations(range(len(X)), 2):  # noqa: E741
        between = lies_between(X, X[j], X[l], tol)
        between[[j, l]] = False
        is_real &= ~between
    return is_real


@pytest.mark.parametrize(("d", "k", "n_synthetic"), [(2, 3, 200), (3, 5, 400), (8, 2, 400), (30, 5, 150)])
def test_all_real_rows_and_no_others(d, k, n_synthetic):
    rows, is_real = augmented(d=d, k=k, n_synthetic=n_synthetic)
    np.testing.assert_array_equal(distin_smote(rows), is_real)


@pytest.mark.parametrize(("d", "k", "n_synthetic"), [(2, 3, 200), (3, 5, 400)])
def test_published_lists_are_long_enough_for_dense_edges(d, k, n_synthetic):
    rows, is_real = augmented(d=d, k=k, n_synthetic=n_synthetic)
    np.testing.assert_array_equal(distin_smote(rows, k, (40 + n_synthetic) / 40, "auto"), is_real)


@pytest.mark.parametrize("d", [2, 3, 5])
def test_agrees_with_the_definition(d):
    rows, _ = augmented(n=15, d=d, n_synthetic=70)
    np.testing.assert_array_equal(distin_smote(rows), by_brute_force(rows))


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_the_definition_at_coarse_tolerance(seed):
    """Noise of 1e-4, tolerance 1e-2: directions are crowded, and pairs are no neighbours in the order of projections."""
    rng = np.random.default_rng(seed)
    sample = uniform_noise(oversample(rng.normal(size=(12, 3)), 60, 4, rng), 1e-4, rng)
    rows = sample.augmented_minority(rng)[0]
    for tol in (1e-3, 1e-2, 3e-2):
        np.testing.assert_array_equal(distin_smote(rows, tol=tol), by_brute_force(rows, tol))


def test_rows_very_close_to_their_real_row_are_found():
    """Positions of 1e-5 to 1e-8: the direction to the near end is known to few digits only."""
    rng = np.random.default_rng(0)
    real = rng.normal(size=(8, 3))
    base, neighbour = rng.permutation(8), rng.permutation(8)
    apart = base != neighbour
    position = 10.0 ** -rng.uniform(5, 8, size=8)
    near = real[base] + position[:, None] * (real[neighbour] - real[base])
    rows = np.concatenate([real, near[apart]])
    np.testing.assert_array_equal(distin_smote(rows), np.arange(len(rows)) < 8)


def test_triangle():
    corners = np.array([[0.0, 0], [1, 0], [0, 1]])
    inside = np.concatenate([corners + u * (np.roll(corners, 1, axis=0) - corners) for u in (0.1, 0.33, 0.7)])
    np.testing.assert_array_equal(distin_smote(np.concatenate([corners, inside])), np.arange(12) < 3)


def test_one_hot_columns():
    """Corners of a hypercube, for which Qhull has no hull: the published start is missing, the criterion is not."""
    rng = np.random.default_rng(0)
    real = np.unique(np.eye(4)[rng.integers(0, 4, size=(40, 6))].reshape(40, 24), axis=0)
    rows, is_real = oversample(real, 500, 5, rng).augmented_minority(rng)
    np.testing.assert_array_equal(distin_smote(rows), is_real)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(2, 5))
def test_order_and_affine_maps_change_nothing(seed, d):
    rng = np.random.default_rng(seed)
    rows, is_real = augmented(n=12, d=d, n_synthetic=50, k=3, seed=seed)
    order = rng.permutation(len(rows))
    np.testing.assert_array_equal(distin_smote(rows[order]), is_real[order])
    affine = np.linalg.qr(rng.normal(size=(d, d)))[0] * rng.uniform(0.1, 10, size=d)
    np.testing.assert_array_equal(distin_smote(rows @ affine + rng.normal(size=d)), is_real)


def test_size_and_place_of_the_data_do_not_matter():
    rows, is_real = augmented(d=4)
    np.testing.assert_array_equal(distin_smote(rows * 1e6 + [0, 5, -1e6, 0]), is_real)
    np.testing.assert_array_equal(distin_smote(rows * 1e-6), is_real)


def test_noise_on_a_constant_column_is_not_blown_up():
    rng = np.random.default_rng(0)
    real = np.concatenate([rng.normal(size=(40, 4)), np.full((40, 1), 0.3)], axis=1)
    sample = uniform_noise(oversample(real, 400, 5, rng), 1e-10, rng)
    rows, is_real = sample.augmented_minority(rng)
    np.testing.assert_array_equal(distin_smote(rows, tol=1e-8), is_real)


def test_duplicates_are_one_row():
    rng = np.random.default_rng(0)
    real = rng.normal(size=(20, 3))
    real = np.concatenate([real, real[:6], real[:6]])  # SMOTE makes exact copies of these
    sample = oversample(real, 300, 5, rng)
    rows, _ = sample.augmented_minority(rng)
    is_copy_of_real = (rows[:, None] == real).all(axis=2).any(axis=1)
    assert is_copy_of_real.sum() > len(real)
    np.testing.assert_array_equal(distin_smote(rows), is_copy_of_real)


@pytest.mark.parametrize("column", [np.zeros(30), None])
def test_rows_on_one_line_are_refused(column):
    line = np.random.default_rng(0).normal(size=30)
    rows = line[:, None] if column is None else np.stack([line, column], axis=1)
    with pytest.raises(ValueError, match="on one line"):
        distin_smote(rows)
    with pytest.raises(ValueError, match="on one line"):
        distin_smote(np.stack([line, 3 * line + 1], axis=1))
    with pytest.raises(ValueError, match="on one line"):
        distin_smote(line[:2, None])
    with pytest.raises(ValueError, match="columns of similar range"):
        distin_smote(np.random.default_rng(0).normal(size=(30, 2)) * [1, 1e12])


@pytest.mark.parametrize(
    ("settings_", "message"),
    [
        ({"k": 0}, "k must be"),
        ({"ratio": 0.5}, "ratio counts"),
        ({"neighbors": 1}, "neighbors must be"),
        ({"neighbors": "all"}, "neighbors must be"),
        ({"tol": 0}, "tol must be"),
    ],
)
def test_bad_settings_are_named(settings_, message):
    with pytest.raises(ValueError, match=message):
        distin_smote(np.eye(4), **settings_)
    with pytest.raises(ValueError, match="finite"):
        distin_smote(np.array([[0, np.nan], [1, 1], [2, 5]]))


def test_one_or_two_rows_are_real():
    assert distin_smote(np.array([[1.0, 2]])).tolist() == [True]
    assert distin_smote(np.array([[1.0, 2], [3, 4], [1, 2]])).tolist() == [True] * 3


def test_rows_of_no_smote_are_real():
    rows = np.random.default_rng(0).normal(size=(1500, 6))
    assert distin_smote(rows).all()
    boxes = hyper_rectangle_sample(rows[:40], n_samples=600, rng=np.random.default_rng(0))[0]
    assert distin_smote(np.concatenate([rows[:40], boxes])).all()


def test_smote_nc_is_attacked_by_its_numeric_columns():
    rng = np.random.default_rng(0)
    real = rng.normal(size=(40, 4))
    synthetic, _ = smote_nc_sample(real, rng.integers(0, 3, size=(40, 2)), n_samples=400, rng=rng)
    np.testing.assert_array_equal(distin_smote(np.concatenate([real, synthetic])), np.arange(440) < 40)


def test_short_lists_lose_precision_and_no_recall():
    rows, is_real = augmented(n=60, n_synthetic=900)
    found = distin_smote(rows, neighbors=8)
    assert found[is_real].all() and found.sum() > 60


def test_estimator_and_function_agree():
    rows, is_real = augmented()
    np.testing.assert_array_equal(DistinSMOTE(k=5, tol=1e-10).fit_predict(rows), is_real)
    np.testing.assert_array_equal(DistinSMOTE().fit(rows).is_real_, is_real)


def test_measure_scores_a_shuffled_table(monkeypatch):
    rng = np.random.default_rng(0)
    sample = oversample(rng.normal(size=(30, 4)), 300, 5, rng)
    assert module.measure(sample, rng) == {"precision": 1, "recall": 1, "n_out": 30}
    seen = []
    monkeypatch.setattr(module, "distin_smote", lambda X, *settings: seen.append((X, settings)) or X[:, 0] > 1)
    values = module.measure(sample, np.random.default_rng(0), neighbors="auto", tol=1e-8)
    rows, (k, ratio, neighbors, tol) = seen[0]
    assert (k, ratio, neighbors, tol) == (5, 11, "auto", 1e-8)
    assert not (rows[:30] == sample.real).all(axis=1).any()
    assert values["recall"] == (sample.real[:, 0] > 1).mean()


def test_measure_leaves_out_an_undefined_precision(monkeypatch):
    sample = Oversampled(np.eye(3), np.ones((4, 3)), 2)
    monkeypatch.setattr(module, "distin_smote", lambda X, *settings: np.zeros(len(X), dtype=bool))
    assert module.measure(sample, np.random.default_rng(0)) == {"recall": 0, "n_out": 0}


def test_collinear_in_any_order():
    a, b = np.array([0.0, 1, 2]), np.array([4.0, 3, -2])
    middle = a + 0.3 * (b - a)
    for x, y, z in ((a, middle, b), (middle, a, b), (b, a, middle)):
        assert are_collinear(x, y, z, 1e-12)
        assert not are_collinear(x, y, z + [1e-6, 0, 0], 1e-9)
    assert lies_between(middle, a, b, 1e-12) and not lies_between(a, middle, b, 1e-12)
    assert not lies_between(a, a, b, 1e-12)


def test_conditioned_rows_can_be_restored():
    X = np.random.default_rng(0).normal(size=(30, 4)) * [1, 1e3, 0, 1] + [0, 7, 4, 1e3]
    table = conditioned(np.concatenate([X, X[:4]]), 1e-9)
    assert len(table.rows) == 30 and abs(table.rows).max() == 1
    np.testing.assert_allclose(table.restore(table.rows)[table.of_row[:30]], X, atol=1e-12)
    np.testing.assert_array_equal(table.of_row[30:], table.of_row[:4])
