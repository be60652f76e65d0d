"""AdamW and its variants over the parameters (R, P) of R models, each with a learning rate and weight decay of its own.

With learning rate η_t, its peak η, weight decay λ and Adam's update u_t, every variant is θ ← θ (1 − d_t) − η_t u_t:

==================  ====================================================================================
``adamw``           d_t = η_t λ: PyTorch's convention, in which the peak also scales the decay
``adamw_decoupled`` d_t = (η_t / η) λ: Loshchilov and Hutter's, in which it does not; with η λ it is ``adamw`` with λ
``adamc``           as ``adamw``, but d_t = η_t (η_t / η) λ for layers that a normalisation follows (Defazio 2025)
==================  ====================================================================================

Gains and biases are not decayed.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from seedbed.core.lm.parameters import Layout

Optimizer = Literal["adamw", "adamw_decoupled", "adamc"]


def decay_factors(optimizer: Optimizer, lr: float, peak: float, weight_decay: float) -> tuple[float, float]:
    """d_t of layers that a normalisation follows, and of the other decayed parameters."""
    if optimizer == "adamw_decoupled":
        return (lr / peak * weight_decay,) * 2
    if optimizer == "adamc":
        return lr * (lr / peak) * weight_decay, lr * weight_decay
    return (lr * weight_decay,) * 2


@torch.no_grad()
def clip(gradient: Tensor, max_norm: float) -> Tensor:
    """Scale each row of ``gradient`` (R, P), in place, to a norm of at most ``max_norm``; the norms (R,) before it."""
    norm = gradient.norm(dim=1)
    gradient.mul_((max_norm / (norm + 1e-6)).clamp(max=1.0)[:, None])
    return norm


class Adam:
    """Adam's update with decay, on parameters (R, P).

    Parameters
    ----------
    layout
        Which parameters are decayed.
    betas, eps
        Decay rates of the two moments, and what is added to the root of the second.
    device
        Where the parameters are.
    """

    def __init__(self, layout: Layout, betas: tuple[float, float], eps: float, device: torch.device | str) -> None:
        self.betas, self.eps = betas, eps
        self.normalised = layout.normalised.float().to(device)
        self.other = (layout.decayed & ~layout.normalised).float().to(device)

    @torch.no_grad()
    def update(
        self,
        parameters: Tensor,
        gradient: Tensor,
        moments: tuple[Tensor, Tensor],
        step: int,
        lr: list[float],
        decay: list[tuple[float, float]],
    ) -> None:
        """Update number ``step`` (from 0) of parameters and moments (R, P), in place; ``lr``, ``decay``: R items."""
        (beta1, beta2), (first, second) = self.betas, moments
        first.lerp_(gradient, 1 - beta1)
        second.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        scale = [rate / (1 - beta1 ** (step + 1)) for rate in lr]
        root = second.sqrt().div_((1 - beta2 ** (step + 1)) ** 0.5).add_(self.eps)
        for row, (normalised, other) in enumerate(decay):
            if normalised or other:
                parameters[row].mul_(1 - normalised * self.normalised - other * self.other)
            parameters[row].addcdiv_(first[row], root[row], value=-scale[row])
