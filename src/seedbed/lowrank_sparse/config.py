"""What `config/lowrank_sparse.yaml` may say: one class an experiment, one sentence a field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict

Baseline = Literal[
    "dense",
    "magnitude",
    "magnitude_global",
    "wanda",
    "sparsegpt",
    "owl",
    "alpha_pruning",
    "svd",
    "asvd",
    "losparse",
    "oats",
]
Percent = Annotated[int, Field(ge=0, lt=100)]


class TextSettings(Strict):
    """Windows of a model's text."""

    windows: int = Field(gt=0, description="windows, from the start of the split on")
    context: int = Field(gt=0, description="tokens a window")
    scored: int = Field(gt=0, description="last tokens of a window that count")


class ModelSettings(Strict):
    """A model to compress, and its texts: it calibrates and evaluates on splits of one corpus."""

    kind: Literal["trained", "packaged", "hub"] = Field(description="trained here; of config/lm.yaml; of the hub")
    repository: str | None = Field(None, description="of the hub: owner/name")
    revision: str | None = Field(None, description="of the hub: commit")
    corpus: str = Field(description="corpus of config/lm.yaml")
    tokenizer: str = Field(description="tokenizer of config/lm.yaml")
    blocks: list[int] | None = Field(None, description="blocks to compress; null: all")
    mem_mb: int = Field(0, ge=0, description="memory of a job that holds it, where its step asks for less")
    calibration: TextSettings = Field(description="of the calibration split")
    evaluation: TextSettings = Field(description="of the validation split")
    policy_batch: int = Field(gt=0, description="windows a policy step")

    @model_validator(mode="after")
    def _hub_is_pinned(self) -> ModelSettings:
        if (self.kind == "hub") != bool(self.repository and self.revision):
            raise ValueError(f"{self.kind}: repository and revision belong to kind hub, which needs both")
        return self


class TrainSettings(Strict):
    """The byte model."""

    width: int = Field(gt=0, description="width of the model")
    layers: int = Field(gt=0, description="blocks")
    heads: int = Field(gt=0, description="attention heads")
    context: int = Field(gt=0, description="bytes a sequence")
    batch: int = Field(gt=0, description="sequences an update")
    steps: int = Field(gt=0, description="updates")
    warmup: int = Field(ge=0, description="updates of warm-up")
    lr: float = Field(gt=0, description="peak learning rate")
    weight_decay: float = Field(ge=0, description="weight decay")


class BaselineExperiment(Strict):
    """Baselines at each ratio."""

    datasets: dict[str, list[Baseline]] = Field(description="model -> methods")
    ratios: dict[str, list[Percent]] = Field(description="model -> percent of the weights removed")
    oats_iterations: dict[str, int] = Field(description="model -> alternations of OATS")


class Variant(Strict):
    """CAP with something changed; what is absent is the default of the experiment's method."""

    rpca_iterations: int = Field(10, ge=1, description="iterations of robust PCA [R]")
    lambda_tenths: int = Field(10, ge=1, description="tenths of the default λ")
    schedule: Literal["constant", "ialm"] = Field("constant", description="penalty of robust PCA [R]")
    residual: Literal["discarded", "kept"] = Field(
        "discarded", description="what is in neither part; kept: goes to S [ours]"
    )
    scaling: Literal["none", "activations"] = Field("none", description="columns scaled by their inputs before [ours]")
    candidates: Literal["both", "L", "S", "low_rank", "sparse"] = Field(
        "both", description="both parts; only one part of robust PCA; all of W as one part"
    )
    scope: Literal["global", "matrix"] = Field("global", description="one budget for all, or one a matrix")
    init: Literal["density", "magnitude", "uniform"] = Field("density", description="first probabilities [R]")
    policy_iterations: int = Field(3, ge=0, description="policy steps")
    learning_rate: float = Field(0.05, gt=0, description="of the policy")
    baseline_window: int = Field(5, ge=1, description="losses in the mean that is the baseline [R]")
    baseline_decay: float | None = Field(None, description="β of a moving average as baseline instead [R]")
    projection: Literal["cost", "euclidean"] = Field("cost", description="norm of the projection [R]")
    parametrisation: Literal["probability", "logit"] = Field("probability", description="what the policy moves [R]")
    corpus: str | None = Field(None, description="corpus that calibrates; null: that of the model")


