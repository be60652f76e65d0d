"""What a card may not say although its shape is right: names that do not exist, and rules that cannot fail."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import seedbed
from seedbed.core.claims.card import Card, Check, Claim
from seedbed.core.claims.filters import Selection, fixed
from seedbed.core.claims.measure import ALONG_X, BUILT_IN, merged
from seedbed.core.claims.ranges import Range
from seedbed.core.validation import nearest

KEY_COLUMNS = ("experiment", "dataset", "method", "seed", "metric", "value", "timing")


def faults(card: Card) -> list[str]:
    """All faults of ``card``, each as ``key: what is wrong and what is allowed``."""
    return list(dict.fromkeys([*_of_rows(card), *_of_claims(card), *_of_amendments(card)]))


def statistic_names(paper: str) -> list[str]:
    """Functions of ``seedbed.<paper>.statistics``, read without importing it."""
    path = Path(seedbed.__file__).parent / paper / "statistics.py"
    if not path.is_file():
        return []
    nodes = ast.parse(path.read_bytes()).body
    return [node.name for node in nodes if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def _of_rows(card: Card) -> Iterator[str]:
    used = {name for claim in card.claims.values() for check in claim.checks for name in _names(check)}
    for name, columns in card.rows.items():
        if name in KEY_COLUMNS:
            yield f"rows.{name}: is the name of a column; choose another"
        for column in ("value", "timing"):
            if column in columns:
                yield f"rows.{name}.{column}: rows are selected by what was measured, not by its value"
        for column in ("experiment", "metric"):
            if column not in columns and name in used:
                yield f"rows.{name}: names no {column}; without it values of different kinds would be mixed"


def _names(check: Check) -> Iterator[str]:
    for leaf in check.measure.leaves():
        yield leaf.rows
        if leaf.x is not None:
            yield leaf.x


def _of_claims(card: Card) -> Iterator[str]:
    own = statistic_names(card.paper)
    for name, claim in card.claims.items():
        for fault in _of_claim(claim):
            yield f"claims.{name}{fault}"
        for number, check in enumerate(claim.checks, start=1):
            for fault in (*_of_measure(card, claim, check, own), *_of_published(claim, check), *_of_rule(claim, check)):
                yield f"claims.{name}: check {name}/{number}: {fault}"


def _of_claim(claim: Claim) -> Iterator[str]:
    if claim.not_tested:
        if claim.checks:
            yield ".checks: a claim that is not tested has none (`requires` keeps checks for another configuration)"
        return
    if not claim.checks:
        yield ": has no checks; write some, or `not_tested: <reason>`"
    if not claim.unit:
        yield ": names no unit: the column whose values are resampled, such as seed"
    if claim.each and claim.any:
        yield ": `each` and `any` exclude each other; write two claims"
    if claim.enough > 1 and not claim.any:
        yield ".enough: belongs to `any`"
    for column in {*claim.by} & {*claim.unit}:
        yield f".unit: {column!r} makes groups already"


def _of_measure(card: Card, claim: Claim, check: Check, own: list[str]) -> Iterator[str]:
    if check.measure.choices() > 1:
        yield "more than one min or max of measures; write two checks"
    for leaf in check.measure.leaves():
        if leaf.rows not in card.rows:
            yield f"no rows are named {leaf.rows!r}: {nearest(leaf.rows, card.rows)}"
        if leaf.name not in (*BUILT_IN, *own):
            yield f"unknown statistic {leaf.name!r}: {nearest(leaf.name, (*BUILT_IN, *own))}"
        if leaf.name in ALONG_X and leaf.x in claim.unit and not check.pooled:
            yield f"{leaf.name} along {leaf.x!r}, which is constant inside a unit"
    selections = list(_selections(card, check))
    if claim.by and selections and all(any(fixed(one, column) for column in claim.by) for one in selections):
        yield f"none of its rows differ in {', '.join(claim.by)}, so that there is nothing to group by"
    for one in selections:
        if "metric" in one and "metric" not in claim.by and not fixed(one, "metric"):
            yield "mixes several metrics; select one, or group by metric"


def _selections(card: Card, check: Check) -> Iterator[Selection]:
    for leaf in check.measure.with_where(check.where).leaves():
        if leaf.rows in card.rows:
            yield merged(card.rows[leaf.rows], leaf.where)


def _of_published(claim: Claim, check: Check) -> Iterator[str]:
    for key, region in (("contradicted", check.contradicted), ("holds", check.holds)):
        if region not in (None, "never") and region.within is not None:
            yield f"{key}: 'within' belongs to `is`; write at_least and at_most"
    within, published = check.is_.within, claim.published_for(check)
    if within is None:
        return
    if published is None or isinstance(published, str):
        yield f"is.within: is a distance from the published value, and that is {published or 'missing'}"
    elif isinstance(published, dict) and not claim.by:
        yield "is.within: published has a value for each group, and the claim has neither `each` nor `any`"
    elif isinstance(within, dict) and not isinstance(published, dict):
        yield "is.within: has a distance for each group, and published is one number"
    elif isinstance(within, dict):
        for group in sorted({*within} - {*published}):
            yield f"is.within.{group}: has no published value: {nearest(group, published)}"


def _of_rule(claim: Claim, check: Check) -> Iterator[str]:
    if check.decide == "every" and check.pooled:
        yield "pooled: `every` looks at each unit by itself"
    if check.decide == "share" and check.pooled:
        yield "pooled: `share` counts units"
    if check.holds is not None and check.decide != "share":
        yield "holds: belongs to `decide: share`"
    possible = Range(0, 1) if check.decide == "share" else check.measure.bounds(exact=check.decide == "every")
    for group, wanted in _regions(claim, check):
        yield from _of_region(check, possible, wanted, f" (group {group})" if group else "")


def _regions(claim: Claim, check: Check) -> Iterator[tuple[str | None, Range]]:
    within, published = check.is_.within, claim.published_for(check)
    if within is None:
        yield None, check.is_.range()
    elif isinstance(published, dict):
        for group, value in published.items():
            if not isinstance(within, dict) or group in within:
                yield group, check.is_.range(value, group)
    elif isinstance(published, float) and not isinstance(within, dict):
        yield None, check.is_.range(published)


def _of_region(check: Check, possible: Range, wanted: Range, place: str) -> Iterator[str]:
    if wanted.covers(possible):
        yield f"is{place}: holds whatever is measured ({_span(possible)}); a rule must be able to fail"
    elif wanted.overlap(possible).empty():
        yield f"is{place}: cannot hold, the measure lies in {_span(possible)}"
    if check.contradicted in (None, "never") or check.contradicted.within is not None:
        return
    against = check.contradicted.range()
    if not against.overlap(wanted).empty():
        yield f"contradicted{place}: overlaps with `is`"
    elif against.overlap(possible).empty():
        yield f"contradicted{place}: cannot happen, the measure lies in {_span(possible)}; write `never`"


def _span(possible: Range) -> str:
    low, high = "[" if possible.low_in else "(", "]" if possible.high_in else ")"
    return f"{low}{possible.low:g}, {possible.high:g}{high}"


def _of_amendments(card: Card) -> Iterator[str]:
    known = [f"{name}/{i}" for name, claim in card.claims.items() for i in range(1, len(claim.checks) + 1)]
    for number, amendment in enumerate(card.amendments):
        if amendment.check not in known:
            yield f"amendments.{number}.check: {amendment.check!r} is no check: {nearest(amendment.check, known)}"
