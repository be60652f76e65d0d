"""Join the metrics of all jobs of a paper into one table, and what the jobs cost into another.

Inputs: the jobs' parquet files. Outputs: metrics.parquet, with the reason for each data set that could not be had;
costs.csv, one row a job whose benchmark is on this machine.
"""

from pathlib import Path

import pandas as pd
import pyarrow as pa

from seedbed.core.files import write_whole
from seedbed.core.job import run
from seedbed.core.metrics import collect
from seedbed.core.tables import read_table, read_unavailable, write_table

COSTS = {"s": "seconds", "cpu_time": "cpu_seconds", "max_rss": "max_rss_mb"}


def main(snakemake):
    unavailable = {dataset: why for path in snakemake.input for dataset, why in read_unavailable(path).items()}
    measured = [read_table(path) for path in snakemake.input if not read_unavailable(path)]
    write_table(pa.Table.from_pandas(collect(measured), preserve_index=False), snakemake.output.metrics, unavailable)
    write_whole(snakemake.output.costs, costs(snakemake.params.jobs, snakemake.params.benchmarks).to_csv(index=False))


def costs(jobs, benchmarks):
    rows = [
        [*job, *pd.read_csv(path, sep="\t", na_values="-").loc[0, list(COSTS)]]
        for job, path in zip(jobs, benchmarks, strict=True)
        if Path(path).is_file()
    ]
    return pd.DataFrame(rows, columns=["experiment", "dataset", "method", *COSTS.values()])


run(main, snakemake)
