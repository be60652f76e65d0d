"""A small text to train on, and small models."""

import numpy as np
import pytest

from seedbed.core.lm.models import llama
from seedbed.core.pool import one_thread


@pytest.fixture(autouse=True, scope="session")
def threads():
    one_thread()


@pytest.fixture(scope="session")
def text():
    """Token ids (20000,) that a model can learn something of: words that repeat."""
    rng = np.random.default_rng(0)
    words = [rng.integers(97, 123, rng.integers(2, 6)) for _ in range(40)]
    return np.concatenate([np.append(words[i], 32) for i in rng.integers(40, size=6000)])[:20000].astype(np.uint16)


@pytest.fixture
def model():
    """Makes a model of some thousand parameters from a seed."""
    return lambda seed=0, **shape: llama(
        **{"vocab_size": 128, "width": 16, "layers": 1, "heads": 2, "context": 16, "seed": seed} | shape
    )
