import numpy as np

from seedbed.core.random import rng


def test_numbers_depend_on_seed_experiment_and_dataset_alone():
    first = rng(0, "attack", "ecoli").random(4)
    assert np.array_equal(first, rng(0, "attack", "ecoli").random(4))
    for other in (
        rng(1, "attack", "ecoli"),
        rng(0, "ratio", "ecoli"),
        rng(0, "attack", "yeast"),
        rng(0, "ecoli", "attack"),
    ):
        assert not np.array_equal(first, other.random(4))
