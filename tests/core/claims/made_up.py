"""Made-up metrics for the tests: rows with known means, and noise that adds up to exactly nothing."""

import numpy as np
import pandas as pd
from scipy.special import ndtri

CONFIG = {"scale": "laptop", "sources": "registries"}


def noise(n, key=0):
    """Normal scores in an order that depends on ``key``: mean 0, standard deviation near 1."""
    scores = ndtri((np.arange(n) + 0.5) / n)
    return np.random.default_rng([7, n, key]).permutation(scores)


def rows(experiment, metric, values, *, dataset="d", method="m", timing=False, **columns):
    """A table whose ``values`` go with equally long (or constant) ``columns``; `seed` counts up if it is not given."""
    values = np.atleast_1d(np.asarray(values, float))
    columns = {"seed": np.arange(len(values))} | columns
    fixed = {"experiment": experiment, "dataset": dataset, "method": method, "metric": metric, "timing": timing}
    return pd.DataFrame({**fixed, **columns, "value": values})


def table(*parts):
    """The parts joined as `seedbed.core.metrics.collect` joins them: factors that do not apply are missing."""
    parts = [part.astype({c: "Int64" for c in part if pd.api.types.is_integer_dtype(part[c])}) for part in parts]
    return pd.concat(parts, ignore_index=True)
