"""Race our attack and our SMOTE against the published procedure and against imbalanced-learn, in one process.

Input: the prepared table. Output: metrics, all but the agreement of the two attacks depending on the clock.
"""

import numpy as np
from imblearn.over_sampling import SMOTE

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.race import race
from seedbed.core.random import rng
from seedbed.core.tables import read_features
from seedbed.smote_privacy.distin_smote import distin_smote
from seedbed.smote_privacy.published import published_distin_smote
from seedbed.smote_privacy.smote import oversample, smote_sample


def main(snakemake):
    settings = snakemake.params.settings
    X, y = read_features(snakemake.input[0])
    metrics = Metrics("speed", settings["dataset"], "race")
    for seed in range(settings["repeats"]):
        stream = rng(seed, "speed", settings["dataset"])
        race_attacks(X, y, seed, stream, metrics)
        race_smote(X, y, seed, stream, metrics)
        time_sizes(settings["sizes"], seed, stream, metrics)
    metrics.write(snakemake.output[0])


def race_attacks(X, y, seed, stream, metrics):
    sample = oversample(X[y == 1], int((y == 0).sum() - y.sum()), 5, stream)
    rows, _ = sample.augmented_minority(stream)
    found = {}

    def ours():
        found["ours"] = distin_smote(rows)

    def published():
        found["published"] = published_distin_smote(rows, 5, len(rows) / len(sample.real), stream)

    seconds = race({"ours": ours, "published": published}, {"ours": 3})
    metrics.add(seed, {"attack_speedup": seconds["published"] / seconds["ours"]}, timing=True)
    metrics.add(seed, {"attack_agreement": np.mean(found["ours"] == found["published"])})


def race_smote(X, y, seed, stream, metrics):
    minority, n_synthetic = X[y == 1], int((y == 0).sum() - y.sum())
    peers = {
        "ours": lambda: smote_sample(minority, 5, n_synthetic, stream),
        "imblearn": lambda: SMOTE(random_state=seed).fit_resample(X, y),
    }
    seconds = race(peers, {"ours": 20, "imblearn": 20})
    metrics.add(seed, {"smote_speedup": seconds["imblearn"] / seconds["ours"]}, timing=True)


def time_sizes(sizes, seed, stream, metrics):
    """Seconds of DistinSMOTE on normal data in ten dimensions, oversampled tenfold, against the number of rows."""
    for size in sizes:
        real = stream.normal(size=(size // 11, 10))
        rows, _ = oversample(real, size - len(real), 5, stream).augmented_minority(stream)
        seconds = race({"ours": lambda rows=rows: distin_smote(rows)}, {"ours": 3})
        metrics.add(seed, {"attack_seconds": seconds["ours"]}, timing=True, n_rows=size)


run(main, snakemake)
