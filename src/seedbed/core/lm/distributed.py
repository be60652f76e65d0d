"""Several processes that train one model, one a GPU: each computes its share of every batch, gradients are added up.

Nothing here is needed for a single process: then the rank is 0 of 1.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
import torch.multiprocessing
from torch import Tensor


def processes() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def rank() -> int:
    """Number of this process among them; the one with 0 writes checkpoints."""
    return dist.get_rank() if dist.is_initialized() else 0


def device(kind: str) -> torch.device:
    """The device of this process, ``cpu`` or the GPU of its rank."""
    return torch.device(kind, rank()) if kind == "cuda" else torch.device(kind)


def add_up(value: Tensor) -> None:
    """Replace ``value`` by its sum over all processes."""
    if processes() > 1:
        dist.all_reduce(value)


def spawn(function: Callable[..., None], arguments: tuple[Any, ...], processes: int, device: str) -> None:
    """Call ``function(*arguments)`` in ``processes`` processes of one group; ``function`` is one of a module.

    An exception in one of them ends all and is raised here.
    """
    with tempfile.TemporaryDirectory() as folder:
        meeting = (Path(folder) / "meeting").as_uri()
        torch.multiprocessing.spawn(_member, (function, arguments, processes, device, meeting), processes)


def _member(number: int, function: Callable[..., None], arguments: Any, size: int, device: str, meeting: str) -> None:
    if device == "cuda":
        torch.cuda.set_device(number)
    dist.init_process_group("nccl" if device == "cuda" else "gloo", meeting, rank=number, world_size=size)
    try:
        function(*arguments)
        dist.barrier()
    finally:
        dist.destroy_process_group()
