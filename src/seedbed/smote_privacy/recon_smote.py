"""ReconSMOTE: reconstruct real rows from synthetic ones alone (section 5.2, Theorem 2).

Synthetic rows of one edge of the neighbour graph lie on a line; a real row is where its edges meet. So:

1. *Lines*: find all sets of three or more collinear rows; a row belongs to the line that has most rows.
2. *Crossings*: find where two lines meet. The real row is at the end of an edge, so a crossing counts only for lines
   that have all their rows on one side of it.
3. *Vote*: return the points at which at least three lines meet; points of two lines are kept as candidates.

The authors look for lines among nearest neighbours and for crossings among nearby lines. Here all crossings of all
lines are tested, by their closed form, and lines are found among all rows unless a ``ratio`` asks for their neighbour
lists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, overload

import numpy as np

from seedbed.smote_privacy.collinearity import (
    CELLS_AT_ONCE,
    FIRST_NEIGHBOURS,
    ROUNDING,
    are_collinear,
    collinear_triples,
    conditioned,
    diameter,
    nearest_lists,
)
from seedbed.smote_privacy.scoring import group_close, match_scores
from seedbed.smote_privacy.smote import Oversampled

ROWS_A_LINE = 3
"""Rows that make a line: any two are collinear."""

PARALLEL = 1e-12
"""Squared sine below which two lines count as parallel."""


@dataclass(frozen=True)
class ReconDetails:
    """What ReconSMOTE saw on the way.

    Attributes
    ----------
    line_of_row : ndarray of int, (n,)
        Line on which each given row lies; -1 for none.
    multiplicity : ndarray of int, (n,)
        Lines through each row before it was given to the one with most rows; more than 1 is an accident.
    n_lines : int
        Lines found.
    votes : ndarray of int, (n_points,)
        Lines that end at each returned point.
    candidates : ndarray, (n_candidates, d)
        Points at which two lines or more end, but fewer than ``min_lines``.
    inner_crossings : ndarray, (n_crossings, d)
        Points at which ``min_lines`` lines or more meet, not enough of which end there: diagonals of a cube cross in
        its centre, which is no record. Published ReconSMOTE would return them.
    """

    line_of_row: np.ndarray
    multiplicity: np.ndarray
    n_lines: int
    votes: np.ndarray
    candidates: np.ndarray
    inner_crossings: np.ndarray


@overload
def recon_smote(
    X_syn: np.ndarray,
    k: int = ...,
    ratio: float | None = ...,
    min_lines: int = ...,
    tol: float = ...,
    return_lines: Literal[False] = ...,
) -> np.ndarray: ...


@overload
def recon_smote(
    X_syn: np.ndarray,
    k: int = ...,
    ratio: float | None = ...,
    min_lines: int = ...,
    tol: float = ...,
    *,
    return_lines: Literal[True],
) -> tuple[np.ndarray, ReconDetails]: ...


def recon_smote(
    X_syn: np.ndarray,
    k: int = 5,
    ratio: float | None = None,
    min_lines: int = 3,
    tol: float = 1e-9,
    return_lines: bool = False,
) -> np.ndarray | tuple[np.ndarray, ReconDetails]:
    """Reconstruct real minority rows from the rows that SMOTE made of them.

    Parameters
    ----------
    X_syn : ndarray, (n, d)
        Synthetic rows in any order, d of at least 2, columns of similar range (scale them if they are not).
    k : int
        Neighbours of SMOTE; sizes the neighbour lists where a ``ratio`` is given.
    ratio : float, optional
        Synthetic rows per real row. With it lines are looked for among the authors' ``floor(2 k ratio) + 1`` nearest
        neighbours of each row; without it among all rows.
    min_lines : int
        Lines that must end at a point. The authors count pairs of lines: their 3 pairs are three lines, and so are, but
        for lines missed, their 2 pairs for k = 2. In three dimensions and more two lines do not meet by chance.
    tol : float
        Largest distance of a row from its line, relative to the line's length; and of two lines that meet, and of the
        points at which several do, relative to the size of the data.
    return_lines : bool
        Whether to return `ReconDetails` too.

    Returns
    -------
    points : ndarray, (n_points, d)
        Reconstructed rows.
    details : ReconDetails
        If ``return_lines``.

    Raises
    ------
    ValueError
        If the rows are not finite, lie on one line (as with d = 1), or a setting is out of range.
    """
    if min_lines < 2:
        raise ValueError(f"min_lines must be at least 2 (one line does not fix a point), got {min_lines}")
    if k < 1 or (ratio is not None and ratio <= 0):
        raise ValueError(f"k must be at least 1 and ratio positive, got k={k}, ratio={ratio}")
    table = conditioned(X_syn, tol)
    n_neighbours = len(X_syn) if ratio is None else math.floor(2 * k * ratio) + 1
    lines, multiplicity = find_lines(table.rows, n_neighbours, tol)
    line_of_row = np.full(len(table.rows), -1)
    for number, line in enumerate(lines):
        line_of_row[line] = number
    points, votes, n_meeting = find_crossings(table.rows, lines, tol)
    is_real, is_inner = votes >= min_lines, (votes < min_lines) & (n_meeting >= min_lines)
    reconstructed = table.restore(points[is_real])
    if not return_lines:
        return reconstructed
    return reconstructed, ReconDetails(
        line_of_row=line_of_row[table.of_row],
        multiplicity=multiplicity[table.of_row],
        n_lines=len(lines),
        votes=votes[is_real],
        candidates=table.restore(points[~is_real & ~is_inner & (votes >= 2)]),
        inner_crossings=table.restore(points[is_inner]),
    )


# --- lines --------------------------------------------------------------------------------------------------------


def find_lines(rows: np.ndarray, n_neighbours: int, tol: float) -> tuple[list[np.ndarray], np.ndarray]:
    """Find sets of three or more collinear rows.

    One triple of a line is enough to find all its rows. Triples are looked for among a few nearest neighbours first,
    and then among ``n_neighbours`` for the rows that are still on no line.

    Parameters
    ----------
    rows : ndarray, (n, d)
        Conditioned, distinct rows.
    n_neighbours : int
        Length of the neighbour lists.
    tol : float
        Relative tolerance of a line.

    Returns
    -------
    lines : list of ndarray of int
        Row numbers of each line, largest line first, no row on two lines.
    multiplicity : ndarray of int, (n,)
        Lines that each row was found on.
    """
    lines_of: list[set[int]] = [set() for _ in rows]
    found: list[np.ndarray] = []
    for length in sorted({min(FIRST_NEIGHBOURS, n_neighbours), n_neighbours}) if len(rows) >= ROWS_A_LINE else []:
        free = np.array([row for row, lines in enumerate(lines_of) if not lines], dtype=int)
        whole = length >= len(rows) - 1
        others = np.arange(len(rows)) if whole else nearest_lists(rows, free, length)
        triples = collinear_triples(rows, free, others, tol, between=False, first=True)
        _grow(rows, triples, tol, found, lines_of)
    return _settle(found, len(rows)), np.array([len(lines) for lines in lines_of])


def _grow(rows: np.ndarray, triples: np.ndarray, tol: float, found: list[np.ndarray], lines_of: list[set[int]]) -> None:
    """Add to ``found`` the lines of the triples (m, 3), longest triple first, and to ``lines_of`` their numbers."""
    corners = rows[triples]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)  # side s joins corners s - 1 and s
    longest, pick = sides.argmax(axis=1), np.arange(len(triples))
    ends = np.stack([triples[pick, longest - 1], triples[pick, longest]], axis=1)
    shadow = rows @ _orthonormal_pair(rows.shape[1])
    for number in np.argsort(-sides.max(axis=1), kind="stable"):
        if not set.intersection(*(lines_of[row] for row in triples[number])):
            line = _rows_in_line(rows, shadow, *ends[number], tol)
            line = _rows_in_line(rows, shadow, *_outermost(rows, line), tol)  # a longer base line errs less
            for row in line:
                lines_of[row].add(len(found))
            found.append(line)


def _orthonormal_pair(d: int) -> np.ndarray:
    """Two fixed random orthonormal directions, (d, 2)."""
    return np.linalg.qr(np.random.default_rng(0).standard_normal((d, 2)))[0]


def _rows_in_line(rows: np.ndarray, shadow: np.ndarray, p: int, q: int, tol: float) -> np.ndarray:
    """Numbers of the rows collinear with rows ``p`` and ``q``; ``shadow`` (n, 2) rules most others out."""
    base = np.linalg.norm(rows[q] - rows[p])
    along, offset = shadow[q] - shadow[p], shadow - shadow[p]
    reach = (2 * tol * diameter(rows) + ROUNDING) * diameter(rows) / base
    near = np.flatnonzero(np.abs(offset[:, 0] * along[1] - offset[:, 1] * along[0]) <= reach * np.linalg.norm(along))
    return near[are_collinear(rows[near], rows[p], rows[q], tol)]


def _outermost(rows: np.ndarray, line: np.ndarray) -> tuple[int, int]:
    """The two rows of a line that are farthest apart."""
    first = line[np.linalg.norm(rows[line] - rows[line[0]], axis=1).argmax()]
    return first, line[np.linalg.norm(rows[line] - rows[first], axis=1).argmax()]


def _settle(found: list[np.ndarray], n_rows: int) -> list[np.ndarray]:
    """Give each row to the largest of its lines, and drop lines that are left with too few rows."""
    taken, lines = np.zeros(n_rows, dtype=bool), []
    for line in sorted(found, key=len, reverse=True):
        own = line[~taken[line]]
        if len(own) >= ROWS_A_LINE:
            taken[own] = True
            lines.append(own)
    return lines


# --- crossings ----------------------------------------------------------------------------------------------------


def find_crossings(rows: np.ndarray, lines: list[np.ndarray], tol: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points where lines meet, and how many.

    Parameters
    ----------
    rows : ndarray, (n, d)
        Conditioned rows.
    lines : list of ndarray of int
        Row numbers of each line.
    tol : float
        Tolerance, relative to the size of the data.

    Returns
    -------
    points : ndarray, (m, d)
        Points where two lines or more meet.
    n_ending : ndarray of int, (m,)
        Lines that have all their rows on one side of the point.
    n_meeting : ndarray of int, (m,)
        Lines through the point.
    """
    reach = tol * diameter(rows)
    if len(lines) < 2:
        none = np.zeros(0, dtype=int)
        return np.empty((0, rows.shape[1])), none, none
    ends = rows[[_outermost(rows, line) for line in lines]]
    start, span = ends[:, 0], np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    direction = (ends[:, 1] - ends[:, 0]) / span[:, None]
    one, other, at_one, at_other, sine2 = _meeting_pairs(start, direction, reach)
    places = np.concatenate(
        [start[one] + at_one[:, None] * direction[one], start[other] + at_other[:, None] * direction[other]]
    )
    line, at = np.concatenate([one, other]), np.concatenate([at_one, at_other])
    ends_there = (at <= reach) | (at >= span[line] - reach)

    group = group_close(places, reach)
    sharpest_first = np.lexsort([-np.tile(sine2, 2), group])
    best = sharpest_first[np.unique(group[sharpest_first], return_index=True)[1]]
    return places[best], _lines_of(group[ends_there], line[ends_there], len(best)), _lines_of(group, line, len(best))


