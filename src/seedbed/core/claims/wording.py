"""Rules and reasons in plain English."""

from __future__ import annotations

from seedbed.core.claims.card import Check, Claim
from seedbed.core.claims.evaluate import Evidence
from seedbed.core.claims.filters import Region
from seedbed.core.claims.measure import Measure
from seedbed.core.claims.ranges import INF, Range
from seedbed.core.claims.selection import described
from seedbed.core.claims.verdicts import CONTRADICTED, INCONCLUSIVE, NOT_TESTED, REPRODUCED, Levels, Question

_NAMES = {
    "min": "lowest",
    "max": "highest",
    "count": "number of",
    "geometric_mean": "geometric mean",
    "r2": "R² of",
    "spearman": "Spearman correlation of",
    "kendall": "Kendall's tau of",
    "smallest_step": "smallest step of",
    "largest_step": "largest step of",
} | {name: f"{name} of" for name in ("share", "sum", "span", "slope", "intercept", "correlation")}
_SIGNS = {"difference": " − ", "ratio": " / ", "sum": " + "}


def number(value: float) -> str:
    """A number with six significant digits."""
    return f"{value:.6g}".replace("-", "−")


def measure(one: Measure) -> str:
    """A measure in words."""
    text = _statistic(one) if one.rows is not None else _combination(one)
    if one.where:
        text = f"{_grouped(one, text)} ({described(one.where)})"
    return text if one.times == 1 else f"{number(one.times)} × {_grouped(one, text)}"


def _statistic(one: Measure) -> str:
    rows = one.rows.replace("_", " ")
    if one.name == "quantile":
        return f"{number(100 * one.q)} % quantile of {rows}"
    name = _NAMES.get(one.name, one.name.replace("_", " "))
    if one.log and not one.x:
        rows = f"log {rows}"
    log = {"x": " (log x)", "y": " (log y)", "both": " (log-log)"}.get(one.log, "")
    along = f" along {one.x.replace('_', ' ')}{log}" if one.x else ""
    of = f" {region(one.of)}" if one.of else ""
    return f"{name} {rows}{of}{along}"


def _combination(one: Measure) -> str:
    parts = [_grouped(part, measure(part)) for part in one.parts]
    if one.name in _SIGNS:
        return _SIGNS[one.name].join(parts)
    return f"the {_NAMES.get(one.name, one.name)} of [{'; '.join(measure(part) for part in one.parts)}]"


def _grouped(one: Measure, text: str) -> str:
    return f"({text})" if one.name in _SIGNS and one.parts else text


def region(one: Region, published: float | None = None, group: str | None = None) -> str:
    """A region in words."""
    words = {"above": "above", "at_least": "at least", "below": "below", "at_most": "at most"}
    parts = [f"{word} {number(getattr(one, key))}" for key, word in words.items() if getattr(one, key) is not None]
    if one.within is not None:
        distance = one.within.get(group) if isinstance(one.within, dict) else one.within
        of = f" {number(published)}" if published is not None else " value"
        parts.insert(0, f"within{f' ±{number(distance)}' if distance else ' its margin'} of the published{of}")
    return " and ".join(parts)


def rule(claim: Claim, check: Check, question: Question, published: float | None, at: Levels) -> str:
    """What must hold, in words."""
    what = check.label or measure(check.measure)
    wanted = region(check.is_, published, question.evidence.group)
    parts = [f"{what}{_where(check)} {wanted}", _decision(claim, check, question.evidence, at)]
    if check.contradicted == "never":
        parts.append("cannot be contradicted")
    elif check.contradicted is not None:
        parts.append(f"contradicted {region(check.contradicted)}")
    return "; ".join(parts)


def _where(check: Check) -> str:
    return f" ({described(check.where)})" if check.where else ""


def _decision(claim: Claim, check: Check, evidence: Evidence, at: Levels) -> str:
    sets = ", ".join(evidence.sets) if len(evidence.sets) > 1 else ""
    if check.decide == "every":
        return f"in every {_one_unit(claim)}{sets and f' on each of {sets}'}, exact ({evidence.n or 'no'} values)"
    level, units = f"{100 * (1 - at.reproduced):.4g} %", f"{_units(claim, evidence)}{sets and f' on {sets}'}"
    if evidence.estimate is None:
        return f"{level} interval over {units}"
    if check.decide == "share":
        holds = f", counted where {region(check.holds)}" if check.holds else ""
        return f"share of {units}{holds}, {level} {evidence.estimate.method} interval"
    return f"{level} interval over {units} ({evidence.estimate.method})"


def _one_unit(claim: Claim) -> str:
    return " and ".join(claim.unit)


def _units(claim: Claim, evidence: Evidence) -> str:
    n = evidence.n if evidence.n is not None else "the"
    if len(claim.unit) > 1:
        return f"{n} units ({' × '.join(claim.unit)})"
    return f"{n} {claim.unit[0]}" if claim.unit[0].endswith("s") else f"{n} {claim.unit[0]}s"


def reason(question: Question, verdict: str, at: Levels) -> str | None:
    """Why a check in one group is not reproduced."""
    evidence = question.evidence
    if verdict == REPRODUCED:
        return None
    if verdict == NOT_TESTED:
        return evidence.missing
    if evidence.undecidable is not None:
        return evidence.undecidable
    if evidence.values is not None:
        return _witness(question)
    alpha = at.contradicted if verdict == CONTRADICTED else at.reproduced
    low, high = evidence.estimate.lower(alpha / 2), evidence.estimate.upper(alpha / 2)
    interval = f"the {100 * (1 - alpha):.4g} % interval, {number(low)} to {number(high)},"
    if verdict == CONTRADICTED:
        side = next(side for side in question.against if side.holds(low, high))
        return f"{interval} lies {_range(side)}"
    return f"{interval} {_reach(low, high, question)}"


def _range(one: Range) -> str:
    low = f"above {number(one.low)}" if one.low > -INF else ""
    high = f"below {number(one.high)}" if one.high < INF else ""
    return " and ".join(filter(None, (low, high)))


def _beside(low: float, high: float, wanted: Range) -> str:
    return f"below {number(wanted.low)}" if high <= wanted.low else f"above {number(wanted.high)}"


def _reach(low: float, high: float, question: Question) -> str:
    wanted = question.wanted
    if low > wanted.high or high < wanted.low:
        return f"lies {_beside(low, high, wanted)}, which is not enough for a contradiction"
    ends = [end for end in (wanted.low, wanted.high) if abs(end) < INF and not _clear(low, high, end)]
    return f"reaches across {' and '.join(map(number, ends))}"


def _clear(low: float, high: float, end: float) -> bool:
    return low > end or high < end


def _witness(question: Question) -> str:
    evidence = question.evidence
    outside = [i for i, value in enumerate(evidence.values) if value not in question.wanted]
    first = outside[0]
    one = f"{evidence.cells[first]}: {number(evidence.values[first])}"
    return f"{len(outside)} of {evidence.n} values lie outside, the first is {one}"


def requirement(name: str, values: list[str]) -> str:
    """What a claim needs that the configuration does not give."""
    return f"needs {name}: {' or '.join(values)}"


def claim_reason(verdict: str, group: str | None, text: str | None) -> str | None:
    """The reason of the deciding check, with its group."""
    if text is None or verdict not in (INCONCLUSIVE, CONTRADICTED, NOT_TESTED):
        return None
    return text if group is None or text.startswith(f"{group}:") else f"{group}: {text}"
