"""The training loop: R models of one shape at once, each with its own schedule, optimizer, decay and data.

A single model is R = 1. Members share no number: each ends as it would alone, to rounding. A run that is killed goes on
from its last whole checkpoint and ends with the same bits.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.func import functional_call, vmap
from tqdm import tqdm
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm import checkpoints, distributed
from seedbed.core.lm.checkpoints import State
from seedbed.core.lm.data_order import DataOrder
from seedbed.core.lm.optimizers import Adam, Optimizer, clip, decay_factors
from seedbed.core.lm.parameters import Layout, put, stack
from seedbed.core.lm.schedules import Schedule

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Run:
    """What one model of a batch has of its own."""

    schedule: Schedule
    """Learning rate by step."""
    seed: int = 0
    """Data seed: the order of the batches."""
    weight_decay: float = 0.1
    """λ, in the convention of the optimizer."""
    optimizer: Optimizer = "adamw"
    """`seedbed.core.lm.optimizers` has the conventions."""


@dataclass(frozen=True)
class Settings:
    """What all models of a batch share."""

    batch: int
    """Sequences an update, over all processes."""
    context: int
    """Tokens a sequence."""
    max_norm: float = 1.0
    """Norm that a gradient is clipped to."""
    betas: tuple[float, float] = (0.9, 0.95)
    """Decay rates of Adam's moments."""
    eps: float = 1e-8
    """Added to the root of the second moment."""
    micro_batch: int | None = None
    """Sequences a forward pass; without it, all of a process at once."""
    checkpoint_every: int = 1000
    """Updates between checkpoints."""
    device: str = "cpu"
    """cpu or cuda; with several processes each takes the GPU of its rank."""
    bf16: bool = False
    """Forward and backward in bfloat16 (autocast); parameters and moments stay float32."""


def train(
    models: Sequence[PreTrainedModel],
    tokens: np.ndarray,
    runs: Sequence[Run],
    steps: int,
    settings: Settings,
    folder: Path | None = None,
    start: State | None = None,
    keep: Collection[int] = (),
) -> State:
    """Train ``models`` to ``steps`` updates in all, in place, and return where they stand.

    Parameters
    ----------
    models
        R models of one shape; without ``start`` their parameters are the first ones.
    tokens
        Token ids (n,) to train on.
    runs
        R runs, one a model.
    steps
        Updates, those of ``start`` included.
    settings
        What the models share.
    folder
        Where checkpoints go and a killed run goes on from. The state after the last update is there at the end.
    start
        State to go on from instead, as a cooldown does from its trunk; it is not changed.
    keep
        Steps whose states stay in ``folder``, for `checkpoints.read`; all others are removed in time.

    Returns
    -------
    State
        Parameters, moments and records, on ``settings.device``.

    Raises
    ------
    SeedbedError
        If ``folder`` has checkpoints of another run, or ``tokens`` are too few.
    """
    if len(models) != len(runs):
        raise ValueError(f"{len(models)} models and {len(runs)} runs")
    if keep and folder is None:
        raise ValueError("states are kept in a folder, and none is given")
    begun = start or State.initial(stack(models))
    shared = replace(settings, checkpoint_every=0, device="")  # what decides the numbers
    description = repr([list(runs), shared, begun.step])
    found = checkpoints.latest(folder, description, steps) if folder else None
    device = distributed.device(settings.device)
    state = (found or begun).copy(device)
    saved = {step for step in {*keep, *range(0, steps, settings.checkpoint_every), steps} if step > state.step}
    loop = _Loop([model.to(device) for model in models], tokens, runs, settings, device)
    while state.step < steps:
        loop.advance(state, min(saved) if folder else steps, steps)
        saved.discard(state.step)
        if folder and distributed.rank() == 0:
            checkpoints.write(state, folder, description)
            checkpoints.prune(folder, {*keep})
    put(state.parameters, models)
    return state


