"""Tokenizers: bytes, or byte-level BPE of the `tokenizers` library. Both encode every text and decode it exactly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import tokenizers
from tokenizers import decoders, models, pre_tokenizers, trainers

from seedbed.core.files import write_whole
from seedbed.core.tables import check_available

END = "<|endoftext|>"  # follows each document; counts as one byte


class ByteTokenizer:
    """A token is a byte of the UTF-8 text; NUL, which no document has, is the end of a document."""

    vocab_size = 256
    end = 0

    def encode(self, text: str) -> np.ndarray:
        """Token ids (n,), uint16."""
        return np.frombuffer(text.encode(), np.uint8).astype(np.uint16)

    def encode_documents(self, texts: Iterable[str]) -> np.ndarray:
        """Token ids (n,) of all ``texts``, each with the end token after it."""
        return self.encode("".join(f"{text}\0" for text in texts))

    def decode(self, tokens: np.ndarray) -> str:
        """The text of ``tokens`` (n,); bytes that are no UTF-8 become U+FFFD."""
        return tokens.astype(np.uint8).tobytes().decode(errors="replace")

    def byte_lengths(self) -> np.ndarray:
        """Bytes (vocabulary,) that each token stands for."""
        return np.ones(256, np.int64)

    def save(self, path: Path | str) -> None:
        """Write to the file ``path``, for `load_tokenizer`."""
        write_whole(path, json.dumps({"model": {"type": "bytes"}}) + "\n")


class SubwordTokenizer:
    """Byte-level BPE, as GPT-2's and those of most models since."""

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        self.inner = inner
        self.vocab_size: int = inner.get_vocab_size()
        self.end: int = inner.token_to_id(END)

    def encode(self, text: str) -> np.ndarray:
        """Token ids (n,), uint16, or uint32 where the vocabulary needs it; no special tokens are added."""
        return np.array(self.inner.encode(text, add_special_tokens=False).ids, self._dtype)

    def encode_documents(self, texts: Iterable[str]) -> np.ndarray:
        """Token ids (n,) of all ``texts``, each with the end token after it."""
        end = np.array([self.end], self._dtype)
        return np.concatenate([part for text in texts for part in (self.encode(text), end)])

    def decode(self, tokens: np.ndarray) -> str:
        """The text of ``tokens`` (n,), special tokens included."""
        return self.inner.decode(tokens.tolist(), skip_special_tokens=False)

    def byte_lengths(self) -> np.ndarray:
        """Bytes (vocabulary,) that each token stands for; byte-level BPE writes a byte as one character."""
        lengths = [len(self.inner.id_to_token(token)) for token in range(self.vocab_size)]
        lengths[self.end] = 1
        return np.array(lengths)

    def save(self, path: Path | str) -> None:
        """Write to the file ``path``, for `load_tokenizer` and for `transformers`."""
        write_whole(path, self.inner.to_str() + "\n")

    @property
    def _dtype(self) -> type[np.unsignedinteger]:
        return np.uint16 if self.vocab_size <= 1 << 16 else np.uint32


def train_bpe(texts: Iterable[str], vocab_size: int) -> SubwordTokenizer:
    """Byte-level BPE of ``vocab_size`` tokens, the end token (id 0) included, trained on ``texts``."""
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[END],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    return SubwordTokenizer(inner)


def load_tokenizer(path: Path | str) -> ByteTokenizer | SubwordTokenizer:
    """The tokenizer in the file ``path``: one that was saved here, or the ``tokenizer.json`` of a model."""
    check_available(path)
    text = Path(path).read_text()
    if json.loads(text)["model"]["type"] == "bytes":
        return ByteTokenizer()
    return SubwordTokenizer(tokenizers.Tokenizer.from_str(text))
