"""Run one solver on all pairs of one data set.

Inputs: pairs, optima. Output: metrics with the factor `pair`: accuracy in % of the optimum, missing edges, whether the
optimum was reached. Rows of pairs on which the solver ran out of time depend on the clock.
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
    pairs = read_pairs(snakemake.input.pairs).graphs
    generators = rng(0, "solve", dataset).spawn(len(pairs))
    metrics = Metrics("solve", dataset, method)
    found = solve(pairs, generators, **snakemake.params.options)
    for number, (pair, result, optimum) in enumerate(
        zip(pairs, found, read_optima(snakemake.input.optima), strict=True)
    ):
        values = score(pair, result.mapping, optimum) | result.values
        metrics.add(0, values, timing=result.timing, pair=number)
    metrics.write(snakemake.output[0])


run(main, snakemake)
