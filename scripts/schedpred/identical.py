"""Measure one policy on identical machines: against the adversary, on random instances, or under search.

Outputs: metrics with the experiment's settings as factors; the worst instances, and all counterexamples.
"""

from seedbed.core.job import run
from seedbed.core.random import rng
from seedbed.schedpred.identical_study import last_big_games, random_ratios, robustness_ratios, search_violations
from seedbed.schedpred.study import Study
from seedbed.schedpred.worst_cases import write_worst_cases

GAMES = {"identical_game": last_big_games, "identical_robust": robustness_ratios}
SAMPLES = {"identical_small": random_ratios, "identical_large": random_ratios, "identical_search": search_violations}


def main(snakemake):
    experiment, method = snakemake.wildcards.experiment, snakemake.wildcards.method
    settings = {name: value for name, value in snakemake.params.settings.items() if name != "methods"}
    if experiment in GAMES:
        study = GAMES[experiment](method, **settings)
    else:
        n_seeds, measure = settings.pop("seeds"), SAMPLES[experiment]
        study = Study.over_seeds(
            lambda seed: measure(method, **settings, seed=seed, rng=rng(seed, experiment, "identical")),
            n_seeds,
            snakemake.threads,
        )
    study.to_metrics(experiment, "identical", method).write(snakemake.output.metrics)
    write_worst_cases(study.worst, study.counterexamples, snakemake.output.worst)


run(main, snakemake)
