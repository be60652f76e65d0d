"""What `config/ptq_dynamics.yaml` may say: one class an experiment, one sentence a field."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from seedbed.core.config import PaperConfig
from seedbed.core.lm.config import Corpus
from seedbed.core.validation import Strict

Quantizer = Literal["rtn", "gptq", "awq"]
Quantizers = dict[Quantizer, list[int]]


class Model(Strict):
    """The model that is trained, and the shape of a batch."""

    tokenizer: str = Field(description="a tokenizer of config/lm.yaml")
    width: int = Field(gt=0, description="hidden width")
    layers: int = Field(gt=0, description="blocks")
    heads: int = Field(gt=0, description="attention heads")
    context: int = Field(gt=0, description="tokens a sequence")
    batch: int = Field(gt=0, description="sequences an update")
    micro_batch: int | None = Field(None, gt=0, description="sequences a forward pass; null: the whole batch")
    together: int = Field(gt=0, description="seeds trained in one batched computation")


class Recipe(Strict):
    """What all runs share but for the one factor that a sweep changes."""

    seeds: int = Field(ge=1, description="number of runs of each kind, numbered from 0")
    lr: str = Field(description="peak learning rate")
    warmup: int = Field(ge=0, description="updates of warm-up")
    weight_decay: str = Field(description="λ in the convention of PyTorch's AdamW: the peak scales it")
    cooldown: int = Field(gt=0, description="updates of every cooldown: the same number, not the same share")


class Evaluation(Strict):
    """What models are quantized and evaluated with."""

    windows: int = Field(gt=0, description="windows of the validation text, the same for all models")
    calibration: int = Field(gt=0, description="windows of the calibration text, drawn for each seed")
    group_size: int = Field(gt=0, description="input channels that share a scale")
    sym: bool = Field(description="symmetric grid")


class Lawa(Strict):
    """Averages of the trunk's last checkpoints."""

    k: int = Field(ge=1, description="checkpoints in an average")
    every: int = Field(ge=1, description="updates between them")
    steps: list[int] = Field(description="steps at which averages end")


class CooldownExperiment(Strict):
    """A constant trunk, cooldowns that branch off it, and averages along it (C1, C5, C9, C12, C14, C15)."""

    datasets: list[Corpus] = Field(description="corpora of config/lm.yaml")
    quantizers: Quantizers = Field(description="quantizer -> bits")
    trunk: list[int] = Field(min_length=1, description="steps at which the trunk is quantized; the last is its length")
    ends: list[int] = Field(description="steps at which cooldowns end")
    adamc: list[int] = Field(description="steps at which cooldowns with AdamC end")
    lawa: Lawa = Field(description="averages along the trunk")

    @model_validator(mode="after")
    def _inside_the_trunk(self) -> CooldownExperiment:
        if max(self.ends + self.adamc + self.lawa.steps) > max(self.trunk):
            raise ValueError("a cooldown or an average ends after the trunk")
        return self


class Cosines(Strict):
    """Runs with a cosine schedule."""

    totals: list[int] = Field(description="lengths; each run is quantized at its end")
    also: list[int] = Field(description="further steps at which the longest is quantized")


class SweepExperiment(Strict):
    """One factor at a time: peak learning rate, weight decay, schedule (C6, C7, C8, C11, C13)."""

    datasets: list[Corpus] = Field(description="corpora of config/lm.yaml")
    quantizers: Quantizers = Field(description="quantizer -> bits")
    total: int = Field(gt=0, description="length of the runs that vary learning rate or decay, cooldown included")
    steps: list[int] = Field(description="steps of their stable phase at which they are quantized too")
    lrs: list[str] = Field(description="peak learning rates besides the recipe's")
    weight_decays: list[str] = Field(description="λ besides the recipe's")
    cosine: Cosines = Field(description="cosine runs")


class GeometryExperiment(Strict):
    """Curvature at checkpoints of both experiments (C13, C14)."""

    datasets: list[Corpus] = Field(description="corpora of config/lm.yaml")
    steps: list[int] = Field(description="steps of the trunk and of cooldowns")
    sequences: int = Field(gt=0, description="held-out sequences that the loss is taken on")
    probes: int = Field(gt=0, description="probes of the trace")
    iterations: int = Field(gt=1, description="Lanczos iterations")
    bits: int = Field(gt=0, description="bits of the quantization whose direction is looked at")
    plane: int = Field(gt=1, description="points a side of the loss planes")


class SpeedExperiment(Strict):
    """GPTQ against the straightforward column-by-column form; every value is a ratio of wall times."""

    repeats: int = Field(ge=1, description="rounds; each runs every peer")
    shapes: list[tuple[int, int]] = Field(min_length=1, description="rows and columns of the layers")
    group_size: int = Field(gt=0, description="input channels that share a scale")


class Revision(Strict):
    """One checkpoint of a released trajectory, or the average of several."""

    run: str = Field(description="stage of training")
    step: int = Field(ge=0, description="updates")
    revisions: list[str] = Field(min_length=1, description="revisions of the repository; several are averaged")


class Released(Strict):
    """A released trajectory on the Hugging Face hub."""

    repository: str = Field(description="owner/name")
    checkpoints: list[Revision] = Field(min_length=1, description="what is quantized")


class ReleasedExperiment(Strict):
    """Released trajectories, one job a checkpoint and bit width (C2, C3, C10)."""

    models: dict[str, Released] = Field(description="name -> trajectory")
    quantizers: Quantizers = Field(description="quantizer -> bits")
    corpus: Corpus = Field(description="text to evaluate and calibrate on")
    context: int = Field(gt=0, description="tokens a window")
    windows: int = Field(gt=0, description="windows to evaluate on")
    calibration: int = Field(gt=0, description="windows to calibrate on")
    group_size: int = Field(gt=0, description="input channels that share a scale")


class Config(PaperConfig):
    """All experiments of training dynamics and quantization."""

    model: Model = Field(description="model and batch")
    recipe: Recipe = Field(description="what all runs share")
    evaluation: Evaluation = Field(description="quantization and evaluation")
    cooldown: CooldownExperiment = Field(description="trunk, cooldowns, averages")
    sweep: SweepExperiment = Field(description="learning rates, decays, cosine schedules")
    geometry: GeometryExperiment = Field(description="curvature")
    speed: SpeedExperiment = Field(description="races")
    released: ReleasedExperiment = Field(description="released trajectories")
