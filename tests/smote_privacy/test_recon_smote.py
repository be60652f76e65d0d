"""ReconSMOTE returns the real rows that have three visible edges, and nothing else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.smote_privacy import recon_smote as module
from seedbed.smote_privacy.recon_smote import ReconSMOTE, recon_smote
from seedbed.smote_privacy.scoring import match_scores
from seedbed.smote_privacy.smote import hyper_rectangle_sample, nearest_neighbours, oversample, smote_sample


def on_edges(corners, edges, n_rows, seed=0):
    """``n_rows`` (a number, or one an edge) rows at random places on each edge."""
    u = np.random.default_rng(seed).uniform(0.02, 0.98, size=(len(edges), np.max(n_rows)))
    counts = np.broadcast_to(n_rows, len(edges))
    pieces = [
        corners[i] + u[e, :n, None] * (corners[j] - corners[i])
        for e, ((i, j), n) in enumerate(zip(edges, counts, strict=True))
    ]
    return np.random.default_rng(seed).permutation(np.concatenate(pieces))


def assert_same_points(found, expected, atol=1e-9):
    assert len(found) == len(expected)
    assert not len(found) or match_scores(found, expected, atol) == {"precision": 1, "recall": 1, "f1": 1}


def test_triangle_with_two_lines_a_corner():
    corners = np.array([[0.0, 0], [1, 0], [0.3, 0.8]])
    rows = on_edges(corners, [(0, 1), (1, 2), (2, 0)], 9)
    assert_same_points(recon_smote(rows, k=2, min_lines=2), corners)
    points, details = recon_smote(rows, return_lines=True)
    assert len(points) == 0
    assert_same_points(details.candidates, corners)


@pytest.mark.parametrize("ratio", [None, 7.5])
def test_simplex_in_five_dimensions(ratio):
    corners = np.concatenate([np.eye(5), -np.ones((1, 5)) / 3])
    edges = [(i, j) for i in range(6) for j in range(i)]
    points, details = recon_smote(on_edges(corners, edges, 3), k=5, ratio=ratio, return_lines=True)
    assert_same_points(points, corners)
    assert details.n_lines == 15 and (details.votes == 5).all() and (details.multiplicity == 1).all()


def test_star_has_a_line_for_each_edge_of_three_rows():
    corners = np.random.default_rng(3).normal(size=(8, 4))
    counts = [1, 2, 3, 4, 9, 2, 5]
    rows = on_edges(corners, [(0, j) for j in range(1, 8)], counts)
    points, details = recon_smote(rows, return_lines=True)
    assert details.n_lines == 4
    assert (details.line_of_row >= 0).sum() == 3 + 4 + 9 + 5
    assert sorted(np.bincount(details.line_of_row[details.line_of_row >= 0])) == [3, 4, 5, 9]
    assert_same_points(points, corners[:1])
    assert details.votes.tolist() == [4]


@pytest.mark.parametrize(("d", "k", "n_synthetic"), [(2, 3, 300), (3, 5, 700), (8, 5, 700), (20, 4, 500)])
def test_recovers_exactly_the_rows_with_three_visible_edges(d, k, n_synthetic):
    rng = np.random.default_rng(0)
    M = rng.normal(size=(30, d))
    X, base_idx, nbr_idx, _ = smote_sample(M, k, n_samples=n_synthetic, rng=rng)
    edges, counts = np.unique(np.sort(np.stack([base_idx, nbr_idx], axis=1), axis=1), axis=0, return_counts=True)
    n_visible = np.bincount(edges[counts >= 3].ravel(), minlength=30)
    points, details = recon_smote(rng.permutation(X), return_lines=True)
    assert 0 < (n_visible >= 3).sum()
    assert_same_points(points, M[n_visible >= 3])
    assert details.n_lines == (counts >= 3).sum()
    if d > 2:  # in the plane any two lines meet
        assert_same_points(details.candidates, M[n_visible == 2])


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(2, 5))
def test_order_and_affine_maps_change_nothing_but_the_map(seed, d):
    rng = np.random.default_rng(seed)
    corners = np.eye(d + 1, d) + 0.1 * rng.normal(size=(d + 1, d))
    edges = [(i, j) for i in range(d + 1) for j in range(i)]
    rows = on_edges(corners, edges, 6, seed)
    affine = np.linalg.qr(rng.normal(size=(d, d)))[0] * rng.uniform(0.5, 2, size=d)
    for transformed, expected in ((rng.permutation(rows), corners), (rows @ affine - 3, corners @ affine - 3)):
        assert_same_points(recon_smote(transformed, min_lines=min(d, 3)), expected, 1e-8)


def test_diagonals_of_a_cube_are_no_record():
    """Three long diagonals of a cube cross in its centre, where published ReconSMOTE sees a record."""
    corners = np.array([[x, y, z] for x in (-1.0, 1) for y in (-1.0, 1) for z in (-1.0, 1)])
    rows = on_edges(corners, [(0, 7), (1, 6), (2, 5), (3, 4)], 8)
    points, details = recon_smote(rows, return_lines=True)
    assert len(points) == 0
    assert_same_points(details.inner_crossings, np.zeros((1, 3)))


def test_one_hot_rows():
    rng = np.random.default_rng(0)
    real = np.unique(np.eye(4)[rng.integers(0, 4, size=(40, 6))].reshape(40, 24), axis=0)
    sample = oversample(real, 30 * len(real), 5, rng)
    assert_same_points(recon_smote(sample.synthetic), real)


def test_duplicates_and_constant_columns():
    rng = np.random.default_rng(0)
    M = np.concatenate([rng.normal(size=(20, 3)), np.full((20, 1), 7.0)], axis=1)
    sample = oversample(np.concatenate([M, M[:5], M[:5]]), 2000, 5, rng)
    points = recon_smote(sample.synthetic)
    assert match_scores(points, M)["precision"] == 1
    assert match_scores(points, M)["recall"] > 0.8


def test_a_row_of_two_lines_goes_to_the_larger_one():
    """Six rows and three rows on two lines that share a row; a third line makes the data span space."""
    rows = np.array([[x, 0.0, 0] for x in (0, 1, 2.5, 4, 5.2, 7)] + [[0, y, 0.0] for y in (1, 2.7)] + [[0, 1.0, 5]])
    points, details = recon_smote(rows, min_lines=2, return_lines=True)
    assert details.n_lines == 1 and details.multiplicity.tolist() == [2, 1, 1, 1, 1, 1, 1, 1, 0]
    assert len(points) == 0


@pytest.mark.parametrize("sample", [hyper_rectangle_sample, None])
def test_nothing_comes_of_rows_that_are_no_smote(sample):
    M = np.random.default_rng(0).normal(size=(40, 5))
    rows = (
        np.random.default_rng(1).normal(size=(900, 5))
        if sample is None
        else sample(M, n_samples=900, rng=np.random.default_rng(1))[0]
    )
    points, details = recon_smote(rows, return_lines=True)
    assert points.shape == (0, 5) and details.n_lines == 0 and (details.line_of_row == -1).all()


def test_few_rows_give_no_points():
    assert recon_smote(np.array([[0.0, 1], [2, 3]])).shape == (0, 2)


@pytest.mark.parametrize(
    ("settings_", "message"),
    [({"min_lines": 1}, "min_lines"), ({"tol": -1}, "tol"), ({"k": 0}, "k must"), ({"ratio": 0}, "ratio")],
)
def test_bad_settings_are_named(settings_, message):
    with pytest.raises(ValueError, match=message):
        recon_smote(np.eye(4), **settings_)
    with pytest.raises(ValueError, match="on one line"):
        recon_smote(np.arange(9.0)[:, None])


def test_neighbour_lists_find_what_all_rows_find_on_dense_edges():
    rng = np.random.default_rng(0)
    sample = oversample(rng.normal(size=(40, 6)), 1600, 5, rng)
    assert_same_points(recon_smote(sample.synthetic, 5, sample.ratio), recon_smote(sample.synthetic))


def test_estimator_keeps_points_and_details():
    rng = np.random.default_rng(0)
    sample = oversample(rng.normal(size=(20, 4)), 900, 5, rng)
    fitted = ReconSMOTE(min_lines=3).fit(sample.synthetic)
    assert_same_points(fitted.points_, sample.real)
    assert fitted.details_.n_lines >= 50


def test_measure_takes_synthetic_rows_alone(monkeypatch):
    rng = np.random.default_rng(0)
    sample = oversample(rng.normal(size=(25, 4)), 250, 5, rng)
    values = module.measure(sample, rng)
    assert values["precision"] == 1 and values["n_false"] == values["n_inner"] == 0
    assert values["recall"] == values["n_out"] / 25 and values["n_lines"] > 20
    assert values["recall_two_lines"] == (values["n_out"] + values["n_candidates"]) / 25 > values["recall"]
    seen = {}

    def spy(X, k, **settings_):
        seen.update(settings_, X=X, k=k)
        return recon_smote(X, k, **settings_)

    monkeypatch.setattr(module, "recon_smote", spy)
    sparse = oversample(sample.real, 25, 2, rng)
    assert "precision" not in module.measure(sparse, rng, tol=1e-10)
    assert seen["min_lines"] == 3 and seen["k"] == 2 and seen["tol"] == 1e-10
    np.testing.assert_array_equal(np.unique(seen["X"], axis=0), np.unique(sparse.synthetic, axis=0))


def test_false_points_are_counted(monkeypatch):
    rng = np.random.default_rng(0)
    sample = oversample(rng.normal(size=(25, 4)), 900, 5, rng)
    points, details = recon_smote(sample.synthetic, return_lines=True)
    invented = np.concatenate([points[:10], points[:5] + 1])
    monkeypatch.setattr(module, "recon_smote", lambda *args, **kwargs: (invented, details))
    values = module.measure(sample, rng)
    assert (values["n_out"], values["n_false"], values["precision"]) == (15, 5, pytest.approx(2 / 3))


def test_neighbour_graph_of_the_test_is_the_generators():
    M = np.random.default_rng(0).normal(size=(30, 4))
    _, base_idx, nbr_idx, _ = smote_sample(M, n_samples=200, rng=np.random.default_rng(0))
    assert (nearest_neighbours(M, 5)[base_idx] == nbr_idx[:, None]).any(axis=1).all()
