import json
from pathlib import Path

import gguf
import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from seedbed.core.lm.conversion import WRITTEN, convert_gguf
from seedbed.core.lm.corpora import read_documents
from seedbed.core.lm.evaluate import evaluate
from seedbed.core.lm.models import llama, load_model
from seedbed.core.lm.tokenization import END, SubwordTokenizer, load_tokenizer, train_bpe

TEMPLATE = "{% for message in messages %}{{ message.content }}{% endfor %}"
DATA = Path(__file__).parents[3] / "data/laptop/lm"


def test_a_model_depends_on_its_seed_alone(model):
    torch.manual_seed(0)
    first = model(seed=1)
    torch.rand(3)
    after = torch.rand(1)
    second = model(seed=1)
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), second.parameters(), strict=True))
    assert not torch.equal(model(seed=2).lm_head.weight, first.lm_head.weight)
    torch.manual_seed(0)
    torch.rand(3)
    assert torch.equal(torch.rand(1), after), "the global generator is left alone"


def test_the_gated_mlp_has_the_parameters_of_a_plain_one():
    block = llama(256, width=96, layers=1, heads=4, context=8, seed=0).model.layers[0]
    assert sum(p.numel() for p in block.mlp.parameters()) == 2 * 96 * 4 * 96


def test_a_tied_head_is_the_embedding(model):
    tied = model(tied=True)
    assert tied.lm_head.weight is tied.model.embed_tokens.weight
    assert tied.num_parameters() == model().num_parameters() - 128 * 16


def write_gguf(path, model, tokenizer):
    """The Llama ``model`` as llama.cpp stores it: rows of q and k permuted for interleaved rotary embeddings."""
    config, writer = model.config, gguf.GGUFWriter(path, "llama")
    heads = config.num_attention_heads
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(10000.0)
    writer.add_vocab_size(config.vocab_size)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([tokenizer.inner.id_to_token(token) for token in range(config.vocab_size)])
    writer.add_token_types([3] + [1] * (config.vocab_size - 1))
    merges = json.loads(tokenizer.inner.to_str())["model"]["merges"]
    writer.add_token_merges([" ".join(pair) for pair in merges])
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_chat_template(TEMPLATE)
    names = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}
    parts = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output",
             "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
             "post_attention_layernorm": "ffn_norm"}  # fmt: skip
    for layer in range(config.num_hidden_layers):
        names |= {f"model.layers.{layer}.{ours}": f"blk.{layer}.{theirs}" for ours, theirs in parts.items()}
    for name, value in model.state_dict().items():
        array = value.numpy()
        if "q_proj" in name or "k_proj" in name:
            array = array.reshape(heads, 2, -1, array.shape[1]).swapaxes(1, 2).reshape(array.shape)
        writer.add_tensor(f"{names[name.removesuffix('.weight')]}.weight", np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_gguf_file_becomes_a_folder_with_the_same_model_and_tokenizer(tmp_path):
    text = "In the beginning God created the heaven and the earth. "
    tokenizer = train_bpe([text * 5], 300)
    model = llama(tokenizer.vocab_size, width=32, layers=2, heads=2, context=32, seed=0).eval()
    write_gguf(tmp_path / "model.gguf", model, tokenizer)
    convert_gguf(tmp_path / "model.gguf", tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").iterdir()} == set(WRITTEN)
    loaded, loaded_tokenizer = load_model(tmp_path / "out"), load_tokenizer(tmp_path / "out/tokenizer.json")
    tokens = tokenizer.encode(text)
    assert (loaded_tokenizer.encode(text) == tokens).all()
    assert loaded_tokenizer.inner.token_to_id(END) == loaded_tokenizer.end == 0
    assert AutoTokenizer.from_pretrained(tmp_path / "out").chat_template == TEMPLATE
    ids = torch.from_numpy(tokens.astype(np.int64))[None]
    with torch.no_grad():
        torch.testing.assert_close(loaded(input_ids=ids).logits, model(input_ids=ids).logits, rtol=0.05, atol=0.01)
    assert load_model(tmp_path / "out", torch.bfloat16).dtype == torch.bfloat16


@pytest.mark.skipif(not (DATA / "smollm2/model.safetensors").exists(), reason="SmolLM2 is not prepared (snakemake lm)")
def test_smollm2_knows_the_capital_of_france_and_reads_genesis():
    model, tokenizer = load_model(DATA / "smollm2"), load_tokenizer(DATA / "smollm2/tokenizer.json")
    assert isinstance(tokenizer, SubwordTokenizer) and model.num_parameters() == 134_515_008
    ids = torch.from_numpy(tokenizer.encode("The capital of France is").astype(np.int64))[None]
    answer = model.generate(ids, max_new_tokens=3, do_sample=False)[0, ids.shape[1] :]
    assert tokenizer.decode(answer.numpy()).startswith(" Paris")
    texts = read_documents(DATA / "kjv/documents.parquet")
    genesis = next(
        text for part in texts.values() for text in part if text.startswith("In the beginning God created the heaven")
    )
    found = evaluate(model, tokenizer.encode(genesis), context=512, stride=256, batch=1)
    assert 2.5 < found.perplexity < 5, "3.7 when this was written; a model that cannot read has hundreds"
