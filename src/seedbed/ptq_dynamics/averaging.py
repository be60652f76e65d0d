"""Averages of weights: LAWA, a rolling mean along one run, and soups, a mean of several models."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

StateDict = Mapping[str, Tensor]


def soup(states: Sequence[StateDict], weights: Sequence[float] | None = None) -> dict[str, Tensor]:
    """Weighted mean of state dicts, summed in float32; without ``weights`` the uniform mean.

    Integer buffers are those of the first state.

    Raises
    ------
    ValueError
        If the states have different tensors or the weights do not sum to one.
    """
    weights = list(weights) if weights is not None else [1 / len(states)] * len(states)
    if len(weights) != len(states) or abs(sum(weights) - 1) > 1e-6:
        raise ValueError(f"{len(states)} states need as many weights, of sum 1; found {weights}")
    if any(state.keys() != states[0].keys() for state in states):
        raise ValueError("the states have different tensors")
    return {name: _mean([state[name] for state in states], weights) for name in states[0]}


def _mean(values: list[Tensor], weights: list[float]) -> Tensor:
    if not values[0].is_floating_point():
        return values[0].clone()
    wide = torch.promote_types(values[0].dtype, torch.float32)
    return sum(value.to(wide) * weight for value, weight in zip(values, weights, strict=True)).to(values[0].dtype)


class LAWA:
    """Latest weight averaging: the uniform mean of the last ``k`` checkpoints, taken every ``every`` updates.

    With a constant learning rate it stands in for a cooldown. Buffers are averaged too.
    """

    def __init__(self, k: int, every: int) -> None:
        self.every = every
        self._window: deque[dict[str, Tensor]] = deque(maxlen=k)

    def update(self, model: nn.Module, step: int) -> None:
        """Take ``model`` into the window if ``step``, the updates made so far, is a multiple of ``every``."""
        if step % self.every == 0:
            self._window.append({name: value.detach().clone() for name, value in model.state_dict().items()})

    def average(self) -> dict[str, Tensor]:
        """State dict of the mean.

        Raises
        ------
        ValueError
            If there is no checkpoint yet.
        """
        if not self._window:
            raise ValueError("no checkpoint has been taken yet")
        return soup(list(self._window))
