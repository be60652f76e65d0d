"""What a study of policies hands to its script: rows of metrics, and the instances worth looking at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from seedbed.core.metrics import Factor, Metrics
from seedbed.core.pool import work_off
from seedbed.schedpred.instance import Instance, Number
from seedbed.schedpred.worst_cases import WorstCase

TOLERANCE = 1e-9
"""Rounding of floats: only beyond it does an instance count as a counterexample."""


@dataclass
class Study:
    """Results of one job.

    Attributes
    ----------
    rows : list of (seed, values, factors)
        As `Metrics.add` takes them.
    worst_of : dict
        The instance of the largest ratio for each key, with the numbers measured with.
    counterexamples : list of WorstCase
        Instances beyond a proven bound: there must be none.
    """

    rows: list[tuple[int, Mapping[str, float], Mapping[str, Factor]]] = field(default_factory=list)
    worst_of: dict[Hashable, WorstCase] = field(default_factory=dict)
    counterexamples: list[WorstCase] = field(default_factory=list)

    @property
    def worst(self) -> list[WorstCase]:
        """The worst instance of each key."""
        return list(self.worst_of.values())

    def add(self, seed: int, values: Mapping[str, float], **factors: Factor) -> None:
        """Add the metrics of one parameter set."""
        self.rows.append((seed, values, factors))

    def see(self, key: Hashable, instance: Instance, ratio: Number, bound: Number, **found: Factor) -> None:
        """Keep an instance if its ratio is the largest of its key, or more than its upper bound."""
        case = WorstCase(instance, ratio, bound, found)
        if key not in self.worst_of or ratio > self.worst_of[key].ratio:
            self.worst_of[key] = case
        if case.slack < -TOLERANCE:
            self.counterexamples.append(case)

    def extend(self, other: Study) -> None:
        """Add all of another study, of another seed."""
        self.rows += other.rows
        self.counterexamples += other.counterexamples
        for key, case in other.worst_of.items():
            if key not in self.worst_of or case.ratio > self.worst_of[key].ratio:
                self.worst_of[key] = case

    @classmethod
    def over_seeds(cls, measure: Callable[[int], Study], n_seeds: int, threads: int) -> Study:
        """``measure(seed)`` for each seed, on ``threads`` processes, as one study."""
        study = cls()
        for part in work_off(measure, range(n_seeds), threads):
            study.extend(part)
        return study

    def to_metrics(self, experiment: str, dataset: str, method: str) -> Metrics:
        """The rows as the metrics of a job."""
        metrics = Metrics(experiment, dataset, method)
        for seed, values, factors in self.rows:
            metrics.add(seed, values, **factors)
        return metrics
