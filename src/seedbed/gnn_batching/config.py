"""What `config/gnn_batching.yaml` may say: one class an experiment, one sentence a field."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict

Made = Literal["satimage", "digits_k5", "digits_k30", "letter", "shuttle", "fashion", "sbm_8", "sbm_60"]
Archived = Literal["tolokers", "cora", "citeseer", "actor", "reddit", "inj_amazon", "books"]
Dataset = Made | Archived
ArchiveFile = Literal[
    "tolokers.npz", "cora.npz", "citeseer.npz", "actor.npz", "reddit.pt.zip", "inj_amazon.pt.zip", "books.pt.zip"
]


class NearestNeighbours(Strict):
    """Rows of a table, joined to their nearest."""

    kind: Literal["nearest_neighbours"]
    table: Literal["satimage", "digits", "letter", "shuttle", "fashion_mnist"] = Field(
        description="a table of `seedbed.core.graphs.load`"
    )
    source: str | None = Field(None, description="a source of `config/sources.yaml`; none: an installed package has it")
    k: int = Field(ge=1, description="neighbours that each row chooses")
    sha256: str | None = Field(None, description="digest of rows and labels")


class BlockModel(Strict):
    """A stochastic block model."""

    kind: Literal["block_model"]
    source: None = None
    nodes: int = Field(ge=100, description="nodes; a multiple of the classes")
    classes: int = Field(ge=2, description="classes of equal size")
    degree: int = Field(ge=1, description="mean degree")
    homophily: float = Field(gt=0, lt=1, description="share of edges inside a class")
    features: int = Field(ge=1, description="node features")
    signal: float = Field(gt=0, description="standard deviation of the classes' mean features, noise 1")
    sha256: str | None = Field(None, description="digest of rows and labels")


class Archive(Strict):
    """A graph from the web."""

    kind: Literal["archive"]
    source: str = Field(description="a source of `config/sources.yaml`")
    file: ArchiveFile = Field(description="a file of that source")
    sha256: str | None = Field(None, description="digest of rows and labels")


Recipe = Annotated[NearestNeighbours | BlockModel | Archive, Field(discriminator="kind")]


def _batches_fit(experiment: GridExperiment | TwoLayerExperiment) -> GridExperiment | TwoLayerExperiment:
    """The experiment, if its batches leave no rest of an epoch and the largest holds all training nodes."""
    rest = [b for b in experiment.batch_sizes if experiment.n_train % b]
    if rest or experiment.batch_sizes[-1] != experiment.n_train:
        wrong = rest[0] if rest else experiment.batch_sizes[-1]
        raise ValueError(
            f"batch_sizes: {wrong}: expected divisors of n_train={experiment.n_train}, {experiment.n_train} last"
        )
    return experiment


class GridExperiment(Strict):
    """One-layer models on the cross of batch size and fan-out (Section 7 of the specification)."""

    datasets: list[Dataset] = Field(description="graphs")
    batch_sizes: list[int] = Field(
        min_length=2, description="target nodes a step; each divides n_train; the last is all"
    )
    fan_outs: list[int] = Field(min_length=2, description="neighbours a node; the last exceeds every degree")
    rates: list[float] = Field(min_length=3, max_length=3, description="learning rates low, mid, high")
    n_train: int = Field(ge=8, description="training nodes")
    n_val: int = Field(ge=8, description="validation nodes")
    n_test: int = Field(ge=8, description="test nodes, or all that are left")
    n_iter: int = Field(ge=1, description="iterations; a run that needs more is censored")
    check: int = Field(ge=1, description="iterations between values of the `full` criterion")
    evaluate: int = Field(ge=1, description="iterations between evaluations; a multiple of check")
    seeds: int = Field(ge=1, description="splits and starts, numbered from 0")

    @model_validator(mode="after")
    def _evaluated_at_checks(self) -> GridExperiment:
        if self.evaluate % self.check:
            raise ValueError(f"evaluate={self.evaluate}: expected a multiple of check={self.check}")
        return self

    _batches = model_validator(mode="after")(_batches_fit)


class TwoLayerExperiment(Strict):
    """Two-layer models along two lines of the cross and on the full graph; other fields as in `GridExperiment`."""

    datasets: list[Dataset] = Field(description="graphs")
    batch_sizes: list[int] = Field(min_length=2, description="batch sizes of the line at `fan_out`; the last is all")
    fan_outs: list[int] = Field(min_length=2, description="fan-outs of the line at `batch_size`; the last is all")
    batch_size: int = Field(ge=1, description="batch size of the line along fan-outs")
    fan_out: int = Field(ge=1, description="fan-out of both hops on the line along batch sizes")
    hidden: int = Field(ge=1, description="hidden units")
    rate: float = Field(gt=0, description="learning rate")
    n_train: int = Field(ge=8, description="training nodes")
    n_val: int = Field(ge=8, description="validation nodes")
    n_test: int = Field(ge=8, description="test nodes, or all that are left")
    n_iter: int = Field(ge=1, description="iterations; a run that needs more is censored")
    check: int = Field(ge=1, description="iterations between values of the `full` criterion, and between evaluations")
    seeds: int = Field(ge=1, description="splits and starts, numbered from 0")

    _batches = model_validator(mode="after")(_batches_fit)


class StructureExperiment(Strict):
    """Discrepancies between sampled and full structure (Section 3.4 of the specification)."""

    datasets: list[Dataset] = Field(description="graphs; the splits are those of `grid`")
    iterations: int = Field(ge=1, description="steps whose training nodes count as seen")
    n_test: int = Field(ge=8, description="test nodes in the transport problem")
    seeds: int = Field(ge=1, description="splits, numbered from 0")


class SpeedExperiment(Strict):
    """Races in one job, peers interleaved; every value is a ratio of wall times."""

    dataset: Dataset = Field(description="graph")
    batch_size: int = Field(ge=1, description="target nodes of the sampler's race")
    fan_out: int = Field(ge=1, description="neighbours of the sampler's race")
    n_iter: int = Field(ge=1, description="training steps a lap of the throughput race")
    repeats: int = Field(ge=1, description="rounds; each runs every peer once")


class Config(PaperConfig):
    """All experiments of gnn_batching."""

    graphs: dict[Dataset, Recipe] = Field(description="graph -> how it is had")
    grid: GridExperiment = Field(description="batch size against fan-out, in full")
    degree: GridExperiment = Field(description="a smaller grid on graphs of several degrees")
    two_layer: TwoLayerExperiment = Field(description="a cross of two-layer models")
    structure: StructureExperiment = Field(description="structure discrepancy")
    speed: SpeedExperiment = Field(description="races")
