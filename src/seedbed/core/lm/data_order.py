"""The batches that training draws from a text: a function of seed and step alone."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from seedbed.core.errors import SeedbedError


def windows(tokens: np.ndarray, starts: np.ndarray, length: int) -> Tensor:
    """Token ids (len(starts), length), int64, from each of ``starts`` on."""
    return torch.from_numpy(tokens[starts[:, None] + np.arange(length)].astype(np.int64))


class DataOrder:
    """Which windows of the tokens an update sees: a function of (seed, step) alone, so that branches of a run agree.

    An epoch is a random permutation of all windows of ``context`` tokens that do not overlap, each with its next token;
    from epoch to epoch their common offset changes. Nothing is seen twice inside an epoch.

    Parameters
    ----------
    tokens
        Token ids (n,).
    batch
        Sequences an update.
    context
        Tokens a sequence.
    seed
        Data seed.
    """

    def __init__(self, tokens: np.ndarray, batch: int, context: int, seed: int) -> None:
        self.tokens, self.batch, self.context, self.seed = tokens, batch, context, seed
        self.windows = len(tokens) // context - 1  # one less, for the offset and the next token
        if self.windows < 1:
            raise SeedbedError(f"{len(tokens)} tokens are too few for windows of {context}; 2 × {context} are needed")
        self._epoch, self._order = -1, np.empty(0, np.int64)

    def __call__(self, step: int) -> Tensor:
        """Token ids (batch, context + 1) of update ``step``: inputs and, one further, their targets."""
        epochs, numbers = np.divmod(np.arange(step * self.batch, (step + 1) * self.batch), self.windows)
        starts = np.empty(self.batch, np.int64)
        for epoch in range(epochs[0], epochs[-1] + 1):
            inside = epochs == epoch
            starts[inside] = self._starts(epoch)[numbers[inside]]
        return windows(self.tokens, starts, self.context + 1)

    def _starts(self, epoch: int) -> np.ndarray:
        """First tokens of all windows of an epoch, in the order in which they are seen."""
        if epoch != self._epoch:
            rng = np.random.default_rng([self.seed, epoch])
            offset = rng.integers(self.context)
            self._epoch, self._order = epoch, rng.permutation(self.windows) * self.context + offset
        return self._order
