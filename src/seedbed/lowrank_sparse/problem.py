"""A model with its calibration and evaluation text, and what is measured of it once it is compressed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers.modeling_utils import PreTrainedModel

from seedbed.core.lm.models import load_model
from seedbed.core.lm.tokens import read_tokens
from seedbed.core.metrics import Metrics
from seedbed.lowrank_sparse.budget import Compressed, parameter_count
from seedbed.lowrank_sparse.task import CompressionTask, Text, activation_rms, reconstruction_errors, squared_norms


@dataclass
class Problem:
    """Texts are disjoint: they are splits of a corpus that share no document (`seedbed.core.lm.corpora.split`)."""

    task: CompressionTask
    calibration: Text
    evaluation: Text
    grams: dict[str, Tensor]
    policy_batch: int

    @classmethod
    def load(cls, settings: Mapping[str, Any], files: Any, device: str, calibration: str | None = None) -> Problem:
        """The model of ``settings`` (`config.ModelSettings`) from the input ``files`` of a rule.

        ``calibration`` is another token file to calibrate on.
        """
        model, encode = _load(settings, files)
        task = CompressionTask(model.to(device), settings["blocks"])

        def text(path: str, part: Mapping[str, int]) -> Text:
            return task.text(encode(path), part["windows"], part["context"], part["scored"])

        calibrating = text(calibration or files.calibration, settings["calibration"])
        evaluating = text(files.validation, settings["evaluation"])
        return cls(task, calibrating, evaluating, task.grams(calibrating), settings["policy_batch"])

    def rms(self) -> dict[str, Tensor]:
        """√mean X_j² (n,) of the inputs of each matrix on the calibration text."""
        return {name: activation_rms(gram) for name, gram in self.grams.items()}

    @cached_property
    def norms(self) -> Tensor:
        """`squared_norms` (2,) of the dense matrices."""
        return squared_norms(self.task.weights, self.grams)

    def policy_loss(self, weights: Mapping[str, Tensor], step: int) -> float:
        """Mean cross-entropy with ``weights`` on the mini-batch of calibration windows of ``step``."""
        n_windows = len(self.calibration.hidden)
        first = step * self.policy_batch % max(n_windows - self.policy_batch + 1, 1)
        batch = slice(first, first + self.policy_batch)
        self.task.put(weights)
        loss = float(self.task.losses(Text(self.calibration.hidden[batch], self.calibration.targets[batch])).mean())
        self.task.put({name: self.task.weights[name] for name in weights})
        return loss

    def losses(self, matrices: dict[str, Compressed]) -> Tensor:
        """Mean cross-entropy (n,) of each evaluation window, in nats, with ``matrices`` in place."""
        with self.task.compressed(matrices):
            return self.task.losses(self.evaluation)

    def measure(
        self, metrics: Metrics, matrices: dict[str, Compressed], seed: int, ratio: int, **factors: str | int
    ) -> float:
        """Add the loss of every evaluation window, what the matrices cost, and how well they approximate.

        ``ratio`` is the percentage to be removed, ``ratio_slack`` what was removed beyond it. Returns the mean loss.
        """
        factors |= {"ratio": ratio}
        losses = self.losses(matrices)
        for window, loss in enumerate(losses.tolist()):
            metrics.add(seed, {"loss": loss}, window=window, **factors)
        size = parameter_count(matrices)
        shares = {f"bytes_{index}": parameter_count(matrices, index)["byte_share"] for index in ("bitmap", "csr")}
        stored_dense = sum(matrix.dense for matrix in matrices.values())
        errors = reconstruction_errors(self.task.weights, matrices, self.grams, self.norms)
        values = {
            "parameters": size["parameters"],
            "realised_ratio": size["realised_ratio"],
            "ratio_slack": size["realised_ratio"] - ratio / 100,
            "stored_dense": stored_dense,
        }
        metrics.add(seed, values | shares | errors, **factors)
        return float(losses.mean())


def _load(settings: Mapping[str, Any], files: Any) -> tuple[PreTrainedModel, Any]:
    if settings["kind"] != "hub":
        return load_model(Path(files.model[0]).parent), read_tokens
    from transformers.models.auto.modeling_auto import AutoModelForCausalLM
    from transformers.models.auto.tokenization_auto import AutoTokenizer

    from seedbed.core.lm.corpora import read_documents

    place = {"pretrained_model_name_or_path": settings["repository"], "revision": settings["revision"]}
    tokenizer = AutoTokenizer.from_pretrained(**place)

    def encode(path: str) -> np.ndarray:
        file, split = path.rsplit("#", 1)
        texts = read_documents(file)[split]
        return np.concatenate([tokenizer(text + tokenizer.eos_token)["input_ids"] for text in texts])

    return AutoModelForCausalLM.from_pretrained(**place, dtype=torch.bfloat16), encode
