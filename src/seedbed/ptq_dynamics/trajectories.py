"""The runs of the experiments, and the checkpoints of them that are quantized.

A constant trunk is trained once; cooldowns of one absolute length branch off it, as in the paper (each spans a tenth of
the full budget). A branch starts from the trunk's parameters and moments and sees the batches that the trunk saw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm.models import llama
from seedbed.core.lm.optimizers import Optimizer
from seedbed.core.lm.schedules import WSD, Cosine, Schedule
from seedbed.core.random import rng

Values = Mapping[str, Any]  # a part of the configuration, as plain data


@dataclass(frozen=True)
class Trajectory:
    """One run over all seeds: what is trained, and the steps whose states are kept."""

    run: str
    """Kind: trunk, cooldown, adamc, lr, weight_decay or cosine."""
    lr: str
    weight_decay: str
    """λ, in the convention of PyTorch's AdamW at the recipe's peak."""
    schedule: Schedule
    steps: int
    keep: tuple[int, ...]
    optimizer: Optimizer = "adamw"
    decay: float = 0.0
    """What the optimizer is given as λ."""
    branch: tuple[str, int] | None = None
    """Name and step of the run that it branches off."""

    @property
    def factors(self) -> dict[str, str | int]:
        """Factors of its rows in the metrics table."""
        return {"run": self.run, "lr": self.lr, "weight_decay": self.weight_decay, "total": self.steps}

    @property
    def name(self) -> str:
        return "-".join(map(str, self.factors.values()))

    def key(self, step: int) -> str:
        """Name of the parameters (seeds, P) at ``step`` in a file of models."""
        return f"{self.name}/{step}"


@dataclass(frozen=True)
class Checkpoint:
    """One model of each seed: parameters at a step, or the mean of several."""

    factors: dict[str, str | int]
    keys: tuple[str, ...]

    def read(self, path: Path | str) -> Tensor:
        """Parameters (seeds, P)."""
        with safe_open(path, "pt") as file:
            return torch.stack([file.get_tensor(key) for key in self.keys]).mean(0)


def cooldown_trajectories(recipe: Values, experiment: Values) -> list[Trajectory]:
    """The trunk first, then its branches: cooldowns with AdamW, and with AdamC."""
    lawa = experiment["lawa"]
    branches = [("cooldown", "adamw", end) for end in experiment["ends"]]
    branches += [("adamc", "adamc", end) for end in experiment["adamc"]]
    starts = [end - recipe["cooldown"] for _, _, end in branches]
    averaged = [step for end in lawa["steps"] for step in _window(lawa, end)]
    steps = max(experiment["trunk"])
    shared = {"lr": recipe["lr"], "weight_decay": recipe["weight_decay"], "decay": float(recipe["weight_decay"])}
    peak, warmup = float(recipe["lr"]), recipe["warmup"]
    trunk = Trajectory(
        "trunk",
        schedule=WSD(peak, warmup),
        steps=steps,
        keep=tuple(sorted({*experiment["trunk"], *starts, *averaged})),
        **shared,
    )
    return [trunk] + [
        Trajectory(
            run,
            schedule=WSD(peak, warmup, end, recipe["cooldown"]),
            steps=end,
            keep=(end,),
            optimizer=optimizer,
            branch=(trunk.name, start),
            **shared,
        )
        for (run, optimizer, end), start in zip(branches, starts, strict=True)
    ]


def sweep_trajectories(recipe: Values, experiment: Values) -> list[Trajectory]:
    """One factor at a time against the trunk and the cooldown that ends at ``total``.

    Weight decay is varied with the decoupled optimizer, whose λ' = peak · λ makes λ comparable.
    """
    peak, total = float(recipe["lr"]), experiment["total"]
    keep = (*experiment["steps"], total)
    base = Trajectory(
        "lr",
        recipe["lr"],
        recipe["weight_decay"],
        WSD(peak, recipe["warmup"], total, recipe["cooldown"]),
        total,
        keep,
        decay=float(recipe["weight_decay"]),
    )
    rates = [replace(base, lr=lr, schedule=replace(base.schedule, peak=float(lr))) for lr in experiment["lrs"]]
    decays = [
        replace(base, run="weight_decay", weight_decay=decay, optimizer="adamw_decoupled", decay=peak * float(decay))
        for decay in experiment["weight_decays"]
    ]
    cosine = experiment["cosine"]
    cosines = [
        replace(
            base,
            run="cosine",
            schedule=Cosine(peak, length, recipe["warmup"]),
            steps=length,
            keep=(*(cosine["also"] if length == max(cosine["totals"]) else []), length),
        )
        for length in cosine["totals"]
    ]
    return rates + decays + cosines


PLANS = {"cooldown": cooldown_trajectories, "sweep": sweep_trajectories}


def checkpoints(name: str, recipe: Values, experiment: Values) -> Iterator[Checkpoint]:
    """What is quantized of the experiment ``name``: the kept steps of runs, and averages of the trunk's."""
    trajectories = PLANS[name](recipe, experiment)
    for trajectory in trajectories:
        for step in experiment["trunk"] if trajectory.run == "trunk" else trajectory.keep:
            yield Checkpoint(trajectory.factors | {"step": step}, (trajectory.key(step),))
    if name == "cooldown":
        trunk, lawa = trajectories[0], experiment["lawa"]
        for step in lawa["steps"]:
            keys = tuple(trunk.key(each) for each in _window(lawa, step))
            yield Checkpoint(trunk.factors | {"run": "lawa", "step": step}, keys)


def _window(lawa: Values, end: int) -> list[int]:
    """Steps of the k checkpoints that an average at ``end`` is of."""
    return [end - lawa["every"] * back for back in reversed(range(lawa["k"]))]


def new_models(model: Values, vocab_size: int, seeds: Sequence[int], dataset: str) -> list[PreTrainedModel]:
    """Untrained models, one a seed."""
    shape = {name: model[name] for name in ("width", "layers", "heads", "context")}
    return [llama(vocab_size, **shape, seed=library_seed(seed, "model", dataset)) for seed in seeds]


def library_seed(seed: int, purpose: str, dataset: str) -> int:
    """A seed for libraries that want an integer; the same in all experiments, so that their runs are pairs."""
    return int(rng(seed, purpose, dataset).integers(2**31))


def ends_by_rate(recipe: Values, cooldown: Values, sweep: Values) -> dict[str, tuple[str, Checkpoint, str, Checkpoint]]:
    """Learning rate -> experiment and checkpoint of the cooled run that ends at the sweep's ``total``, and those of the
    last stable state before it."""
    stable = max(sweep["steps"])
    found = {}
    for name, experiment in (("cooldown", cooldown), ("sweep", sweep)):
        for one in checkpoints(name, recipe, experiment):
            factors = one.factors
            if factors["run"] in ("cooldown", "lr") and factors["step"] == sweep["total"]:
                found.setdefault(factors["lr"], {})["end"] = (name, one)
            if factors["run"] in ("trunk", "lr") and factors["step"] == stable:
                found.setdefault(factors["lr"], {})["stable"] = (name, one)
    return {lr: (*pair["end"], *pair["stable"]) for lr, pair in found.items()}
