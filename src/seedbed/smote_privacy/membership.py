"""Membership inference with shadow runs: was this minority row in the data? (notebooks nb_11 and nb_21)

The attacker of these baselines knows all rows but one, the target, and can run the whole pipeline as often as she
likes. She runs it with the target (``in``) and without it (``out``), and learns to tell the outcomes apart:

- ``syn``: the outcome is the synthetic minority. It is summarised by statistics of its columns, a random forest learns
  from ``n_train`` runs a side, and its score on ``n_test`` others is measured.
- ``clf``: the outcome is a classifier of minority and majority; the score is its probability of minority at the target.
- ``aug_clf``: the same, where the classifier was trained on data that SMOTE had balanced.

The target is the unit: give each its own generator, and their results are independent ::

    attack = partial(membership_attack, X, y, mode="syn")
    results = [attack(target, rng=stream) for target, stream in zip(targets, rng.spawn(len(targets)))]
    exposed = top_mean([result.auc for result in results])
    by_chance = top_mean_null(results, rng)

`membership_attack` takes and returns plain arrays, so the loop above can be the ``map`` of a process pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from seedbed.smote_privacy.smote import nearest_neighbours

Mode = Literal["syn", "aug_clf", "clf"]

RUNS_AT_ONCE = 20
"""Shadow runs in one batch: their arrays stay in the cache of a core (measured: 5 and 100 are both slower)."""


@dataclass(frozen=True)
class AttackResult:
    """Outcome of the attack on one target.

    Attributes
    ----------
    auc : float
        Probability that a held-out ``in`` run scores above a held-out ``out`` run, ties counting half.
    scores : ndarray, (2 n_test,)
        Score of each held-out run; higher means ``in``.
    labels : ndarray of int, (2 n_test,)
        1 for the ``in`` runs, 0 for the ``out`` runs.
    """

    auc: float
    scores: np.ndarray
    labels: np.ndarray


def membership_attack(
    X: np.ndarray,
    y: np.ndarray,
    target: int,
    mode: Mode = "syn",
    n_train: int = 200,
    n_test: int = 100,
    rng: np.random.Generator | None = None,
    *,
    k: int = 5,
    n_epochs: int = 25,
) -> AttackResult:
    """Attack one minority row with shadow runs.

    Parameters
    ----------
    X : ndarray, (n_rows, d)
        All rows, scaled to [-1, 1].
    y : ndarray, (n_rows,)
        1 for the minority, 0 for the majority.
    target : int
        Which minority row is attacked, counted among the minority rows.
    mode : {"syn", "aug_clf", "clf"}
        What the attacker sees: synthetic rows, or a classifier of balanced or of real data.
    n_train : int
        Shadow runs a side that train the attacker's forest; for ``syn`` only, the classifier attacks learn nothing.
    n_test : int
        Shadow runs a side on which the attack is measured.
    rng : numpy.random.Generator, optional
        Source of all randomness; fresh entropy where none is given.
    k : int
        Neighbours of SMOTE.
    n_epochs : int
        Passes of a shadow classifier over its data.

    Returns
    -------
    AttackResult

    Raises
    ------
    ValueError
        If ``mode`` is unknown, there is no minority row ``target``, SMOTE has nothing to add or too few rows for ``k``
        neighbours, or there are no runs.
    """
    rng = np.random.default_rng() if rng is None else rng
    minority, majority = X[y == 1], X[y == 0]
    if mode not in get_args(Mode):
        raise ValueError(f"mode must be one of {', '.join(get_args(Mode))}, got {mode!r}")
    if not 0 <= target < len(minority):
        raise ValueError(f"target must lie within 0 and the {len(minority)} minority rows, got {target}")
    if len(majority) - len(minority) < 2:
        raise ValueError(f"no synthetic rows to attack: {len(majority)} majority, {len(minority)} minority rows")
    if n_test < 1 or (mode == "syn" and n_train < 1):
        raise ValueError(f"n_test and, for syn, n_train must be positive, got {n_test} and {n_train}")
    if mode == "syn":
        scores_in, scores_out = _synthetic_scores(minority, len(majority), target, n_train, n_test, k, rng)
    else:
        others = np.delete(minority, target, axis=0)
        scores_in, scores_out = (
            _classifier_scores(majority, rows, minority[target], mode == "aug_clf", n_test, k, n_epochs, rng)
            for rows in (minority, others)
        )
    scores = np.concatenate([scores_in, scores_out])
    labels = np.repeat([1, 0], n_test)
    return AttackResult(float(mann_whitney_auc(scores, labels)), scores, labels)


# --- SMOTE, many times over ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EdgeTable:
    """The directed edges along which SMOTE puts its rows: base row and step to the neighbour, one column an edge.

    Attributes
    ----------
    base : ndarray, (d, n_rows * k)
        Base row of each edge.
    step : ndarray, (d, n_rows * k)
        Neighbour minus base row.
    """

    base: np.ndarray
    step: np.ndarray

    @classmethod
    def of_rows(cls, rows: np.ndarray, k: int) -> EdgeTable:
        """Edges of ``rows`` (n_rows, d) to the ``k`` nearest others: searched once for all runs on the same rows.

        Between the two sides of an attack only the lists of rows that had the target as a neighbour differ, but a
        search takes a millisecond, so they are not patched: each side gets the lists that SMOTE would find.
        """
        neighbours = nearest_neighbours(rows, k)
        base = np.repeat(rows, k, axis=0)
        step = rows[neighbours.ravel()] - base
        return cls(np.ascontiguousarray(base.T), np.ascontiguousarray(step.T))

    def draw(self, n_runs: int, n_synthetic: int, rng: np.random.Generator) -> np.ndarray:
        """Synthetic rows of ``n_runs`` independent SMOTE fits, as (n_runs, d, n_synthetic): columns are contiguous."""
        edges = rng.integers(self.base.shape[1], size=(n_runs, n_synthetic))
        positions = rng.random((n_runs, n_synthetic))
        rows = np.empty((n_runs, len(self.base), n_synthetic))
        for column, (base, step) in enumerate(zip(self.base, self.step, strict=True)):
            rows[:, column] = base.take(edges) + positions * step.take(edges)
        return rows


# --- the attack on synthetic rows ---------------------------------------------------------------------------------


def summarise(synthetic: np.ndarray) -> np.ndarray:
    """The attacker's features of released tables: column statistics and covariances.

    Parameters
    ----------
    synthetic : ndarray, (n_runs, d, n_synthetic)
        Released tables, transposed; sorted in place.

    Returns
    -------
    ndarray, (n_runs, 6 d + d (d + 1) / 2)
        Of each column minimum, lower quartile, mean, median, upper quartile, maximum; then the lower triangle of the
        covariance matrix with its diagonal, row by row.
    """
    n_runs, d, n_synthetic = synthetic.shape
    mean = synthetic.mean(axis=2)
    centred = synthetic - mean[:, :, None]
    covariance = centred @ centred.transpose(0, 2, 1) / (n_synthetic - 1)
    synthetic.sort(axis=2)
    quartiles = [_sorted_quantile(synthetic, q) for q in (0.25, 0.5, 0.75)]
    by_column = [synthetic[:, :, 0], quartiles[0], mean, quartiles[1], quartiles[2], synthetic[:, :, -1]]
    of_columns = np.stack(by_column, axis=2).reshape(n_runs, 6 * d)
    return np.concatenate([of_columns, covariance[:, *np.tril_indices(d)]], axis=1)


def _sorted_quantile(values: np.ndarray, q: float) -> np.ndarray:
    """Quantile along the sorted last axis, linear between order statistics (numpy's default)."""
    position = q * (values.shape[-1] - 1)
    lower = int(position)
    upper = min(lower + 1, values.shape[-1] - 1)
    return values[..., lower] + (position - lower) * (values[..., upper] - values[..., lower])


def _synthetic_scores(
    minority: np.ndarray,
    n_majority: int,
    target: int,
    n_train: int,
    n_test: int,
    k: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Scores of held-out ``in`` and ``out`` runs under a forest that was trained on other runs.

    Both sides release equally many rows. Without the target SMOTE makes one row more, and the authors drop one; rows
    are independent draws, so this is the same as not making it.
    """
    from sklearn.ensemble import RandomForestClassifier

    n_synthetic, n_runs = n_majority - len(minority), n_train + n_test
    others = np.delete(minority, target, axis=0)
    features_in, features_out = (
        _shadow_features(EdgeTable.of_rows(rows, k), n_runs, n_synthetic, rng) for rows in (minority, others)
    )
    forest = RandomForestClassifier(random_state=int(rng.integers(2**32)))
    forest.fit(np.concatenate([features_in[:n_train], features_out[:n_train]]), np.repeat([1, 0], n_train))
    return tuple(forest.predict_proba(features[n_train:])[:, 1] for features in (features_in, features_out))


def _shadow_features(edges: EdgeTable, n_runs: int, n_synthetic: int, rng: np.random.Generator) -> np.ndarray:
    """Features (n_runs, n_features) of ``n_runs`` SMOTE fits, a batch at a time."""
    return np.concatenate([summarise(edges.draw(size, n_synthetic, rng)) for size in _batches(n_runs)])


def _batches(n_runs: int) -> list[int]:
    """Sizes of the batches in which ``n_runs`` shadow runs are worked off."""
    return [min(RUNS_AT_ONCE, n_runs - start) for start in range(0, n_runs, RUNS_AT_ONCE)]


# --- the attacks on classifiers -----------------------------------------------------------------------------------


def _classifier_scores(
    majority: np.ndarray,
    minority: np.ndarray,
    target: np.ndarray,
    balanced: bool,
    n_runs: int,
    k: int,
    n_epochs: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Probability of minority at ``target`` (d,) under ``n_runs`` classifiers of the real rows.

    If ``balanced``, each classifier also gets synthetic rows of its own, as many as the classes differ by.
    """
    from seedbed.smote_privacy.mlp_ensemble import MLPSettings, train_ensemble

    real = np.concatenate([majority, minority])
    n_real, d = real.shape
    n_synthetic = len(majority) - len(minority) if balanced else 0
    is_minority = np.arange(n_real + n_synthetic) >= len(majority)
    edges = EdgeTable.of_rows(minority, k)
    settings = MLPSettings(hidden=(d, d), n_epochs=n_epochs)
    scores = []
    for size in _batches(n_runs):
        rows = np.empty((size, n_real + n_synthetic, d), dtype=np.float32)
        rows[:, :n_real] = real
        rows[:, n_real:] = edges.draw(size, n_synthetic, rng).transpose(0, 2, 1)
        scores.append(train_ensemble(rows, is_minority, settings, rng).predict_proba(target[None])[:, 0])
    return np.concatenate(scores)


# --- what is made of the scores -----------------------------------------------------------------------------------


def mann_whitney_auc(scores: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Share of (1, 0) pairs in which the 1 scores higher, ties counting half.

    Parameters
    ----------
    scores : ndarray, (n,)
        Scores.
    labels : ndarray of int, (..., n)
        Classes 1 and 0; leading axes are different labellings of the same scores.

    Returns
    -------
    ndarray, (...)

    Raises
    ------
    ValueError
        If a labelling has one class only.
    """
    from scipy.stats import rankdata

    n_ones = labels.sum(axis=-1)
    n_zeros = labels.shape[-1] - n_ones
    if not (np.all(n_ones) and np.all(n_zeros)):
        raise ValueError("AUC needs both classes among the labels")
    rank_sum = labels @ rankdata(scores)
    return (rank_sum - n_ones * (n_ones + 1) / 2) / (n_ones * n_zeros)


def top_mean(aucs: Sequence[float] | np.ndarray, n_top: int = 50) -> float | np.ndarray:
    """Mean over the ``n_top`` most exposed targets (last axis), the paper's headline; over all where there are fewer.

    Picking the largest of noisy values biases upward: compare with `top_mean_null`, never with one half.
    """
    return np.sort(aucs, axis=-1)[..., -n_top:].mean(axis=-1)


def top_mean_null(
    results: Sequence[AttackResult], rng: np.random.Generator, n_top: int = 50, n_permutations: int = 1000
) -> np.ndarray:
    """Top mean of the same targets if the scores told nothing: `top_mean` under permuted labels.

    Parameters
    ----------
    results : sequence of AttackResult
        One a target.
    rng : numpy.random.Generator
        Permutes the labels of each target on its own.
    n_top : int
        Targets averaged.
    n_permutations : int
        Draws of the null distribution.

    Returns
    -------
    ndarray, (n_permutations,)
        Draws of the top mean; its mean lies above one half by the bias of the selection.
    """
    aucs = [
        mann_whitney_auc(result.scores, rng.permuted(np.tile(result.labels, (n_permutations, 1)), axis=1))
        for result in results
    ]
    return top_mean(np.stack(aucs, axis=1), n_top)
