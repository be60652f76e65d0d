"""Token files: the token ids of a text, memory-mapped."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from seedbed.core.files import whole
from seedbed.core.tables import check_available


def write_tokens(tokens: np.ndarray, path: Path | str) -> None:
    """Write token ids (n,) as ``.npy``, as uint16, or uint32 where the vocabulary needs it; whole or not at all."""
    with whole(path) as part, part.open("wb") as file:
        np.save(file, tokens)


def read_tokens(path: Path | str) -> np.ndarray:
    """Token ids (n,) in the file ``path``, memory-mapped; `Unavailable` if their source could not be had."""
    check_available(path)
    return np.load(path, mmap_mode="r")
