"""States of a training run, and files of them: written whole or not at all, and proven by a digest when read."""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from seedbed.core.errors import SeedbedError
from seedbed.core.files import whole

log = logging.getLogger(__name__)


class Broken(SeedbedError):
    """A checkpoint that is cut off or changed."""


@dataclass
class State:
    """R models in training after ``step`` updates.

    ``parameters``, ``first_moment`` and ``second_moment`` are (R, P), float32. ``loss`` (mean cross-entropy of the
    batch, in nats, before the update) and ``gradient_norm`` (before clipping) are (step, R), one row an update.
    """

    parameters: Tensor
    first_moment: Tensor
    second_moment: Tensor
    loss: Tensor
    gradient_norm: Tensor

    @classmethod
    def initial(cls, parameters: Tensor) -> State:
        """No update made yet."""
        none = torch.empty(0, len(parameters))
        return cls(parameters, torch.zeros_like(parameters), torch.zeros_like(parameters), none, none.clone())

    @property
    def step(self) -> int:
        return len(self.loss)

    def copy(self, device: torch.device | str = "cpu") -> State:
        """A copy that shares no memory with this one; the models on ``device``, the records on the CPU."""
        models = (self.parameters, self.first_moment, self.second_moment)
        return State(*(value.to(device, copy=True) for value in models), self.loss.clone(), self.gradient_norm.clone())


def checkpoint(folder: Path, step: int) -> Path:
    """Path of the checkpoint after ``step`` updates."""
    return folder / f"step-{step:08d}.safetensors"


def write(state: State, folder: Path, run: str) -> Path:
    """Write ``state`` of the run that ``run`` describes to its checkpoint."""
    tensors = {name: value.detach().cpu().contiguous() for name, value in vars(state).items()}
    path = checkpoint(folder, state.step)
    with whole(path) as part:
        save_file(tensors, part, {"run": run, "digest": _digest(tensors)})
    return path


def read(path: Path, run: str | None = None) -> State:
    """The state in the checkpoint ``path``.

    Raises
    ------
    Broken
        If the file is cut off or changed.
    SeedbedError
        If it belongs to another run than ``run``.
    """
    try:
        with safe_open(path, "pt") as file:
            about = file.metadata()
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, OSError) as error:
        raise Broken(f"{path}: cannot be read ({error})") from None
    if _digest(tensors) != about["digest"]:
        raise Broken(f"{path}: its content is not what was written")
    if run is not None and about["run"] != run:
        raise SeedbedError(f"{path}: belongs to another run; found {about['run']}, expected {run}")
    return State(**tensors)


def latest(folder: Path, run: str | None, before: int) -> State | None:
    """State of the newest whole checkpoint of at most ``before`` updates in ``folder``; broken ones are passed over."""
    for path in sorted(folder.glob("step-*.safetensors"), reverse=True):
        if _step(path) <= before:
            try:
                return read(path, run)
            except Broken as error:
                log.warning("%s; going on from the one before", error)
    return None


def prune(folder: Path, keep: set[int], newest: int = 2) -> None:
    """Remove all checkpoints but the ``newest`` ones and those of the steps in ``keep``."""
    for path in sorted(folder.glob("step-*.safetensors"))[:-newest]:
        if _step(path) not in keep:
            path.unlink()


def _step(path: Path) -> int:
    return int(path.stem.split("-")[1])


def _digest(tensors: dict[str, Tensor]) -> str:
    total = hashlib.blake2b(digest_size=16)
    for name, value in sorted(tensors.items()):
        total.update(json.dumps([name, list(value.shape)]).encode())
        total.update(value.contiguous().numpy().data)
    return total.hexdigest()
