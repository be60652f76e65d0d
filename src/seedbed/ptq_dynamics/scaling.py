"""Laws of how quantization loss grows with data, fitted in log space (Section 3.6 of the specification)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    import pandas as pd


def fit_ptq_scaling(
    table: pd.DataFrame, form: Literal["kumar", "ouyang"] = "kumar"
) -> dict[str, tuple[float, float, float]]:
    """Least squares of log δ; parameter -> estimate and the ends of its 95 % interval.

    ``kumar``: δ = C D^γ_D / N^γ_N exp(−P / γ_P), parameters ``log_c, gamma_d, gamma_n, 1/gamma_p``.
    ``ouyang``: δ = k D^β / (N^α P^γ), parameters ``log_k, beta, alpha, gamma``.

    Parameters
    ----------
    table
        Columns ``delta`` (nats), ``tokens`` (D), ``parameters`` (N), ``bits`` (P). What does not vary has no parameter.

    Raises
    ------
    ValueError
        If a δ is not positive, or there are not more rows than parameters.
    """
    if (table.delta <= 0).any():
        raise ValueError("the laws are for positive losses; leave out rows with delta <= 0")
    precision = table.bits if form == "kumar" else np.log(table.bits)
    names = ("gamma_d", "gamma_n", "1/gamma_p") if form == "kumar" else ("beta", "alpha", "gamma")
    columns = dict(zip(names, (np.log(table.tokens), -np.log(table.parameters), -precision), strict=True))
    varying = {name: np.asarray(x, float) for name, x in columns.items() if np.ptp(x) > 0}
    names = ["log_c" if form == "kumar" else "log_k", *varying]
    design = np.column_stack([np.ones(len(table)), *varying.values()])
    free = len(table) - design.shape[1]
    if free < 1:
        raise ValueError(f"{len(table)} rows are too few for {design.shape[1]} parameters")
    y = np.log(table.delta.to_numpy())
    estimate, *_ = np.linalg.lstsq(design, y, rcond=None)
    residual = y - design @ estimate
    covariance = np.linalg.inv(design.T @ design) * (residual @ residual / free)
    half = stats.t.ppf(0.975, free) * np.sqrt(np.diag(covariance))
    return {name: (float(e), float(e - h), float(e + h)) for name, e, h in zip(names, estimate, half, strict=True)}
