"""Tables between stages: parquet files, written whole, equal byte for byte where their content is equal.

pandas costs a second of CPU time at each start of a job, so it is imported by those who ask for a DataFrame.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from seedbed.core.errors import Unavailable
from seedbed.core.files import whole

if TYPE_CHECKING:
    import pandas as pd

UNAVAILABLE = b"seedbed.unavailable"
PARQUET = b"PAR1"  # first bytes of every parquet file


def write_table(table: pa.Table, path: Path | str, unavailable: Mapping[str, str] | None = None) -> None:
    """Write ``table`` as parquet, whole or not at all; ``unavailable`` maps a data set to why it has no rows."""
    if unavailable:
        text = "\n".join(f"{dataset}\t{reason}" for dataset, reason in sorted(unavailable.items()))
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), UNAVAILABLE: text.encode()})
    with whole(path) as part:
        pq.write_table(table, part)


def read_unavailable(path: Path | str) -> dict[str, str]:
    """Data set -> why the table at ``path`` has no rows of it."""
    text = (pq.read_schema(path).metadata or {}).get(UNAVAILABLE, b"").decode()
    return dict(line.split("\t", 1) for line in text.splitlines())


def check_available(path: Path | str) -> None:
    """Raise `Unavailable` if a job wrote, in place of the file ``path`` of any kind, a table with the reason."""
    with Path(path).open("rb") as file:
        reasons = read_unavailable(path) if file.read(len(PARQUET)) == PARQUET else {}
    if reasons:
        raise Unavailable("; ".join(reasons.values()))


def read_table(path: Path | str) -> pd.DataFrame:
    """The table at ``path``; data sets that could not be had have no rows in it."""
    return pq.read_table(path).to_pandas()


def write_features(X: np.ndarray, y: np.ndarray, path: Path | str) -> None:
    """Write features ``X`` (n, d) and targets ``y`` (n,) as the columns f0 … f{d-1} and y."""
    write_table(pa.table({f"f{column}": values for column, values in enumerate(X.T)} | {"y": y}), path)


def read_features(path: Path | str) -> tuple[np.ndarray, np.ndarray]:
    """Features (n, d) and targets (n,) that `write_features` wrote; `Unavailable` if they could not be had."""
    check_available(path)
    table = pq.read_table(path)
    X = np.column_stack([table[name].to_numpy() for name in table.column_names if name != "y"])
    return X, table["y"].to_numpy()
