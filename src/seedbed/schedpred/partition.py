"""What Definition 3.1 takes out of smoothness, by brute force, and why absolute error needs something else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from seedbed.schedpred.instance import Class, Instance, Number

ERRORS = [Fraction(1), Fraction(1), Fraction(3, 2), Fraction(2, 3), Fraction(2), Fraction(1, 2), Fraction(3)]


def classify_by_search(instance: Instance) -> Class:
    """Class of ``instance``, from the definition alone: tries every constant prediction ``c`` that could do.

    Its error is attained at some job, so where it is ``eta``, ``c`` is ``eta x_j`` or ``x_j / eta``.
    """
    x, eta = instance.sizes, instance.eta
    if instance.predictions == x:
        return "consistent"
    candidates = {c for size in x for c in (eta * size, size / eta)}
    found = any(max(max(c / size, size / c) for size in x) == eta for c in candidates)
    return "robust" if found else "smooth"


def random_rational(rng: np.random.Generator) -> Instance:
    """Two to six jobs of small rational sizes, so that the border ``η² = P`` is met often."""
    n = int(rng.integers(2, 7))
    sizes = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 5, (n, 2))]
    errors = [ERRORS[i] for i in rng.integers(len(ERRORS), size=n)]
    return Instance(tuple(sizes), tuple(size * error for size, error in zip(sizes, errors, strict=True)))


def worthless_at(sizes: tuple[Number, ...], error: Number) -> Instance:
    """``sizes`` scaled so that predicting 0 for every job has the absolute error ``sum |p_j - x_j| = error``."""
    scale = Fraction(error) / sum(map(Fraction, sizes))
    return Instance(tuple(scale * Fraction(size) for size in sizes), (0,) * len(sizes))
