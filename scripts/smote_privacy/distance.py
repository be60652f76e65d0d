"""Audit oversamplings of one data set the usual way (linkability, closest record, real-or-synthetic classifier).

Input: the prepared table. Output: metrics, one set a seed.
"""

from importlib import import_module

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_features


def main(snakemake):
    experiment, dataset, method = (snakemake.wildcards[name] for name in ("experiment", "dataset", "method"))
    measure = import_module(f"seedbed.smote_privacy.{method}").measure
    X, y = read_features(snakemake.input[0])
    minority, n_synthetic = X[y == 1], int((y == 0).sum() - (y == 1).sum())
    seeds = range(snakemake.params.settings["seeds"])
    metrics = Metrics(experiment, dataset, method)
    values = work_off(
        lambda seed: measure(minority, n_synthetic, rng(seed, experiment, dataset)), seeds, snakemake.threads
    )
    for seed, measured in zip(seeds, values, strict=True):
        metrics.add(seed, measured)
    metrics.write(snakemake.output[0])


run(main, snakemake)
