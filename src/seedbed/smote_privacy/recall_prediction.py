"""Recall of ReconSMOTE, predicted before any row is drawn (section 5.2, Theorems 3 and 4).

A real row is reconstructed if three of its edges are *visible*, and an edge is visible if it carries three synthetic
rows. SMOTE draws the n k directed edges uniformly, so their counts are multinomial: how many synthetic rows fall on
an edge follows from k and from the synthetic rows per real row alone.

The statements of the theorems were not at hand: the formulas below are derived from the algorithm, and say what the
theorems claim, a lower bound whose gap to 1 falls exponentially in r / k.

- `bound`: outgoing edges alone, so it needs nothing but n, k and the number of synthetic rows.
- `graph`: the true neighbour graph, with its incoming edges too. Nearly exact: edges are taken as independent.
- `montecarlo`: draws of the multinomial on the true graph; no approximation but that of its draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from seedbed.smote_privacy.smote import Oversampled, nearest_neighbours

Method = Literal["graph", "bound", "montecarlo"]

ROWS_A_LINE = 3
"""Rows that make an edge visible."""


def predict_recall(
    M: np.ndarray,
    k: int,
    n_synthetic: int,
    method: Method = "graph",
    *,
    min_lines: int = 3,
    n_draws: int = 200,
    rng: np.random.Generator | None = None,
) -> float:
    """Predict the share of distinct real rows that ReconSMOTE reconstructs.

    Parameters
    ----------
    M : ndarray, (n, d)
        Real minority rows.
    k : int
        Neighbours of SMOTE.
    n_synthetic : int
        Synthetic rows.
    method : {"graph", "bound", "montecarlo"}
        See the module.
    min_lines : int
        Visible edges that a row needs.
    n_draws : int
        Draws of ``montecarlo``.
    rng : numpy.random.Generator, optional
        Randomness of ``montecarlo``; fresh entropy without it.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If the method is unknown, or there are not more than ``k`` rows.
    """
    if method == "bound":
        return _out_edge_bound(len(M), k, n_synthetic, min_lines)
    if method == "graph":
        return _on_graph(EdgeGraph.of(M, k), n_synthetic, min_lines)
    if method == "montecarlo":
        rng = np.random.default_rng() if rng is None else rng
        return _by_drawing(EdgeGraph.of(M, k), n_synthetic, min_lines, n_draws, rng)
    raise ValueError(f"method must be one of {', '.join(get_args(Method))}, got {method!r}")


@dataclass(frozen=True)
class EdgeGraph:
    """The neighbour graph as lines to be found: undirected edges between distinct rows.

    Attributes
    ----------
    n_rows : int
        Distinct rows.
    ends : ndarray of int, (n_edges, 2)
        Distinct rows that each edge joins.
    share : ndarray, (n_edges,)
        Probability that one synthetic row falls on the edge: directed edges on it (two where the rows are neighbours of
        one another) over all directed edges. Edges between duplicates are no lines, so the sum may be less than 1.
    """

    n_rows: int
    ends: np.ndarray
    share: np.ndarray

    @classmethod
    def of(cls, M: np.ndarray, k: int) -> EdgeGraph:
        """Graph of the rows ``M`` (n, d) and their ``k`` nearest neighbours."""
        distinct, node = np.unique(M, axis=0, return_inverse=True)
        directed = np.stack([np.repeat(np.arange(len(M)), k), nearest_neighbours(M, k).ravel()], axis=1)
        joined = np.sort(node.ravel()[directed], axis=1)
        ends, n_directed = np.unique(joined[joined[:, 0] != joined[:, 1]], axis=0, return_counts=True)
        return cls(len(distinct), ends, n_directed / len(directed))


def _out_edge_bound(n: int, k: int, n_synthetic: int, min_lines: int) -> float:
    """``P(Bin(k, q) >= min_lines)`` with ``q = P(Bin(s, 1 / (n k)) >= 3)``."""
    visible = _at_least(ROWS_A_LINE, n_synthetic, 1 / (n * k))
    return float(_at_least(min_lines, k, visible))


def _at_least(count: int, n: int, p: float | np.ndarray) -> float | np.ndarray:
    """``P(Bin(n, p) >= count)``."""
    from scipy.special import bdtrc  # scipy.stats has it too, and takes a second to load

    return bdtrc(count - 1, n, p) if n >= count else np.zeros_like(p)


def _on_graph(graph: EdgeGraph, n_synthetic: int, min_lines: int) -> float:
    """Mean over rows of P(at least ``min_lines`` visible edges), edges taken as independent."""
    visible = _at_least(ROWS_A_LINE, n_synthetic, graph.share)
    fewer = np.zeros((graph.n_rows, min_lines))  # [row, c]: P(c visible edges so far)
    fewer[:, 0] = 1
    for (one, other), q in zip(graph.ends, visible, strict=True):
        for row in (one, other):
            fewer[row, 1:] = fewer[row, 1:] * (1 - q) + fewer[row, :-1] * q
            fewer[row, 0] *= 1 - q
    return float(1 - fewer.sum(axis=1).mean())


def _by_drawing(graph: EdgeGraph, n_synthetic: int, min_lines: int, n_draws: int, rng: np.random.Generator) -> float:
    """Mean over draws of the share of rows with at least ``min_lines`` visible edges."""
    from scipy.sparse import coo_array

    rest = max(0.0, 1 - graph.share.sum())
    rows_on_edge = rng.multinomial(n_synthetic, [*graph.share, rest], size=n_draws)[:, :-1]
    edges = np.repeat(np.arange(len(graph.ends)), 2)
    incidence = coo_array(
        (np.ones(len(edges), dtype=int), (edges, graph.ends.ravel())), (len(graph.ends), graph.n_rows)
    )
    n_visible = (rows_on_edge >= ROWS_A_LINE).astype(int) @ incidence.tocsr()
    return float((n_visible >= min_lines).mean())


def measure(sample: Oversampled, rng: np.random.Generator, tol: float = 1e-9) -> dict[str, float]:
    """Predicted recall of ReconSMOTE on ``sample`` by each method, from its real rows and the number of synthetic ones.

    ``tol`` is taken because all methods of an experiment get the same settings; the prediction is that of exact rows.
    """
    return {
        method: predict_recall(sample.real, sample.k, len(sample.synthetic), method, rng=rng)
        for method in get_args(Method)
    }
