"""The exact supremum of SPJF's ratio (ours): it is ``η``, where the paper proves ``η²`` and leaves a gap.

Let jobs be numbered as SPJF runs them and ``q = η²``. Predictions with that order and error ``η`` exist if and only if
``x_i <= q x_j`` for all ``i < j``. SPJF pays ``sum x + sum_{i<j} x_i``, the optimum
``sum x + sum_{i<j} min(x_i, x_j)``.

1. SPJF's cost minus ``r`` times the optimum is convex in x and homogeneous. On the cone ``{x_i <= q x_j}`` it is at
   most 0 everywhere if it is so on the extreme rays, on which (jobs of size 0 aside, which come first) sizes are powers
   of q: ``x_i = q^{e_i}``, ``e_i <= e_j + 1`` for ``i < j``.
2. Look at the last job of the smallest size, exponent 0. Jobs before it have exponent 0 or 1, jobs after it at least 1:
   a pair on both sides costs the same in both schedules. By induction all loss lies inside groups of two sizes each,
   and the ratio is at most that of a group.
3. A group of ``b`` jobs of size q and ``s`` of size 1 is worst with the large ones first. Its ratio is
   ``1 + (q - 1) b s / (q b(b+1)/2 + b s + s(s+1)/2) < 1 + (q - 1) / (η + 1) = η``, since ``q b² + s² >= 2 η b s``. ∎

With ``b / (b + s)`` near ``1 / (η + 1)`` the ratio tends to ``η``: so SPJF is ``η``-smooth and not better, for jobs
that are all there at time 0. For ``η <= 1.835`` that is the paper's lower bound for all policies.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from seedbed.schedpred.instance import Instance, Number


def two_size_ratio(n_big: int, n_small: int, eta: Number) -> Number:
    """Ratio of SPJF when ``n_big`` jobs of size ``η`` run before ``n_small`` of size ``1 / η``, all predicted as 1."""
    q = eta * eta
    lost = (q - 1) * n_big * n_small
    optimum = q * n_big * (n_big + 1) / 2 + n_big * n_small + Fraction(n_small * (n_small + 1), 2)
    return 1 + lost / optimum


def spjf_supremum(n: int, eta: Number) -> Number:
    """Largest ratio of SPJF over all instances of ``n`` jobs and error at most ``eta``: the best two-size family."""
    return max(two_size_ratio(n_big, n - n_big, eta) for n_big in range(n + 1))


def extreme_exponents(n: int) -> np.ndarray:
    """All sequences (rays, n) of exponents with ``e_i <= e_j + 1`` for ``i < j``, contiguous levels from 0 on."""
    # Built from the back: ``least`` is the smallest exponent so far; a level more than n cannot be contiguous.
    sequences = [((last,), last) for last in range(n)]
    for _ in range(n - 1):
        sequences = [
            ((exponent, *tail), min(exponent, least)) for tail, least in sequences for exponent in range(least + 2)
        ]
    tails = (tail for tail, least in sequences if least == 0)
    return np.array([tail for tail in tails if len(set(tail)) == max(tail) + 1])


def extreme_instance(exponents: np.ndarray, eta: Number) -> Instance:
    """The instance of one extreme ray; SPJF runs its jobs in the order of their indices."""
    sizes = [eta ** (2 * int(exponent)) for exponent in exponents]
    predictions = [max(sizes[: job + 1]) / eta for job in range(len(sizes))]
    return Instance(tuple(sizes), tuple(predictions))
