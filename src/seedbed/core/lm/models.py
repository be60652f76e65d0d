"""Small decoder-only models, and models saved in a folder; all are `transformers` models.

Everything else here takes any causal language model of `transformers`, so what is tried on a small one runs unchanged
on a large one.
"""

from __future__ import annotations

from pathlib import Path

import torch
from transformers.modeling_utils import PreTrainedModel
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaForCausalLM


def llama(
    vocab_size: int,
    width: int,
    layers: int,
    heads: int,
    context: int,
    seed: int,
    hidden: int | None = None,
    tied: bool = False,
) -> LlamaForCausalLM:
    """A Llama model with random weights that depend on ``seed`` alone, in float32.

    ``hidden`` is the width of the gated MLP; without it, ⅔ of 4 × ``width`` rounded up to a multiple of 16, which has
    as many parameters as a plain MLP of 4 × ``width``. ``tied``: the output head is the embedding.
    """
    config = LlamaConfig(
        vocab_size=vocab_size,
        hidden_size=width,
        intermediate_size=hidden or -(-8 * width // 48) * 16,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads,
        max_position_embeddings=context,
        tie_word_embeddings=tied,
        use_cache=False,
        bos_token_id=None,
        eos_token_id=None,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(config)


def load_model(folder: Path | str, dtype: torch.dtype = torch.float32) -> PreTrainedModel:
    """The causal language model in ``folder`` (config.json, safetensors), memory-mapped, in eval mode."""
    from transformers.models.auto.modeling_auto import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, local_files_only=True).eval()
