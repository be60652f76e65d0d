"""Solve a query's pairs as one batch, and one by one, in turn.

Input: pairs. Output: how many times as fast the batch is, which depends on the clock, with the factor `query`.
"""

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.race import race
from seedbed.core.random import rng
from seedbed.nga import neural
from seedbed.nga.pairs import read_pairs


def main(snakemake):
    settings, options = snakemake.params.settings, snakemake.params.options
    options = options | {"epochs": settings["batch_epochs"]}
    pairs = read_pairs(snakemake.input[0])
    metrics = Metrics("speed", settings["batch"], "batch")
    for query in range(settings["queries"]):
        own = [pair for pair, number in zip(pairs.graphs, pairs.query, strict=True) if number == query]
        streams = rng(query, "speed", settings["batch"]).spawn(len(own))
        seconds = race(
            {
                "batch": lambda own=own, streams=streams: neural.solve(own, streams, **options),
                "loop": lambda own=own, streams=streams: [
                    neural.solve([pair], [stream], **options) for pair, stream in zip(own, streams, strict=True)
                ],
            },
            {"batch": 2},
        )
        metrics.add(0, {"speedup": seconds["loop"] / seconds["batch"]}, timing=True, query=query)
    metrics.write(snakemake.output[0])


run(main, snakemake)
