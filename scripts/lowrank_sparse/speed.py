"""Races: robust PCA against tensorly's, LAPACK's SVD and the machine's GEMM rate; a CAP layer against others.

Output: ratios of wall times, peers interleaved.
"""

import numpy as np
import scipy.sparse
import torch
from tensorly.decomposition import robust_pca as tensorly_robust_pca

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.race import race
from seedbed.core.random import rng
from seedbed.lowrank_sparse.robust_pca import robust_pca


def main(snakemake):
    settings = snakemake.params.settings
    metrics = Metrics("speed", "planted", "race")
    for seed in range(settings["repeats"]):
        stream = rng(seed, "speed", "planted")
        for m, n in settings["shapes"]:
            W = stream.standard_normal((m, n)).astype(np.float32)
            race_decompositions(metrics, seed, W, settings["iterations"])
            for density in settings["densities"]:
                race_layers(metrics, seed, W, density, stream)
    metrics.write(snakemake.output[0])


def race_decompositions(metrics, seed, W, iterations):
    tensor, (m, n) = torch.from_numpy(W), W.shape
    square = torch.from_numpy(np.resize(W, (1024, 1024)))
    peers = {
        "ours": lambda: robust_pca(tensor, n_iter=iterations, tol=0),
        "svd": lambda: robust_pca(tensor, n_iter=iterations, tol=0, backend="svd"),
        "tensorly": lambda: tensorly_robust_pca(W, n_iter_max=iterations, tol=0, verbose=False),
        "gemm": lambda: square @ square,
    }
    seconds = race(peers, {"ours": 3, "gemm": 5})
    operations = iterations * (4 * m * n * min(m, n) + 10 * min(m, n) ** 3)
    limit = operations / (2 * 1024**3 / seconds["gemm"])
    values = {
        "tensorly_speedup": seconds["tensorly"] / seconds["ours"],
        "svd_speedup": seconds["svd"] / seconds["ours"],
        "limit_share": limit / seconds["ours"],
    }
    metrics.add(seed, values, timing=True, rows=m, columns=n)


def race_layers(metrics, seed, W, density, stream):
    m, n = W.shape
    rank = int((0.5 - density / 100) * m * n / (m + n))
    x, U, V = (stream.standard_normal(shape).astype(np.float32) for shape in ((n,), (m, rank), (n, rank)))
    cap, half = (scipy.sparse.csr_array(W * (stream.random((m, n)) < share)) for share in (density / 100, 0.5))
    peers = {"dense": lambda: W @ x, "half": lambda: half @ x, "cap": lambda: U @ (V.T @ x) + cap @ x}
    seconds = race(peers, dict.fromkeys(peers, 20))
    values = {"over_half": seconds["half"] / seconds["cap"], "over_dense": seconds["dense"] / seconds["cap"]}
    metrics.add(seed, values, timing=True, rows=m, columns=n, density=density)


run(main, snakemake)
