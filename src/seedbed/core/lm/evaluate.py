"""Loss per token, perplexity and bits per byte of a causal language model on a text, window by window."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.errors import SeedbedError
from seedbed.core.lm.data_order import windows


@dataclass(frozen=True)
class Evaluation:
    """What a model scores on a text.

    ``window_loss`` (n,) has the mean cross-entropy in nats over the tokens that each window scores, and
    ``window_tokens`` (n,) their number; papers resample windows.
    """

    window_loss: np.ndarray
    window_tokens: np.ndarray
    window_bytes: np.ndarray | None = None

    @property
    def loss(self) -> float:
        """Mean cross-entropy in nats over all scored tokens."""
        return float(np.average(self.window_loss, weights=self.window_tokens))

    @property
    def perplexity(self) -> float:
        """exp of the loss."""
        return math.exp(self.loss)

    @property
    def bits_per_byte(self) -> float:
        """Bits that the model needs for a byte of the text; comparable between tokenizers."""
        if self.window_bytes is None:
            raise ValueError("bits per byte need the byte lengths of the vocabulary")
        return float(self.window_loss @ self.window_tokens / math.log(2) / self.window_bytes.sum())


@torch.no_grad()
def evaluate(
    model: PreTrainedModel,
    tokens: np.ndarray,
    context: int,
    stride: int | None = None,
    batch: int = 16,
    max_windows: int | None = None,
    byte_lengths: np.ndarray | None = None,
) -> Evaluation:
    """Score ``tokens`` (n,) in windows of ``context`` inputs, each ``stride`` tokens after the one before.

    The first window scores all its ``context`` targets, every later one the last ``stride``. So no token is scored
    twice, and beyond the first window each has at least ``context - stride`` tokens before it. Without ``stride``
    windows do not overlap. Only whole windows count. ``byte_lengths`` (vocabulary,) are those of the tokenizer.

    Raises
    ------
    SeedbedError
        If there are too few tokens for one window.
    """
    stride = stride or context
    if not 0 < stride <= context:
        raise ValueError(f"stride {stride} is not between 1 and the context {context}")
    starts = np.arange(0, len(tokens) - context, stride)[:max_windows]
    if not len(starts):
        raise SeedbedError(f"{len(tokens)} tokens are too few for a window of {context} and its last target")
    device = next(model.parameters()).device
    losses = []
    model.eval()
    for some in np.split(starts, range(batch, len(starts), batch)):
        sequences = windows(tokens, some, context + 1).to(device)
        logits = model(input_ids=sequences[:, :-1], use_cache=False).logits.float()
        targets = sequences[:, 1:]
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)
        losses.append(loss.double().cpu().numpy())
    scored = np.ones((len(starts), context), bool)
    scored[1:, : context - stride] = False
    count = scored.sum(axis=1)
    window_bytes = None
    if byte_lengths is not None:
        window_bytes = (byte_lengths[windows(tokens, starts + 1, context).numpy()] * scored).sum(axis=1)
    return Evaluation((np.concatenate(losses) * scored).sum(axis=1) / count, count, window_bytes)
