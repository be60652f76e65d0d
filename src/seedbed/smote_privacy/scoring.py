"""Scores of an attack's output against the real records (section 5)."""

from __future__ import annotations

from typing import TypedDict

import numpy as np


class MatchScores(TypedDict):
    """Precision, recall and F1 of a set of claimed records."""

    precision: float
    recall: float
    f1: float


def match_scores(reconstructed: np.ndarray, real: np.ndarray, atol: float = 1e-9) -> MatchScores:
    """Compare the rows that an attack calls real with those that are.

    Both sides are sets: real rows count once however often they occur, and outputs within ``atol`` of one another are
    one output. Recall counts real rows found and not outputs, so it cannot exceed 1 (the released scorer can).

    Parameters
    ----------
    reconstructed : ndarray, (m, d)
        Output of an attack.
    real : ndarray, (n, d)
        Real rows.
    atol : float
        Largest difference in any coordinate of a match; 0 for exact equality.

    Returns
    -------
    dict
        ``precision``: share of outputs that match a real row; NaN where there is no output, for then it is undefined
        (the authors record 0). ``recall``: share of distinct real rows that an output matches. ``f1``: their harmonic
        mean; 0 where nothing matches.

    Raises
    ------
    ValueError
        If there is no real row, or the columns differ.
    """
    from scipy.spatial import KDTree

    reconstructed, real = np.asarray(reconstructed, dtype=np.float64), np.unique(real, axis=0)
    if not len(real):
        raise ValueError("no real rows to match")
    if reconstructed.ndim != 2 or reconstructed.shape[1] != real.shape[1]:
        raise ValueError(f"outputs of shape {reconstructed.shape} cannot match real rows of {real.shape[1]} columns")
    if not len(reconstructed):
        return MatchScores(precision=float("nan"), recall=0.0, f1=0.0)
    outputs = merge_close(reconstructed, atol)
    is_match = KDTree(real).query(outputs, p=np.inf)[0] <= atol
    is_found = KDTree(outputs).query(real, p=np.inf)[0] <= atol
    precision, recall = float(is_match.mean()), float(is_found.mean())
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return MatchScores(precision=precision, recall=recall, f1=f1)


def merge_close(points: np.ndarray, atol: float) -> np.ndarray:
    """One point (the first) of each group of ``points`` (n, d) that are within ``atol`` in every coordinate."""
    return points[np.unique(group_close(points, atol), return_index=True)[1]]


def group_close(points: np.ndarray, atol: float) -> np.ndarray:
    """Group number (n,) of each point; points within ``atol`` in every coordinate share one, and so do chains."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import KDTree

    close = KDTree(points).query_pairs(atol, p=np.inf, output_type="ndarray")
    links = coo_array((np.ones(len(close), dtype=bool), (close[:, 0], close[:, 1])), shape=(len(points),) * 2)
    return connected_components(links, directed=False)[1]
