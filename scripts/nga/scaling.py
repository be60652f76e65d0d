"""Seconds of each solver against the size of a pair, in turn.

Input: pairs. Output: metrics that depend on the clock, with the factors `pair`, `solver` and `cells` (n1 n2).
"""

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.nga.anytime import trace
from seedbed.nga.pairs import read_pairs


def main(snakemake):
    settings, options = snakemake.params.settings, snakemake.params.options
    pairs = read_pairs(snakemake.input[0]).graphs
    metrics = Metrics("speed", settings["scaling"], "scaling")
    trace(
        "neural", pairs[0], np.random.default_rng(0), options["neural"] | {"epochs": 2}, 1
    )  # loads what is loaded once
    streams = rng(0, "speed", settings["scaling"]).spawn(len(pairs))
    for number, (pair, stream) in enumerate(zip(pairs, streams, strict=True)):
        cells = pair[0].n_nodes * pair[1].n_nodes
        for solver in ("neural", "neural_tabu", "exact", "rascal"):
            seconds = trace(solver, pair, stream, options.get(solver, {}), settings["seconds"])[-1][0]
            metrics.add(0, {"seconds": seconds}, timing=True, pair=number, solver=solver, cells=cells)
    metrics.write(snakemake.output[0])


run(main, snakemake)
