"""Train one-layer models on every cell of the cross of batch size and fan-out, all seeds of a cell side by side.

Input: the graph. Output: metrics with the factors `batch_size`, `fan_out`, `loss`, `rate`, `criterion`, `target` (of
iterations) and `arm` (of what validation picks).
"""

from itertools import product

import numpy as np

from seedbed.core.graphs.load import read_graph
from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.gnn_batching.grid import RATES, CellRules, Goals, arm_rows, cell_rows, linear_rate
from seedbed.gnn_batching.one_layer import Split, train


def main(snakemake):
    experiment, dataset = snakemake.wildcards.experiment, snakemake.wildcards.dataset
    settings, graph = snakemake.params.settings, read_graph(snakemake.input[0])
    seeds = range(settings["seeds"])
    sizes = [settings[name] for name in ("n_train", "n_val", "n_test")]
    splits = [Split.draw(graph.n_nodes, *sizes, rng(seed, "split", dataset)) for seed in seeds]
    options = {name: settings[name] for name in ("rates", "n_iter", "check", "evaluate")}

    def one(cell):
        np.seterr(over="ignore", invalid="ignore")  # a diverged run is recorded as dead
        return train(graph, splits, [rng(seed, experiment, dataset) for seed in seeds], *cell, **options)

    cells = list(product(settings["batch_sizes"], settings["fan_outs"]))
    curves = dict(zip(cells, work_off(one, cells, snakemake.threads), strict=True))
    goals = Goals.of(curves[cells[-1]], RATES.index("mid"))
    metrics = Metrics(experiment, dataset, "sage")
    for cell in cells:
        linear = linear_rate(cell[0], settings["batch_sizes"], settings["rates"])
        rules = CellRules(linear=linear, kept=float(np.minimum(graph.degrees, cell[1]).mean()))
        for seed, values, factors in cell_rows(cell, curves[cell], goals, rules):
            metrics.add(seed, values, **factors)
    for seed, values, factors in arm_rows(curves, settings["n_train"]):
        metrics.add(seed, values, **factors)
    metrics.write(snakemake.output[0])


run(main, snakemake)
