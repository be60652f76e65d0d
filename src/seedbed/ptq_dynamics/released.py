"""Checkpoints of released trajectories, from the Hugging Face hub by revision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from transformers.modeling_utils import PreTrainedModel

from seedbed.ptq_dynamics.averaging import soup


def load_average(repository: str, revisions: Sequence[str], device: str = "cpu") -> PreTrainedModel:
    """The model of ``repository`` at a revision, or the uniform mean of those at several, in float32."""
    from transformers.models.auto.modeling_auto import AutoModelForCausalLM

    models = [
        AutoModelForCausalLM.from_pretrained(repository, revision=revision, dtype=torch.float32)
        for revision in revisions
    ]
    if len(models) > 1:
        models[0].load_state_dict(soup([model.state_dict() for model in models]))
    return models[0].to(device).eval()


def encode(repository: str, texts: Sequence[str]) -> np.ndarray:
    """Token ids (n,) of ``texts`` one after the other, without special tokens."""
    from transformers.models.auto.tokenization_auto import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(repository)
    ids = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    return np.concatenate([np.array(one, np.uint32) for one in ids])
