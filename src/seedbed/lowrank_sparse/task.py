"""A language model to compress: which matrices, what a text sends through them, and the loss with others in place.

Takes any causal language model of `transformers` with its blocks in ``model.model.layers`` (Llama, Qwen2, Phi-3 …).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm.data_order import windows
from seedbed.lowrank_sparse.budget import Compressed

BATCH = 16  # windows a forward pass
LOGITS = 1 << 24  # logits a forward pass, the largest array


@dataclass(frozen=True)
class Text:
    """Windows of a text, ready for the first compressed block: its inputs (n, T, width) and the targets (n, scored)."""

    hidden: Tensor
    targets: Tensor


class CompressionTask:
    """The linear layers of some blocks of ``model``, to be replaced and measured.

    Blocks before the first of ``blocks`` (default: all) do not change, so their output is computed once a text.
    Embeddings, output head and norms are untouched [R].
    """

    def __init__(self, model: PreTrainedModel, blocks: list[int] | None = None) -> None:
        self.model, layers = model.eval(), model.model.layers
        chosen = range(len(layers)) if blocks is None else blocks
        self._before, self._after = layers[: chosen[0] + 1], layers[chosen[0] :]
        self.linears = {
            f"{block}.{name}": module
            for block in chosen
            for name, module in layers[block].named_modules()
            if isinstance(module, nn.Linear)
        }
        self.weights = {name: module.weight.detach().float() for name, module in self.linears.items()}

    @torch.no_grad()
    def text(self, tokens: np.ndarray, n_windows: int, context: int, scored: int) -> Text:
        """The first ``n_windows`` windows of ``context`` inputs of ``tokens`` that do not overlap; the last ``scored``
        targets of each count, so that each has ``context`` − ``scored`` tokens before it at least.

        Raises
        ------
        ValueError
            If there are too few tokens.
        """
        if len(tokens) < n_windows * context + 1:
            raise ValueError(f"{len(tokens)} tokens are too few for {n_windows} windows of {context}")
        device = next(self.model.parameters()).device
        sequences = windows(tokens, np.arange(n_windows) * context, context + 1).to(device)
        with self._layers(self._before):
            hidden = [
                self.model.model(part, output_hidden_states=True, use_cache=False).hidden_states[-2]
                for part in sequences[:, :-1].split(BATCH)
            ]
        return Text(torch.cat(hidden), sequences[:, -scored:])

    @torch.no_grad()
    def losses(self, text: Text) -> Tensor:
        """Mean cross-entropy (n,) in nats of each window, of the model as it is."""
        found = []
        with self._layers(self._after):
            scored = text.targets.shape[1]
            batch = min(max(LOGITS // (scored * self.model.config.vocab_size), 1), BATCH)
            for hidden, targets in zip(text.hidden.split(batch), text.targets.split(batch), strict=True):
                logits = self.model(inputs_embeds=hidden, use_cache=False, logits_to_keep=scored).logits.float()
                loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
                found.append(loss.view(targets.shape).double().mean(1))
        return torch.cat(found).cpu()

    def put(self, weights: Mapping[str, Tensor]) -> None:
        """Put ``weights`` into the layers that they name; tensors of the right type themselves, not copies."""
        for name, weight in weights.items():
            old = self.linears[name].weight
            old.data = weight.to(old.device, old.dtype).contiguous()

    @contextmanager
    def compressed(self, matrices: Mapping[str, Compressed]) -> Iterator[None]:
        """The model with ``matrices`` in place; the dense weights come back afterwards."""
        self.put({name: matrix.weight for name, matrix in matrices.items()})
        try:
            yield
        finally:
            self.put({name: self.weights[name] for name in matrices})

    @torch.no_grad()
    def grams(self, text: Text) -> dict[str, Tensor]:
        """XᵀX / N (n, n) of the inputs X (N, n) that ``text`` sends through each layer of the dense model.

        All at once [ours], not block by block behind those already compressed. Layers with one input share one matrix.
        """
        found: dict[str, Tensor] = {}
        first: dict[str, str] = {}  # layer -> the first one with its input
        last: tuple[Tensor | None, str] = None, ""

        def record(name: str):
            def hook(module: nn.Module, inputs: tuple[Tensor]) -> None:
                nonlocal last
                if inputs[0] is not last[0]:
                    last = inputs[0], name
                    X = inputs[0].flatten(0, -2).float()
                    found[name] = found.get(name, 0) + X.T @ X
                first[name] = last[1]

            return hook

        handles = [module.register_forward_pre_hook(record(name)) for name, module in self.linears.items()]
        with self._layers(self._after):
            for hidden in text.hidden.split(BATCH):
                self.model.model(inputs_embeds=hidden, use_cache=False)
        for handle in handles:
            handle.remove()
        rows = text.hidden.shape[0] * text.hidden.shape[1]
        means = {name: gram / rows for name, gram in found.items()}
        return {name: means[first[name]] for name in self.linears}

    @contextmanager
    def _layers(self, layers: nn.ModuleList) -> Iterator[None]:
        """The model with these blocks only."""
        inner, config = self.model.model, self.model.config
        all_layers, count = inner.layers, config.num_hidden_layers
        inner.layers, config.num_hidden_layers = layers, len(layers)
        try:
            yield
        finally:
            inner.layers, config.num_hidden_layers = all_layers, count


def activation_rms(gram: Tensor) -> Tensor:
    """√mean X_j² (n,) of each input; inputs that are always zero get the smallest positive value."""
    rms = gram.diagonal().clamp_min(0).sqrt()
    return rms.clamp_min(float(rms[rms > 0].min()) if bool((rms > 0).any()) else 1.0)


def squared_norms(weights: Mapping[str, Tensor], grams: Mapping[str, Tensor]) -> Tensor:
    """Σ ‖W‖²_F and Σ ‖WX‖²_F (2,) over all matrices, XᵀX from ``grams``."""
    squares = torch.zeros(2, dtype=torch.float64)
    for name, W in weights.items():
        squares += torch.stack([W.square().sum(), ((W @ grams[name]) * W).sum()]).cpu()
    return squares


def reconstruction_errors(
    weights: Mapping[str, Tensor], matrices: Mapping[str, Compressed], grams: Mapping[str, Tensor], norms: Tensor
) -> dict[str, float]:
    """‖W − W̃‖_F / ‖W‖_F (``weight_error``) and ‖(W − W̃)X‖_F / ‖WX‖_F (``output_error``), over all matrices at once.

    ``norms`` are the `squared_norms` of ``weights``.
    """
    squares = torch.zeros(2, dtype=torch.float64)
    for name, matrix in matrices.items():
        squares += squared_norms({name: weights[name] - matrix.weight}, grams)
    (lost, lost_output), (whole, whole_output) = squares.sqrt().tolist(), norms.sqrt().tolist()
    return {"weight_error": lost / whole, "output_error": lost_output / whole_output}
