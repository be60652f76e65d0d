import numpy as np
import pytest

from seedbed.core.lm.tokenization import END, ByteTokenizer, load_tokenizer, train_bpe

TEXTS = ["The quick brown fox.\n  def f(x): return x\n", "naïve café 中文 🙂 \t end", "the the the quick quick"] * 3


@pytest.fixture(params=["bytes", "bpe"])
def tokenizer(request):
    return ByteTokenizer() if request.param == "bytes" else train_bpe(TEXTS, 320)


def test_encoding_is_undone_by_decoding(tokenizer):
    for text in [*TEXTS, "bytes that training had not: Ω \x7f ž 漢"]:
        tokens = tokenizer.encode(text)
        assert tokens.dtype == np.uint16 and tokens.max() < tokenizer.vocab_size
        assert tokenizer.decode(tokens) == text
        assert tokenizer.byte_lengths()[tokens].sum() == len(text.encode())


def test_documents_end_with_the_end_token(tokenizer):
    tokens = tokenizer.encode_documents(TEXTS)
    assert (tokens == tokenizer.end).sum() == len(TEXTS)
    assert tokens[-1] == tokenizer.end
    parts = np.split(tokens, np.flatnonzero(tokens == tokenizer.end) + 1)[:-1]
    assert [tokenizer.decode(part[:-1]) for part in parts] == TEXTS
    assert tokenizer.byte_lengths()[tokens].sum() == sum(len(text.encode()) + 1 for text in TEXTS)


def test_a_saved_tokenizer_is_the_same(tokenizer, tmp_path):
    tokenizer.save(tmp_path / "tokenizer.json")
    loaded = load_tokenizer(tmp_path / "tokenizer.json")
    assert type(loaded) is type(tokenizer)
    assert (loaded.encode(TEXTS[1]) == tokenizer.encode(TEXTS[1])).all()
    assert (loaded.vocab_size, loaded.end) == (tokenizer.vocab_size, tokenizer.end)


def test_bpe_is_trained_the_same_way_twice_and_merges_frequent_pairs():
    first, second = train_bpe(TEXTS, 320), train_bpe(TEXTS, 320)
    assert first.inner.to_str() == second.inner.to_str()
    assert first.vocab_size <= 320
    assert len(first.encode("the quick")) < len("the quick")
    assert first.inner.token_to_id(END) == first.end == 0
