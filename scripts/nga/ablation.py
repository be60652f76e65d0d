"""Run all arms of neural graduated assignment on the pairs of one data set.

Inputs: pairs, optima. Output: metrics of each seed with the factors `pair` and `arm`: accuracy in %, that of the first
sample alone, of one decoded sample and of the best of the last epoch, epochs to 95 % of the default arm's final
objective, and whether temperatures were negative; mean temperatures of the default arm with `epoch` and `layer`.
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
    dataset, arms, seeds = snakemake.wildcards.dataset, snakemake.params.arms, snakemake.params.seeds
    pairs, optima = read_pairs(snakemake.input.pairs).graphs, read_optima(snakemake.input.optima)

    def one(job):
        arm, seed = job
        generators = rng(seed, "ablation", dataset).spawn(len(pairs))
        return search(pairs, generators, Settings(**snakemake.params.options | arms[arm]))

    longest_first = sorted(arms, key=lambda arm: -cost(arms[arm]))
    jobs = [(arm, seed) for arm in longest_first for seed in range(seeds.get(arm, 1))]
    found = dict(zip(jobs, work_off(one, jobs, snakemake.threads), strict=True))
    metrics = Metrics("ablation", dataset, "neural")
    for arm, seed in sorted(jobs, key=lambda job: (list(arms).index(job[0]), job[1])):
        for number, (pair, optimum, result) in enumerate(zip(pairs, optima, found[arm, seed], strict=True)):
            target = 0.95 * found["default", seed][number].objective[-5:].mean()
            values = score(pair, result.mapping, optimum) | {
                "accuracy_first_sample": accuracy(result.first_sample, optimum),
                "accuracy_single": accuracy(result.single, optimum),
                "accuracy_together": accuracy(result.together, optimum),
                "epochs_to_target": epochs_to(result.objective, target),
            }
            if result.betas.size:
                values |= temperature_signs(result.betas)
            metrics.add(seed, values, arm=arm, pair=number)
    for seed in range(seeds["default"]):
        for epoch, betas in enumerate(np.mean([result.betas for result in found["default", seed]], axis=0)):
            for layer, beta in enumerate(betas):
                metrics.add(seed, {"beta": beta}, arm="default", epoch=epoch, layer=layer + 1)
    metrics.write(snakemake.output[0])


def cost(options):
    return options["epochs"] * (30 if options.get("variant") == "acg_gnn" else options["samples"] ** 0.5)


run(main, snakemake)
