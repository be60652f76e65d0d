"""Cut both parts of robust PCA at independent thresholds, over a grid (C6).

Inputs: the model, token files. Output: the loss of every pair, and by window that of the best pair within the budget.
Best is chosen on the evaluation text, which is in favour of the thresholds.
"""

from itertools import product

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.lowrank_sparse.budget import parameter_count
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.cap import Decomposing, decompose
from seedbed.lowrank_sparse.problem import Problem
from seedbed.lowrank_sparse.thresholds import threshold_mask


def main(snakemake):
    dataset, settings = snakemake.wildcards.dataset, snakemake.params.settings
    problem = Problem.load(snakemake.params.model, snakemake.input, snakemake.params.device)
    task = problem.task
    dense = float(task.losses(problem.evaluation).mean())
    pool = CandidatePool(decompose(task.weights, Decomposing(), problem.rms()))
    metrics, within = Metrics("thresholds", dataset, "independent"), []
    for pair, (rank_share, entry_share) in enumerate(product(settings["shares"], repeat=2)):
        matrices = pool.compressed(threshold_mask(pool, rank_share / 100, entry_share / 100))
        losses = problem.losses(matrices)
        removed = parameter_count(matrices)["realised_ratio"]
        fits = removed >= settings["ratio"] / 100 - 1e-6
        values = {"pair_loss": float(losses.mean()), "excess": float(losses.mean()) - dense, "realised_ratio": removed}
        metrics.add(0, values, pair=pair, rank_share=rank_share, entry_share=entry_share, fits="yes" if fits else "no")
        within += [losses] if fits else []
    best = min(within, key=lambda losses: float(losses.mean()))
    for window, loss in enumerate(best.tolist()):
        metrics.add(0, {"loss": loss}, window=window, ratio=settings["ratio"])
    metrics.write(snakemake.output[0])


run(main, snakemake)
