"""Run all arms of neural graduated assignment on the pairs of one data set.

Inputs: pairs, optima. Output: metrics with the factors `pair` and `arm`: accuracy in %, that of the first sample alone,
of one decoded sample and of the best of the last epoch, epochs to 95 % of the default arm's final objective, and
whether temperatures were negative; mean temperatures of the default arm with the factors `epoch` and `layer`.
"""

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.nga.neural import Settings, epochs_to, search, temperature_signs
from seedbed.nga.optima import accuracy, read_optima, score
from seedbed.nga.pairs import read_pairs


def main(snakemake):
    dataset, arms = snakemake.wildcards.dataset, snakemake.params.arms
    pairs, optima = read_pairs(snakemake.input.pairs).graphs, read_optima(snakemake.input.optima)

    def one(options):
        generators = rng(0, "ablation", dataset).spawn(len(pairs))
        return search(pairs, generators, Settings(**snakemake.params.options | options))

    longest_first = sorted(arms, key=lambda arm: -cost(arms[arm]))
    found = dict(
        zip(longest_first, work_off(one, [arms[arm] for arm in longest_first], snakemake.threads), strict=True)
    )
    metrics = Metrics("ablation", dataset, "neural")
    for arm in arms:
        for number, (pair, optimum, result) in enumerate(zip(pairs, optima, found[arm], strict=True)):
            target = 0.95 * found["default"][number].objective[-5:].mean()
            values = score(pair, result.mapping, optimum) | {
                "accuracy_first_sample": accuracy(result.first_sample, optimum),
                "accuracy_single": accuracy(result.single, optimum),
                "accuracy_together": accuracy(result.together, optimum),
                "epochs_to_target": epochs_to(result.objective, target),
            }
            if result.betas.size:
                values |= temperature_signs(result.betas)
            metrics.add(0, values, arm=arm, pair=number)
    for epoch, betas in enumerate(np.mean([result.betas for result in found["default"]], axis=0)):
        for layer, beta in enumerate(betas):
            metrics.add(0, {"beta": beta}, arm="default", epoch=epoch, layer=layer + 1)
    metrics.write(snakemake.output[0])


def cost(options):
    return options["epochs"] * (30 if options.get("variant") == "acg_gnn" else options["samples"] ** 0.5)


run(main, snakemake)
