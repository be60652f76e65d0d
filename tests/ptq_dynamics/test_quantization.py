"""Quantizing whole models of `transformers`."""

import copy

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel, GPTNeoXConfig, GPTNeoXForCausalLM

from seedbed.core.lm.models import llama
from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.degradation import relative_accuracy_drop, relative_ce_error, signal_to_noise
from seedbed.ptq_dynamics.gptq import gptq_quantize
from seedbed.ptq_dynamics.quantization import block_layers, quantize_model

TOKENS = torch.randint(0, 64, (8, 16), generator=torch.Generator().manual_seed(0))


def small_llama():
    return llama(64, 16, 2, 2, 16, seed=0)


def neox():
    torch.manual_seed(0)
    config = GPTNeoXConfig(
        vocab_size=64, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32
    )
    return GPTNeoXForCausalLM(config).eval()


@pytest.mark.parametrize("method", ["rtn", "gptq", "awq"])
@pytest.mark.parametrize("make", [small_llama, neox])
def test_only_linear_layers_inside_blocks_change(make, method):
    model = make()
    quantized = quantize_model(model, TOKENS, method, 3, 8)
    inside = {f"{name}.weight" for name, _ in block_layers(model)}
    assert len(inside) == (14 if make is small_llama else 8)
    for (name, before), after in zip(model.named_parameters(), quantized.parameters(), strict=True):
        assert torch.equal(before, after) == (name not in inside), name
        if name in inside and method != "awq":
            assert all(len(row.unique()) <= 8 for row in after.detach().unflatten(1, (-1, 8)).flatten(0, 1))


@pytest.mark.parametrize("method", ["rtn", "gptq", "awq"])
def test_with_16_bits_the_model_is_what_it_was(method):
    model = small_llama()
    with torch.no_grad():
        before, after = (m(input_ids=TOKENS).logits for m in (model, quantize_model(model, TOKENS, method, 16, 8)))
    assert torch.allclose(before, after, atol=1e-3)


def requantized(model):
    """``model`` with one layer quantized on the inputs that it has in ``model``."""
    model = copy.deepcopy(model)
    layer = model.model.layers[1].self_attn.q_proj
    layer.weight.data = gptq_quantize(layer.weight.detach(), inputs_of(model, layer).value, 2, 8).dequantize()
    return model


def inputs_of(model, layer):
    inputs = HessianAccumulator(layer.in_features)
    hook = layer.register_forward_pre_hook(lambda module, args: inputs.update(args[0]) and None)
    with torch.no_grad():
        model(input_ids=TOKENS)
    hook.remove()
    return inputs


def test_a_later_block_is_calibrated_on_the_quantized_earlier_one():
    model = small_llama()
    quantized = quantize_model(model, TOKENS, "gptq", 2, 8, batch=3)
    first = quantize_model(model, TOKENS, "gptq", 2, 8, layers=r"layers\.0\.")
    found, expected, other = (
        m.model.layers[1].self_attn.q_proj.weight.detach() for m in (quantized, requantized(first), requantized(model))
    )
    assert torch.allclose(found, expected, atol=1e-6)
    assert not torch.allclose(found, other, atol=1e-3)


def test_layers_are_chosen_by_their_names():
    model = small_llama()
    quantized = quantize_model(model, TOKENS, "rtn", 3, 8, layers="down_proj")
    changed = {
        n for (n, a), b in zip(model.named_parameters(), quantized.parameters(), strict=True) if not torch.equal(a, b)
    }
    assert changed == {f"model.layers.{i}.mlp.down_proj.weight" for i in range(2)}
    with pytest.raises(ValueError, match="no linear layer"):
        quantize_model(model, TOKENS, "rtn", 3, 8, layers="nothing")
    torch.manual_seed(0)
    with pytest.raises(ValueError, match="no linear layer"):  # GPT-2's are of another class
        quantize_model(
            GPT2LMHeadModel(GPT2Config(vocab_size=64, n_positions=16, n_embd=16, n_layer=2, n_head=2)),
            TOKENS,
            "rtn",
            3,
            8,
        )


def test_the_degradation_of_known_numbers():
    assert relative_ce_error(2.2, 2.0) == pytest.approx(0.1)
    assert relative_accuracy_drop(0.5, 0.75) == pytest.approx(1.0)
    assert signal_to_noise(torch.full((4,), 10.0), torch.full((4,), 9.0)) == pytest.approx(20)
