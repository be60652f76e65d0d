"""From evidence to verdicts: of a check in a group, of a group, of a claim.

A check is reproduced if its interval lies inside ``is``, contradicted if it lies inside ``contradicted``, else
inconclusive; comparisons are exact, without a tolerance. A group holds if all its checks are reproduced, and falls if
one is contradicted. A claim asks for ``m`` of its ``g`` groups (``each``: all; ``any``: ``enough``; no groups: one of
one). It is reproduced if m groups hold, contradicted if so many fall that m cannot hold, not tested if rows are
missing, else inconclusive.

Error rates are those of the claim, 5 % either way. A false `reproduced` needs one of ``g - m + 1`` groups to hold by
chance, so intervals have the level 1 - .05 / (g - m + 1): no correction for ``each``, where all must hold. A false
`contradicted` needs one of the c checks of m groups that do hold to fall by chance: 1 - .05 / (m * c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from seedbed.core.claims.evaluate import Evidence
from seedbed.core.claims.ranges import Range

REPRODUCED, INCONCLUSIVE, CONTRADICTED, NOT_TESTED = VERDICTS = (
    "reproduced",
    "inconclusive",
    "contradicted",
    "not tested",
)
ALPHA = 0.05


@dataclass(frozen=True)
class Levels:
    """Probabilities of error that decide the checks of a claim."""

    reproduced: float = ALPHA
    contradicted: float = ALPHA


@dataclass(frozen=True)
class Question:
    """A check in one group: the evidence, and where it must and must not lie."""

    number: int
    evidence: Evidence
    wanted: Range
    against: tuple[Range, ...]


def levels(questions: Sequence[Question], need: int, groups: int, checks: int) -> Levels:
    """Levels for a claim that asks for ``need`` of its ``groups``."""
    against = len(questions) if need == groups else need * checks
    return Levels(ALPHA / (groups - need + 1), ALPHA / max(against, 1))


def of_question(question: Question, at: Levels) -> str:
    """Verdict of a check in one group."""
    evidence = question.evidence
    if evidence.missing is not None:
        return NOT_TESTED
    if evidence.undecidable is not None:
        return INCONCLUSIVE
    if evidence.values is not None:
        return _of_values(question)
    estimate = evidence.estimate
    if question.wanted.holds(estimate.lower(at.reproduced / 2), estimate.upper(at.reproduced / 2)):
        return REPRODUCED
    low, high = estimate.lower(at.contradicted / 2), estimate.upper(at.contradicted / 2)
    return CONTRADICTED if any(side.holds(low, high) for side in question.against) else INCONCLUSIVE


def p_value(question: Question) -> float | None:
    """p-value of the hypothesis that the measure lies outside ``is``, doubled so that it belongs to the interval.

    At most .05 exactly where the 95 % interval lies inside. None for exact checks and where there is no interval.
    """
    estimate = question.evidence.estimate
    if estimate is None:
        return None
    wanted = question.wanted
    sides = [estimate.p_at_most(wanted.low)] if wanted.low > -float("inf") else []
    sides += [estimate.p_at_least(wanted.high)] if wanted.high < float("inf") else []
    return min(1.0, 2 * max(sides))


def of_group(verdicts: Sequence[str]) -> str:
    """Verdict of a group from those of its checks."""
    for decisive in (CONTRADICTED, NOT_TESTED, INCONCLUSIVE):
        if decisive in verdicts:
            return decisive
    return REPRODUCED


def of_claim(groups: Sequence[str], need: int) -> str:
    """Verdict of a claim that asks for ``need`` of its ``groups``."""
    if groups.count(REPRODUCED) >= need:
        return REPRODUCED
    if groups.count(CONTRADICTED) > len(groups) - need:
        return CONTRADICTED
    return NOT_TESTED if NOT_TESTED in groups else INCONCLUSIVE


def margin(value: float, wanted: Range) -> float:
    """How far inside ``wanted`` a value lies; negative outside."""
    return min(value - wanted.low, wanted.high - value)


def _of_values(question: Question) -> str:
    values = question.evidence.values
    if all(value in question.wanted for value in values):
        return REPRODUCED
    return CONTRADICTED if any(value in side for side in question.against for value in values) else INCONCLUSIVE
