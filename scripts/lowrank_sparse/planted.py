"""Robust PCA where the answer is known: planted splits, and both sides of the λ at which one part vanishes.

Output: metrics of every matrix.
"""

import torch

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.lowrank_sparse.planted import lambda_limits, plant, recovery
from seedbed.lowrank_sparse.robust_pca import robust_pca


def main(snakemake):
    experiment, settings = snakemake.wildcards.experiment, snakemake.params.settings
    metrics = Metrics(experiment, "planted", "robust_pca")
    for seed in range(settings["seeds"]):
        {"planted": recover, "limits": cross_limits}[experiment](metrics, seed, settings)
    metrics.write(snakemake.output[0])


def recover(metrics, seed, settings):
    size, stream = settings["size"], rng(seed, "planted", "planted")
    for rank in settings["ranks"]:
        for spikes in settings["spikes"]:
            planted = plant(size, size, rank, spikes / 100, stream)
            found = robust_pca(planted.W, n_iter=settings["iterations"], tol=1e-7, backend="svd")
            metrics.add(seed, recovery(planted, found), rank=rank, spikes=spikes)


def cross_limits(metrics, seed, settings):
    W = torch.from_numpy(rng(seed, "limits", "planted").standard_normal((settings["rows"], settings["columns"])))
    for limit, lam in zip(("sparse", "low_rank"), lambda_limits(W), strict=True):
        for percent in settings["percents"]:
            found = robust_pca(W, lam * percent / 100, n_iter=settings["iterations"], tol=1e-12, backend="svd")
            vanishing = found.S if limit == "low_rank" else found.L
            metrics.add(seed, {"share_of_other": float(vanishing.norm() / W.norm())}, limit=limit, percent=percent)


run(main, snakemake)
