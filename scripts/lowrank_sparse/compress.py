"""Compress a model with one baseline at every ratio.

Inputs: the model, token files to calibrate and to evaluate. Output: metrics, one row a window for the loss.
"""

import inspect
from importlib import import_module

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.lowrank_sparse.problem import Problem


def main(snakemake):
    experiment, dataset, method = (snakemake.wildcards[name] for name in ("experiment", "dataset", "method"))
    settings = snakemake.params.settings
    compress = import_module(f"seedbed.lowrank_sparse.{method}").compress
    options = (
        {"n_iter": settings["oats_iterations"][dataset]} if "n_iter" in inspect.signature(compress).parameters else {}
    )
    problem = Problem.load(snakemake.params.model, snakemake.input, snakemake.params.device)
    metrics = Metrics(experiment, dataset, method)
    for ratio in settings["ratios"][dataset]:
        matrices = compress(problem.task.weights, problem.grams, ratio / 100, **options)
        problem.measure(metrics, matrices, seed=0, ratio=ratio)
    metrics.write(snakemake.output[0])


run(main, snakemake)
