"""Three rows on one line: the geometric primitive of both attacks.

All tests are *residual* tests: three rows are collinear if the middle one lies no farther from the line through the
outer two than ``tol`` times their distance. A test on the cosine, as published, loses half of the digits: 1 - cos <
1e-12 is an angle below 1.4e-6, which in two dimensions makes dozens of false lines among two thousand rows.

Collinear rows are found by sorting and not by trying pairs. Seen from a row c, each other row x has the direction
``(x - c) / |x - c|``; its projection on a fixed random vector is equal for two rows in the same direction and
opposite for two rows on either side of c. So the candidates are neighbours in the order of the absolute projections:
O(n log n) a centre in place of O(n^2).

Collinearity survives any invertible affine map, but a tolerance does not: it is relative to the columns of widest
range, so columns should be scaled alike, as the paper's are. Attacks work on `conditioned` rows, which leaves their
shape alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

CELLS_AT_ONCE = 2_000_000
"""Float64 cells of the largest temporary array: 16 MB, whatever the number of rows."""

FIRST_NEIGHBOURS = 32
"""Neighbours that an attack tries first: most synthetic rows have two rows of their line among them, and are done."""

ROUNDING = 1e-15
"""Rounding error of a coordinate of conditioned rows, with room for the difference of two."""


@dataclass(frozen=True)
class Conditioned:
    """Distinct rows within [-1, 1].

    Attributes
    ----------
    rows : ndarray, (n_distinct, d)
        Rows without exact duplicates, shifted and divided by one number, so that the widest column fills [-1, 1].
    of_row : ndarray of int, (n,)
        For each given row its place in ``rows``.
    """

    rows: np.ndarray
    of_row: np.ndarray
    _centre: np.ndarray
    _half_range: float

    def restore(self, points: np.ndarray) -> np.ndarray:
        """Points (m, d) in the coordinates of the given rows."""
        return points * self._half_range + self._centre


def conditioned(X: np.ndarray, tol: float) -> Conditioned:
    """Merge exact duplicates of the rows ``X`` (n, d) and bring them to [-1, 1].

    Raises
    ------
    ValueError
        If ``X`` is no finite matrix, or if three rows or more lie, within ``tol``, all on one line: then nearly every
        row is between others and neither attack can tell anything. So it is with one column, with columns that are
        multiples of one another, and with one column whose range dwarfs all others.
    """
    X = np.asarray(X, dtype=np.float64)
    if tol <= 0:
        raise ValueError(f"tol must be positive, got {tol}")
    if X.ndim != 2 or not len(X):
        raise ValueError(f"rows must be a matrix (n, d) with at least one row, got shape {X.shape}")
    if not np.isfinite(X).all():
        raise ValueError("rows must be finite; found NaN or infinity")
    distinct, of_row = np.unique(X, axis=0, return_inverse=True)
    low, high = distinct.min(axis=0), distinct.max(axis=0)
    centre, half_range = (low + high) / 2, float((high - low).max()) / 2 or 1.0
    rows = (distinct - centre) / half_range
    if X.shape[1] == 1 or (len(rows) > 2 and _on_one_line(rows, tol)):
        raise ValueError(
            f"all {len(rows)} distinct rows of {X.shape[1]} columns lie on one line: the attacks need rows that span "
            "two dimensions or more, in columns of similar range"
        )
    return Conditioned(rows, of_row.ravel(), centre, half_range)


def _on_one_line(rows: np.ndarray, tol: float) -> bool:
    far = rows[np.argmax(np.linalg.norm(rows - rows[0], axis=1))]
    return bool((line_residual(rows, rows[0], far)[0] <= max(tol, 100 * ROUNDING)).all())


def line_residual(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distance of ``points`` (..., d) from the line through ``start`` and ``end``, and where along it they project.

    Returns
    -------
    residual : ndarray, (...)
        Distance from the line.
    position : ndarray, (...)
        0 at ``start``, 1 at ``end``.
    """
    along, offset = end - start, points - start
    position = np.einsum("...i,...i->...", offset, along) / np.einsum("...i,...i->...", along, along)
    return np.linalg.norm(offset - position[..., None] * along, axis=-1), position


