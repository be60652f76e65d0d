"""Curvature around a trained model, and along the direction in which quantization moves it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm.parameters import stack
from seedbed.ptq_dynamics.curvature import hessian_product, hutchinson, lanczos
from seedbed.ptq_dynamics.landscape import loss_plane, plane_axes


def next_token_loss(model: nn.Module, tokens: Tensor) -> Tensor:
    """Mean cross-entropy in nats of ``tokens`` (B, T + 1): inputs and, one further, their targets."""
    logits = model(input_ids=tokens[:, :-1], use_cache=False).logits.float()
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def geometry(
    model: PreTrainedModel,
    quantized: PreTrainedModel,
    tokens: Tensor,
    probes: int,
    iterations: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Curvature of the loss of ``tokens`` (B, T + 1) at ``model``, and what it says of the step Δ to ``quantized``.

    ``trace``; ``top_eigenvalue``; ``distance`` ‖Δ‖; ``curvature`` ΔᵀHΔ / ‖Δ‖²; ``predicted_delta`` gᵀΔ + ΔᵀHΔ / 2;
    ``isotropic_delta`` trace · ‖Δ‖² / 2P, as if Δ were random; ``measured_delta``, the loss's change on ``tokens``.
    """
    step = (stack([quantized]) - stack([model]))[0]
    exact = copy.deepcopy(model)
    exact.set_attn_implementation("eager")  # has second derivatives
    product, gradient = hessian_product(exact, next_token_loss, tokens)
    size = len(gradient)
    bend = float(step @ product(step))
    trace = float(hutchinson(product, size, probes, rng).mean())
    with torch.no_grad():
        losses = [float(next_token_loss(one, tokens)) for one in (model, quantized)]
    return {
        "trace": trace,
        "top_eigenvalue": float(lanczos(product, size, 1, iterations, rng)[0]),
        "distance": float(step.norm()),
        "curvature": bend / float(step @ step),
        "predicted_delta": float(gradient @ step) + bend / 2,
        "isotropic_delta": trace * float(step @ step) / (2 * size),
        "measured_delta": losses[1] - losses[0],
    }


def planes(
    model: PreTrainedModel,
    loss: Callable[[PreTrainedModel], float],
    triples: Mapping[str, tuple[Tensor, Tensor, PreTrainedModel]],
    points: int,
) -> Iterator[tuple[str, dict[str, int], dict[str, float]]]:
    """Loss planes on the largest bounding box of all, ``points`` a side.

    ``triples``: name -> parameters (P,) of a model, of one before it, and its quantized copy. Yields name, place on the
    grid, and ``plane_loss`` with the distances ``plane_alpha`` and ``plane_beta`` from the model; and once a name,
    without a place, where the quantized copy is: ``quantized_alpha``, ``quantized_beta``.
    """
    triples = {name: (now, before, stack([copied])[0]) for name, (now, before, copied) in triples.items()}
    corners = {name: plane_axes(*three)[2] for name, three in triples.items()}
    before, along, across = np.abs(list(corners.values())).max(axis=0)
    reach = 1.25 * max(before, along), 1.25 * across
    grid = tuple(np.linspace(-end, end, points) for end in reach)
    for name, three in triples.items():
        yield name, {}, {"quantized_alpha": corners[name][1], "quantized_beta": corners[name][2]}
        for number, row in enumerate(loss_plane(model, loss, *three, grid).to_dict("records")):
            place = dict(zip(("row", "column"), divmod(number, points), strict=True))
            yield name, place, {f"plane_{key}": value for key, value in row.items()}