class _Loop:
    """Gradients and updates of R models."""

    def __init__(
        self,
        models: Sequence[PreTrainedModel],
        tokens: np.ndarray,
        runs: Sequence[Run],
        settings: Settings,
        device: torch.device,
    ) -> None:
        self.model, self.runs, self.settings, self.device = models[0], runs, settings, device
        self.layout = Layout(self.model)
        self.orders = [DataOrder(tokens, settings.batch, settings.context, run.seed) for run in runs]
        self.adam = Adam(self.layout, settings.betas, settings.eps, device)

    def advance(self, state: State, until: int, steps: int) -> None:
        """Update ``state`` in place until it has ``until`` updates; ``steps`` is where the progress bar ends."""
        settings, begun, started = self.settings, state.step, time.monotonic()
        tokens = len(self.runs) * settings.batch * settings.context
        parameters = self._leaves(state.parameters)
        records = []
        progress = {"unit": "token", "unit_scale": True, "mininterval": 5, "file": sys.stderr}
        with (
            self._training_mode(),
            tqdm(total=steps * tokens, initial=begun * tokens, disable=distributed.rank() > 0, **progress) as bar,
        ):
            for step in range(begun, until):
                loss, gradient = self._gradient(parameters, step)
                norm = clip(gradient, settings.max_norm)
                records.append(torch.stack([loss, norm]))
                lr = [run.schedule(step) for run in self.runs]
                decay = [
                    decay_factors(run.optimizer, rate, run.schedule.peak, run.weight_decay)
                    for run, rate in zip(self.runs, lr, strict=True)
                ]
                moments = (state.first_moment, state.second_moment)
                self.adam.update(state.parameters, gradient, moments, step, lr, decay)
                bar.update(tokens)
        loss, norm = torch.stack(records, dim=1).cpu()
        state.loss, state.gradient_norm = torch.cat([state.loss, loss]), torch.cat([state.gradient_norm, norm])
        log.info("%d updates, %.0f tokens/s", until, (until - begun) * tokens / (time.monotonic() - started))
        if not loss[-1].isfinite().all():
            log.warning("the loss is not finite: %s", [r for r, x in zip(self.runs, loss[-1], strict=True) if x != x])

    @contextmanager
    def _training_mode(self) -> Iterator[None]:
        """Dropout as the model has it; for several models at once the attention that `vmap` can batch."""
        attention = self.model.config._attn_implementation
        self.model.train()
        if len(self.runs) > 1:
            self.model.set_attn_implementation("eager")
        try:
            yield
        finally:
            self.model.set_attn_implementation(attention)
            self.model.eval()

    def _leaves(self, matrix: Tensor) -> dict[str, Tensor]:
        """The parameters that gradients are taken of, in the memory of ``matrix`` (R, P).

        For one model they are its own, which saves `functional_call` a tenth of a small model's time.
        """
        views = self.layout.named(matrix)
        if len(self.runs) > 1:
            return {name: view.requires_grad_() for name, view in views.items()}
        own = dict(self.model.named_parameters())
        for name, view in views.items():
            own[name].data = view[0]
        return own

    def _gradient(self, parameters: dict[str, Tensor], step: int) -> tuple[Tensor, Tensor]:
        """Mean loss (R,) and its gradient (R, P) on the batch of ``step``, over all processes."""
        settings, processes = self.settings, distributed.processes()
        batch = torch.stack([order(step)[distributed.rank() :: processes] for order in self.orders]).to(self.device)
        parts = batch.split(settings.micro_batch or batch.shape[1], dim=1)
        loss = torch.zeros(len(self.runs), device=self.device)
        gradient = torch.zeros(len(self.runs), self.layout.size, device=self.device)
        for part in parts:
            share = part.shape[1] / settings.batch
            with torch.autocast(self.device.type, torch.bfloat16, enabled=settings.bf16):
                mean = share * self._loss(parameters, part)
            gradients = torch.autograd.grad(mean.sum(), list(parameters.values()))
            gradient += torch.cat([value.reshape(len(self.runs), -1) for value in gradients], dim=1)
            loss += mean.detach()
        distributed.add_up(loss)
        distributed.add_up(gradient)
        return loss, gradient

    def _loss(self, parameters: dict[str, Tensor], batch: Tensor) -> Tensor:
        """Mean cross-entropy (R,) in nats of ``batch`` (R, B, T + 1)."""

        inputs, targets = batch[..., :-1], batch[..., 1:]
        if len(self.runs) == 1:
            return _cross_entropy(self.model(input_ids=inputs[0], use_cache=False).logits, targets[0])[None]

        def one(named: dict[str, Tensor], inputs: Tensor, targets: Tensor) -> Tensor:
            logits = functional_call(self.model, named, (), {"input_ids": inputs, "use_cache": False}).logits
            return _cross_entropy(logits, targets)

        return vmap(one)(parameters, inputs, targets)


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())
