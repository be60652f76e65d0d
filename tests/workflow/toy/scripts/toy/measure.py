"""Measure one method, all seeds."""

import os
import time
from importlib import import_module

from seedbed.core.files import write_whole
from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_features


def main(snakemake):
    method = snakemake.wildcards.method
    # A test sets these to catch the job in the act, or to have `halve` take memory.
    if os.environ.get("TOY_STARTED"):
        write_whole(os.environ["TOY_STARTED"], str(os.getpid()))
        write_whole(f"{os.environ['TOY_STARTED']}_{method}", str(os.getpid()))
    ballast = b"1" * int(os.environ.get("TOY_BYTES", 0)) if method == "halve" else b""
    time.sleep(float(os.environ.get("TOY_SECONDS", 0)))
    del ballast
    measure = import_module(f"seedbed.toy.{method}").measure
    X, _ = read_features(snakemake.input[0])
    settings = snakemake.params.settings

    def one(seed):
        return measure(rng(seed, "main", "numbers").choice(X[:, 0]), settings["offset"])

    seeds = range(settings["seeds"])
    metrics = Metrics("main", snakemake.wildcards.dataset, method)
    for seed, value in zip(seeds, work_off(one, seeds, snakemake.threads), strict=True):
        metrics.add(seed, {"error": value})
    metrics.write(snakemake.output[0])


run(main, snakemake)
