"""Predict 0 for every job, at every level of absolute error, and measure the ratio of one policy, in fractions.

Output: metrics with the factor `error`: the ratio, its difference from that at the first level, and whether the
instance is in the class of worthless predictions under multiplicative error.
"""

from fractions import Fraction

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.schedpred.partition import worthless_at
from seedbed.schedpred.processor_sharing import competitive_ratio
from seedbed.schedpred.single_machine import factors, make_policy
from seedbed.schedpred.stop_adversary import StopAdversary


def main(snakemake):
    settings, method = snakemake.params.settings, snakemake.wildcards.method
    metrics = Metrics("absolute_error", "single", method)
    for parameters in snakemake.params.policies:
        policy = make_policy(method, parameters)
        hard = StopAdversary(Fraction(settings["eta"]), settings["n"], spoiler=False).play(policy).instance
        instances = {error: worthless_at(hard.sizes, Fraction(error)) for error in settings["errors"]}
        ratios = {error: competitive_ratio(policy, instance) for error, instance in instances.items()}
        for error, ratio in ratios.items():
            values = {
                "ratio": ratio,
                "deviation": ratio - ratios[settings["errors"][0]],
                "shortfall_two": settings["n"] * (2 - ratio),
                "is_robust": instances[error].classify() == "robust",
            }
            metrics.add(0, values, error=error, **factors(parameters))
    metrics.write(snakemake.output[0])


run(main, snakemake)
