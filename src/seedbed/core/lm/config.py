"""Typed model of `config/lm.yaml`: the corpora, tokenizers and models that are prepared once for all papers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from seedbed.core.config import PaperConfig
from seedbed.core.validation import Strict

Corpus = Literal["kjv", "sympy", "sotu"]


class CorpusSettings(Strict):
    """Where a corpus comes from, and how it is split."""

    source: str = Field(description="source in config/sources.yaml")
    file: str = Field(description="its file")
    max_bytes: int | None = Field(None, gt=0, description="text to use, from the first document on; null: all")
    validation: float = Field(0.05, gt=0, lt=0.5, description="share of the bytes that evaluate")
    calibration: float = Field(0.05, gt=0, lt=0.5, description="share of the bytes that calibrate a compression")


class Bytes(Strict):
    """Every byte is a token."""

    kind: Literal["bytes"]


class BPE(Strict):
    """Byte-level BPE, trained on the training split of each corpus."""

    kind: Literal["bpe"]
    vocab_size: int = Field(ge=300, description="tokens, the end token included")


class OfModel(Strict):
    """The tokenizer of one of the models."""

    kind: Literal["model"]
    model: str = Field(description="one of `models`")


class PackagedModel(Strict):
    """A pretrained model in a GGUF file."""

    source: str = Field(description="source in config/sources.yaml")
    file: str = Field(description="its GGUF file")


class Config(PaperConfig):
    """Corpora, tokenizers and models."""

    corpora: dict[Corpus, CorpusSettings] = Field(description="corpus -> source and split")
    tokenizers: dict[str, Annotated[Bytes | BPE | OfModel, Field(discriminator="kind")]] = Field(
        description="tokenizer -> what it is"
    )
    models: dict[str, PackagedModel] = Field(description="model -> file")

    @model_validator(mode="after")
    def _tokenizers_of_known_models(self) -> Config:
        for name, tokenizer in self.tokenizers.items():
            if isinstance(tokenizer, OfModel) and tokenizer.model not in self.models:
                raise ValueError(f"tokenizers.{name}: {tokenizer.model!r} is none of the models {sorted(self.models)}")
        return self
