"""Studies of machines: what is measured is what single runs give, and a broken policy is found."""

import math

import numpy as np
import pytest

from seedbed.schedpred import identical_study, related_study
from seedbed.schedpred.hill_climb import hill_climb
from seedbed.schedpred.identical import simple_schedule
from seedbed.schedpred.identical_study import BATCH_POLICIES, BatchPolicy
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.makespan import optimal_makespan
from seedbed.schedpred.related_study import enumerated_makespan
from seedbed.schedpred.study import Study

SMALL = {"families": ["pareto", "equal"], "etas": ["1.2", "2"], "shapes": [(8, 2), (8, 3)], "count": 5}


def values(study, metric):
    return [row[metric] for _, row, _ in study.rows if metric in row]


@pytest.mark.parametrize("method", BATCH_POLICIES)
def test_random_ratios_lie_between_one_and_their_bounds(method):
    study = identical_study.random_ratios(method, **SMALL, optimum="enumerated", seed=0, rng=np.random.default_rng(0))
    assert len(study.rows) == 8 and not study.counterexamples
    assert min(values(study, "ratio_median")) >= 1 and min(values(study, "slack")) >= -1e-9
    assert max(values(study, "start_delay"), default=0) <= 0
    assert ("rho_max" in study.rows[0][1]) == method.startswith("simple")


def test_all_methods_meet_the_same_instances():
    worst = {
        method: identical_study.random_ratios(
            method, ["uniform"], ["1.5"], [(8, 2)], 1, "bound", 0, np.random.default_rng(3)
        ).worst[0]
        for method in ("list", "simple_la")
    }
    assert worst["list"].instance == worst["simple_la"].instance


def test_the_worst_instance_has_the_ratio_reported():
    study = identical_study.random_ratios(
        "simple_la", **SMALL, optimum="enumerated", seed=0, rng=np.random.default_rng(0)
    )
    for case in study.worst:
        makespan = simple_schedule(case.instance, case.found["m"]).makespan
        assert case.ratio == pytest.approx(makespan / optimal_makespan(case.instance.sizes, case.found["m"])[0])
        assert case.instance.classify() == "smooth"


def test_a_plan_that_puts_all_on_one_machine_is_a_counterexample(monkeypatch):
    """SIMPLE with a bad plan, held against the bound of a good one."""
    from seedbed.schedpred import identical

    def one_machine(predictions, m):
        order = np.argsort(-predictions, axis=1, kind="stable")
        loads = np.zeros((len(predictions), m))
        loads[:, 0] = predictions.sum(axis=1)
        return identical._lists(order, np.zeros_like(order), loads)

    monkeypatch.setitem(BATCH_POLICIES, "broken", BatchPolicy(one_machine))
    monkeypatch.setattr(identical_study, "certified_ratio", lambda lists, predictions: np.ones(len(predictions)))
    arguments = ("broken", ["lognormal"], ["1.1"], [(8, 3)])
    study = identical_study.random_ratios(*arguments, 5, "bound", 0, np.random.default_rng(0))
    assert study.counterexamples and min(values(study, "slack")) < -0.1
    study = identical_study.search_violations(*arguments, 10, 5, 0, np.random.default_rng(0))
    assert study.counterexamples


def test_a_study_of_seeds_is_all_of_them():
    easy, hard = Instance([1], [1]), Instance([2], [1])

    def measure(seed):
        study = Study()
        study.add(seed, {"ratio": seed + 1}, m=2)
        study.see("key", hard if seed == 1 else easy, ratio=[1.5, 3, 2][seed], bound=2, m=2)
        return study

    study = Study.over_seeds(measure, 3, threads=1)
    assert [seed for seed, _, _ in study.rows] == [0, 1, 2]
    assert [case.instance for case in study.worst] == [case.instance for case in study.counterexamples] == [hard]


def test_robustness():
    assert min(values(identical_study.robustness_ratios("simple", [2, 5]), "ratio_per_machine")) > 0.9
    assert max(values(identical_study.robustness_ratios("simple_la", [2, 5]), "ratio")) < 1.01


def test_last_big_games_hold_the_bound():
    study = identical_study.last_big_games("simple_la", ["3/2", "3"], [2, 3])
    assert [(f["eta_squared"], f["m"]) for _, _, f in study.rows[::2]] == [("3/2", 2), ("3/2", 3), ("3", 3)]
    assert min(values(study, "slack")) >= -1e-9 and max(values(study, "spoiler_change")) < 1e-9


def test_search_finds_instances_at_least_as_bad_as_it_started_with():
    study = identical_study.search_violations(
        "simple_la", ["uniform"], ["1.5"], [(8, 2)], 10, 30, 0, np.random.default_rng(0)
    )
    (row,) = (row for _, row, _ in study.rows)
    assert row["evaluations"] == 310 and row["slack"] >= -1e-9 and 1 < row["ratio_best"] <= row["ratio_max"] + 1e-9


def test_hill_climbing_reaches_the_ends():
    p = np.ones((4, 5))
    sizes, reached = hill_climb(lambda x: x.sum(axis=1), p, 2.0, 200, np.random.default_rng(0))
    np.testing.assert_array_equal(sizes, 2 * p)
    np.testing.assert_array_equal(reached, 10)


def test_enumeration_on_related_machines_is_optimal():
    rng = np.random.default_rng(0)
    sizes, speeds = rng.uniform(size=(4, 6)), rng.uniform(1, 5, size=(4, 3))
    for x, s, value in zip(sizes, speeds, enumerated_makespan(sizes, speeds), strict=True):
        assert value == pytest.approx(optimal_makespan(x.tolist(), speeds=s.tolist())[0])


@pytest.mark.parametrize("method", related_study.POLICIES)
def test_random_ratios_on_related_machines(method):
    study = related_study.random_ratios(method, ["lognormal"], ["2"], [(6, 3)], 4, 0, np.random.default_rng(0))
    assert min(values(study, "ratio_median")) >= 1 and not study.counterexamples
    assert ("upper_slack" in study.rows[0][1]) == (method == "doubling")
    (case,) = study.worst
    assert case.instance.classify() == "smooth" and len(case.instance.speeds) == 3


def test_group_games_give_growing_smoothness():
    study = related_study.group_games("doubling", [(4, 4)], ["lowest", "centred"], ["no", "yes"])
    centred = [row for _, row, f in study.rows if f["predictions"] == "centred" and f["spoiler"] == "no"]
    assert [row["log2_eta"] for row in centred] == [0.5, 1, 1.5, 2]
    assert centred[3]["ratio"] < centred[2]["ratio"] == centred[3]["smoothness"]
    assert [row["smoothness"] for row in centred] == np.maximum.accumulate([row["ratio"] for row in centred]).tolist()
    assert min(values(study, "slack")) >= 0 and min(values(study, "upper_slack")) >= 0
    assert related_study.upper_bound(4, 1.5) == 2 * 1.5 * 8


def test_search_on_related_machines():
    study = related_study.search_worst("trust", ["3"], [(5, 2)], 4, 20, 0, np.random.default_rng(0))
    (row,) = (row for _, row, _ in study.rows)
    assert row["ratio_max"] > 1.2 and math.isfinite(row["ratio_max"])