class CapRuns(Strict):
    """What CAP is run for on one model."""

    ratios: list[Percent] = Field(min_length=1, description="percent of the weights removed")
    seeds: int = Field(ge=1, description="policy seeds, numbered from 0; a variant without policy steps needs one")


class CapExperiment(Strict):
    """CAP in variants."""

    datasets: dict[str, CapRuns] = Field(description="model -> runs")
    methods: dict[Literal["cap", "cap_activations"], dict[str, Variant]] = Field(
        description="`cap`, or the activation-scaled one [ours] -> variant -> what is changed"
    )


class PlantedExperiment(Strict):
    """Robust PCA where the split is known."""

    seeds: int = Field(ge=1, description="matrices, numbered from 0")
    size: int = Field(gt=1, description="rows and columns")
    ranks: list[int] = Field(description="ranks of L")
    spikes: list[Percent] = Field(description="percent of the entries that S changes")
    iterations: int = Field(gt=0, description="iterations at most")


class LimitExperiment(Strict):
    """Robust PCA on both sides of the λ at which one part vanishes."""

    seeds: int = Field(ge=1, description="Gaussian matrices, numbered from 0")
    rows: int = Field(gt=1, description="rows")
    columns: int = Field(gt=1, description="columns")
    percents: list[int] = Field(description="λ in percent of each limit")
    iterations: int = Field(gt=0, description="iterations at most")


class ThresholdExperiment(Strict):
    """Independent thresholds (C6)."""

    datasets: list[str] = Field(description="models")
    ratio: Percent = Field(description="percent of the weights removed")
    shares: list[Percent] = Field(min_length=2, description="percent of singular triples, and of entries, that stay")


class SensitivityExperiment(Strict):
    """Loss with one matrix compressed (C8)."""

    datasets: list[str] = Field(description="models")
    ratio: Percent = Field(description="percent of its weights removed")


class SpeedExperiment(Strict):
    """Races in one job, peers interleaved; every value is a ratio of wall times."""

    repeats: int = Field(ge=1, description="rounds")
    shapes: list[tuple[int, int]] = Field(description="rows and columns")
    iterations: int = Field(ge=1, description="iterations of robust PCA")
    densities: list[Percent] = Field(
        description="percent of entries in S of a CAP layer at half of the parameters; the rest is in factors"
    )


class Config(PaperConfig):
    """All experiments of CAP."""

    models: dict[str, ModelSettings] = Field(description="models to compress")
    train: TrainSettings = Field(description="the byte model")
    compress: BaselineExperiment = Field(description="baselines")
    cap: CapExperiment = Field(description="CAP, and CAP without one of its parts")
    choices: CapExperiment = Field(description="other choices where the paper leaves one open [R], at one ratio")
    iterations: CapExperiment = Field(description="iterations of robust PCA (C5)")
    lambdas: CapExperiment = Field(description="λ (C7)")
    policy: CapExperiment = Field(description="policy steps (stage 2)")
    calibration: CapExperiment = Field(description="calibration text (C11)")
    planted: PlantedExperiment = Field(description="exact recovery")
    limits: LimitExperiment = Field(description="exact limits in λ (C7)")
    thresholds: ThresholdExperiment = Field(description="independent thresholds (C6)")
    sensitivity: SensitivityExperiment = Field(description="loss with one matrix compressed (C8)")
    speed: SpeedExperiment = Field(description="races")

    @model_validator(mode="after")
    def _models_are_known(self) -> Config:
        for name in (
            "compress",
            "cap",
            "choices",
            "iterations",
            "lambdas",
            "policy",
            "calibration",
            "thresholds",
            "sensitivity",
        ):
            for model in getattr(self, name).datasets:
                if model not in self.models:
                    raise ValueError(f"{name}.datasets: {model!r} is none of the models {sorted(self.models)}")
        return self
