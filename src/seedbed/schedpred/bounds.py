"""Smoothness bounds as functions of the error η: the paper's, those it improves, and our own constructions.

Published statements name orders of growth; the constants here are of the constructions that this package measures.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from seedbed.schedpred.schedule import Number

Problem = Literal["single", "identical", "related"]
ETA_STAR = 1.835
"""Up to here the lower bound of Theorem 4.1 is η (published to three digits)."""


def last_big_bound(eta_squared: Number, m: int) -> Number:
    """What `LastBigAdversary` forces on m identical machines, for η² of at least 1 (ours, section 3.3).

    With k whole units before the last job and its size β ≤ η², the ratio is (k + β) / (k + 1), if m > k and β is at
    most k + 1: for η² = k + 1 that is 2 - 1/η²; between, the better of ⌊η²⌋ and ⌊η²⌋ + 1 units; 2 - 1/m from η² = m.
    """
    return max((units + big) / Fraction(units + 1) for units, big in last_big_choices(eta_squared, m))


def last_big_choices(eta_squared: Number, m: int) -> list[tuple[int, Number]]:
    """(units k, size β) that the adversary may choose from; both fit the optimum of k + 1."""
    if eta_squared < 1 or m < 2:
        raise ValueError(f"expected η² of at least 1 and two machines or more, got η²={eta_squared}, m={m}")
    floor = min(math.floor(eta_squared), m)
    choices = [(floor - 1, floor)] if floor > 1 else []
    return [*choices, (floor, eta_squared)] if floor < m else choices


def smoothness_bounds(problem: Problem, eta: float, m: int | None = None) -> dict[str, float]:
    """Lower and upper bounds of the smoothness s(η), and those known before the paper.

    ==========  ==========================  ==================  ===================  ====================
    problem     lower                       upper               prior_lower          prior_upper
    ==========  ==========================  ==================  ===================  ====================
    single      η to 1.835, then 1.835; 2   η²                  1                    infinite
                from 1 + √3
    identical   `last_big_bound`            min(η², 2 - 1/m)    2 - 1/min(⌊η²⌋, m)   min(2(η² + 1)/3, 2)
    related     ⌈log2 η⌉, at least 1        2 (2 log2 η + 4)    1                    infinite
    ==========  ==========================  ==================  ===================  ====================

    Between 1.835 and 1 + √3 the paper has a better lower bound for a single machine, λ(η), which we do not have.
    Bounds that are known to an unstated constant only, O(η² log η) and O(log η), are given as infinite. Without ``m``,
    machines are as many as one likes. The upper bound of related machines is that of `DoublingEstimates` with optimal
    plans (ours).

    Raises
    ------
    ValueError
        If η is below 1 or the problem unknown.
    """
    if not eta >= 1:
        raise ValueError(f"eta must be at least 1, got {eta}")
    if problem == "single":
        lower = eta if eta <= ETA_STAR else 2.0 if eta >= 1 + math.sqrt(3) else ETA_STAR
        return {"lower": lower, "upper": eta**2, "prior_lower": 1.0, "prior_upper": math.inf}
    if problem == "identical":
        machines = m or math.floor(eta**2) + 1
        return {
            "lower": float(last_big_bound(eta**2, machines)) if machines > 1 else 1.0,
            "upper": min(eta**2, 2 - 1 / m if m else 2.0),
            "prior_lower": 2 - 1 / min(math.floor(eta**2), machines),
            "prior_upper": min(2 * (eta**2 + 1) / 3, 2.0),
        }
    if problem == "related":
        log_eta = math.log2(eta)
        return {
            "lower": float(max(1, math.ceil(log_eta))),
            "upper": 2 * (2 * log_eta + 4),
            "prior_lower": 1.0,
            "prior_upper": math.inf,
        }
    raise ValueError(f"problem {problem!r}: expected single, identical or related")
