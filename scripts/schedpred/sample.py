"""Run one policy on random smooth instances.

Outputs: metrics with the factors `eta` and `family`: the ratio of a sample's first instance, the largest of the sample,
and its distance from the policy's bound; the worst instance of each error, and all counterexamples.
"""

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.schedpred.single_machine import factors, make_policy
from seedbed.schedpred.single_search import worst_of
from seedbed.schedpred.smooth_instances import draw_smooth
from seedbed.schedpred.worst_cases import worst_by, write_worst_cases


def main(snakemake):
    settings, method = snakemake.params.settings, snakemake.wildcards.method
    metrics, cases, counterexamples = Metrics("random", "single", method), [], []
    places = [(family, eta) for family in settings["families"] for eta in settings["etas"]]
    for seed in range(settings["seeds"]):
        for (family, eta), stream in zip(places, rng(seed, "random", "single").spawn(len(places)), strict=True):
            x, p = draw_smooth(family, float(eta), settings["n"], settings["instances"], stream)
            for parameters in snakemake.params.policies:
                policy = make_policy(method, parameters)
                found = {"eta": eta, "family": family, **factors(parameters)}
                case, violations = worst_of(policy, x, p, found | {"seed": seed})
                values = {"ratio": policy.ratios(x[:1], p[:1])[0], "worst": case.ratio, "exponent": case.exponent}
                if case.bound < float("inf"):
                    values["slack"] = case.slack
                metrics.add(seed, values, **found)
                cases.append(case)
                counterexamples += violations
    metrics.write(snakemake.output.metrics)
    write_worst_cases(worst_by(cases, "family", "seed"), counterexamples, snakemake.output.worst)


run(main, snakemake)
