"""Accuracy against time of all solvers, each alone on one pair, in turn.

Inputs: pairs, optima. Output: metrics that depend on the clock, with the factors `pair` and `solver`: accuracy at the
times `ms`, its mean over them, accuracy in the end, seconds; accuracy of the exact solver in the time of `neural`;
whether `neural` (or `neural_tabu`) had as many edges as a rival before the rival was done.
"""

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.nga.anytime import SOLVERS, edges_at, seconds_to, trace
from seedbed.nga.optima import accuracy, read_optima
from seedbed.nga.pairs import read_pairs

TIMES = [10, 18, 32, 56, 100, 178, 316, 562, 1000, 1778, 3162, 5623, 10000]  # ms


def main(snakemake):
    settings, options = snakemake.params.settings, snakemake.params.options
    dataset, count = settings["anytime"], settings["pairs"]
    pairs, optima = read_pairs(snakemake.input.pairs).graphs[:count], read_optima(snakemake.input.optima)[:count]
    metrics = Metrics("speed", dataset, "anytime")
    trace(
        "neural", pairs[0], np.random.default_rng(0), options["neural"] | {"epochs": 2}, 1
    )  # loads what is loaded once
    for number, (pair, optimum, stream) in enumerate(
        zip(pairs, optima, rng(0, "speed", dataset).spawn(len(pairs)), strict=True)
    ):
        generators = dict(zip(SOLVERS, stream.spawn(len(SOLVERS)), strict=True))
        traces = {
            solver: trace(solver, pair, generators[solver], options.get(solver, {}), settings["seconds"])
            for solver in SOLVERS
        }
        for solver, points in traces.items():
            at = [accuracy(edges_at(points, ms / 1000), optimum) for ms in TIMES]
            for ms, value in zip(TIMES, at, strict=True):
                metrics.add(0, {"accuracy": value}, timing=True, pair=number, solver=solver, ms=ms)
            end = accuracy(max(edges for _, edges in points), optimum)
            values = {"mean_accuracy": np.mean(at), "accuracy_in_the_end": end, "seconds": points[-1][0]}
            metrics.add(0, values, timing=True, pair=number, solver=solver)
        spent = traces["neural"][-1][0]
        capped = trace("exact", pair, stream, {}, spent)
        values = {"accuracy_in_time_of_neural": accuracy(capped[-1][1], optimum)}
        metrics.add(0, values, timing=True, pair=number, solver="exact")
        for rival in ("exact", "rascal"):
            when, edges = traces[rival][-1]
            values = {"neural_sooner": seconds_to(traces["neural"], edges) < when}
            values["neural_tabu_sooner"] = seconds_to(traces["neural_tabu"], edges) < when
            metrics.add(0, values, timing=True, pair=number, solver=rival)
    metrics.write(snakemake.output[0])


run(main, snakemake)
