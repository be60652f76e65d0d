"""Compress a model with variants of CAP.

Inputs: the model, token files to calibrate (of the model's corpus, and of others that variants name) and to evaluate.
Output: metrics; matrices, policy steps and probabilities of the first seed.
"""

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.lowrank_sparse.problem import Problem
from seedbed.lowrank_sparse.variants import VariantRunner, trajectories


def main(snakemake):
    experiment, dataset, method = (snakemake.wildcards[name] for name in ("experiment", "dataset", "method"))
    settings, runs = snakemake.params.settings, snakemake.params.settings["datasets"][dataset]
    metrics, runners = Metrics(experiment, dataset, method), {}
    for group in trajectories(settings["methods"][method]):
        corpus = next(iter(group.values()))["corpus"]
        if corpus not in runners:
            other = snakemake.input.get(f"from_{corpus}")
            problem = Problem.load(snakemake.params.model, snakemake.input, snakemake.params.device, other)
            runners[corpus] = VariantRunner(problem, metrics, (experiment, dataset))
        for ratio in runs["ratios"]:
            for seed in range(runs["seeds"]):
                runners[corpus].run(group, ratio, seed, record=seed == 0)
    metrics.write(snakemake.output[0])


run(main, snakemake)
