"""The measurement: a model, quantized, held against itself on the same tokens in float32."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm.data_order import windows
from seedbed.core.lm.evaluate import evaluate
from seedbed.core.lm.parameters import put
from seedbed.core.random import rng
from seedbed.ptq_dynamics.degradation import relative_ce_error, signal_to_noise
from seedbed.ptq_dynamics.quantization import Quantizer, block_layers, quantize_model


class Protocol:
    """Quantizes and evaluates one model after the other on fixed texts.

    Parameters
    ----------
    model
        Holds the parameters that `load` puts in.
    validation, calibration
        Token ids (n,) of texts that do not overlap.
    dataset
        Their name: calibration windows are drawn by seed and data set, the same for all checkpoints and quantizers.
    settings
        ``windows``, ``calibration`` (how many of each), ``group_size``, ``sym``.
    context
        Tokens a window.
    batch
        Windows at once.
    """

    def __init__(
        self,
        model: PreTrainedModel,
        validation: np.ndarray,
        calibration: np.ndarray,
        dataset: str,
        settings: Mapping[str, Any],
        context: int,
        batch: int = 64,
    ) -> None:
        self.model, self.validation, self.text, self.dataset = model, validation, calibration, dataset
        self.settings, self.context, self.batch = settings, context, batch

    def load(self, parameters: Tensor) -> PreTrainedModel:
        """The model with ``parameters`` (P,)."""
        put(parameters[None].to(self.model.device), [self.model])
        return self.model

    def quantized(self, seed: int, quantizer: Quantizer, bits: int) -> PreTrainedModel:
        """A quantized copy of the model."""
        stream = rng(seed, "calibration", self.dataset)
        starts = stream.choice(len(self.text) // self.context, self.settings["calibration"], replace=False)
        tokens = windows(self.text, starts * self.context, self.context)
        options = {"group_size": self.settings["group_size"], "sym": self.settings["sym"]}
        return quantize_model(self.model, tokens, quantizer, bits, **options, batch=self.batch)

    def loss(self, model: PreTrainedModel) -> float:
        """Mean cross-entropy in nats on the validation windows."""
        limit = self.settings["windows"]
        return evaluate(model, self.validation, self.context, batch=self.batch, max_windows=limit).loss

    def measure(self, seed: int, quantizer: Quantizer, bits: list[int]) -> dict[int, dict[str, float]]:
        """Bits -> what quantization to so many bits does to the model.

        ``loss`` and ``quantized_loss`` are cross-entropies in nats, ``relative_error`` and ``delta`` compare them;
        ``snr`` (dB) is the mean over layers.
        """
        loss, found = self.loss(self.model), {}
        for b in bits:
            quantized = self.quantized(seed, quantizer, b)
            after = self.loss(quantized)
            pairs = zip(block_layers(self.model), block_layers(quantized), strict=True)
            found[b] = {
                "loss": loss,
                "quantized_loss": after,
                "relative_error": relative_ce_error(after, loss),
                "delta": after - loss,
                "snr": float(np.mean([signal_to_noise(one.weight, other.weight) for (_, one), (_, other) in pairs])),
            }
        return found
