"""Random instances of the class that smoothness is about, many at once (single machine)."""

from __future__ import annotations

import numpy as np

SPOILER = 1e-9
MARGIN = 1e-12  # relative; keeps instances on the border of the class out, whatever the rounding


def draw_sizes(family: str, shape: tuple[int, int], rng: np.random.Generator) -> np.ndarray:
    """Sizes (instances, n) of a ``family``: pareto, lognormal, uniform, bimodal or equal.

    The last job of ``equal`` is tiny: equal sizes alone have ``P = 1``, so none of their instances is smooth.
    """
    if family == "pareto":
        return 1 + rng.pareto(1.1, shape)
    if family == "lognormal":
        return rng.lognormal(0, 1.5, shape)
    if family == "uniform":
        return 1 - rng.random(shape)
    if family == "bimodal":
        return np.where(rng.random(shape) < 0.5, 1.0, 20.0) * rng.uniform(0.9, 1.1, shape)
    if family == "equal":
        sizes = np.ones(shape)
        sizes[:, -1] = SPOILER
        return sizes
    raise ValueError(f"family {family!r}: must be pareto, lognormal, uniform, bimodal or equal")


def draw_smooth(family: str, eta: float, n: int, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sizes and predictions, each (count, n), of random smooth instances of error ``eta``.

    Predictions are ``x η^U`` with U uniform in [-1, 1], and U = 1 or -1 for one job of each instance. Instances with
    ``eta >= sqrt(P)`` are drawn again.
    """
    kept: list[np.ndarray] = []
    while sum(map(len, kept)) < count:
        x = draw_sizes(family, (count, n), rng)
        kept.append(x[x.max(axis=1) > eta**2 * (1 + MARGIN) * x.min(axis=1)])
    x = np.concatenate(kept)[:count]
    exponent = rng.uniform(-1, 1, x.shape)
    exponent[np.arange(count), rng.integers(n, size=count)] = rng.choice([-1.0, 1.0], size=count)
    return x, x * eta**exponent
