"""Race batches of instances against the simulator that takes one instance from event to event, and against sorting.

Output: metrics, all depending on the clock: how many times as many jobs a second the batch completes, and the seconds
of one sort of the sizes over those of the batch. Jobs a second are in the log.
"""

import logging

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.race import race
from seedbed.core.random import rng
from seedbed.schedpred.processor_sharing import Policy
from seedbed.schedpred.single_machine import factors, make_policy
from seedbed.schedpred.smooth_instances import draw_smooth


def main(snakemake):
    settings, method = snakemake.params.settings, snakemake.wildcards.method
    n, count, simulated = settings["n"], settings["instances"], settings["simulated"]
    metrics = Metrics("speed", "single", method)
    for seed in range(settings["repeats"]):
        x, p = draw_smooth("pareto", 2.0, n, count, rng(seed, "speed", "single"))
        for parameters in snakemake.params.policies:
            seconds = race_policy(make_policy(method, parameters), x, p, simulated)
            rate = n * count / seconds["batch"]
            logging.info("%s %s: %.3g jobs a second", method, parameters, rate)
            values = {
                "speedup": rate * seconds["simulator"] / (n * simulated),
                "sort_share": seconds["sort"] / seconds["batch"],
            }
            metrics.add(seed, values, timing=True, **factors(parameters))
    metrics.write(snakemake.output[0])


def race_policy(policy, x, p, simulated):
    """Seconds of the batch, of the simulator on the first ``simulated`` instances, and of sorting all sizes."""
    peers = {
        "batch": lambda: policy.ratios(x, p),
        "simulator": lambda: Policy.total_completion_time(policy, x[:simulated], p[:simulated]),
        "sort": lambda: np.sort(x, axis=1),
    }
    return race(peers, {"batch": 3, "sort": 3})


run(main, snakemake)
