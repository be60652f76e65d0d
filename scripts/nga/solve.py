"""Run one solver on all pairs of one data set.

Inputs: pairs, optima. Output: metrics of each seed with the factor `pair`: accuracy in % of the optimum, missing edges,
whether the optimum was reached. Rows of pairs on which the solver ran out of time depend on the clock.
"""

from importlib import import_module

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.nga.optima import read_optima, score
from seedbed.nga.pairs import read_pairs


def main(snakemake):
    dataset, method = snakemake.wildcards.dataset, snakemake.wildcards.method
    solve = import_module(f"seedbed.nga.{method}").solve
    pairs, optima = read_pairs(snakemake.input.pairs).graphs, read_optima(snakemake.input.optima)
    metrics = Metrics("solve", dataset, method)
    for seed in range(snakemake.params.seeds):
        found = solve(pairs, rng(seed, "solve", dataset).spawn(len(pairs)), **snakemake.params.options)
        for number, (pair, result, optimum) in enumerate(zip(pairs, found, optima, strict=True)):
            values = score(pair, result.mapping, optimum) | result.values
            metrics.add(seed, values, timing=result.timing, pair=number)
    metrics.write(snakemake.output[0])


run(main, snakemake)
