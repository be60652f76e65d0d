"""Statistics that the card of gnn_batching uses and the claims engine lacks; both see the rows of all seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd


def sensitivity_difference(rows: pd.DataFrame) -> float:
    """Range of the mean value over fan-outs, minus the same over batch sizes."""
    over_fan_outs, over_batch_sizes = (np.ptp(rows.groupby(knob).value.mean()) for knob in ("fan_out", "batch_size"))
    return float(over_fan_outs - over_batch_sizes)


def fluctuation_difference(rows: pd.DataFrame) -> float:
    """Mean absolute second difference of the mean value along fan-outs, minus that along batch sizes."""
    means = [rows.groupby(knob).value.mean().sort_index() for knob in ("fan_out", "batch_size")]
    along_fan_out, along_batch_size = (np.abs(np.diff(line, 2)).mean() for line in means)
    return float(along_fan_out - along_batch_size)
