"""How verdicts follow from evidence, how often they are false, and Holm's correction."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from seedbed.core.claims.card import Claim
from seedbed.core.claims.evaluate import Evidence
from seedbed.core.claims.holm import claim_p, holm_summary, holm_survivors
from seedbed.core.claims.intervals import StudentT, of_mean
from seedbed.core.claims.ranges import Range
from seedbed.core.claims.verdicts import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_TESTED,
    REPRODUCED,
    Levels,
    Question,
    levels,
    of_claim,
    of_group,
    of_question,
    p_value,
)

ABOVE_0 = Range(0, low_in=False)
BAND = Range(-1, 1)
R, U, C, N = REPRODUCED, INCONCLUSIVE, CONTRADICTED, NOT_TESTED


def interval(low, high, wanted=ABOVE_0, against=None, df=10):
    """A question whose 95 % interval runs from low to high."""
    width = 2 * -StudentT(0, 1, df).lower(0.025)
    estimate = StudentT((low + high) / 2, (high - low) / width, df)
    return Question(1, Evidence(None, 11, estimate), wanted, wanted.outside() if against is None else against)


def exact(values, wanted, against=None):
    evidence = Evidence(None, len(values), values=np.array(values), cells=tuple(map(str, range(len(values)))))
    return Question(1, evidence, wanted, wanted.outside() if against is None else against)


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        (interval(0.1, 0.5), R),
        (interval(-0.1, 0.5), U),
        (interval(-0.5, -0.1), C),
        (interval(-0.5, -0.1, against=()), U),
        (interval(-0.5, -0.1, against=(Range(high=-1),)), U),
        (interval(-3, -2, against=(Range(high=-1),)), C),
        (interval(-0.9, 0.9, BAND), R),
        (interval(0.5, 1.5, BAND), U),
        (interval(1.5, 2.5, BAND), C),
        (interval(-2.5, -1.5, BAND), C),
        (interval(-2, 2, BAND), U),
        (exact([1.0, 1.0], Range(1)), R),
        (exact([1.0, 0.9999999999], Range(1)), C),
        (exact([1.0, 0.9], Range(1), against=(Range(high=0.5),)), U),
        (exact([0.0], ABOVE_0), C),
        (Question(1, Evidence(None, missing="x"), ABOVE_0, ()), N),
        (Question(1, Evidence(None, undecidable="x"), ABOVE_0, ()), U),
    ],
)
def test_a_check(question, verdict):
    assert of_question(question, Levels()) == verdict


def test_a_contradiction_among_many_checks_needs_a_wider_interval():
    question = interval(-0.5, -0.01)
    assert of_question(question, Levels()) == C
    assert of_question(question, Levels(contradicted=0.05 / 10)) == U


@pytest.mark.parametrize("low", [0.2, 1e-6, -1e-6, -0.4])
@pytest.mark.parametrize("wanted", [ABOVE_0, Range(0, 2), Range(high=2)])
def test_p_is_at_most_five_percent_where_the_interval_lies_inside(low, wanted):
    question = interval(low, 1.0, wanted)
    assert (p_value(question) <= 0.05) == (of_question(question, Levels()) == R)


def test_exact_checks_have_no_p_value():
    assert p_value(exact([1.0], Range(1))) is None


def test_a_group_needs_all_its_checks():
    assert of_group([R, R]) == R
    assert of_group([R, U]) == U
    assert of_group([R, N, U]) == N
    assert of_group([N, C, R]) == C


@pytest.mark.parametrize(
    ("groups", "need", "verdict"),
    [
        ([R], 1, R), ([R, R, R], 3, R), ([R, R, U], 3, U), ([R, C, U], 3, C), ([R, N], 2, N), ([C, N], 2, C),
        ([R, C, C], 1, R), ([U, C, C], 1, U), ([C, C, C], 1, C), ([C, C, N], 1, N), ([R, N, N], 1, R),
        ([R, R, C], 2, R), ([R, U, C], 2, U), ([R, C, C], 2, C), ([R, N, C], 2, N), ([R, R, R, R, C], 4, R),
    ],
)  # fmt: skip
def test_a_claim_needs_as_many_groups_as_it_says(groups, need, verdict):
    assert of_claim(groups, need) == verdict


@pytest.mark.parametrize(
    ("need", "groups", "checks", "reproduced", "contradicted"),
    [(1, 1, 1, 0.05, 0.05), (1, 1, 4, 0.05, 0.05 / 4), (3, 3, 2, 0.05, 0.05 / 6), (1, 5, 2, 0.01, 0.05 / 2), (4, 5, 3, 0.05 / 2, 0.05 / 12)],
)  # fmt: skip
def test_levels_pay_for_what_may_go_wrong(need, groups, checks, reproduced, contradicted):
    questions = [interval(0, 1)] * (groups * checks)
    assert levels(questions, need, groups, checks) == Levels(reproduced, contradicted)


def simulated_claims(rng, runs, groups, checks, need, mean):
    """Verdicts of claims "above 0" over independent normal samples of six units."""
    found = []
    for _ in range(runs):
        asked = [
            [Question(c, Evidence(str(g), 6, of_mean(rng.normal(mean, 1, 6))), ABOVE_0, ABOVE_0.outside()) for c in range(checks)]
            for g in range(groups)
        ]  # fmt: skip
        at = levels([question for group in asked for question in group], need, groups, checks)
        found.append(of_claim([of_group([of_question(question, at) for question in group]) for group in asked], need))
    return found


@pytest.mark.parametrize(
    ("groups", "checks", "need"), [(1, 1, 1), (1, 3, 1), (4, 1, 4), (4, 1, 1), (4, 1, 2), (3, 2, 1)]
)
def test_false_verdicts_of_claims_are_rare(groups, checks, need):
    """At means of exactly 0, on the border, each kind of false verdict comes in at most 5 % (here one-sided: 2.5 %)."""
    found = simulated_claims(np.random.default_rng([groups, checks, need]), 1200, groups, checks, need, 0.0)
    assert found.count(R) / len(found) < 0.04
    assert found.count(C) / len(found) < 0.04


def test_a_claim_without_correction_would_be_contradicted_too_often():
    """Four checks at 95 % each: one in ten falls by chance."""
    rng = np.random.default_rng(8)
    found = [
        any(of_question(Question(1, Evidence(None, 6, of_mean(x)), ABOVE_0, ABOVE_0.outside()), Levels()) == C for x in rng.normal(0, 1, (4, 6)))
        for _ in range(1000)
    ]  # fmt: skip
    assert np.mean(found) > 0.07


def test_power_at_one_standard_deviation():
    """The reason for ten units: .40 with 5, .80 with 10."""
    rng = np.random.default_rng(9)
    powers = {n: np.mean([of_mean(rng.normal(1, 1, n)).lower(0.025) > 0 for _ in range(400)]) for n in (5, 10)}
    assert 0.3 < powers[5] < 0.5 and 0.7 < powers[10] < 0.9


# Holm


def claim(decide=("interval",), **keys):
    checks = [{"measure": {"mean": "rows"}, "is": {"above": 0}, "decide": one} for one in decide]
    return Claim.model_validate({"statement": "s", "setting": "paper", "unit": "seed", "checks": checks, **keys})


def paper(claims, verdicts, p):
    """``p``: claim -> list of (number of the check, group, p)."""
    checks = pd.DataFrame(
        [{"claim": c, "check": f"{c}/{k}", "group": g, "p": one} for c, found in p.items() for k, g, one in found]
    )
    table = pd.DataFrame({"claim": list(claims), "verdict": verdicts})
    return SimpleNamespace(card=SimpleNamespace(claims=claims), claims=table, checks=checks)


def test_the_p_value_of_a_claim_is_that_of_its_weakest_part():
    frame = paper(
        {"A": claim(("interval", "interval", "every"))},
        [R],
        {"A": [(1, None, 0.01), (2, None, 0.03), (3, None, np.nan)]},
    ).checks
    assert claim_p(claim(("interval", "interval", "every")), frame) == 0.03
    assert claim_p(claim(("every", "every", "every")), frame) is None
    frame.loc[0, "p"] = np.nan
    assert claim_p(claim(("interval", "interval", "every")), frame) == 1.0


def test_the_p_value_of_any_pays_for_the_choice():
    frame = paper({"A": claim()}, [R], {"A": [(1, "a", 0.01), (1, "b", 0.2), (1, "c", 0.04)]}).checks
    assert claim_p(claim(any="dataset"), frame) == pytest.approx(0.03)
    assert claim_p(claim(any="dataset", enough=2), frame) == pytest.approx(0.08)
    assert claim_p(claim(each="dataset"), frame) == 0.2


def test_holms_correction_over_all_papers():
    """p = .001, .01, .02, .04 of four: .05/4 and .05/3 and .05/2 are kept to, .05/1 too."""
    first = paper(
        {"A": claim(), "B": claim(), "E": claim(("every",))},
        [R, R, R],
        {"A": [(1, None, 0.001)], "B": [(1, None, 0.02)], "E": [(1, None, np.nan)]},
    )
    second = paper(
        {"A": claim(), "B": claim(), "X": claim()},
        [R, U, N],
        {"A": [(1, None, 0.01)], "B": [(1, None, 0.3)], "X": [(1, None, 0.001)]},
    )
    found = holm_survivors([first, second])
    assert (found.family, found.reproduced, found.survive, found.exact) == (4, 3, 3, 1)
    weaker = paper({"A": claim(), "B": claim()}, [R, R], {"A": [(1, None, 0.03)], "B": [(1, None, 0.04)]})
    assert holm_survivors([first, weaker]).survive == 1
    assert holm_summary([first, second]).startswith("3 of the 3 reproduced verdicts")
