import math

import numpy as np
import pytest
import torch

from seedbed.core.errors import SeedbedError
from seedbed.core.lm.evaluate import evaluate


def naive(model, tokens, context, stride):
    """One token at a time: -log p of each scored token, given what its window has before it."""
    losses, scored_until = [], 0
    for start in range(0, len(tokens) - context, stride):
        window = torch.tensor(tokens[start : start + context].astype(np.int64))[None]
        log_probabilities = model(input_ids=window).logits[0].log_softmax(-1)
        for position in range(context):
            target = start + position + 1
            if target > scored_until:
                losses.append(-float(log_probabilities[position, int(tokens[target])]))
        scored_until = start + context
    return losses


@pytest.mark.parametrize("stride", [1, 5, 16])
def test_every_token_is_scored_once_with_the_context_that_the_stride_leaves(model, text, stride):
    model, tokens = model().eval(), text[:150]
    with torch.no_grad():
        losses = naive(model, tokens, 16, stride)
    found = evaluate(model, tokens, context=16, stride=stride, batch=3)
    assert found.window_tokens.sum() == len(losses)
    assert found.loss == pytest.approx(np.mean(losses), rel=1e-5)
    assert found.perplexity == pytest.approx(math.exp(np.mean(losses)), rel=1e-5)


def test_windows_do_not_depend_on_the_batch(model, text):
    found = [evaluate(model(), text[:500], 16, batch=batch).window_loss for batch in (1, 4, 100)]
    assert len(found[0]) == (500 - 1) // 16
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-5)


def test_a_model_that_knows_nothing_needs_eight_bits_a_byte(model, text):
    flat = model(vocab_size=256)
    with torch.no_grad():
        flat.lm_head.weight.zero_()
    found = evaluate(flat, text[:200], 16, stride=8, byte_lengths=np.ones(256, np.int64))
    assert found.bits_per_byte == pytest.approx(8)
    assert evaluate(flat, text[:200], 16, byte_lengths=np.full(256, 2)).bits_per_byte == pytest.approx(4)
    assert found.perplexity == pytest.approx(256)
    with pytest.raises(ValueError, match="byte lengths"):
        evaluate(flat, text[:200], 16).bits_per_byte  # noqa: B018


def test_a_limit_takes_the_first_windows(model, text):
    made = model()
    np.testing.assert_array_equal(
        evaluate(made, text, 16, max_windows=5).window_loss, evaluate(made, text[:81], 16).window_loss
    )


def test_wrong_calls_are_errors(model, text):
    with pytest.raises(SeedbedError, match="too few"):
        evaluate(model(), text[:16], 16)
    with pytest.raises(ValueError, match="stride"):
        evaluate(model(), text, 16, stride=17)
