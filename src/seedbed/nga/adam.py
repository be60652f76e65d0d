"""Adam for many problems at once: gradients are clipped problem by problem, and all weights move in one step.

`torch.optim` loads torch's compiler at its first step, which costs each process as much as loading torch itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

DECAY_MEAN, DECAY_SQUARE, EPSILON = 0.9, 0.999, 1e-8  # β1, β2 and ε of Kingma and Ba (2015)


class ClippedAdam:
    """Minimises the sum of P losses that share no weight.

    Parameters
    ----------
    weights : sequence of Tensor (P, …)
        Leaves that require gradients.
    rates : sequence of float
        Learning rate of each of them.
    clip : float
        Largest norm of a problem's gradient, over all weights.
    """

    def __init__(self, weights: Sequence[Tensor], rates: Sequence[float], clip: float) -> None:
        self.weights, self.clip, self.steps = list(weights), clip, 0
        self._sizes = [weight[0].numel() for weight in weights]
        self._rates = torch.cat([torch.full((size,), rate) for size, rate in zip(self._sizes, rates, strict=True)])
        self._mean = torch.zeros(len(self.weights[0]), sum(self._sizes))
        self._square = torch.zeros_like(self._mean)

    def step(self, loss: Tensor) -> None:
        """One step down the gradient of ``loss``, a scalar; weights that it does not depend on have gradient 0."""
        gradients = torch.autograd.grad(loss, self.weights, materialize_grads=True)
        self.steps += 1
        gradient = torch.cat([gradient.flatten(1) for gradient in gradients], dim=1)
        gradient *= (self.clip / gradient.norm(dim=1, keepdim=True).clamp_min(1e-12)).clamp_max(1.0)
        self._mean.lerp_(gradient, 1 - DECAY_MEAN)
        self._square.lerp_(gradient.square_(), 1 - DECAY_SQUARE)
        spread = (self._square / (1 - DECAY_SQUARE**self.steps)).sqrt_().add_(EPSILON)
        change = (self._mean / spread).mul_(self._rates / (1 - DECAY_MEAN**self.steps))
        with torch.no_grad():
            for weight, part in zip(self.weights, change.split(self._sizes, dim=1), strict=True):
                weight -= part.reshape(weight.shape)
