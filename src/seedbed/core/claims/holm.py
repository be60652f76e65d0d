"""How many `reproduced` verdicts survive Holm's correction over all claims of all papers.

A claim's p-value is the largest of its checks', since all must hold. For a claim that asks for ``m`` of ``g`` groups it
is the m-th smallest of the groups', times g - m + 1. Exact checks (``every``) have no p-value: a claim that rests on
nothing else is counted apart. Claims that are not tested are no part of the family; without an interval p is 1.

References
----------
Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 65-70.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import pandas as pd

from seedbed.core.claims.card import Card, Claim
from seedbed.core.claims.verdicts import ALPHA, NOT_TESTED, REPRODUCED


class Results(Protocol):
    """What the report has of each paper."""

    card: Card
    claims: pd.DataFrame
    checks: pd.DataFrame


@dataclass(frozen=True)
class Survivors:
    """Counts over all claims: tested by intervals, reproduced, of these after the correction; and the exact ones."""

    family: int
    reproduced: int
    survive: int
    exact: int


def holm_survivors(papers: Iterable[Results]) -> Survivors:
    """Count the `reproduced` verdicts of all ``papers`` that survive."""
    found: list[tuple[float, bool]] = []
    exact = 0
    for paper in papers:
        for row in paper.claims.itertuples():
            if row.verdict == NOT_TESTED:
                continue
            p = claim_p(paper.card.claims[row.claim], paper.checks[paper.checks.claim == row.claim])
            if p is None:
                exact += row.verdict == REPRODUCED
            else:
                found.append((p, row.verdict == REPRODUCED))
    rejected = _holm([p for p, _ in found])
    survive = sum(one and reproduced for one, (_, reproduced) in zip(rejected, found, strict=True))
    return Survivors(len(found), sum(reproduced for _, reproduced in found), survive, exact)


def holm_summary(papers: Iterable[Results]) -> str:
    """The counts as a sentence."""
    n = holm_survivors(papers)
    text = (
        f"{n.survive} of the {n.reproduced} reproduced verdicts that rest on intervals survive Holm's correction "
        f"over all {n.family} claims tested that way"
    )
    return f"{text}; {n.exact} more rest on exact checks alone, which have no p-value."


def claim_p(claim: Claim, checks: pd.DataFrame) -> float | None:
    """p-value of a claim from the rows of its checks; None if all of them are exact."""
    inexact = checks[[claim.checks[int(check.rsplit("/", 1)[1]) - 1].decide != "every" for check in checks.check]]
    if inexact.empty:
        return None
    p = inexact.p.astype(float).fillna(1.0)
    if not claim.any:
        return float(p.max())
    of_groups = sorted(p.groupby(inexact.group.astype(str)).max())
    need = min(claim.enough, len(of_groups))
    return min(1.0, of_groups[need - 1] * (len(of_groups) - need + 1))


def _holm(p: list[float]) -> list[bool]:
    """Which hypotheses are rejected at the family-wise level `ALPHA`."""
    order = sorted(range(len(p)), key=p.__getitem__)
    rejected = [False] * len(p)
    for rank, place in enumerate(order):
        if p[place] > ALPHA / (len(p) - rank):
            break
        rejected[place] = True
    return rejected
