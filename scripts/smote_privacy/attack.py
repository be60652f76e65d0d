"""Attack fresh oversamplings of one data set with one method, over all seeds and parameter sets of an experiment.

Input: the prepared table. Output: metrics, with the parameters that the experiment varies as factors. The attack sees
only what its adversary does; which rows are synthetic is used by the scoring alone.
"""

from importlib import import_module
from itertools import product

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_features
from seedbed.smote_privacy.smote import oversample, uniform_noise


def main(snakemake):
    experiment, dataset, method = (snakemake.wildcards[name] for name in ("experiment", "dataset", "method"))
    measure = import_module(f"seedbed.smote_privacy.{method}").measure
    settings = snakemake.params.settings
    X, y = read_features(snakemake.input[0])
    minority, parity = X[y == 1], int((y == 0).sum() - (y == 1).sum())

    def one(item):
        seed, factors = item
        sample_rng, noise_rng, attack_rng = rng(seed, experiment, dataset).spawn(3)
        n_synthetic = factors["ratio"] * len(minority) if "ratio" in factors else parity
        sample = oversample(minority, n_synthetic, factors.get("k", 5), sample_rng)
        sample = uniform_noise(sample, float(factors.get("noise", 0)), noise_rng)
        return measure(sample, attack_rng, tol=float(factors.get("tol", 1e-9)))

    items = [
        (seed, factors)
        for grid in settings["grids"]
        for factors in parameter_sets({name: values for name, values in grid.items() if values})
        for seed in range(settings["seeds"])
    ]
    metrics = Metrics(experiment, dataset, method)
    for (seed, factors), values in zip(items, work_off(one, items, snakemake.threads), strict=True):
        metrics.add(seed, values, **factors)
    metrics.write(snakemake.output[0])


def parameter_sets(grid):
    """All combinations of the values of a grid, as factor -> value."""
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


run(main, snakemake)
