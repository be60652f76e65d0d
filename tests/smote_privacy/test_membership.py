"""The membership attacks: edges, features, scores with and without a trace of the target."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from seedbed.smote_privacy import mlp_ensemble
from seedbed.smote_privacy.membership import (
    EdgeTable,
    mann_whitney_auc,
    membership_attack,
    summarise,
    top_mean,
    top_mean_null,
)
from seedbed.smote_privacy.smote import nearest_neighbours


def make_data(n_minority: int = 14, n_majority: int = 120, d: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.uniform(-1, 1, (n_majority, d)), rng.normal(0.5, 0.2, (n_minority, d))])
    return X, np.arange(len(X)) >= n_majority


# --- SMOTE --------------------------------------------------------------------------------------------------------


def edge_set(rows: np.ndarray, k: int) -> set[tuple[bytes, bytes]]:
    """Directed edges of an edge table as pairs of end points, rounded."""
    edges = EdgeTable.of_rows(rows, k)
    ends = np.round(edges.base.T, 9) + 0.0, np.round((edges.base + edges.step).T, 9) + 0.0
    return {(base.tobytes(), neighbour.tobytes()) for base, neighbour in zip(*ends, strict=True)}


def test_removal_changes_only_the_lists_of_rows_that_had_the_target_as_neighbour():
    minority = np.random.default_rng(0).normal(size=(40, 3))
    everyone = edge_set(minority, 5)
    one_more = edge_set(minority, 6)
    for target in range(len(minority)):
        key = (np.round(minority[target], 9) + 0.0).tobytes()
        without = edge_set(np.delete(minority, target, axis=0), 5)
        kept = {edge for edge in everyone if key not in edge}
        assert kept <= without  # all that did not touch the target
        assert without - kept <= one_more - everyone  # else the next neighbour has moved up
        assert len(without) == 39 * 5
        assert len(without - kept) == sum(neighbour == key for _, neighbour in everyone)


def test_edges_are_those_of_smote():
    rng = np.random.default_rng(0)
    minority = rng.normal(size=(9, 4))
    edges = EdgeTable.of_rows(minority, 3)
    neighbours = nearest_neighbours(minority, 3)
    np.testing.assert_array_equal(edges.base.T, np.repeat(minority, 3, axis=0))
    np.testing.assert_allclose((edges.base + edges.step).T, minority[neighbours.ravel()])


def test_synthetic_rows_lie_on_their_edges():
    rng = np.random.default_rng(0)
    edges = EdgeTable.of_rows(rng.normal(size=(9, 4)), 3)
    base, step = edges.base.T, edges.step.T
    rows = edges.draw(5, 200, rng).transpose(0, 2, 1).reshape(-1, 4)
    position = np.einsum("red,ed->re", rows[:, None] - base, step) / (step**2).sum(axis=1)
    residual = np.linalg.norm(rows[:, None] - base - position[..., None] * step, axis=2)
    on_edge = (residual < 1e-12) & (position >= 0) & (position < 1)
    assert on_edge.any(axis=1).all()
    edge = on_edge.argmax(axis=1)
    assert len(np.unique(edge)) > 14  # of 27, of which mutual neighbours share a segment
    assert position[np.arange(1000), edge].mean() == pytest.approx(0.5, abs=0.04)


def test_runs_are_independent_draws_from_all_edges():
    edges = EdgeTable(base=np.arange(12.0)[None], step=np.zeros((1, 12)))
    rows = edges.draw(300, 40, np.random.default_rng(0))
    counts = np.bincount(rows.ravel().astype(int), minlength=12)
    assert ((counts - 1000) ** 2 / 1000).sum() < 31.3  # chi squared, 11 degrees of freedom, p = 0.001
    assert len({run.tobytes() for run in rows}) == 300


# --- features -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_synthetic", [32, 33, 34])
def test_features_are_those_of_numpy_table_by_table(n_synthetic: int):
    tables = np.random.default_rng(0).normal(size=(7, 4, n_synthetic))
    found = summarise(tables.copy())
    for table, features in zip(tables, found, strict=True):
        expected = []
        for column in table:
            lower, median, upper = np.quantile(column, [0.25, 0.5, 0.75])
            expected += [column.min(), lower, column.mean(), median, upper, column.max()]
        covariance = np.cov(table)
        expected += [covariance[i, j] for i in range(4) for j in range(i + 1)]
        np.testing.assert_allclose(features, expected, rtol=1e-12, atol=1e-14)


# --- AUC and its null ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decimals", [0, 1, 6])
def test_auc_is_scikit_learns_with_and_without_ties(decimals: int):
    rng = np.random.default_rng(0)
    for _ in range(20):
        labels = rng.permutation(np.repeat([1, 0], [7, 12]))
        scores = np.round(rng.normal(size=19) + labels, decimals)
        assert mann_whitney_auc(scores, labels) == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)


def test_auc_of_constant_scores_is_one_half_and_of_one_class_an_error():
    assert mann_whitney_auc(np.zeros(6), np.array([1, 1, 0, 0, 0, 0])) == 0.5
    with pytest.raises(ValueError, match="both classes"):
        mann_whitney_auc(np.arange(3.0), np.ones(3, dtype=int))


def test_top_mean_takes_the_largest():
    assert top_mean([0.1, 0.9, 0.5, 0.8], n_top=2) == pytest.approx(0.85)
    assert top_mean([0.1, 0.9], n_top=50) == pytest.approx(0.5)


def test_null_knows_only_the_sizes_and_the_selection():
    """Mean one half over all targets; with half of them selected, it is the mean of the upper half of a normal."""
    X, y = make_data()
    result = membership_attack(X, y, 0, "syn", n_train=5, n_test=30, rng=np.random.default_rng(0))
    perfect = type(result)(1.0, np.repeat([1.0, 0.0], 30) + np.arange(60) * 1e-6, result.labels)
    results = [perfect] * 40
    everyone = top_mean_null(results, np.random.default_rng(1), n_top=40, n_permutations=300)
    selected = top_mean_null(results, np.random.default_rng(1), n_top=20, n_permutations=300)
    spread = np.sqrt(61 / (12 * 30 * 30))  # of a null AUC: (n + m + 1) / (12 n m)
    assert everyone.shape == (300,)
    assert everyone.mean() == pytest.approx(0.5, abs=0.003)
    assert everyone.std() == pytest.approx(spread / np.sqrt(40), rel=0.15)
    assert selected.mean() == pytest.approx(0.5 + spread * np.sqrt(2 / np.pi), abs=0.005)


# --- the attacks --------------------------------------------------------------------------------------------------


def test_synthetic_attack_finds_an_outlier():
    X, y = make_data(n_minority=14)
    X[-1] = 3.0
    result = membership_attack(X, y, 13, "syn", n_train=30, n_test=30, rng=np.random.default_rng(0))
    assert result.auc > 0.97
    assert result.scores.shape == result.labels.shape == (60,)
    assert result.auc == pytest.approx(roc_auc_score(result.labels, result.scores))


def test_synthetic_attack_is_blind_where_removal_changes_nothing():
    """All minority rows are one point, so SMOTE makes the same rows with and without the target."""
    X, y = make_data(n_minority=14)
    X[y] = 0.25
    result = membership_attack(X, y, 3, "syn", n_train=20, n_test=20, rng=np.random.default_rng(0))
    assert result.auc == pytest.approx(0.5, abs=1e-9)


def test_synthetic_attack_is_measured_on_runs_that_the_forest_has_not_seen():
    """Copies of two points: released tables vary, hardly by the target, so a forest can only learn its runs by heart."""
    X, y = make_data(n_minority=60, n_majority=200)
    X[y] = np.repeat([[0.0], [1.0]], 30, axis=0)
    result = membership_attack(X, y, 0, "syn", n_train=50, n_test=50, rng=np.random.default_rng(0))
    assert result.auc == pytest.approx(0.5, abs=4 * np.sqrt(101 / (12 * 50 * 50)))


def test_augmented_classifiers_are_trained_on_all_real_rows_and_own_synthetic_ones(monkeypatch: pytest.MonkeyPatch):
    trained_on = []

    def record(X: np.ndarray, y: np.ndarray, *rest: object) -> mlp_ensemble.MLPEnsemble:
        trained_on.append((X, y))
        return train(X, y, *rest)

    train = mlp_ensemble.train_ensemble
    monkeypatch.setattr(mlp_ensemble, "train_ensemble", record)
    X, y = make_data(n_minority=10, n_majority=30)
    target = 4
    membership_attack(X, y, target, "aug_clf", n_test=3, rng=np.random.default_rng(0), n_epochs=1)
    everyone, minority = X.astype(np.float32), X[y].astype(np.float32)
    for (rows, labels), n_real in zip(trained_on, (40, 39), strict=True):
        assert rows.shape == (3, 60, 3)
        assert labels.tolist() == [0] * 30 + [1] * 30
        real = everyone if n_real == 40 else np.delete(everyone, 30 + target, axis=0)
        for model in range(3):
            np.testing.assert_array_equal(rows[model, :n_real], real)
        assert len(np.unique(rows[:, n_real:].reshape(-1, 3), axis=0)) == 3 * (60 - n_real)
        low, high = minority.min(axis=0), minority.max(axis=0)
        assert np.all((rows[:, n_real:] >= low - 1e-6) & (rows[:, n_real:] <= high + 1e-6))


@pytest.mark.parametrize("mode", ["clf", "aug_clf"])
def test_classifier_attacks_find_a_row_that_decides_the_answer(mode: str):
    """The last column is zero but for the target, which is otherwise like the majority: nothing else can teach it."""
    rng = np.random.default_rng(0)
    majority, minority = rng.normal(0, 0.1, (30, 4)), rng.normal([-0.8, 0, 0, 0], 0.1, (10, 4))
    X, y = np.concatenate([majority, minority, np.zeros((1, 4))]), np.repeat([0, 1], [30, 11])
    X[:, 3] = np.arange(41) == 40
    result = membership_attack(X, y, 10, mode, n_test=40, rng=np.random.default_rng(1), n_epochs=600)
    assert result.auc > 0.8


@pytest.mark.parametrize("mode", ["clf", "aug_clf"])
def test_classifier_attacks_are_blind_where_removal_changes_nothing(mode: str):
    """The target has so many exact copies that one fewer does not matter: AUC within four standard errors of 1/2."""
    rng = np.random.default_rng(0)
    majority = rng.uniform(-1, 1, (150, 2))
    X, y = np.concatenate([majority, np.full((100, 2), 0.5)]), np.repeat([0, 1], [150, 100])
    result = membership_attack(X, y, 7, mode, n_test=60, rng=np.random.default_rng(2), n_epochs=3)
    assert result.auc == pytest.approx(0.5, abs=4 * np.sqrt(121 / (12 * 60 * 60)))


def test_augmented_classifiers_see_balanced_data_and_plain_ones_do_not():
    """Few minority rows among many others: a classifier of real rows ignores them, one of balanced rows cannot."""
    X, y = make_data(n_minority=12, n_majority=400)
    plain, balanced = (
        membership_attack(X, y, 0, mode, n_test=20, rng=np.random.default_rng(0), n_epochs=80).scores.mean()
        for mode in ("clf", "aug_clf")
    )
    assert balanced > plain + 0.2


@pytest.mark.parametrize("mode", ["syn", "clf", "aug_clf"])
def test_same_generator_same_bytes_and_results_travel_between_processes(mode: str):
    X, y = make_data()
    first, second = (
        membership_attack(X, y, 2, mode, n_train=6, n_test=5, rng=np.random.default_rng(3), n_epochs=2)
        for _ in range(2)
    )
    assert first.scores.tobytes() == second.scores.tobytes()
    assert pickle.loads(pickle.dumps(first)).auc == second.auc


def test_errors_name_the_value():
    X, y = make_data(n_minority=10)
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"syn, aug_clf, clf.*'gen'"):
        membership_attack(X, y, 0, "gen", rng=rng)
    with pytest.raises(ValueError, match="10 minority rows, got 10"):
        membership_attack(X, y, 10, rng=rng)
    with pytest.raises(ValueError, match="no synthetic rows.*10 majority, 10 minority"):
        membership_attack(X[-20:], y[-20:], 0, rng=rng)
    with pytest.raises(ValueError, match="must be positive, got 5 and 0"):
        membership_attack(X, y, 0, n_train=0, n_test=5, rng=rng)
