"""Train the runs of an experiment, all seeds of a run together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from seedbed.core.lm.checkpoints import State, checkpoint, read
from seedbed.core.lm.train import Run, Settings, train
from seedbed.ptq_dynamics.trajectories import Trajectory, Values, library_seed, new_models


def train_all(
    trajectories: Sequence[Trajectory],
    seeds: Sequence[int],
    dataset: str,
    tokens: np.ndarray,
    model: Values,
    vocab_size: int,
    folder: Path,
    device: str = "cpu",
) -> tuple[dict[str, Tensor], dict[Trajectory, Tensor]]:
    """Train runs of all seeds, ``model['together']`` at once; what branches off comes after its trunk.

    Returns the kept parameters (seeds, P) by `Trajectory.key`, and the gradient norms (steps, seeds) before clipping.
    Checkpoints are in ``folder``, from which a killed call goes on; the caller removes it.
    """
    kept: dict[str, list[Tensor]] = {}
    norms: dict[Trajectory, list[Tensor]] = {}
    for first in range(0, len(seeds), model["together"]):
        part = seeds[first : first + model["together"]]
        for trajectory in trajectories:
            state = _train(trajectory, part, dataset, tokens, model, vocab_size, folder / str(first), device)
            norms.setdefault(trajectory, []).append(state.gradient_norm)
            for step in trajectory.keep:
                parameters = read(checkpoint(folder / str(first) / trajectory.name, step)).parameters
                kept.setdefault(trajectory.key(step), []).append(parameters)
    return {key: torch.cat(parts) for key, parts in kept.items()}, {
        trajectory: torch.cat(parts, dim=1) for trajectory, parts in norms.items()
    }


def _train(
    trajectory: Trajectory,
    seeds: Sequence[int],
    dataset: str,
    tokens: np.ndarray,
    model: Values,
    vocab_size: int,
    folder: Path,
    device: str,
) -> State:
    """One run of some seeds, with its checkpoints in ``folder``."""
    start = None
    if trajectory.branch is not None:
        start = read(checkpoint(folder / trajectory.branch[0], trajectory.branch[1]))
    runs = [
        Run(trajectory.schedule, library_seed(seed, "data", dataset), trajectory.decay, trajectory.optimizer)
        for seed in seeds
    ]
    models = new_models(model, vocab_size, seeds, dataset)
    settings = Settings(model["batch"], model["context"], micro_batch=model["micro_batch"], device=device)
    return train(models, tokens, runs, trajectory.steps, settings, folder / trajectory.name, start, trajectory.keep)
