import numpy as np
import pyarrow as pa
import pytest

from seedbed.core.errors import Unavailable
from seedbed.core.lm.tokens import read_tokens, write_tokens
from seedbed.core.tables import write_table


def test_token_files_are_memory_mapped_and_keep_their_type(tmp_path):
    tokens = np.array([1, 65535, 3], np.uint16)
    write_tokens(tokens, tmp_path / "train.npy")
    read = read_tokens(tmp_path / "train.npy")
    assert isinstance(read, np.memmap) and read.dtype == np.uint16
    assert read.tolist() == [1, 65535, 3]


def test_what_could_not_be_had_gives_its_reason(tmp_path):
    write_table(pa.table({}), tmp_path / "train.npy", {"sotu": "npm is not installed"})
    with pytest.raises(Unavailable, match="npm is not installed"):
        read_tokens(tmp_path / "train.npy")
