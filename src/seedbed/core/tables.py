"""Tables between stages: parquet files, written whole, equal byte for byte where their content is equal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from seedbed.core.errors import Unavailable
from seedbed.core.files import whole

UNAVAILABLE = b"seedbed.unavailable"


def write_table(table: pd.DataFrame, path: Path | str, unavailable: Mapping[str, str] | None = None) -> None:
    """Write ``table`` as parquet, whole or not at all; ``unavailable`` maps a data set to why it has no rows."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    if unavailable:
        text = "\n".join(f"{dataset}\t{reason}" for dataset, reason in sorted(unavailable.items()))
        arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), UNAVAILABLE: text.encode()})
    with whole(path) as part:
        pq.write_table(arrow, part)


def read_table(path: Path | str) -> pd.DataFrame:
    """The table at ``path``; `Unavailable` if it stands for data that cannot be had on this machine."""
    reasons = read_unavailable(path)
    if reasons:
        raise Unavailable("; ".join(reasons.values()))
    return pq.read_table(path).to_pandas()


def read_unavailable(path: Path | str) -> dict[str, str]:
    """Data set -> why the table at ``path`` has no rows of it."""
    text = (pq.read_schema(path).metadata or {}).get(UNAVAILABLE, b"").decode()
    return dict(line.split("\t", 1) for line in text.splitlines())


def read_metrics(path: Path | str) -> pd.DataFrame:
    """The joined metrics table of a paper at ``path``; data sets that could not be had have no rows in it."""
    return pq.read_table(path).to_pandas()
