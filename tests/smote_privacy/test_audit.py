"""An audit finds oversampled classes, and only these, and says what they expose."""

import numpy as np
import pytest

from seedbed import smote_privacy
from seedbed.smote_privacy.audit import audit_table, find_edges, guess_k
from seedbed.smote_privacy.smote import hyper_rectangle_sample, nearest_neighbours, smote_sample


def table(n_minority=40, n_majority=600, d=4, k=5, seed=0, sample=smote_sample, scales=(1, 1e4, 1e-5, 5)):
    """A balanced table in shuffled order, and the numbers of its real minority rows."""
    rng = np.random.default_rng(seed)
    minority, majority = (rng.normal(size=(n, d)) * scales for n in (n_minority, n_majority))
    synthetic = sample(minority, k, n_samples=n_majority - n_minority, rng=rng)[0]
    order = rng.permutation(2 * n_majority)
    X = np.concatenate([majority, minority, synthetic])
    y = np.repeat(["no", "yes"], n_majority)
    is_real = (np.arange(2 * n_majority) >= n_majority) & (np.arange(2 * n_majority) < n_majority + n_minority)
    return X[order], y[order], np.flatnonzero(is_real[order])


def test_an_oversampled_class_is_exposed():
    X, y, real_rows = table()
    report = audit_table(X, y)
    no, yes = report.classes
    assert report.is_oversampled and yes.is_oversampled and not no.is_oversampled
    assert (no.n_interpolated, no.k, no.n_reconstructed) == (0, None, None)
    np.testing.assert_array_equal(yes.real_rows, real_rows)
    assert (yes.n_interpolated, yes.n_by_chance, yes.n_records, yes.ratio) == (560, 0, 40, 14)
    assert yes.k == 5
    assert 30 <= yes.n_reconstructed <= 40
    assert str(report).splitlines()[0] == (
        "class no: no evidence of SMOTE: 0 of 600 rows lie exactly between two others (0 by chance)"
    )
    assert "class yes: oversampled by SMOTE: 560 of 600 rows" in str(report)
    assert "40 real records exposed; 14.0 synthetic rows for each" in str(report)


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_k_is_inferred(k):
    M = np.random.default_rng(0).normal(size=(40, 4))
    rows = smote_sample(M, k, n_samples=1500, rng=np.random.default_rng(1))[0]
    assert guess_k(M, find_edges(M, rows)) == k


def test_k_is_inferred_from_the_number_of_edges_where_distances_tie():
    """Corners of a simplex are all equally near, so that any two are nearest neighbours."""
    M = np.eye(7)
    rows = smote_sample(M, 4, n_samples=500, neighbours=nearest_neighbours(M, 4), rng=np.random.default_rng(0))[0]
    edges = find_edges(M, rows)
    assert len(edges) > 7 and 2 <= guess_k(M, edges) <= 4


def test_copies_of_records_are_no_new_records():
    rng = np.random.default_rng(0)
    M = rng.normal(size=(20, 3))
    M = np.concatenate([M, M[:5], M[:5]])
    X = np.concatenate([M, smote_sample(M, n_samples=500, rng=rng)[0]])
    (report,) = audit_table(X, np.zeros(len(X))).classes
    assert report.n_records == 20 < len(report.real_rows)
    assert report.n_reconstructed <= 20


@pytest.mark.parametrize("kind", ["continuous", "grid", "hyper-rectangle"])
def test_other_tables_are_not_accused(kind):
    rng = np.random.default_rng(0)
    if kind == "hyper-rectangle":
        X, y, _ = table(sample=hyper_rectangle_sample)
    else:
        X, y = rng.normal(size=(700, 3)), rng.integers(0, 2, size=700)
        X = np.round(X * 4) if kind == "grid" else X
    report = audit_table(X, y)
    assert not report.is_oversampled
    assert all("no evidence of SMOTE" in str(audit) for audit in report.classes)
    if kind == "grid":
        assert all(audit.n_interpolated > 20 and audit.n_by_chance > 20 for audit in report.classes)


def test_a_large_class_that_is_no_smote_is_quick():
    """The worst case of the published procedure, which removes no candidate and so looks at every pair of every list."""
    from time import process_time

    X = np.random.default_rng(0).normal(size=(2000, 10))
    started = process_time()
    assert not audit_table(X, np.zeros(2000)).is_oversampled
    assert process_time() - started < 5  # measured: 0.3 s; published: minutes


def test_bad_tables_are_refused():
    with pytest.raises(ValueError, match="X must be"):
        audit_table(np.zeros((5, 2)), np.zeros(4))
    with pytest.raises(ValueError, match="on one line"):
        audit_table(np.arange(10.0)[:, None], np.zeros(10))


def test_exports_lead_to_what_they_name():
    for name in smote_privacy.__all__:
        exported = getattr(smote_privacy, name)
        assert exported.__name__ == name and exported.__module__.startswith("seedbed.smote_privacy.")
    assert smote_privacy.audit_table is audit_table
