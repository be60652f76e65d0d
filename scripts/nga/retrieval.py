"""Rank the candidates of each query by one similarity.

Inputs: pairs, optima. Output: metrics with the factor `query`: reciprocal rank, average precision, precision at ten,
and the squared error of the similarity (that of fingerprints after a regression on the other queries); `similarity`
and `true` with the factor `pair` are what the figure shows.
"""

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.nga.optima import read_optima, similarity
from seedbed.nga.pairs import read_pairs
from seedbed.nga.retrieval import estimates, ranking, squared_errors


def main(snakemake):
    settings, dataset, method = snakemake.params.settings, snakemake.wildcards.dataset, snakemake.wildcards.method
    pairs, optima = read_pairs(snakemake.input.pairs), read_optima(snakemake.input.optima)
    true = np.array([similarity(pair, best.mapping) for pair, best in zip(pairs.graphs, optima, strict=True)])
    generators = rng(0, "retrieval", dataset).spawn(len(true))
    estimated = estimates(method, pairs, generators, snakemake.params.options | settings["options"])
    query = np.array(pairs.query)
    errors = squared_errors(method, estimated, true, query)
    metrics = Metrics("retrieval", dataset, method)
    for number in np.unique(query):
        own = query == number
        values = ranking(estimated[own], true[own], settings["relevant"])
        metrics.add(0, values | {"squared_error": errors[own].mean()}, query=int(number))
    for number in range(len(true)):
        metrics.add(0, {"similarity": estimated[number], "true": true[number]}, pair=number)
    metrics.write(snakemake.output[0])


run(main, snakemake)
