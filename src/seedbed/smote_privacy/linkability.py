"""Linkability risk by Anonymeter's definition, the standard distance metric of the paper (notebook nb_20).

An attacker holds two parts of each record, with different columns, and links them when both have the same nearest
synthetic row (Giomi et al., "A Unified Framework for Quantifying Privacy Risk in Synthetic Data", PETS 2023). Success
on records that the generator has not seen is the attacker's luck; what exceeds it is the risk.

The notebook stores ``risk()[1][0]``. That is not the risk but the *lower end of its 95 % interval*, cut off at zero,
and with ten attacks the interval is wide: the lower end never exceeds 0.68. So what compares with the published numbers
is ``low``, and what the metric says is ``risk``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from seedbed.smote_privacy.held_out import HeldOutRelease, release_half

Z_95 = 1.959963984540054
"""Two-sided 95 % quantile of the normal distribution."""


@dataclass(frozen=True)
class LinkabilityRisk:
    """Linkability of one attack on ``n_attacks`` training and as many held-out rows.

    Attributes
    ----------
    n_linked, n_control_linked : int
        Training and held-out rows whose two parts had the same nearest synthetic row.
    risk : float
        Control-corrected success rate, within [0, 1].
    low, high : float
        Ends of its 95 % interval, within [0, 1].
    """

    n_linked: int
    n_control_linked: int
    risk: float
    low: float
    high: float


def wilson_rate(n_success: int, n_attacks: int) -> tuple[float, float]:
    """Centre and half-width of Wilson's 95 % score interval of a rate: ``(n_s + z²/2) / (n + z²)``."""
    total = n_attacks + Z_95**2
    spread = n_success * (n_attacks - n_success) / n_attacks + Z_95**2 / 4
    return (n_success + Z_95**2 / 2) / total, Z_95 * sqrt(spread) / total


def control_corrected_risk(n_linked: int, n_control_linked: int, n_attacks: int) -> LinkabilityRisk:
    """Risk from numbers of successes: ``(r_train - r_control) / (1 - r_control)`` of the Wilson rates.

    The interval is the linear error propagation of the two half-widths. Because Wilson's centre shrinks towards one
    half, the risk of ten links in ten attacks against none in the control is 0.84, and not 1.

    Raises
    ------
    ValueError
        If a number of successes lies outside 0 to ``n_attacks``.
    """
    for count in (n_linked, n_control_linked):
        if not 0 <= count <= n_attacks:
            raise ValueError(f"successes must lie within 0 and n_attacks={n_attacks}, got {count}")
    rate, error = wilson_rate(n_linked, n_attacks)
    control_rate, control_error = wilson_rate(n_control_linked, n_attacks)
    risk = (rate - control_rate) / (1 - control_rate)
    by_rate, by_control_rate = 1 / (1 - control_rate), (rate - 1) / (1 - control_rate) ** 2
    half_width = sqrt((error * by_rate) ** 2 + (control_error * by_control_rate) ** 2)
    low, risk, high = np.clip([risk - half_width, risk, risk + half_width], 0, 1).tolist()
    return LinkabilityRisk(n_linked, n_control_linked, risk, low, high)


def nearest_synthetic(targets: np.ndarray, synthetic: np.ndarray) -> np.ndarray:
    """Index (n_targets,) of the synthetic row nearest to each target by Anonymeter's Gower-like distance.

    That is the L1 distance after each column was divided by its range over both tables. All columns here are floats,
    one-hot columns among them, so its rule for categories never applies. Of equally near rows the first is taken.
    """
    both = np.concatenate([targets, synthetic])
    column_range = np.ptp(both, axis=0)
    column_range[column_range == 0] = 1
    distances = np.abs((targets / column_range)[:, None, :] - (synthetic / column_range)[None, :, :]).sum(axis=2)
    return distances.argmin(axis=1)


def count_links(targets: np.ndarray, synthetic: np.ndarray, columns: tuple[np.ndarray, np.ndarray]) -> int:
    """Number of ``targets`` whose two parts, the two sets of ``columns``, have the same nearest synthetic row."""
    first, second = (nearest_synthetic(targets[:, part], synthetic[:, part]) for part in columns)
    return int((first == second).sum())


def linkability_risk(release: HeldOutRelease, rng: np.random.Generator, n_attacks: int = 10) -> LinkabilityRisk:
    """Attack ``n_attacks`` random training and as many held-out rows, with a random half of the columns in each part.

    Parameters
    ----------
    release : HeldOutRelease
        Training, held-out and synthetic rows, with two columns at least.
    rng : numpy.random.Generator
        Draws columns and targets.
    n_attacks : int
        Rows attacked on each side; the authors take 10.

    Returns
    -------
    LinkabilityRisk

    Raises
    ------
    ValueError
        If there are fewer rows than attacks, or only one column.
    """
    n_columns = release.train.shape[1]
    if n_columns < 2:
        raise ValueError("linkability needs two columns at least, got one")
    n_available = min(len(release.train), len(release.holdout))
    if not 1 <= n_attacks <= n_available:
        raise ValueError(f"n_attacks must lie within 1 and the {n_available} rows of each side, got {n_attacks}")
    shuffled = rng.permutation(n_columns)
    columns = shuffled[: n_columns // 2], shuffled[n_columns // 2 :]
    n_linked, n_control_linked = (
        count_links(rows[rng.choice(len(rows), n_attacks, replace=False)], release.synthetic, columns)
        for rows in (release.train, release.holdout)
    )
    return control_corrected_risk(n_linked, n_control_linked, n_attacks)


def measure(
    minority: np.ndarray,
    n_synthetic: int,
    rng: np.random.Generator,
    k: int = 5,
    n_repeats: int = 25,
    n_attacks: int = 10,
) -> dict[str, float]:
    """Linkability of SMOTE on a random half of ``minority`` (n_minority, d), averaged over ``n_repeats`` draws.

    ``n_synthetic`` is the number of synthetic rows for the whole minority (see `release_half`). One call is one unit:
    a fresh split, one SMOTE fit, and the repeats on it. (The authors keep one split for five fits.)

    Returns
    -------
    dict
        Mean ``risk``, and mean ``risk_low``, the lower end of its interval, which the released notebook reports.
    """
    release = release_half(minority, n_synthetic, k, rng)
    risks = [linkability_risk(release, rng, n_attacks) for _ in range(n_repeats)]
    return {"risk": float(np.mean([r.risk for r in risks])), "risk_low": float(np.mean([r.low for r in risks]))}
