"""What `config/nga.yaml` may say: one class an experiment, one sentence a field."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict

Method = Literal[
    "neural",
    "neural_tabu",
    "graduated_assignment",
    "random_walk",
    "local_search",
    "tabu_search",
    "rascal",
    "rascal_default",
]
Options = dict[str, int | float | str | bool]
Range = tuple[int, int]


class Dataset(Strict):
    """Pairs of molecules of one collection."""

    source: str = Field(description="a source of `config/sources.yaml`")
    file: str = Field(description="a file of that source")
    rows: int | None = Field(None, ge=1, description="molecules to read from the start of the file (default: all)")
    sizes: list[Range] = Field([], description="ranges of heavy atoms to draw pairs from")
    pairs: int = Field(1, ge=1, description="pairs from each range, or candidates of each query")
    queries: int = Field(0, ge=0, description="queries of a retrieval set (0: pairs of molecules drawn once)")
    others: str | None = Field(None, description="file of the same source that half of the candidates come from")


class SolveExperiment(Strict):
    """Every solver on every pair, against the proven optimum (main table)."""

    datasets: list[str] = Field(description="data sets")
    methods: list[Method] = Field(description="solvers")
    seeds: dict[Method, int] = Field({}, description="solver -> its runs, with other random numbers each (default 1)")
    node_limit: int = Field(ge=1, description="branch-and-bound nodes of the exact solver")


class VariantExperiment(Strict):
    """Variants of neural graduated assignment: layers, dimension, noise, samples, learning rate of the temperatures."""

    datasets: list[str] = Field(description="data sets")
    arms: dict[str, Options] = Field(description="arm -> what differs from `options.neural`")
    seeds: dict[str, int] = Field(description="arm -> its runs, with other random numbers each (default 1)")

    @model_validator(mode="after")
    def _every_run_has_its_default(self) -> VariantExperiment:
        """Epochs of a run are counted to the objective of the default arm with the same random numbers."""
        unknown = sorted(self.seeds.keys() - self.arms.keys())
        if unknown:
            raise ValueError(f"seeds: no arm {unknown[0]!r}: allowed: {', '.join(self.arms)}")
        if self.seeds.get("default", 0) < max(self.seeds.values(), default=1):
            raise ValueError(f"seeds: default has {self.seeds.get('default', 0)} runs, another arm has more")
        return self


class TheoryExperiment(Strict):
    """Identities of Section 3.5 at random assignments and weights."""

    dataset: str = Field(description="data set")
    draws: int = Field(ge=1, description="assignments and weights drawn for each pair")


class RetrievalExperiment(Strict):
    """Similarity and ranking of candidates for each query."""

    dataset: str = Field(description="a data set with queries")
    methods: list[Literal["neural", "fingerprint"]] = Field(description="what similarities come from")
    options: Options = Field(description="what differs from `options.neural`")
    relevant: float = Field(gt=0, lt=1, description="true similarity above which a candidate is relevant")


class SpeedExperiment(Strict):
    """Races: accuracy against time, time against size, equal time, one batch against a loop."""

    anytime: str = Field(description="data set of the anytime curves")
    scaling: str = Field(description="data set of the growth with size")
    batch: str = Field(description="data set that is solved in one batch and pair by pair")
    pairs: int = Field(ge=1, description="pairs of the anytime curves")
    queries: int = Field(ge=1, description="queries whose pairs are solved in one batch and pair by pair")
    batch_epochs: int = Field(ge=2, description="epochs of these")
    seconds: int = Field(ge=1, description="time limit of RASCAL and of the exact solver")


class Config(PaperConfig):
    """All experiments of nga."""

    datasets: dict[str, Dataset] = Field(description="pairs of molecules")
    options: dict[Method, Options] = Field(description="solver -> its options")
    solve: SolveExperiment = Field(description="accuracy of all solvers")
    ablation: VariantExperiment = Field(description="what the parts of the method do")
    theory: TheoryExperiment = Field(description="identities")
    retrieval: RetrievalExperiment = Field(description="similarity and ranking")
    speed: SpeedExperiment = Field(description="races")
