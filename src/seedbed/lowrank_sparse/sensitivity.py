"""How much a matrix matters: the loss if it alone is compressed (Section 5 of the specification)."""

from __future__ import annotations

from seedbed.lowrank_sparse.budget import Compressed
from seedbed.lowrank_sparse.task import CompressionTask, Text


def sensitivities(task: CompressionTask, compressed: dict[str, Compressed], text: Text) -> dict[str, float]:
    """Matrix -> mean loss with it alone compressed minus that of the dense model, in nats."""
    dense, found = float(task.losses(text).mean()), {}
    for name, matrix in compressed.items():
        with task.compressed({name: matrix}):
            found[name] = float(task.losses(text).mean()) - dense
    return found
