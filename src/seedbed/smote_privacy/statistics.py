"""Statistics that the card of SMOTE and Mirrors uses and the claims engine lacks."""

from __future__ import annotations

import pandas as pd

from seedbed.smote_privacy import membership


def top_mean(rows: pd.DataFrame) -> float:
    """Mean over the 50 most exposed targets, the paper's headline of membership inference."""
    return float(membership.top_mean(rows.value.to_numpy()))
