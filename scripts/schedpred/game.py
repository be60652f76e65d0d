"""Play the stop adversary against one policy, over all its parameters, errors and numbers of jobs.

Outputs: metrics with the factors `eta` and `n`; the worst instance of each error, and all counterexamples to the
policy's bound. Exact games are also played without the tiny job that makes instances smooth.
"""

import math
from fractions import Fraction

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.schedpred.single_machine import factors, make_policy
from seedbed.schedpred.stop_adversary import StopAdversary
from seedbed.schedpred.worst_cases import WorstCase, worst_by, write_worst_cases


def main(snakemake):
    settings, method = snakemake.params.settings, snakemake.wildcards.method

    def play(item):
        parameters, eta, n, exact = item
        policy, eta = make_policy(method, parameters), Fraction(eta) if exact else float(Fraction(eta))
        result = StopAdversary(eta, n).play(policy)
        bound = policy.smoothness(eta, len(result.instance.sizes))
        case = WorstCase(result.instance, result.ratio, bound, {"eta": item[1], "n": n, **factors(parameters)})
        values = {
            "ratio": result.ratio,
            "exponent": math.log(result.ratio) / math.log(eta),
            "replay_gain": float(result.ratio) - result.evaluated,
            "excess": result.ratio - eta,
            "shortfall_eta": n * (1 - result.ratio / eta),
            "shortfall_two": n * (2 - result.ratio),
        }
        if bound < float("inf"):
            values["slack"] = case.slack
        if exact:
            values["smooth"] = result.instance.classify() == "smooth"
            values["spoiler_change"] = result.ratio - StopAdversary(eta, n, spoiler=False).play(policy).ratio
        return case, values

    sizes = sorted([(n, True) for n in settings["exact_n"]] + [(n, False) for n in settings["float_n"]], reverse=True)
    items = [
        (parameters, eta, n, exact)
        for n, exact in sizes
        for parameters in snakemake.params.policies
        for eta in settings["etas"]
    ]
    metrics, cases = Metrics("game", "single", method), []
    for case, values in work_off(play, items, snakemake.threads):
        metrics.add(0, values, **case.found)
        cases.append(case)
    metrics.write(snakemake.output.metrics)
    counterexamples = [case for case in cases if case.slack < 0]
    exact = [case for case in cases if case.found["n"] in settings["exact_n"]]
    write_worst_cases(worst_by(exact, "n"), counterexamples, snakemake.output.worst)


run(main, snakemake)