def lies_between(points: np.ndarray, start: np.ndarray, end: np.ndarray, tol: float) -> np.ndarray:
    """Whether ``points`` (..., d) lie strictly inside segments, no farther off than ``tol`` times their length."""
    residual, position = line_residual(points, start, end)
    return (residual <= tol * np.linalg.norm(end - start, axis=-1)) & (position > 0) & (position < 1)


def are_collinear(x: np.ndarray, y: np.ndarray, z: np.ndarray, tol: float) -> np.ndarray:
    """Whether three points (..., d) lie on one line, in any order, within ``tol`` times the longest side."""
    corners = np.stack(np.broadcast_arrays(x, y, z))
    sides = _opposite_sides(corners)
    middle = sides.argmax(axis=0)
    turned = [np.take_along_axis(corners, ((middle + turn) % 3)[None, ..., None], axis=0)[0] for turn in range(3)]
    return line_residual(*turned)[0] <= tol * sides.max(axis=0)


def _opposite_sides(corners: np.ndarray) -> np.ndarray:
    """Lengths (3, ...) of the sides opposite to each of three corners (3, ..., d)."""
    return np.linalg.norm(np.roll(corners, -1, axis=0) - np.roll(corners, 1, axis=0), axis=-1)


def diameter(rows: np.ndarray) -> float:
    """Largest distance that conditioned rows (n, d), which lie in [-1, 1]^d, can have."""
    return 2 * math.sqrt(rows.shape[1])


def nearest_lists(rows: np.ndarray, centres: np.ndarray, length: int) -> np.ndarray:
    """Row numbers of the ``length`` nearest other rows of each centre, or of all where there are fewer: (m, length)."""
    from scipy.spatial import KDTree

    length = min(length, len(rows) - 1)
    return KDTree(rows).query(rows[centres], length + 1)[1][:, 1:]  # rows are distinct: the first is the centre


def middle_row(X: np.ndarray, triples: np.ndarray) -> np.ndarray:
    """Which row of each collinear triple (m, 3) of rows of ``X`` lies between the other two, (m,)."""
    return np.take_along_axis(triples, _opposite_sides(X[triples.T]).argmax(axis=0)[:, None], axis=1)[:, 0]


