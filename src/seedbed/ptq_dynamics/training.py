"""Train the runs of an experiment, all seeds of a run together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from seedbed.core.lm.checkpoints import checkpoint, read
from seedbed.core.lm.train import Run, Settings, train
from seedbed.core.pool import work_off
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
    threads: int = 1,
) -> tuple[dict[str, Tensor], dict[Trajectory, np.ndarray]]:
    """Train runs of all seeds, ``model['together']`` in one batched computation, on ``threads`` processes.

    Returns the kept parameters (seeds, P) by `Trajectory.key`, and the gradient norms (steps, seeds) before clipping.
    Checkpoints are in ``folder``, from which a killed call goes on; the caller removes it.
    """

    def some(part: Sequence[int]) -> dict[Trajectory, np.ndarray]:
        return {
            one: _train(one, part, dataset, tokens, model, vocab_size, folder / str(part[0]), device)
            for one in trajectories  # what branches off comes after its trunk
        }

    together = model["together"]
    parts = [seeds[first : first + together] for first in range(0, len(seeds), together)]
    norms = work_off(some, parts, threads)

    def state(one: Trajectory, step: int) -> Tensor:
        folders = [folder / str(part[0]) / one.name for part in parts]
        return torch.cat([read(checkpoint(each, step)).parameters for each in folders])

    kept = {one.key(step): state(one, step) for one in trajectories for step in one.keep}
    return kept, {one: np.concatenate([found[one] for found in norms], axis=1) for one in trajectories}


def _train(
    trajectory: Trajectory,
    seeds: Sequence[int],
    dataset: str,
    tokens: np.ndarray,
    model: Values,
    vocab_size: int,
    folder: Path,
    device: str,
) -> np.ndarray:
    """One run of some seeds, with its checkpoints in ``folder``; its gradient norms (steps, seeds)."""
    start = None
    if trajectory.branch is not None:
        start = read(checkpoint(folder / trajectory.branch[0], trajectory.branch[1]))
    runs = [
        Run(trajectory.schedule, library_seed(seed, "data", dataset), trajectory.decay, trajectory.optimizer)
        for seed in seeds
    ]
    models = new_models(model, vocab_size, seeds, dataset)
    settings = Settings(model["batch"], model["context"], micro_batch=model["micro_batch"], device=device)
    state = train(models, tokens, runs, trajectory.steps, settings, folder / trajectory.name, start, trajectory.keep)
    return state.gradient_norm.numpy()
