"""Hill-climbing for instances on which a policy does badly, many chains at once (section 13)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def hill_climb(
    objective: Callable[[np.ndarray], np.ndarray],
    predictions: np.ndarray,
    eta: float,
    steps: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Sizes within the error ``eta`` of fixed predictions that make ``objective`` large.

    The state of a job is the exponent u in [-1, 1] of its size p η^u. A move sets one exponent to an end, exchanges
    two, or shifts one by up to 0.2; it is kept where the objective does not fall. Chains do not meet.

    Parameters
    ----------
    objective : callable
        Sizes (chains, n) to values (chains,).
    predictions : ndarray, (chains, n)
        Predicted sizes.
    eta : float
        Error allowed.
    steps : int
        Moves of each chain; with the start, ``(steps + 1) * chains`` evaluations.
    rng : numpy.random.Generator
        Randomness.

    Returns
    -------
    sizes : ndarray, (chains, n)
        Last state of each chain.
    values : ndarray, (chains,)
        Its objective.
    """
    chains, n = predictions.shape
    rows = np.arange(chains)
    exponents = rng.uniform(-1, 1, predictions.shape)
    values = objective(predictions * eta**exponents)
    for _ in range(steps):
        move, job, other = rng.integers(3, size=chains), *rng.integers(n, size=(2, chains))
        shift, end = rng.uniform(-0.2, 0.2, chains), rng.choice([-1.0, 1.0], chains)
        trial = exponents.copy()
        old, exchanged = exponents[rows, job], exponents[rows, other]
        trial[rows, job] = np.choose(move, [end, exchanged, np.clip(old + shift, -1, 1)])
        trial[rows, other] = np.where((move == 1) & (other != job), old, trial[rows, other])
        found = objective(predictions * eta**trial)
        better = found >= values
        exponents[better], values[better] = trial[better], found[better]
    return predictions * eta**exponents, values
