"""What `config/smote_privacy.yaml` may say: one class an experiment, one sentence a field."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict

Dataset = Literal[
    "ecoli", "yeast_me2", "abalone", "car_eval_34", "car_eval_4", "abalone_19", "mammography", "solar_flare"
]
Attack = Literal["distin_smote", "recon_smote", "recall_prediction"]
Distance = Literal["linkability", "closest_record", "distinguisher"]
Membership = Literal["syn", "clf", "aug_clf"]


class Raw(Strict):
    """Where the rows of a data set come from."""

    source: str = Field(description="a source of `config/sources.yaml`")
    file: str = Field(description="a file of that source")


class Grid(Strict):
    """Parameter sets of an attack experiment: the product of its lists. What is absent is not varied."""

    k: list[int] | None = Field(None, description="neighbours that SMOTE interpolates between (default 5)")
    ratio: list[int] | None = Field(None, description="synthetic rows per real row (default: oversample to parity)")
    noise: list[str] | None = Field(None, description="half-width of uniform noise on synthetic rows (default none)")
    tol: list[str] | None = Field(None, description="tolerance of the attack (default 1e-9)")


class AttackExperiment(Strict):
    """DistinSMOTE and ReconSMOTE on fresh oversamplings, and the recall that theory predicts (Sections 3.3, 3.4)."""

    datasets: list[Dataset] = Field(description="data sets")
    methods: list[Attack] = Field(description="attacks")
    seeds: int = Field(ge=1, description="number of oversamplings, numbered from 0")
    grids: list[Grid] = Field([Grid()], min_length=1, description="parameter sets, one grid after the other")


class DistanceExperiment(Strict):
    """What usual audits report: linkability, distance to the closest record, a real-or-synthetic classifier."""

    datasets: list[Dataset] = Field(description="data sets")
    methods: list[Distance] = Field(description="audits")
    seeds: int = Field(ge=1, description="number of repeats, numbered from 0")


class MembershipExperiment(Strict):
    """Membership inference on single minority rows (Section 3.5 of the specification)."""

    datasets: list[Dataset] = Field(description="data sets")
    methods: list[Membership] = Field(description="what the adversary sees: synthetic rows, or a classifier's score")
    targets: int = Field(ge=1, description="minority rows to attack; drawn at random where there are more")
    n_train: int = Field(ge=0, description="shadow runs a side that train the attack (0 for classifier scores)")
    n_test: int = Field(ge=2, description="shadow runs a side that measure it")


class SpeedExperiment(Strict):
    """Races in one job, peers interleaved; every value is a ratio of wall times."""

    dataset: Dataset = Field(description="data set of the attack's race")
    repeats: int = Field(ge=1, description="rounds; each runs every peer once")
    sizes: list[int] = Field(min_length=2, description="rows of the attack's input in the scaling race")


class Config(PaperConfig):
    """All experiments of SMOTE and Mirrors."""

    datasets: dict[Dataset, Raw] = Field(description="data set -> raw file")
    attack: AttackExperiment = Field(description="both attacks at the paper's setting")
    ratio: AttackExperiment = Field(description="ReconSMOTE against synthetic rows per real row")
    neighbours: AttackExperiment = Field(description="both attacks against k")
    noise: AttackExperiment = Field(description="both attacks against noise on the synthetic rows")
    distance: DistanceExperiment = Field(description="distance metrics")
    forest: DistanceExperiment = Field(description="a random forest told to find the real rows")
    membership_syn: MembershipExperiment = Field(description="membership from synthetic rows")
    membership_clf: MembershipExperiment = Field(description="membership from a classifier, with SMOTE and without")
    speed: SpeedExperiment = Field(description="races")
