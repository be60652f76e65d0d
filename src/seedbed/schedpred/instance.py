"""Instances with predictions, their error and their class (Section 3, Definition 3.1).

A job has a true size ``x_j > 0``, hidden until it completes, and a prediction ``p_j`` that is known from the start. Its
error is ``η_j = max(p_j / x_j, x_j / p_j)``, the error of an instance the largest of these, and ``P`` is the ratio of
the largest to the smallest true size.

Numbers are kept as they are given. Whole numbers and fractions are computed with exactly; comparisons that decide a
class are exact for floats too, which are fractions of a power of two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Number = int | float | Fraction
Class = Literal["consistent", "robust", "smooth"]


@dataclass(frozen=True)
class Instance:
    """Jobs that are all there at time 0, and the machines if they differ in speed.

    Parameters
    ----------
    sizes : sequence of numbers, (n,)
        True sizes, positive.
    predictions : sequence of numbers, (n,)
        Predicted sizes, not negative; zero makes the error infinite.
    speeds : sequence of numbers, (m,), optional
        Speeds of related machines, positive.

    Raises
    ------
    ValueError
        If a size or speed is not positive, a prediction is negative, or the lengths differ.
    """

    sizes: tuple[Number, ...]
    predictions: tuple[Number, ...]
    speeds: tuple[Number, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("sizes", "predictions", "speeds"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, tuple(map(_plain, values)))
        if not self.sizes or len(self.sizes) != len(self.predictions):
            raise ValueError(f"{len(self.sizes)} sizes and {len(self.predictions)} predictions: expected as many")
        if not (all(x > 0 for x in self.sizes) and all(s > 0 for s in self.speeds or ())):
            raise ValueError("sizes and speeds must be positive")
        if not all(p >= 0 for p in self.predictions):
            raise ValueError("predictions must not be negative")

    @property
    def eta(self) -> Number:
        """Error ``η(I)``: a fraction where all numbers are exact, infinite where a prediction is zero."""
        return prediction_error(self.predictions, self.sizes)

    @property
    def P(self) -> Number:
        """Ratio of the largest to the smallest true size."""
        return _quotient(max(self.sizes), min(self.sizes))

    def classify(self) -> Class:
        """Class of the instance (Definition 3.1): perfect predictions, worthless ones, or what smoothness is about.

        ``consistent`` if ``η = 1``; else ``robust`` if some constant prediction has the same error, that is
        ``η >= sqrt(P)``; else ``smooth``.
        """
        eta = prediction_error(_exact(self.predictions), _exact(self.sizes))
        if eta == 1:
            return "consistent"
        return "robust" if constant_prediction_exists(self.sizes, eta) else "smooth"


def prediction_error(p: Sequence[Number], x: Sequence[Number]) -> Number:
    """``max_j max(p_j / x_j, x_j / p_j)`` of predictions ``p`` (n,) and sizes ``x`` (n,)."""
    return max(
        max(_quotient(predicted, true), _quotient(true, predicted)) if predicted else math.inf
        for predicted, true in zip(p, x, strict=True)
    )


def constant_prediction_exists(x: Sequence[Number], eta: Number) -> bool:
    """Whether some ``c`` has ``max_j max(c / x_j, x_j / c) = eta``, exactly.

    That maximum is continuous in ``c``, least at ``c = sqrt(min x max x)``, where it is ``sqrt(max x / min x)``, and
    unbounded: so there is one if and only if ``eta² >= max x / min x``.
    """
    if math.isinf(eta):
        return True
    return Fraction(eta) ** 2 >= Fraction(max(x)) / Fraction(min(x))


def with_spoiler(instance: Instance, relative_size: Fraction = Fraction(1, 10**9)) -> Instance:
    """``instance`` with one more job, predicted exactly, so small that the instance becomes ``smooth`` (ours).

    Its size is ``relative_size * min x / η²``: then ``sqrt(P) > η``, and no cost changes by more than about
    ``relative_size``. It is why lower bounds hold whether worthless predictions are excluded or not.

    Raises
    ------
    ValueError
        If the error is infinite: no job makes such an instance smooth.
    """
    eta = prediction_error(_exact(instance.predictions), _exact(instance.sizes))
    if math.isinf(eta):
        raise ValueError("a prediction is zero: the error is infinite, and no job makes this instance smooth")
    size = relative_size * Fraction(min(instance.sizes)) / eta**2
    if any(isinstance(value, float) for value in (*instance.sizes, *instance.predictions)):
        size = float(size)
    return Instance((*instance.sizes, size), (*instance.predictions, size), instance.speeds)


def _plain(value: Number) -> Number:
    """``value`` as a Python number (numpy's scalars have no exact quotient)."""
    return value.item() if hasattr(value, "item") else value


def _quotient(a: Number, b: Number) -> Number:
    return a / b if isinstance(a, float) or isinstance(b, float) else Fraction(a) / b


def _exact(values: Iterable[Number]) -> list[Fraction]:
    return [Fraction(value) for value in values]
