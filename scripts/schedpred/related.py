"""Measure one policy on related machines: in the game of groups, on random instances, or under search.

Outputs: metrics with the experiment's settings as factors; the worst instances, and all counterexamples.
"""

from seedbed.core.job import run
from seedbed.core.random import rng
from seedbed.schedpred.related_study import group_games, random_ratios, search_worst
from seedbed.schedpred.study import Study
from seedbed.schedpred.worst_cases import write_worst_cases

GAMES = ("related_game", "related_growth")
SAMPLES = {"related_random": random_ratios, "related_search": search_worst}


def main(snakemake):
    experiment, method = snakemake.wildcards.experiment, snakemake.wildcards.method
    settings = {name: value for name, value in snakemake.params.settings.items() if name != "methods"}
    if experiment in GAMES:
        study = group_games(method, **settings)
    else:
        n_seeds, measure = settings.pop("seeds"), SAMPLES[experiment]
        study = Study.over_seeds(
            lambda seed: measure(method, **settings, seed=seed, rng=rng(seed, experiment, "related")),
            n_seeds,
            snakemake.threads,
        )
    study.to_metrics(experiment, "related", method).write(snakemake.output.metrics)
    write_worst_cases(study.worst, study.counterexamples, snakemake.output.worst)


run(main, snakemake)
