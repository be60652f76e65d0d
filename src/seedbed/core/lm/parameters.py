"""The parameters of R models of one shape as one matrix (R, P), with a view for each named parameter.

With all parameters in one matrix an optimizer is a few operations, a gradient norm is one, averaging checkpoints is a
mean of matrices, and every row can have hyper-parameters of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers.modeling_utils import PreTrainedModel


class Layout:
    """Where each parameter of a model lies in a row of length ``size``.

    ``decayed`` (P,) marks what weight decay applies to: matrices, and neither gains nor biases. ``normalised`` (P,)
    marks the matrices whose scale a later normalisation removes: all but the embedding and the output head.
    Tied parameters occur once.
    """

    def __init__(self, model: PreTrainedModel) -> None:
        self.shapes = {name: parameter.shape for name, parameter in model.named_parameters()}
        lengths = [shape.numel() for shape in self.shapes.values()]
        starts = [sum(lengths[:index]) for index in range(len(lengths))]
        self.slices = {
            name: slice(start, start + n) for name, start, n in zip(self.shapes, starts, lengths, strict=True)
        }
        self.size = sum(lengths)
        ends = {id(part.weight) for part in (model.get_input_embeddings(), model.get_output_embeddings()) if part}
        self.decayed = torch.zeros(self.size, dtype=torch.bool)
        self.normalised = torch.zeros(self.size, dtype=torch.bool)
        for name, parameter in model.named_parameters():
            self.decayed[self.slices[name]] = parameter.ndim >= 2
            self.normalised[self.slices[name]] = parameter.ndim >= 2 and id(parameter) not in ends

    def named(self, matrix: Tensor) -> dict[str, Tensor]:
        """Views (R, *shape) of ``matrix`` (R, P) by the names of the parameters."""
        rows = len(matrix)
        return {name: matrix[:, self.slices[name]].view(rows, *shape) for name, shape in self.shapes.items()}


def stack(models: Sequence[PreTrainedModel]) -> Tensor:
    """Parameters (R, P), float32, of models of one shape."""
    return torch.stack(
        [torch.cat([parameter.detach().float().flatten() for parameter in model.parameters()]) for model in models]
    )


def put(matrix: Tensor, models: Sequence[PreTrainedModel]) -> None:
    """Copy row r of ``matrix`` (R, P) into the parameters of ``models[r]``: of a state, or a mean of several."""
    for model, row in zip(models, matrix, strict=True):
        parameters = list(model.parameters())
        for parameter, values in zip(parameters, row.split([x.numel() for x in parameters]), strict=True):
            parameter.data = values.view_as(parameter).to(parameter.dtype, copy=True)
