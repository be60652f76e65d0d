"""What `config/schedpred.yaml` may say: one class an experiment, one sentence a field."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict

Method = Literal["spjf", "round_robin", "preferential_round_robin", "multilevel_feedback", "random_order"]
Family = Literal["pareto", "lognormal", "uniform", "bimodal", "equal"]


def _is_number(text: str) -> str:
    Fraction(text)
    return text


Exact = Annotated[str, AfterValidator(_is_number)]
Parameters = dict[Literal["theta", "levels"], Exact | list[Exact]]

IdenticalPolicy = Literal[
    "list",
    "list_postpone",
    "lppt",
    "simple",
    "simple_la",
    "simple_la_first",
    "simple_la_multifit",
    "simple_la_milp",
    "doubling",
]
IdenticalBatchPolicy = Literal[
    "list", "lppt", "simple", "simple_la", "simple_la_first", "simple_la_multifit", "simple_la_exact"
]
RelatedPolicy = Literal[
    "list",
    "list_migrate",
    "trust",
    "staggered",
    "doubling",
    "doubling_from_1",
    "doubling_from_0",
    "doubling_equal",
    "doubling_interleaved",
]
Shape = tuple[Annotated[int, Field(ge=2)], Annotated[int, Field(ge=2)]]
Group = tuple[Annotated[int, Field(ge=2)], Annotated[int, Field(ge=1)]]


class PartitionExperiment(Strict):
    """The three classes of instances against brute force, in fractions (Definition 3.1)."""

    seeds: int = Field(ge=1, description="number of samples, numbered from 0")
    instances: int = Field(ge=1, description="instances a sample")
    shown: int = Field(ge=0, description="instances of a sample that get rows of their own, for the figure")


class AbsoluteErrorExperiment(Strict):
    """Worthless predictions at every level of absolute error (Sections 1 to 3)."""

    methods: list[Method] = Field(description="policies")
    eta: Exact = Field(description="spread of the sizes that the adversary may choose")
    n: int = Field(ge=2, description="jobs")
    errors: list[Exact] = Field(min_length=2, description="levels of the absolute error")


class GameExperiment(Strict):
    """The stop adversary against every policy (Theorem 4.1)."""

    methods: list[Method] = Field(description="policies")
    etas: list[Exact] = Field(description="errors")
    exact_n: list[int] = Field(description="numbers of jobs that are computed in fractions, with a spoiler and without")
    float_n: list[int] = Field(description="numbers of jobs that are computed in floats, with a spoiler")


class RandomExperiment(Strict):
    """Random smooth instances; the worst of many is what one job measures."""

    methods: list[Method] = Field(description="policies")
    etas: list[Exact] = Field(description="errors")
    families: list[Family] = Field(description="distributions of the true sizes")
    n: int = Field(ge=2, description="jobs")
    seeds: int = Field(ge=1, description="number of samples, numbered from 0")
    instances: int = Field(ge=1, description="instances a sample")


class SearchExperiment(Strict):
    """Hill climbing for the worst instances; its work is a number of evaluations."""

    methods: list[Method] = Field(description="policies")
    etas: list[Exact] = Field(description="errors")
    n: dict[Method, list[int]] = Field(description="policy -> numbers of jobs")
    chains: int = Field(ge=1, description="climbs, side by side")
    steps: int = Field(ge=1, description="evaluations of a climb")


class ExtremeExperiment(Strict):
    """SPJF on all extreme instances of few jobs, in fractions (ours)."""

    etas: list[Exact] = Field(description="errors")
    n: list[int] = Field(description="numbers of jobs")


class SpeedExperiment(Strict):
    """Batches against the simulator that takes one instance from event to event."""

    methods: list[Method] = Field(description="policies")
    n: int = Field(ge=2, description="jobs of an instance")
    instances: int = Field(ge=1, description="instances of a batch")
    simulated: int = Field(ge=1, description="instances that the simulator gets")
    repeats: int = Field(ge=1, description="rounds; each runs every peer")


class LastBigExperiment(Strict):
    """The adversary whose last job is big against policies on identical machines (Section 5)."""

    methods: list[IdenticalPolicy] = Field(description="policies")
    eta_squared: list[Exact] = Field(description="squares of the error; those above the number of machines are skipped")
    machines: list[int] = Field(description="numbers of machines")


class RobustnessExperiment(Strict):
    """Worthless predictions that put all work on one list."""

    methods: list[IdenticalPolicy] = Field(description="policies")
    machines: list[int] = Field(description="numbers of machines")


class IdenticalRandomExperiment(Strict):
    """Random smooth instances on identical machines."""

    methods: list[IdenticalBatchPolicy] = Field(description="policies")
    families: list[Family] = Field(description="distributions of the true sizes")
    etas: list[Exact] = Field(description="errors")
    shapes: list[Shape] = Field(description="pairs [jobs, machines]")
    count: int = Field(ge=1, description="instances of each family, error and shape in a sample")
    optimum: Literal["enumerated", "bound"] = Field(
        description="what ratios are against: the optimum, for up to 10 jobs, or its lower bound"
    )
    seeds: int = Field(ge=1, description="number of samples, numbered from 0")


class IdenticalSearchExperiment(Strict):
    """Hill climbing towards instances that break the bound of a policy on identical machines."""

    methods: list[IdenticalBatchPolicy] = Field(description="policies")
    families: list[Family] = Field(description="where predictions come from; half of all are equal")
    etas: list[Exact] = Field(description="errors")
    shapes: list[Shape] = Field(description="pairs [jobs, machines]")
    chains: int = Field(ge=1, description="climbs, side by side")
    steps: int = Field(ge=1, description="evaluations of a climb")
    seeds: int = Field(ge=1, description="number of searches, numbered from 0")


class GroupExperiment(Strict):
    """The game of machine and job groups against policies on related machines (Section 6)."""

    methods: list[RelatedPolicy] = Field(description="policies")
    groups: list[Group] = Field(description="pairs [B, largest K]: K from 1 on, each group B times the next")
    predictions: list[Literal["lowest", "centred"]] = Field(
        description="equal predictions: the smallest size, or the middle between smallest and largest"
    )
    spoilers: list[Literal["no", "yes"]] = Field(description="whether a tiny job makes the instance smooth")


class RelatedRandomExperiment(Strict):
    """Random smooth instances on related machines, against the optimum."""

    methods: list[RelatedPolicy] = Field(description="policies")
    families: list[Family] = Field(description="distributions of the true sizes")
    etas: list[Exact] = Field(description="errors")
    shapes: list[Shape] = Field(description="pairs [jobs, machines]; all assignments are tried")
    count: int = Field(ge=1, description="instances of each family, error and shape in a sample")
    seeds: int = Field(ge=1, description="number of samples, numbered from 0")


class RelatedSearchExperiment(Strict):
    """Hill climbing towards bad instances of a policy on related machines."""

    methods: list[RelatedPolicy] = Field(description="policies")
    etas: list[Exact] = Field(description="errors")
    shapes: list[Shape] = Field(description="pairs [jobs, machines]; all assignments are tried")
    chains: int = Field(ge=1, description="climbs, side by side")
    steps: int = Field(ge=1, description="evaluations of a climb")
    seeds: int = Field(ge=1, description="number of searches, numbered from 0")


class Config(PaperConfig):
    """All experiments of schedpred."""

    policies: dict[Method, list[Parameters]] = Field(description="policy -> its parameter sets")
    partition: PartitionExperiment = Field(description="classes of instances")
    absolute_error: AbsoluteErrorExperiment = Field(description="what absolute error cannot exclude")
    game: GameExperiment = Field(description="the stop adversary")
    random: RandomExperiment = Field(description="random smooth instances")
    search: SearchExperiment = Field(description="search for violations")
    extreme: ExtremeExperiment = Field(description="the exact supremum of SPJF")
    speed: SpeedExperiment = Field(description="races")
    identical_game: LastBigExperiment = Field(description="the last job is big")
    identical_robust: RobustnessExperiment = Field(description="worthless predictions on identical machines")
    identical_small: IdenticalRandomExperiment = Field(description="few jobs, against the optimum")
    identical_large: IdenticalRandomExperiment = Field(description="more jobs, against a lower bound of the optimum")
    identical_search: IdenticalSearchExperiment = Field(description="search for violations on identical machines")
    related_game: GroupExperiment = Field(description="the game of groups")
    related_growth: GroupExperiment = Field(description="how ratios grow with the error in the game of groups")
    related_random: RelatedRandomExperiment = Field(description="random instances on related machines")
    related_search: RelatedSearchExperiment = Field(description="search for bad instances on related machines")
