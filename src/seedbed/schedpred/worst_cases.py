"""What is kept of instances on which a policy is bad: exact numbers, not floats."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from seedbed.core.files import write_whole
from seedbed.schedpred.instance import Instance, Number


@dataclass(frozen=True)
class WorstCase:
    """An instance, the policy's ratio on it, the bound that it is held against, and what it was found for."""

    instance: Instance
    ratio: Number
    bound: Number
    found: Mapping[str, str | int]

    @property
    def slack(self) -> Number:
        """Bound minus ratio: negative for a counterexample."""
        return self.bound - self.ratio

    @property
    def exponent(self) -> float:
        """``log ratio / log η``: 1 for a ratio of η, 2 for one of η²."""
        return math.log(self.ratio) / math.log(self.instance.eta)


def worst_by(cases: Iterable[WorstCase], *ignored: str) -> list[WorstCase]:
    """The worst of the cases that were found for the same, whatever the ``ignored`` keys are."""
    worst: dict[tuple, WorstCase] = {}
    for case in cases:
        key = tuple((name, value) for name, value in case.found.items() if name not in ignored)
        if key not in worst or case.ratio > worst[key].ratio:
            worst[key] = case
    return list(worst.values())


def write_worst_cases(worst: Iterable[WorstCase], counterexamples: Iterable[WorstCase], path: Path | str) -> None:
    """Write both lists as JSON, numbers as fractions; print every counterexample to the job's log too."""
    counterexamples = [_record(case) for case in counterexamples]
    for case in counterexamples:
        logging.warning("counterexample: %s", json.dumps(case))
    records = {"counterexamples": counterexamples, "worst": [_record(case) for case in worst]}
    write_whole(path, json.dumps(records, indent=1) + "\n")


def _record(case: WorstCase) -> dict[str, object]:
    numbers = {name: getattr(case.instance, name) for name in ("sizes", "predictions", "speeds")}
    return {
        **case.found,
        "ratio": float(case.ratio),
        "bound": float(case.bound) if math.isfinite(case.bound) else None,
        "exact_ratio": str(Fraction(case.ratio)),
        **{name: [str(Fraction(value)) for value in values] for name, values in numbers.items() if values},
    }
