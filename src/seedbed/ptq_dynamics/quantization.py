"""Quantize the linear layers inside the blocks of any causal language model, in the order of the network.

Embeddings, output head and norms stay as they are. The calibration inputs of a block come from the blocks before it,
already quantized. Weights stay in floating point, with the values that the grid allows: what a kernel would compute.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Literal

import torch
from torch import Tensor, nn
from transformers.modeling_utils import PreTrainedModel

from seedbed.ptq_dynamics.calibration import HessianAccumulator

Quantizer = Literal["rtn", "gptq", "awq"]


@torch.no_grad()
def quantize_model(
    model: PreTrainedModel,
    calibration: Tensor,
    method: Quantizer,
    bits: int,
    group_size: int = 128,
    sym: bool = True,
    layers: str = "",
    batch: int = 128,
) -> PreTrainedModel:
    """A quantized copy of ``model``.

    Parameters
    ----------
    calibration
        Token ids (n, T) to calibrate on.
    method
        `rtn`, `gptq` or `awq`.
    layers
        Regular expression; only layers whose names it matches (`re.search`) are quantized.
    batch
        Sequences of ``calibration`` at once.

    Raises
    ------
    ValueError
        If no layer matches.
    """
    model = copy.deepcopy(model).eval()
    approximate = import_module(f"seedbed.ptq_dynamics.{method}").approximate
    chosen = {name: layer for name, layer in block_layers(model) if re.search(layers, name)}
    if not chosen:
        raise ValueError(f"no linear layer inside a block matches {layers!r}")
    blocks = _blocks(model)
    batches = _inputs_of(model, blocks[0], calibration.to(model.device).split(batch))
    for block in blocks:
        inside = [layer for layer in chosen.values() if any(layer is part for part in block.modules())]
        for inputs, sharing in _shared_inputs(block, inside, batches) if inside else []:
            weights = torch.cat([layer.weight.float() for layer in sharing])
            quantized = approximate(weights, inputs, bits, group_size, sym)
            for layer, weight in zip(sharing, quantized.split([layer.out_features for layer in sharing]), strict=True):
                layer.weight.copy_(weight)
        batches = [((_first(block(*args, **kwargs)), *args[1:]), kwargs) for args, kwargs in batches]
    return model


def block_layers(model: PreTrainedModel) -> Iterator[tuple[str, nn.Linear]]:
    """Name and layer of every linear layer inside the blocks, in the order of the network."""
    names = {id(module): name for name, module in model.named_modules()}
    for block in _blocks(model):
        for part in block.modules():
            if isinstance(part, nn.Linear):
                yield names[id(part)], part


def _blocks(model: PreTrainedModel) -> nn.ModuleList:
    """The transformer blocks: the longest list of modules of one kind."""
    lists = [part for part in model.modules() if isinstance(part, nn.ModuleList) and len({type(x) for x in part}) == 1]
    return max(lists, key=len)


class _Stop(Exception):
    """Ends a forward pass at the first block."""


def _inputs_of(model: PreTrainedModel, block: nn.Module, batches: tuple[Tensor, ...]) -> list[tuple[tuple, dict]]:
    """Arguments that ``block`` gets in a forward pass of each batch."""
    found: list[tuple[tuple, dict]] = []

    def catch(module: nn.Module, args: tuple, kwargs: dict) -> None:
        found.append((args, kwargs))
        raise _Stop

    hook = block.register_forward_pre_hook(catch, with_kwargs=True)
    for tokens in batches:
        try:
            model(input_ids=tokens, use_cache=False)
        except _Stop:
            pass
    hook.remove()
    return found


def _shared_inputs(
    block: nn.Module, layers: list[nn.Linear], batches: list[tuple[tuple, dict]]
) -> list[tuple[HessianAccumulator, list[nn.Linear]]]:
    """Statistics of each input that ``layers`` of ``block`` read, with the layers that read it."""
    statistics: dict[int, HessianAccumulator] = {}  # first layer of a group -> statistics
    groups: dict[int, list[nn.Linear]] = {}
    seen: list[tuple[Tensor, int]] = []  # inputs of this pass, and the first layer that read them

    def observe(layer: nn.Linear, args: tuple[Tensor]) -> None:
        first = next((owner for x, owner in seen if x is args[0]), None)
        if first is None:
            first = id(layer)
            seen.append((args[0], first))
            statistics.setdefault(first, HessianAccumulator(layer.in_features, layer.weight.device)).update(args[0])
        if layer not in groups.setdefault(first, []):
            groups[first].append(layer)

    hooks = [layer.register_forward_pre_hook(observe) for layer in layers]
    for args, kwargs in batches:
        seen.clear()
        block(*args, **kwargs)
    for hook in hooks:
        hook.remove()
    return [(statistics[first], layers) for first, layers in groups.items()]


def _first(output: Tensor | tuple[Tensor, ...]) -> Tensor:
    """Hidden states of a block's output."""
    return output if isinstance(output, Tensor) else output[0]
