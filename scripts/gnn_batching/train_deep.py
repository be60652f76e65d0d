"""Train two-layer models along the two lines of the cross of batch size and fan-out, and on the full graph.

Input: the graph. Output: metrics with the factors `batch_size`, `fan_out`, `loss`, `rate`, `criterion` and `target`.
"""

import numpy as np

from seedbed.core.graphs.load import read_graph
from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.gnn_batching.grid import CellRules, Goals, cell_rows
from seedbed.gnn_batching.one_layer import Curves, Split
from seedbed.gnn_batching.two_layer import train


def main(snakemake):
    dataset = snakemake.wildcards.dataset
    settings, graph = snakemake.params.settings, read_graph(snakemake.input[0])
    sizes = [settings[name] for name in ("n_train", "n_val", "n_test")]
    options = {name: settings[name] for name in ("hidden", "rate", "n_iter", "check")}
    full_graph = (settings["batch_sizes"][-1], settings["fan_outs"][-1])
    along_batch_size = [(b, settings["fan_out"]) for b in settings["batch_sizes"]]
    along_fan_out = [(settings["batch_size"], fan_out) for fan_out in settings["fan_outs"]]
    cells = list(dict.fromkeys([*along_batch_size, *along_fan_out, full_graph]))

    def one(run):
        seed, cell = run
        split = Split.draw(graph.n_nodes, *sizes, rng(seed, "split", dataset))
        return train(graph, split, rng(seed, "two_layer", dataset), *cell, **options)

    runs = [(seed, cell) for cell in cells for seed in range(settings["seeds"])]
    of_run = dict(zip(runs, work_off(one, runs, snakemake.threads), strict=True))
    curves = {cell: Curves.joined([of_run[seed, cell] for seed in range(settings["seeds"])]) for cell in cells}
    goals = Goals.of(curves[full_graph], 0)
    metrics = Metrics("two_layer", dataset, "sage")
    for cell in cells:
        rules = CellRules(rates=("mid",), kept=float(np.minimum(graph.degrees, cell[1]).mean()))
        for seed, values, factors in cell_rows(cell, curves[cell], goals, rules):
            metrics.add(seed, values, **factors)
    metrics.write(snakemake.output[0])


run(main, snakemake)
