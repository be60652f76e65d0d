"""Decide the claims of a paper: a card and a metrics table in, ``claims.csv`` and ``checks.csv`` out.

A claim's row shows the check that decides it: the first one, in the order of the card and then of the groups, whose
verdict is the claim's. So the headline check stands first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from seedbed.core.claims import verdicts, wording
from seedbed.core.claims.card import Card, Check, Claim
from seedbed.core.claims.evaluate import Evidence, evidence
from seedbed.core.claims.ranges import EVERYTHING
from seedbed.core.claims.selection import ClaimsError, Table
from seedbed.core.claims.verdicts import ALPHA, Levels, Question

HEAD = ("paper", "claim", "statement", "setting", "metric", "published", "measured", "low", "high", "n", "unit", "rule")
CLAIM_COLUMNS = (*HEAD, "verdict", "reason")
CHECK_COLUMNS = ("paper", "claim", "check", "group", *HEAD[2:], "p", "verdict", "reason")


@dataclass(frozen=True)
class _Decided:
    """A check in one group, decided."""

    check: Check
    question: Question
    published: float | str | None
    verdict: str


def check_claims(
    card: Card, metrics: pd.DataFrame, config: Mapping[str, str], unavailable: Mapping[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Verdicts of all claims of ``card``.

    Parameters
    ----------
    card : Card
    metrics : DataFrame
        The paper's metrics table.
    config : dict
        The configuration, ``scale`` and ``sources``. At smoke scale values that a selection lists may be missing.
    unavailable : dict
        Data set -> why it could not be had; what needs it is `not tested`.

    Returns
    -------
    claims, checks : DataFrame
        One row a claim, with the columns `CLAIM_COLUMNS`; one row a check and group, with `CHECK_COLUMNS`.

    Raises
    ------
    ClaimsError
        If the metrics do not fit the card: unknown columns, values that are no numbers, pairs without a partner.
    """
    table = Table(metrics, card.paper, card.rows, config.get("scale") != "smoke", dict(unavailable))
    claim_rows, check_rows = [], []
    for name, claim in card.claims.items():
        lacking = _lacking(claim, config)
        if claim.not_tested or lacking:
            claim_rows.append(_untested_row(card.paper, name, claim, claim.not_tested or lacking))
            continue
        verdict, at, decided = _decide(table, name, claim)
        rows = [_check_row(card.paper, name, claim, one, at) for one in decided]
        check_rows += rows
        claim_rows.append(_claim_row(verdict, decided, rows))
    return pd.DataFrame(claim_rows, columns=CLAIM_COLUMNS), pd.DataFrame(check_rows, columns=CHECK_COLUMNS)


