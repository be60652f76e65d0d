"""A release of half the minority: the other half is the control that the distance-based privacy metrics need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from seedbed.smote_privacy.smote import oversample


@dataclass(frozen=True)
class HeldOutRelease:
    """Rows that SMOTE saw, rows that it did not see, and what it made.

    Attributes
    ----------
    train : ndarray, (n_train, d)
        Minority rows given to SMOTE.
    holdout : ndarray, (n_holdout, d)
        Minority rows kept from it; as many as ``train``, or one more.
    synthetic : ndarray, (n_synthetic, d)
        The released rows.
    """

    train: np.ndarray
    holdout: np.ndarray
    synthetic: np.ndarray


def release_half(minority: np.ndarray, n_synthetic: int, k: int, rng: np.random.Generator) -> HeldOutRelease:
    """Oversample a random half of the minority and hold out the rest.

    The authors split the whole data set in two, stratified by class, and balance the training part; so the half gets
    half of the synthetic rows, and the ratio of synthetic to real rows stays that of the whole data set.

    Parameters
    ----------
    minority : ndarray, (n_minority, d)
        Real minority rows, scaled.
    n_synthetic : int
        Synthetic rows that the *whole* minority would get (majority minus minority rows); the half gets half of them.
    k : int
        Neighbours of SMOTE.
    rng : numpy.random.Generator
        Source of all randomness.

    Returns
    -------
    HeldOutRelease

    Raises
    ------
    ValueError
        If the half has no more rows than SMOTE needs neighbours.
    """
    n_train = len(minority) // 2
    if n_train <= k:
        raise ValueError(f"half of {len(minority)} minority rows is {n_train}, SMOTE with k={k} needs more than {k}")
    order = rng.permutation(len(minority))
    train = minority[order[:n_train]]
    synthetic = oversample(train, n_synthetic // 2, k, rng).synthetic
    return HeldOutRelease(train, minority[order[n_train:]], synthetic)
