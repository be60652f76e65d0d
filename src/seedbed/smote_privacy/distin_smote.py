"""DistinSMOTE: tell the real rows of a SMOTE-augmented minority from the synthetic ones (section 5.1, Theorem 1).

A synthetic row lies strictly between two real rows, and both are in the table. A real row lies between no two rows,
unless three real rows are collinear or by a coincidence of measure zero. So the rows that lie between no two others
are the real ones. The authors peel rows off, from the convex hull inwards; the criterion itself needs no order and no
hull, and is what is implemented here (their procedure is in `published`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from seedbed.smote_privacy.collinearity import (
    FIRST_NEIGHBOURS,
    collinear_triples,
    conditioned,
    middle_row,
    nearest_lists,
)
from seedbed.smote_privacy.scoring import match_scores
from seedbed.smote_privacy.smote import Oversampled


def distin_smote(
    X_minority: np.ndarray,
    k: int = 5,
    ratio: float | None = None,
    neighbors: Literal["auto"] | int | None = "auto",
    tol: float = 1e-9,
) -> np.ndarray:
    """Find the real rows of a minority class that SMOTE has augmented.

    Parameters
    ----------
    X_minority : ndarray, (n, d)
        Real and synthetic rows in any order, d of at least 2, columns of similar range (scale them if they are not).
        Exact duplicates are judged as one row.
    k : int
        Neighbours of SMOTE; sizes the lists of ``neighbors="auto"``.
    ratio : float, optional
        Rows of the augmented minority per real row; sizes the lists of ``neighbors="auto"``.
    neighbors : "auto", int or None
        None compares all rows with all, which is exact. A number looks for three collinear rows only among each row's
        ``neighbors`` nearest, as published; "auto" takes the authors' ``floor(2.5 k ratio) + 1``, and compares all
        where no ``ratio`` is given.
    tol : float
        A row is between two others if it is nearer to their segment than ``tol`` times its length. The default suits
        rows that were written in float64; rows with noise or rounding of size e need about 10 e.

    Returns
    -------
    ndarray of bool, (n,)
        True for the rows deemed real.

    Raises
    ------
    ValueError
        If the rows are not finite, lie on one line (as with d = 1), or a setting is out of range.
    """
    n_neighbours = _list_length(k, ratio, neighbors)
    table = conditioned(X_minority, tol)
    rows, everyone = table.rows, np.arange(len(table.rows))
    is_real = np.ones(len(rows), dtype=bool)
    if len(rows) < 3:
        return is_real[table.of_row]

    nearest = nearest_lists(rows, everyone, min(n_neighbours, FIRST_NEIGHBOURS))
    is_real[collinear_triples(rows, everyone, nearest, tol, between=True, first=True)[:, 0]] = False
    undecided = everyone[is_real]
    if n_neighbours >= len(rows) - 1:
        triples = collinear_triples(rows, undecided, everyone, tol, between=True, first=True)
    else:  # a row near one end of its edge sees the other end too seldom; but the other end may see both
        nearest = nearest_lists(rows, undecided, n_neighbours)
        triples = collinear_triples(rows, undecided, nearest, tol, between=False, first=False)
    is_real[middle_row(rows, triples)] = False
    return is_real[table.of_row]


def _list_length(k: int, ratio: float | None, neighbors: Literal["auto"] | int | None) -> float:
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if ratio is not None and ratio < 1:
        raise ValueError(f"ratio counts the real rows too, so it is at least 1, got {ratio}")
    if neighbors == "auto":
        return math.inf if ratio is None else math.floor(2.5 * k * ratio) + 1
    if neighbors is None:
        return math.inf
    if not isinstance(neighbors, int) or neighbors < 2:
        raise ValueError(f"neighbors must be 'auto', None or an integer of at least 2, got {neighbors!r}")
    return neighbors


@dataclass
class DistinSMOTE:
    """`distin_smote` with the interface of a scikit-learn outlier detector.

    Parameters
    ----------
    k, ratio, neighbors, tol
        As in `distin_smote`.

    Attributes
    ----------
    is_real_ : ndarray of bool, (n,)
        Rows deemed real, after `fit`.
    """

    k: int = 5
    ratio: float | None = None
    neighbors: Literal["auto"] | int | None = "auto"
    tol: float = 1e-9

    def fit(self, X: np.ndarray, y: None = None) -> DistinSMOTE:
        """Judge the rows of ``X`` (n, d)."""
        self.is_real_ = distin_smote(X, self.k, self.ratio, self.neighbors, self.tol)
        return self

    def fit_predict(self, X: np.ndarray, y: None = None) -> np.ndarray:
        """Judge the rows of ``X`` (n, d) and return the mask of those deemed real."""
        return self.fit(X).is_real_


def measure(
    sample: Oversampled,
    rng: np.random.Generator,
    neighbors: Literal["auto"] | int | None = None,
    tol: float = 1e-9,
) -> dict[str, float]:
    """Attack the augmented minority of ``sample``: precision and recall of *real*, and the number of distinct outputs.

    The attack gets shuffled rows, k and the ratio; precision is left out where the attack names no row.
    """
    rows, _ = sample.augmented_minority(rng)
    named = np.unique(rows[distin_smote(rows, sample.k, 1 + sample.ratio, neighbors, tol)], axis=0)
    scores = match_scores(named, sample.real, atol=0)
    values = {"recall": scores["recall"], "n_out": float(len(named))}
    return values | ({"precision": scores["precision"]} if len(named) else {})
