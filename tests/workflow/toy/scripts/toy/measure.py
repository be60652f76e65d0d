"""Measure one method, all seeds."""

import os
import time
from importlib import import_module
from pathlib import Path

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_table


def main(snakemake):
    # A test sets these to catch the job in the act.
    if os.environ.get("TOY_STARTED"):
        Path(os.environ["TOY_STARTED"]).touch()
    time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
    measure = import_module(f"seedbed.toy.{snakemake.wildcards.method}").measure
    table, settings = read_table(snakemake.input[0]), snakemake.params.settings

    def one(seed):
        x = table.x.sample(random_state=int(rng(seed, "main", "numbers").integers(2**31))).iloc[0]
        return measure(x, settings["offset"])

    seeds = range(settings["seeds"])
    metrics = Metrics("main", snakemake.wildcards.dataset, snakemake.wildcards.method)
    for seed, value in zip(seeds, work_off(one, seeds, snakemake.threads), strict=True):
        metrics.add(seed, {"error": value})
    metrics.write(snakemake.output[0])


run(main, snakemake)