def summary(claims: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Claim -> measured, low, high, as far as there are such numbers: what DVC compares."""
    kept = claims.set_index("claim")[["measured", "low", "high"]].astype(float)
    return {
        name: {key: float(value) for key, value in row.items() if math.isfinite(value)} for name, row in kept.iterrows()
    }


def _lacking(claim: Claim, config: Mapping[str, str]) -> str | None:
    wanted = claim.requires.model_dump(exclude_none=True) if claim.requires else {}
    lacking = [wording.requirement(key, values) for key, values in wanted.items() if config[key] not in values]
    return "; ".join(lacking) or None


def _decide(table: Table, name: str, claim: Claim) -> tuple[str, Levels, list[_Decided]]:
    found = [
        (number, check, one)
        for number, check in enumerate(claim.checks, 1)
        for one in _evidence(table, name, number, claim)
    ]
    groups = list(dict.fromkeys(one.group for _, _, one in found))
    found = _complete(claim, found, groups)
    asked = [(check, *_question(claim, number, check, one)) for number, check, one in found]
    need = _need(table, name, claim, groups)
    at = verdicts.levels([question for _, question, _ in asked], need, len(groups), len(claim.checks))
    decided = [
        _Decided(check, question, published, verdicts.of_question(question, at)) for check, question, published in asked
    ]
    by_group = [[one.verdict for one in decided if one.question.evidence.group == group] for group in groups]
    return verdicts.of_claim([verdicts.of_group(group) for group in by_group], need), at, decided


def _need(table: Table, name: str, claim: Claim, groups: list[str | None]) -> int:
    """How many of the groups must hold; a smoke run may have fewer than the card asks for."""
    if not claim.any:
        return len(groups)
    found = len([group for group in groups if group is not None])
    if found and claim.enough > found and table.complete:
        columns = ", ".join(claim.any)
        raise ClaimsError(f"{table.paper}: {name}.enough: asks for {claim.enough} of {columns}, found {found}")
    return min(claim.enough, len(groups))


def _evidence(table: Table, name: str, number: int, claim: Claim) -> list[Evidence]:
    try:
        return evidence(table, claim, claim.checks[number - 1])
    except ClaimsError as error:
        raise ClaimsError(f"{table.paper}: check {name}/{number}: {error}") from None


def _complete(
    claim: Claim, found: list[tuple[int, Check, Evidence]], groups: list[str | None]
) -> list[tuple[int, Check, Evidence]]:
    """With ``any``, a group holds by all checks: one that a check has no rows of is not tested."""
    if not claim.any:
        return found
    have = {(number, one.group) for number, _, one in found}
    lost = [
        (number, check, Evidence(group, missing=f"no rows for check {number}"))
        for number, check in enumerate(claim.checks, 1)
        for group in groups
        if (number, group) not in have
    ]
    return sorted([*found, *lost], key=lambda item: item[0])


def _question(claim: Claim, number: int, check: Check, one: Evidence) -> tuple[Question, float | str | None]:
    published = claim.published_for(check)
    if isinstance(published, dict):
        published = published.get(one.group)
    if one.missing is not None:
        return Question(number, one, EVERYTHING, ()), published
    wanted = check.is_.range(published, one.group)
    if check.contradicted == "never":
        return Question(number, one, wanted, ()), published
    against = wanted.outside() if check.contradicted is None else (check.contradicted.range(),)
    return Question(number, one, wanted, against), published


def _untested_row(paper: str, name: str, claim: Claim, reason: str) -> dict[str, object]:
    published = claim.published if not isinstance(claim.published, dict) else None
    return {
        "paper": paper,
        "claim": name,
        "statement": claim.statement,
        "setting": claim.setting,
        "metric": claim.metric,
        "published": published,
        "verdict": verdicts.NOT_TESTED,
        "reason": reason,
    }


def _check_row(paper: str, name: str, claim: Claim, one: _Decided, at: Levels) -> dict[str, object]:
    found = one.question.evidence
    measured, low, high = _shown(one.question)
    return {
        "paper": paper,
        "claim": name,
        "check": f"{name}/{one.question.number}",
        "group": found.group,
        "statement": claim.statement,
        "setting": claim.setting,
        "metric": one.check.label or claim.metric or wording.measure(one.check.measure),
        "published": one.published,
        "measured": measured,
        "low": low,
        "high": high,
        "n": found.n,
        "unit": " × ".join(claim.unit),
        "rule": wording.rule(claim, one.check, one.question, one.published, at),
        "p": verdicts.p_value(one.question),
        "verdict": one.verdict,
        "reason": wording.reason(one.question, one.verdict, at),
    }


def _shown(question: Question) -> tuple[float | None, float | None, float | None]:
    """What was measured and its 95 % interval; of exact values the one that decides, and their extremes."""
    found = question.evidence
    if found.estimate is not None:
        return found.estimate.value, found.estimate.lower(ALPHA / 2), found.estimate.upper(ALPHA / 2)
    if found.values is not None:
        tightest = min(found.values, key=lambda value: verdicts.margin(value, question.wanted))
        return float(tightest), float(found.values.min()), float(found.values.max())
    return found.value, None, None


def _claim_row(verdict: str, decided: list[_Decided], rows: list[dict[str, object]]) -> dict[str, object]:
    row = rows[_deciding(verdict, decided)]
    shown = {key: row[key] for key in HEAD}
    if row["group"] is not None:
        shown["metric"] = f"{row['metric']} ({row['group']})"
    return shown | {"verdict": verdict, "reason": wording.claim_reason(verdict, row["group"], row["reason"])}


def _deciding(verdict: str, decided: list[_Decided]) -> int:
    """Place of the first check with the claim's verdict, in a group that has it too."""
    groups: dict[str | None, list[str]] = {}
    for one in decided:
        groups.setdefault(one.question.evidence.group, []).append(one.verdict)
    return next(
        place
        for place, one in enumerate(decided)
        if one.verdict == verdict == verdicts.of_group(groups[one.question.evidence.group])
    )
