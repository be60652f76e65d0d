"""Run SPJF on all extreme instances of few jobs, in fractions.

Output: metrics with the factors `eta` and `n`: the largest ratio, the error minus it, and the difference from the best
two-size family.
"""

from fractions import Fraction

import numpy as np

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.schedpred.extreme_instances import extreme_exponents, spjf_supremum
from seedbed.schedpred.total_completion_time import in_order, optimal_total_completion_time


def main(snakemake):
    settings = snakemake.params.settings
    metrics = Metrics("extreme", "single", "spjf")
    for n in settings["n"]:
        exponents = extreme_exponents(n)
        for eta in settings["etas"]:
            powers = np.array([Fraction(eta) ** (2 * level) for level in range(n)], dtype=object)
            x = powers[exponents]  # in the order in which SPJF runs the jobs
            worst = max(in_order(x) / optimal_total_completion_time(x))
            values = {
                "worst": worst,
                "slack_eta": Fraction(eta) - worst,
                "above_two_sizes": worst - spjf_supremum(n, Fraction(eta)),
                "rays": len(exponents),
            }
            metrics.add(0, values, eta=eta, n=n)
    metrics.write(snakemake.output[0])


run(main, snakemake)
