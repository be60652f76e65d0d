"""The loss on a plane through three models (Section 3.5 of the specification)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm.parameters import put

if TYPE_CHECKING:
    import pandas as pd


def plane_axes(theta0: Tensor, theta1: Tensor, theta2: Tensor) -> tuple[Tensor, Tensor, tuple[float, float, float]]:
    """Orthonormal axes (P,) of the plane: along v = θ1 − θ0, and along what u = θ2 − θ0 has besides.

    Also returned: where θ1 and θ2 lie from θ0, as ‖v‖ and the two coordinates of u.
    """
    v, u = theta1 - theta0, theta2 - theta0
    first = v / v.norm()
    along = float(u @ first)
    rest = u - along * first
    return first, rest / rest.norm(), (float(v.norm()), along, float(rest.norm()))


@torch.no_grad()
def loss_plane(
    model: PreTrainedModel,
    loss: Callable[[PreTrainedModel], float],
    theta0: Tensor,
    theta1: Tensor,
    theta2: Tensor,
    grid: tuple[np.ndarray, np.ndarray],
) -> pd.DataFrame:
    """``loss`` at θ0 + α a + β b for all α of ``grid[0]`` and β of ``grid[1]``, in distances along `plane_axes`.

    θ are flat, (P,): the model, one before it on its way, and the dequantized one. Columns: ``alpha``, ``beta``,
    ``loss``.
    """
    import pandas as pd

    model = copy.deepcopy(model)
    first, second, _ = plane_axes(theta0, theta1, theta2)
    rows = []
    for alpha in grid[0]:
        for beta in grid[1]:
            put((theta0 + float(alpha) * first + float(beta) * second)[None], [model])
            rows.append((float(alpha), float(beta), loss(model)))
    return pd.DataFrame(rows, columns=["alpha", "beta", "loss"])
