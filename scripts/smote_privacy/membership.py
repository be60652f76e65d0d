"""Attack single minority rows of one data set with shadow runs; the target row is the unit.

Input: the prepared table. Output: metrics with the factor `target`: the attack's AUC, and the AUC that the same scores
have under permuted labels, which is what the mean over the most exposed targets is held against.
"""

from importlib import import_module

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.core.tables import read_features
from seedbed.smote_privacy.membership import mann_whitney_auc, membership_attack


def main(snakemake):
    experiment, dataset, mode = (snakemake.wildcards[name] for name in ("experiment", "dataset", "method"))
    settings = snakemake.params.settings
    X, y = read_features(snakemake.input[0])
    choice, *streams = rng(0, experiment, dataset).spawn(1 + int(y.sum()))
    targets = choice.permutation(len(streams))[: settings["targets"]]

    # Loaded here once, and not by each worker; the threads of what is loaded now are limited too.
    import_module("sklearn.ensemble" if mode == "syn" else "torch")

    def one(target):
        result = membership_attack(
            X, y, int(target), mode, settings["n_train"], settings["n_test"], rng=streams[target]
        )
        permuted = streams[target].permutation(result.labels)
        return {"auc": result.auc, "auc_permuted": mann_whitney_auc(result.scores, permuted)}

    metrics = Metrics(experiment, dataset, mode)
    for target, values in zip(targets, work_off(one, targets, snakemake.threads), strict=True):
        metrics.add(0, values, target=int(target))
    metrics.write(snakemake.output[0])


run(main, snakemake)
