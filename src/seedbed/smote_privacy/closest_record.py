"""Distance to the closest record, the privacy metric that most papers on synthetic tables report.

The paper measures linkability only; this metric is added here because it is the common one, and because it can be
computed properly: against rows of the same kind that the generator has not seen. A generator that keeps no trace of its
training rows puts its output as near to held-out rows as to training rows.
"""

from __future__ import annotations

import numpy as np

from seedbed.smote_privacy.held_out import release_half


def nearest_distances(queries: np.ndarray, records: np.ndarray) -> np.ndarray:
    """Euclidean distance of each of ``queries`` (n, d) to its nearest row of ``records`` (m, d), as (n,)."""
    from scipy.spatial import KDTree

    return KDTree(records).query(queries)[0]


def closest_record_share(synthetic: np.ndarray, train: np.ndarray, holdout: np.ndarray) -> float:
    """Share of synthetic rows that are nearer to ``train`` than to ``holdout``; ties count half.

    Parameters
    ----------
    synthetic : ndarray, (n_synthetic, d)
        Released rows.
    train, holdout : ndarray, (n, d)
        Rows that the generator saw, and equally many that it did not see: with unequal numbers the nearest row of the
        larger set is nearer by chance.

    Returns
    -------
    float
        0.5 for a generator that treats both alike.

    Raises
    ------
    ValueError
        If ``train`` and ``holdout`` differ in length.
    """
    if len(train) != len(holdout):
        raise ValueError(f"train and holdout must have equally many rows, got {len(train)} and {len(holdout)}")
    to_train, to_holdout = nearest_distances(synthetic, train), nearest_distances(synthetic, holdout)
    return float(np.mean(to_train < to_holdout) + np.mean(to_train == to_holdout) / 2)


def closest_record_ratio(
    synthetic: np.ndarray, train: np.ndarray, holdout: np.ndarray, percentile: float = 5.0
) -> float:
    """Low percentile of nearest distances to ``train``: of the synthetic rows, over that of the held-out rows.

    The held-out rows are the yardstick because they are what synthetic rows should be like: fresh rows of the same
    population. (Distances among the training rows themselves, which some papers use, shrink with the size of the set.)
    NaN where the yardstick is zero.
    """
    of_synthetic = np.percentile(nearest_distances(synthetic, train), percentile)
    of_holdout = np.percentile(nearest_distances(holdout, train), percentile)
    return float(of_synthetic / of_holdout) if of_holdout > 0 else float("nan")


def measure(minority: np.ndarray, n_synthetic: int, rng: np.random.Generator, k: int = 5) -> dict[str, float]:
    """Closest-record metrics of SMOTE on a random half of ``minority`` (n_minority, d): a fresh split, one SMOTE fit.

    ``n_synthetic`` is the number of synthetic rows for the whole minority (see `release_half`).

    Returns
    -------
    dict
        ``share`` (0.5 is no leak, 1 a full one) and ``distance_ratio`` (1 is no leak, 0 copies; left out where the
        held-out percentile is zero, in data with many exact duplicates: then it says nothing).
    """
    release = release_half(minority, n_synthetic, k, rng)
    holdout = release.holdout[: len(release.train)]
    share = closest_record_share(release.synthetic, release.train, holdout)
    ratio = closest_record_ratio(release.synthetic, release.train, holdout)
    return {"share": share} | ({} if np.isnan(ratio) else {"distance_ratio": ratio})
