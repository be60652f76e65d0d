"""Statistics that the card of schedpred uses and the claims engine lacks."""

from __future__ import annotations

import numpy as np
import pandas as pd


def limit(rows: pd.DataFrame) -> float:
    """Value at infinitely many jobs: the intercept of the least-squares line against ``1 / n``."""
    slope_and_intercept = np.polyfit(1 / rows.n.to_numpy(dtype=float), rows.value.to_numpy(), 1)
    return float(slope_and_intercept[1])
