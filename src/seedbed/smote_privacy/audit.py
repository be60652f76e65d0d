"""Audit a table before its release: was a class oversampled by SMOTE, and which real records does that expose?

::

    from seedbed.smote_privacy import audit_table
    report = audit_table(X, y)
    print(report)

Nothing has to be known about the table: which rows are synthetic, k and the ratio are all inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from seedbed.smote_privacy.collinearity import collinear_triples, conditioned
from seedbed.smote_privacy.datasets import scale
from seedbed.smote_privacy.distin_smote import distin_smote
from seedbed.smote_privacy.recon_smote import recon_smote
from seedbed.smote_privacy.scoring import match_scores

TIMES_CHANCE = 3
"""Interpolated rows are evidence when there are more than so many times those of shuffled columns, plus one."""


@dataclass(frozen=True)
class ClassAudit:
    """What the rows of one class give away.

    Attributes
    ----------
    label : object
        The class.
    n_rows : int
        Its rows.
    n_interpolated : int
        Rows that lie exactly between two others.
    n_by_chance : int
        As many do so when each column is shuffled on its own: on a coarse grid of values lines are no evidence.
    real_rows : ndarray of int
        Rows of the table that lie between no others: the real records if the class was oversampled, and their copies.
    n_records : int
        Distinct records among them.
    k : int or None
        Least number of neighbours that explains the interpolated rows, whether SMOTE was run on the columns as they
        are or scaled to the same range. None without evidence of SMOTE, and so is the next.
    n_reconstructed : int or None
        Records that follow from the synthetic rows alone.
    """

    label: object
    n_rows: int
    n_interpolated: int
    n_by_chance: int
    real_rows: np.ndarray
    n_records: int
    k: int | None = None
    n_reconstructed: int | None = None

    @property
    def ratio(self) -> float:
        """Interpolated rows per record."""
        return self.n_interpolated / self.n_records

    @property
    def is_oversampled(self) -> bool:
        """Whether there are clearly more interpolated rows than by chance."""
        return self.n_interpolated > TIMES_CHANCE * (self.n_by_chance + 1)

    def __str__(self) -> str:
        between = (
            f"{self.n_interpolated} of {self.n_rows} rows lie exactly between two others ({self.n_by_chance} by chance)"
        )
        if not self.is_oversampled:
            return f"class {self.label}: no evidence of SMOTE: {between}"
        share = self.n_reconstructed / self.n_records
        return (
            f"class {self.label}: oversampled by SMOTE: {between}\n"
            f"  {self.n_records} real records exposed; {self.ratio:.1f} synthetic rows for each, k = {self.k} or more\n"
            f"  {self.n_reconstructed} of them ({share:.0%}) follow from the synthetic rows alone"
        )


@dataclass(frozen=True)
class TableAudit:
    """Audit of all classes of a table.

    Attributes
    ----------
    classes : tuple of ClassAudit
        One a class, in the order of their labels.
    """

    classes: tuple[ClassAudit, ...]

    @property
    def is_oversampled(self) -> bool:
        """Whether any class was oversampled by SMOTE."""
        return any(audit.is_oversampled for audit in self.classes)

    def __str__(self) -> str:
        return "\n".join(map(str, self.classes))


def audit_table(X: np.ndarray, y: np.ndarray, tol: float = 1e-9, rng: np.random.Generator | None = None) -> TableAudit:
    """Look for SMOTE rows in every class of a table, and for what they give away.

    Parameters
    ----------
    X : ndarray, (n, d)
        Numeric columns, at least two, of any scale; leave out categorical codes that SMOTE did not interpolate.
    y : ndarray, (n,)
        Classes.
    tol : float
        Relative tolerance of a line. Rows that were rounded or stored in float32 need more (about 10 times the error).
    rng : numpy.random.Generator, optional
        Shuffles columns for `ClassAudit.n_by_chance`; a fixed one where none is given.

    Returns
    -------
    TableAudit

    Raises
    ------
    ValueError
        If ``X`` and ``y`` differ in length, or the rows of a class are not finite or lie on one line.
    """
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or y.shape != (len(X),):
        raise ValueError(f"X must be (n, d) and y (n,), got {X.shape} and {y.shape}")
    rng = np.random.default_rng(0) if rng is None else rng
    scaled = scale(X)
    return TableAudit(
        tuple(_audit_class(X, scaled, np.flatnonzero(y == label), label, tol, rng) for label in np.unique(y))
    )


def _audit_class(
    X: np.ndarray, scaled: np.ndarray, members: np.ndarray, label: object, tol: float, rng: np.random.Generator
) -> ClassAudit:
    rows = scaled[members]
    is_real = distin_smote(rows, tol=tol)
    n_between = int((~is_real).sum())
    n_by_chance = int((~distin_smote(rng.permuted(rows, axis=0), tol=tol)).sum()) if n_between else 0
    records, first = np.unique(rows[is_real], axis=0, return_index=True)
    audit = ClassAudit(label, len(rows), n_between, n_by_chance, members[is_real], len(records))
    if not audit.is_oversampled:
        return audit
    found = match_scores(recon_smote(rows[~is_real], tol=tol), records, atol=tol)
    edges = find_edges(records, rows[~is_real], tol)
    k = min(guess_k(coordinates, edges) for coordinates in (records, X[members[is_real]][first]))
    return replace(audit, k=k, n_reconstructed=round(found["recall"] * len(records)))


def find_edges(real: np.ndarray, synthetic: np.ndarray, tol: float = 1e-9) -> np.ndarray:
    """Pairs of ``real`` rows (n_real, d), distinct, between which ``synthetic`` rows (n_synthetic, d) lie.

    Returns
    -------
    ndarray of int, (n_edges, 2)
        Numbers of real rows, each pair once; synthetic rows between no two real rows are passed over.
    """
    table = conditioned(np.concatenate([real, synthetic]), tol)
    places, centres = table.of_row[: len(real)], np.unique(table.of_row[len(real) :])
    triples = collinear_triples(table.rows, centres, places, tol, between=True, first=True)
    number = np.full(len(table.rows), -1)
    number[places] = np.arange(len(real))
    return np.unique(np.sort(number[triples[:, 1:]], axis=1), axis=0)


def guess_k(real: np.ndarray, edges: np.ndarray) -> int:
    """Least number of neighbours with which SMOTE can have drawn rows from ``edges``.

    One end of an edge is among the k nearest of the other. So k is at least the smaller of their ranks among each
    other's neighbours, for every edge that is seen; where distances tie, as between categories, this says little. And
    n rows have n k edges at most, so k is at least the edges seen a row.

    Parameters
    ----------
    real : ndarray, (n_real, d)
        Real rows, distinct, in the coordinates in which SMOTE searched neighbours.
    edges : ndarray of int, (n_edges, 2)
        Pairs of real rows, from `find_edges`.

    Returns
    -------
    int
        At least 1; the true k once each rank has been drawn.
    """
    from scipy.spatial.distance import cdist

    distance = cdist(real, real)
    one, other = edges.T
    reach = (1 - 1e-9) * distance[one, other, None]  # ties are no nearer rows
    by_rank = np.minimum(*((distance[base] < reach).sum(axis=1) for base in (one, other)))  # counts the base row itself
    return max(int(by_rank.max(initial=1)), -(-len(edges) // len(real)))
