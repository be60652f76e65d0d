"""Single-machine policies by the name of their method, for experiments whose configuration names them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from fractions import Fraction

from seedbed.schedpred.processor_sharing import Policy

Parameters = Mapping[str, str | list[str]]


def make_policy(method: str, parameters: Parameters) -> Policy:
    """The policy of module ``method``; its parameters are numbers, or lists of numbers, written as texts."""
    policy = importlib.import_module(f"seedbed.schedpred.{method}").POLICY
    return policy(**{name: _numbers(value) for name, value in parameters.items()})


def factors(parameters: Parameters) -> dict[str, str]:
    """Parameters as factors of the metrics table."""
    return {name: value if isinstance(value, str) else " ".join(value) for name, value in parameters.items()}


def _numbers(value: str | list[str]) -> Fraction | list[Fraction]:
    return Fraction(value) if isinstance(value, str) else [Fraction(one) for one in value]
