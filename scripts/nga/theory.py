"""Check the identities behind the learned temperature at random assignments and weights.

Input: pairs. Output: metrics with the factor `pair`: largest error of each identity, and the share of steps whose
change of the objective has the sign of β.
"""

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.nga.association import association_common_graph
from seedbed.nga.pairs import read_pairs
from seedbed.nga.theory import objective_change, product_step_error, random_scores, variance_identity_error


def main(snakemake):
    settings, dataset = snakemake.params.settings, snakemake.wildcards.dataset
    pairs = read_pairs(snakemake.input[0]).graphs
    metrics = Metrics("theory", dataset, "identities")
    for number, (pair, generator) in enumerate(zip(pairs, rng(0, "theory", dataset).spawn(len(pairs)), strict=True)):
        graph = association_common_graph(*pair)
        starts = [random_scores(graph, generator) for _ in range(settings["draws"])]
        signs = [
            np.sign(objective_change(graph, scores, beta)) == np.sign(beta)
            for scores in starts
            for beta in (0.02, -0.02)
        ]
        values = {
            "variance_error": max(variance_identity_error(graph, scores) for scores in starts),
            "product_error": max(product_step_error(32, generator) for _ in range(settings["draws"])),
            "sign_agrees": np.mean(signs),
        }
        metrics.add(0, values, pair=number)
    metrics.write(snakemake.output[0])


run(main, snakemake)
