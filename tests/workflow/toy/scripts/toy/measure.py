"""Measure one method, all seeds."""

import os
import time
from importlib import import_module
from pathlib import Path

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_features


def main(snakemake):
    # A test sets these to catch the job in the act.
    if os.environ.get("TOY_STARTED"):
        Path(os.environ["TOY_STARTED"]).touch()
    time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
    measure = import_module(f"seedbed.toy.{snakemake.wildcards.method}").measure
    X, _ = read_features(snakemake.input[0])
    settings = snakemake.params.settings

    def one(seed):
        return measure(rng(seed, "main", "numbers").choice(X[:, 0]), settings["offset"])

    seeds = range(settings["seeds"])
    metrics = Metrics("main", snakemake.wildcards.dataset, snakemake.wildcards.method)
    for seed, value in zip(seeds, work_off(one, seeds, snakemake.threads), strict=True):
        metrics.add(seed, {"error": value})
    metrics.write(snakemake.output[0])


run(main, snakemake)
