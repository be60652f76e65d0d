"""Random numbers of an experiment: one generator for each (seed, experiment, dataset), shared by all methods."""

from __future__ import annotations

import zlib

import numpy as np


def rng(seed: int, experiment: str, dataset: str) -> np.random.Generator:
    """Generator that depends on the seed, the experiment and the data set, and never on the method.

    Two methods that ask for the same three get the same numbers, which is what makes their difference a paired one.
    A stream of a part inside a job (a target, a model) comes from ``rng(...).spawn(n)``.
    """
    key = [zlib.crc32(name.encode()) for name in (experiment, dataset)]
    return np.random.default_rng(np.random.SeedSequence([seed, *key]))
