"""A configuration that would train something else than it says is refused with the key and the value."""

from typing import get_args

import pytest
from pydantic import ValidationError

from seedbed.core.graphs.load import ARCHIVES
from seedbed.gnn_batching.config import ArchiveFile, GridExperiment

GRID = {
    "datasets": ["satimage"], "batch_sizes": [4, 16], "fan_outs": [1, 100], "rates": [0.1, 0.2, 0.4],
    "n_train": 16, "n_val": 8, "n_test": 8, "n_iter": 10, "check": 1, "evaluate": 5, "seeds": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"batch_sizes": [5, 16]}, "batch_sizes: 5"),
        ({"batch_sizes": [4, 8]}, "batch_sizes: 8: expected divisors of n_train=16, 16 last"),
        ({"check": 2}, "evaluate=5: expected a multiple of check=2"),
    ],
)
def test_batches_and_evaluations_fit(changed, message):
    GridExperiment(**GRID)
    with pytest.raises(ValidationError, match=message):
        GridExperiment(**{**GRID, **changed})


def test_every_archive_that_can_be_read_can_be_configured():
    assert set(get_args(ArchiveFile)) == set(ARCHIVES)
