"""Statistics that the card of CAP uses and the claims engine lacks, and the bins of its histograms."""

from __future__ import annotations

import numpy as np
import pandas as pd

BINS = np.linspace(0, 1, 21)
"""Edges of the bins that probabilities are counted in."""


def gini(rows: pd.DataFrame) -> float:
    """Gini coefficient of the values: 0 where all are equal."""
    values = rows.value.to_numpy()
    return float(np.abs(values[:, None] - values).mean() / (2 * values.mean()))


def block_minus_kind(rows: pd.DataFrame) -> float:
    """Share of the variance that lies between blocks, minus that between kinds of matrices (q, k, v, o, gate …).

    Matrices are named block.part.kind. Each share is η² corrected for its degrees of freedom (ω²), so that noise has 0.
    """
    block = rows.matrix.str.split(".", n=1).str[0]
    kind = rows.matrix.str.split(".", n=1).str[1]
    return _omega_squared(rows.value, block) - _omega_squared(rows.value, kind)


def _omega_squared(values: pd.Series, groups: pd.Series) -> float:
    total = ((values - values.mean()) ** 2).sum()
    within = ((values - values.groupby(groups).transform("mean")) ** 2).sum()
    k, n = groups.nunique(), len(values)
    if n == k:
        return 0.0  # a value a group says nothing; the engine also asks for single matrices
    noise = within / (n - k)
    return float((total - within - (k - 1) * noise) / (total + noise))
