"""What a quantizer knows of a layer's inputs: their second moments and mean magnitudes over a calibration text."""

from __future__ import annotations

import torch
from torch import Tensor


class HessianAccumulator:
    """Running H = (2 / n) Xᵀ X of inputs X (n, I): the Hessian of the layer's squared output error, for each row.

    ``value`` is (I, I), ``mean_magnitude`` (I,) is the mean of |x_j|; both float32.
    """

    def __init__(self, in_features: int, device: torch.device | str = "cpu") -> None:
        self.count = 0
        self._products = torch.zeros(in_features, in_features, device=device)
        self._magnitudes = torch.zeros(in_features, device=device)

    def update(self, x: Tensor) -> HessianAccumulator:
        """Add inputs ``x`` (…, I)."""
        x = x.detach().float().reshape(-1, x.shape[-1])
        self._products.addmm_(x.T, x)
        self._magnitudes += x.abs().sum(0)
        self.count += len(x)
        return self

    @property
    def value(self) -> Tensor:
        return self._products * (2 / self.count)

    @property
    def mean_magnitude(self) -> Tensor:
        return self._magnitudes / self.count
