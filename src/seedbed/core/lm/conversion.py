"""GGUF files, as packages carry them, converted once into a folder that every loader of `transformers` reads."""

from __future__ import annotations

import tempfile
from pathlib import Path

WRITTEN = ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Write the model and tokenizer in ``gguf`` to ``folder``, weights dequantized and rounded to bfloat16.

    The files are those of `WRITTEN`; each is there whole or not at all.
    """
    import torch
    from transformers.models.auto.modeling_auto import AutoModelForCausalLM
    from transformers.models.auto.tokenization_auto import AutoTokenizer

    quantized = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.bfloat16)
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    # `save_pretrained` refuses a model that came from a GGUF file, so the weights go into one that did not.
    config = quantized.config
    del config.quantization_config
    model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    model.load_state_dict(quantized.state_dict())
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as part:
        model.save_pretrained(part)
        tokenizer.save_pretrained(part, save_jinja_files=False)  # the chat template goes into tokenizer_config.json
        for name in WRITTEN:
            (Path(part) / name).replace(folder / name)
