"""The naive distinguisher: a random forest told to separate real from SMOTE rows (Table 1; notebook nb_10).

It is the baseline that DistinSMOTE is held against: it learns where rows lie, not how they lie on lines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seedbed.smote_privacy.smote import Oversampled, oversample


@dataclass(frozen=True)
class Distinction:
    """How well one forest found the real rows of the test half; real is the positive class.

    Attributes
    ----------
    precision : float
        Share of real rows among those called real; 0 where none is, as the authors record it.
    recall : float
        Share of the real rows that are called real.
    prevalence : float
        Share of real rows in the test half: the precision of guessing.
    n_called_real : int
        Test rows called real: tells a precision of 0 from an undefined one.
    """

    precision: float
    recall: float
    prevalence: float
    n_called_real: int


def _halves(rows: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Random training and test halves; the test half has the odd row."""
    order = rng.permutation(len(rows))
    return rows[order[: len(rows) // 2]], rows[order[len(rows) // 2 :]]


def real_vs_synthetic(sample: Oversampled, rng: np.random.Generator, n_splits: int = 5) -> list[Distinction]:
    """Train a default random forest on half of the real and half of the synthetic rows, and test it on the rest.

    Parameters
    ----------
    sample : Oversampled
        Real minority rows and the synthetic rows made from all of them.
    rng : numpy.random.Generator
        Splits the rows and seeds the forests.
    n_splits : int
        Fresh splits, each with its own forest; the authors take 5 for each of 5 SMOTE fits.

    Returns
    -------
    list of Distinction, one a split

    Raises
    ------
    ValueError
        If there are fewer than two real or two synthetic rows.
    """
    if min(len(sample.real), len(sample.synthetic)) < 2:
        raise ValueError(f"need two rows of each kind, got {len(sample.real)} real, {len(sample.synthetic)} synthetic")
    return [_distinguish(sample, rng) for _ in range(n_splits)]


def _distinguish(sample: Oversampled, rng: np.random.Generator) -> Distinction:
    """One split, one forest."""
    from sklearn.ensemble import RandomForestClassifier

    real_train, real_test = _halves(sample.real, rng)
    synthetic_train, synthetic_test = _halves(sample.synthetic, rng)
    is_real_train = np.arange(len(real_train) + len(synthetic_train)) < len(real_train)
    is_real_test = np.arange(len(real_test) + len(synthetic_test)) < len(real_test)

    forest = RandomForestClassifier(random_state=int(rng.integers(2**32)))
    forest.fit(np.concatenate([real_train, synthetic_train]), is_real_train)
    called_real = forest.predict(np.concatenate([real_test, synthetic_test]))

    n_called_real, n_found = int(called_real.sum()), int((called_real & is_real_test).sum())
    return Distinction(
        precision=n_found / n_called_real if n_called_real else 0.0,
        recall=n_found / len(real_test),
        prevalence=float(is_real_test.mean()),
        n_called_real=n_called_real,
    )


def measure(
    minority: np.ndarray, n_synthetic: int, rng: np.random.Generator, k: int = 5, n_splits: int = 3
) -> dict[str, float]:
    """Mean ``precision``, ``recall`` and ``prevalence`` over ``n_splits`` splits of one SMOTE fit of ``minority``."""
    results = real_vs_synthetic(oversample(minority, n_synthetic, k, rng), rng, n_splits)
    return {name: float(np.mean([getattr(r, name) for r in results])) for name in ("precision", "recall", "prevalence")}
