"""Statistics that the card of ptq_dynamics uses and the claims engine lacks."""

from __future__ import annotations

import numpy as np
import pandas as pd


def exponent_of_means(rows: pd.DataFrame) -> float:
    """Slope of log mean value against log step: the power of the tokens with which a curve of means grows.

    Means come first because a model's own loss through quantization may be below 0; NaN where a mean is not above 0.
    """
    means = rows.groupby("step")["value"].mean()
    if (means <= 0).any():
        return float("nan")
    return float(np.polyfit(np.log(means.index.to_numpy(dtype=float)), np.log(means.to_numpy()), 1)[0])