def _meeting_pairs(
    start: np.ndarray, direction: np.ndarray, reach: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of lines that come within ``reach`` of one another.

    With unit directions v, w and c = v·w, the closest points of the lines are a along the first and b along the second,
    for s the vector between the starts: a = (s·v - c s·w) / (1 - c²), b = (c s·v - s·w) / (1 - c²).

    Returns
    -------
    one, other : ndarray of int, (m,)
        The two lines.
    at_one, at_other : ndarray, (m,)
        Where along them they meet, from their starts.
    sine2 : ndarray, (m,)
        Squared sine of their angle.
    """
    from scipy.spatial.distance import cdist

    n_lines = len(start)
    start_on = start @ direction.T  # [i, j]: start of line i along direction j
    own = start_on.diagonal()
    found = []
    step = max(1, CELLS_AT_ONCE // (4 * n_lines))
    for low in range(0, n_lines, step):
        block = slice(low, low + step)
        c = direction[block] @ direction.T
        sine2 = 1 - c**2
        sine2[sine2 <= PARALLEL] = np.nan  # compares as false below
        s_on_one = start_on[:, block].T - own[block, None]
        s_on_other = own - start_on[block]
        a = (s_on_one - c * s_on_other) / sine2
        b = (c * s_on_one - s_on_other) / sine2
        apart2 = (
            cdist(start[block], start, "sqeuclidean") + a**2 + b**2 - 2 * (a * s_on_one - b * s_on_other + a * b * c)
        )
        may_meet = apart2 <= reach**2 + ROUNDING * 100 * (1 + a**2 + b**2)
        one, other = np.nonzero(np.triu(may_meet, k=1 + low))
        found.append((one + low, other, a[one, other], b[one, other], sine2[one, other]))
    one, other, a, b, sine2 = (np.concatenate(column) for column in zip(*found, strict=True))
    apart = start[one] + a[:, None] * direction[one] - start[other] - b[:, None] * direction[other]
    meets = np.linalg.norm(apart, axis=1) <= reach
    return one[meets], other[meets], a[meets], b[meets], sine2[meets]


def _lines_of(group: np.ndarray, line: np.ndarray, n_groups: int) -> np.ndarray:
    """Number of distinct lines in each group."""
    return np.bincount(np.unique(np.stack([group, line], axis=1), axis=0)[:, 0], minlength=n_groups)


@dataclass
class ReconSMOTE:
    """`recon_smote` with the interface of a scikit-learn estimator.

    Parameters
    ----------
    k, ratio, min_lines, tol
        As in `recon_smote`.

    Attributes
    ----------
    points_ : ndarray, (n_points, d)
        Reconstructed rows, after `fit`.
    details_ : ReconDetails
        Lines, votes and candidates, after `fit`.
    """

    k: int = 5
    ratio: float | None = None
    min_lines: int = 3
    tol: float = 1e-9

    def fit(self, X: np.ndarray, y: None = None) -> ReconSMOTE:
        """Reconstruct rows from the synthetic rows ``X`` (n, d)."""
        self.points_, self.details_ = recon_smote(X, self.k, self.ratio, self.min_lines, self.tol, return_lines=True)
        return self


def measure(sample: Oversampled, rng: np.random.Generator, min_lines: int = 3, tol: float = 1e-9) -> dict[str, float]:
    """Attack the synthetic rows of ``sample`` alone.

    An output matches a real row within 1e-9 in every coordinate, or within ``tol`` where that is more.

    Returns
    -------
    dict
        ``recall`` and ``precision``; the same with candidates taken for outputs as ``recall_two_lines`` and
        ``precision_two_lines``; ``n_out``, ``n_candidates``, ``n_lines``; ``n_false``, outputs that are no real row;
        ``n_inner``, inner crossings, which are not output. A precision is left out where there is no output.
    """
    points, details = recon_smote(
        rng.permutation(sample.synthetic), sample.k, min_lines=min_lines, tol=tol, return_lines=True
    )
    atol = max(tol, 1e-9)
    scores = match_scores(points, sample.real, atol)
    with_candidates = match_scores(np.concatenate([points, details.candidates]), sample.real, atol)
    values = {
        "recall": scores["recall"],
        "recall_two_lines": with_candidates["recall"],
        "n_out": len(points),
        "n_candidates": len(details.candidates),
        "n_lines": details.n_lines,
        "n_false": round((1 - scores["precision"]) * len(points)) if len(points) else 0,
        "n_inner": len(details.inner_crossings),
        "precision": scores["precision"],
        "precision_two_lines": with_candidates["precision"],
    }
    return {name: value for name, value in values.items() if not math.isnan(value)}
