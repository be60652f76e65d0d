"""Loss of a model with one matrix compressed by CAP, for each matrix (C8).

Inputs: the model, token files. Output: for each matrix what it costs to compress it alone, on the
calibration text, its share of a global budget (without policy), and the spectra of W and L.
"""

import torch

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.cap import Allocating, Decomposing, allocate, decompose, layer_budgets
from seedbed.lowrank_sparse.policy_gradient import PolicyGradient
from seedbed.lowrank_sparse.problem import Problem
from seedbed.lowrank_sparse.sensitivity import sensitivities


def main(snakemake):
    dataset, ratio = snakemake.wildcards.dataset, snakemake.params.settings["ratio"]
    problem = Problem.load(snakemake.params.model, snakemake.input, snakemake.params.device)
    pool = CandidatePool(decompose(problem.task.weights, Decomposing(), problem.rms()))

    def compressed(scope):
        settings = Allocating(scope, policy=PolicyGradient(n_iter=0))
        found = allocate(pool, ratio / 100, settings, problem.policy_loss, rng(0, "sensitivity", dataset))
        return pool.compressed(found.mask)

    shares = layer_budgets(compressed("global"))
    metrics = Metrics("sensitivity", dataset, "alone")
    for matrix, value in sensitivities(problem.task, compressed("matrix"), problem.calibration).items():
        metrics.add(0, {"sensitivity": value, "kept": shares[matrix]["kept"]}, matrix=matrix, ratio=ratio)
        add_spectra(metrics, matrix, problem.task.weights[matrix], pool.decompositions[matrix])
    metrics.write(snakemake.output[0])


def add_spectra(metrics, matrix, W, split):
    """Every eighth singular value of W and of L, relative to the largest of W; zero beyond the rank of L."""
    whole = torch.linalg.svdvals(W)
    low_rank = torch.zeros_like(whole)
    low_rank[: split.rank] = split.sigma
    for index in range(0, len(whole), 8):
        values = {"sigma_whole": whole[index] / whole[0], "sigma_low_rank": low_rank[index] / whole[0]}
        metrics.add(0, values, matrix=matrix, index=index)


run(main, snakemake)
