"""Audit oversamplings of one data set the usual way (linkability, closest record, real-or-synthetic classifier).

Input: the prepared table. Output: metrics, one set a seed.
"""

from importlib import import_module

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_table


def main(snakemake):
    dataset, method = snakemake.wildcards.dataset, snakemake.wildcards.method
    measure = import_module(f"seedbed.smote_privacy.{method}").measure
    table = read_table(snakemake.input[0])
    minority = table[table.y == 1].drop(columns="y").to_numpy()
    n_synthetic = int((table.y == 0).sum()) - len(minority)
    seeds = range(snakemake.params.settings["seeds"])
    metrics = Metrics("distance", dataset, method)
    values = work_off(lambda seed: measure(minority, n_synthetic, rng(seed, "distance", dataset)), seeds, snakemake.threads)
    for seed, measured in zip(seeds, values, strict=True):
        metrics.add(seed, measured)
    metrics.write(snakemake.output[0])


run(main, snakemake)
