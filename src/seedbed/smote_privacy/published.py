"""The two attacks as the authors run them, for the speed race and as a check of ours (sections 5.1 and 5.2).

Both look at every pair of rows in every neighbour list, in Python, and test the cosine of their angle; how long the
lists must be depends on the data set. Same steps as the released code in our words; the attacks to use are
`distin_smote` and `recon_smote`.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

COSINE_TOLERANCE = 1e-12
"""Three rows are collinear if the cosine at one of them differs from ±1 by less."""

MEETING_TOLERANCE = {"rtol": 1e-5, "atol": 1e-12}
"""Two points coincide if all their coordinates are this close."""

MAX_SWEEPS = 10
"""Sweeps of the breadth-first search."""


def published_distin_smote(
    X_minority: np.ndarray,
    k: int,
    ratio: float,
    rng: np.random.Generator,
    multiplier: float = 2.5,
    use_hull: bool = True,
) -> np.ndarray:
    """DistinSMOTE as published: peel rows off, from the convex hull inwards.

    Parameters
    ----------
    X_minority : ndarray, (n, d)
        Real and synthetic rows.
    k : int
        Neighbours of SMOTE.
    ratio : float
        Rows of the augmented minority per real row.
    rng : numpy.random.Generator
        Draws the rows to begin with, a tenth of all, where no row is known to be real.
    multiplier : float
        Neighbour lists have ``floor(multiplier k ratio + 1)`` rows. The authors take 2.5, but 3 for abalone_19, 5 for
        solar_flare and 10 for abalone.
    use_hull : bool
        Whether to begin with the vertices of the hull, which are real.

    Returns
    -------
    ndarray of bool, (n,)
        True for the rows deemed real.
    """
    certain = set(hull_vertices(X_minority).tolist() if use_hull else [])
    lists = _neighbour_lists(X_minority, int(multiplier * k * ratio + 1))
    is_candidate = np.ones(len(X_minority), dtype=bool)
    sweep = sorted(certain) or rng.choice(len(X_minority), len(X_minority) // 10).tolist()
    for _ in range(MAX_SWEEPS):
        next_sweep: list[int] = []
        for centre in dict.fromkeys(sweep):
            if not is_candidate[centre]:
                continue
            neighbours = [row for row in lists[centre].tolist() if is_candidate[row] or row in certain]
            removed = _middle_rows(X_minority, centre, neighbours) - certain
            if removed:
                is_candidate[list(removed)] = False
                next_sweep.extend(row for row in neighbours if is_candidate[row] and row not in certain)
        sweep = next_sweep
    return is_candidate


def _middle_rows(X: np.ndarray, centre: int, neighbours: list[int]) -> set[int]:
    """Middle rows of all collinear triples of ``centre`` and two neighbours."""
    middle = set()
    for one, other in combinations(neighbours, 2):
        if _is_collinear(X[centre], X[one], X[other]):
            for row, start, end in ((other, centre, one), (one, other, centre), (centre, one, other)):
                if _is_between(X[row], X[start], X[end]):
                    middle.add(row)
                    break
    return middle


def published_recon_smote(X_syn: np.ndarray, k: int, ratio: float, min_pairs: int = 3) -> np.ndarray:
    """ReconSMOTE as published: lines in neighbour lists, least-squares crossings of nearby lines, a vote.

    Parameters
    ----------
    X_syn : ndarray, (n, d)
        Synthetic rows.
    k : int
        Neighbours of SMOTE.
    ratio : float
        Synthetic rows per real row.
    min_pairs : int
        Pairs of lines that must meet at a point: 3, which is three lines; 2 for k = 2.

    Returns
    -------
    ndarray, (n_points, d)
    """
    lines = _published_lines(X_syn, _neighbour_lists(X_syn, int(2 * k * ratio + 1)))
    if len(lines) < 2:
        return np.empty((0, X_syn.shape[1]))
    means = np.array([X_syn[line].mean(axis=0) for line in lines])
    directions = np.array([X_syn[line[0]] for line in lines]) - means
    points: list[np.ndarray] = []
    n_pairs: list[int] = []
    done = set()
    for one, nearby in enumerate(_neighbour_lists(means, 2 * k + 1).tolist()):
        for other in nearby:
            pair = (min(one, other), max(one, other))
            if pair in done:
                continue
            done.add(pair)
            point = _crossing(means[one], directions[one], means[other], directions[other])
            if point is None:
                continue
            same = np.flatnonzero(np.isclose(points, point, **MEETING_TOLERANCE).all(axis=1)) if points else []
            if len(same):
                n_pairs[same[0]] += 1
            else:
                points.append(point)
                n_pairs.append(1)
    kept = [point for point, n in zip(points, n_pairs, strict=True) if n >= min_pairs]
    return np.array(kept).reshape(-1, X_syn.shape[1])


def _published_lines(X: np.ndarray, lists: np.ndarray) -> list[list[int]]:
    """Lines of at least three rows; a row is on one line at most, and on none once its own list has shown none."""
    visited: set[int] = set()
    lines = []
    for centre in range(len(X)):
        if centre in visited:
            continue
        visited.add(centre)
        neighbours = [row for row in lists[centre].tolist() if row not in visited]
        for one, other in combinations(neighbours, 2):
            if _is_collinear(X[centre], X[one], X[other]):
                rest = [row for row in neighbours if row not in (one, other)]
                line = [centre, one, other, *(row for row in rest if _is_collinear(X[centre], X[one], X[row]))]
                visited.update(line)
                lines.append(line)
                break
    return lines


def _is_collinear(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> bool:
    """Whether the cosine of the angle at ``a`` is ±1; never where a side has no length."""
    ab, ac = b - a, c - a
    lengths = np.linalg.norm(ab) * np.linalg.norm(ac)
    return lengths > 0 and abs(abs(ab @ ac / lengths) - 1) < COSINE_TOLERANCE


def _is_between(a: np.ndarray, start: np.ndarray, end: np.ndarray) -> bool:
    """Whether the projection of ``a`` on a segment falls on it, its ends included."""
    along = end - start
    return -COSINE_TOLERANCE < (a - start) @ along / (along @ along) < 1 + COSINE_TOLERANCE


def _crossing(p: np.ndarray, v: np.ndarray, q: np.ndarray, w: np.ndarray) -> np.ndarray | None:
    """Where the lines ``p + a v`` and ``q + b w`` meet, by least squares; None where they do not."""
    a, b = np.linalg.lstsq(np.stack([v, -w], axis=1), q - p, rcond=None)[0]
    point = p + a * v
    return point if np.allclose(point, q + b * w, **MEETING_TOLERANCE) else None


def _neighbour_lists(X: np.ndarray, length: int) -> np.ndarray:
    """The ``length`` nearest rows of each row, less the nearest, which is itself."""
    from sklearn.neighbors import NearestNeighbors

    return NearestNeighbors(n_neighbors=min(length, len(X))).fit(X).kneighbors(X, return_distance=False)[:, 1:]


def hull_vertices(X: np.ndarray) -> np.ndarray:
    """Row numbers of the vertices of the convex hull, or `column_extremes` where Qhull finds none (0/1 columns)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return ConvexHull(X).vertices
    except QhullError:
        return column_extremes(X)


def column_extremes(X: np.ndarray) -> np.ndarray:
    """Row numbers of rows that alone have the least or the greatest value of some column."""
    extremes = [np.flatnonzero(column == value) for column in X.T for value in (column.min(), column.max())]
    return np.unique([rows[0] for rows in extremes if len(rows) == 1]).astype(int)