def collinear_triples(
    X: np.ndarray, centres: np.ndarray, others: np.ndarray, tol: float, *, between: bool, first: bool
) -> np.ndarray:
    """Triples of rows on one line, each of a centre and two others.

    Parameters
    ----------
    X : ndarray, (n, d)
        Conditioned, distinct rows.
    centres : ndarray of int, (m,)
        Rows to look from.
    others : ndarray of int, (m, K) or (p,)
        Rows to look at: a list for each centre, or one for all. A centre in its own list is passed over.
    tol : float
        Largest distance of the middle row from the line of the outer two, relative to their distance.
    between : bool
        Only triples whose centre is in the middle.
    first : bool
        Leave a centre as soon as it has a triple (or a few).

    Returns
    -------
    ndarray of int, (n_triples, 3)
        Row numbers: centre and the two others.
    """
    directions = np.random.default_rng(0).standard_normal((X.shape[1], 2))
    shadow = X @ (directions / np.linalg.norm(directions, axis=0))
    step = max(1, CELLS_AT_ONCE // (others.shape[-1] * (X.shape[1] if others.ndim == 2 else 4)))
    found = [np.empty((0, 3), dtype=np.intp)]
    for start in range(0, len(centres), step):
        block = slice(start, start + step)
        view = _View.of(X, shadow, centres[block], others[block] if others.ndim == 2 else others, tol)
        found.extend(view.triples(X, tol, between=between, first=first))
    return np.concatenate(found)


@dataclass(frozen=True)
class _View:
    """What each centre of a block sees: the other rows, in the order of their absolute projections; arrays (b, K).

    ``width`` bounds by how much the projection of a row can differ from that of a row in line with it. The middle row
    of a triple may be off by ``tol`` times the longest side; seen from an end that is an angle that grows as the
    middle row comes nearer, hence the width of a row at distance a is ``tol (1 + diameter / a)``, and rounding
    likewise.
    """

    centres: np.ndarray
    row: np.ndarray
    projection: np.ndarray
    second: np.ndarray
    width: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, shadow: np.ndarray, centres: np.ndarray, others: np.ndarray, tol: float) -> _View:
        from scipy.spatial.distance import cdist

        if others.ndim == 2:
            distance = np.linalg.norm(X[others] - X[centres, None], axis=2)
        else:
            distance = cdist(X[centres], X[others])
        offset = [column[others] - column[centres, None] for column in shadow.T]
        with np.errstate(divide="ignore", invalid="ignore"):
            projection, second = (column / distance for column in offset)
            width = tol + (tol * diameter(X) + ROUNDING) / distance
        projection[distance == 0], width[distance == 0] = np.inf, 0  # the centre itself comes last
        order = np.argsort(np.abs(projection), axis=1)
        row = np.take_along_axis(others, order, axis=1) if others.ndim == 2 else others[order]
        order += np.arange(len(centres))[:, None] * order.shape[1]  # `take` of flat indices is the faster one
        return cls(centres, row, *(np.take(cells, order) for cells in (projection, second, width)))

    def triples(self, X: np.ndarray, tol: float, *, between: bool, first: bool) -> Iterator[np.ndarray]:
        """Confirmed triples (·, 3).

        Each row looks up and down the order, step by step, as far as twice its own width: of two rows in line the one
        with the larger width meets the other.
        """
        height = np.abs(self.projection)
        with np.errstate(invalid="ignore"):
            gap = np.diff(height, axis=1, append=np.inf)
            upwards = np.nonzero(gap <= 2 * self.width)
            downwards = np.nonzero(gap[:, :-1] <= 2 * self.width[:, 1:])
        looking = {1: upwards, -1: (downwards[0], downwards[1] + 1)}
        left = np.zeros(len(self.centres), dtype=bool)
        step = 1
        while any(len(centre) for centre, _ in looking.values()):
            for sign, (centre, place) in looking.items():
                target = place + sign * step
                inside = (target >= 0) & (target < height.shape[1]) & ~left[centre]
                centre, place, target = centre[inside], place[inside], target[inside]
                near = np.abs(height[centre, target] - height[centre, place]) <= 2 * self.width[centre, place]
                centre, place, target = centre[near], place[near], target[near]
                looking[sign] = centre, place
                confirmed = self._in_line(X, centre, place, target, tol, between)
                centre, place, target = centre[confirmed], place[confirmed], target[confirmed]
                left[centre] = first
                yield np.stack([self.centres[centre], self.row[centre, place], self.row[centre, target]], axis=1)
            step += 1

    def _in_line(
        self, X: np.ndarray, centre: np.ndarray, p: np.ndarray, q: np.ndarray, tol: float, between: bool
    ) -> np.ndarray:
        """Which candidates (a centre, places p and q in its order) are collinear: by projections, then by residual."""
        slack = self.width[centre, p] + self.width[centre, q]
        cells = [(cells[centre, p], cells[centre, q]) for cells in (self.projection, self.second)]
        likely = np.logical_and.reduce([np.abs(one + other) <= slack for one, other in cells])
        if not between:
            likely |= np.logical_and.reduce([np.abs(one - other) <= slack for one, other in cells])
        likely = np.flatnonzero(likely)
        rows = self.centres[centre], self.row[centre, p], self.row[centre, q]
        test = lies_between if between else are_collinear
        confirmed = np.zeros(len(centre), dtype=bool)
        confirmed[likely] = test(*(X[row[likely]] for row in rows), tol)
        return confirmed
