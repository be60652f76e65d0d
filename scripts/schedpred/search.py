"""Hill climb to the worst instances of one policy.

Outputs: metrics with the factors `eta` and `n`: the largest ratio found, its distance from the policy's bound, and its
logarithm over that of the error; the worst instances, and all counterexamples.
"""

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.schedpred.single_machine import factors, make_policy
from seedbed.schedpred.single_search import climb, worst_of
from seedbed.schedpred.worst_cases import write_worst_cases


def main(snakemake):
    settings, method = snakemake.params.settings, snakemake.wildcards.method
    sizes = settings["n"][method]
    places = [(n, eta) for n in sorted(sizes, reverse=True) for eta in settings["etas"]]
    streams = rng(0, "search", "single").spawn(len(places))

    def one(item):
        parameters, (n, eta), stream = item
        policy = make_policy(method, parameters)
        found = {"eta": eta, "n": n, **factors(parameters)}
        return worst_of(policy, *climb(policy, float(eta), n, settings["chains"], settings["steps"], stream), found)

    items = [
        (parameters, place, stream)
        for place, stream in zip(places, streams, strict=True)
        for parameters in snakemake.params.policies
    ]
    metrics, results = Metrics("search", "single", method), work_off(one, items, snakemake.threads)
    for case, _ in results:
        metrics.add(0, {"worst": case.ratio, "slack": case.slack, "exponent": case.exponent}, **case.found)
    violations = [violation for _, found in results for violation in found]
    metrics.write(snakemake.output.metrics)
    write_worst_cases([case for case, _ in results], violations, snakemake.output.worst)


run(main, snakemake)
