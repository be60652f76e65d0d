"""The stop adversary, SPJF's exact supremum, and the search."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from seedbed.schedpred import SPJF, MultilevelFeedback, PreferentialRoundRobin, RoundRobin, StopAdversary
from seedbed.schedpred.extreme_instances import extreme_exponents, extreme_instance, spjf_supremum, two_size_ratio
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.processor_sharing import competitive_ratio
from seedbed.schedpred.single_search import climb, exact_case, worst_of
from seedbed.schedpred.worst_cases import worst_by, write_worst_cases

SUITE = [
    SPJF(),
    RoundRobin(),
    PreferentialRoundRobin(Fraction(1, 5)),
    PreferentialRoundRobin(Fraction(4, 5)),
    MultilevelFeedback([1]),
    MultilevelFeedback([Fraction(1, 2), 1]),
]


@pytest.mark.parametrize(("eta", "ratio"), [(1.2, 1.199), (1.5, 1.496), (1.8, 1.793), (1.9, 1.891), (2.0, 1.990)])
def test_spjf_in_the_game_of_150_jobs(eta, ratio):
    assert StopAdversary(eta, 150).play(SPJF()).ratio == pytest.approx(ratio, abs=5e-4)


def test_round_robin_in_the_game_of_150_jobs():
    assert StopAdversary(2.0, 150).play(RoundRobin()).ratio == pytest.approx(1.987, abs=5e-4)


@pytest.mark.parametrize("policy", SUITE, ids=lambda policy: type(policy).__name__)
@pytest.mark.parametrize("eta", [Fraction(6, 5), Fraction(3)])
def test_the_game_is_exact_and_its_instances_are_smooth(policy, eta):
    game = StopAdversary(eta, 12).play(policy)
    assert isinstance(game.ratio, Fraction)
    assert game.ratio == competitive_ratio(policy, game.instance)
    assert float(game.ratio) >= game.evaluated - 1e-9
    assert game.instance.classify() == "smooth"
    assert game.instance.eta <= eta
    assert game.ratio >= min(eta, 2) * (1 - Fraction(3, 12))


def test_the_game_against_spjf_is_the_best_two_size_family():
    eta = Fraction(3, 2)
    assert StopAdversary(eta, 20, spoiler=False).play(SPJF()).ratio == spjf_supremum(20, eta)


def test_stops_are_evaluated_in_blocks(monkeypatch):
    whole = StopAdversary(1.5, 30).play(PreferentialRoundRobin(Fraction(1, 5)))
    monkeypatch.setattr("seedbed.schedpred.stop_adversary.STOPS_AT_ONCE", 1)
    assert StopAdversary(1.5, 30).play(PreferentialRoundRobin(Fraction(1, 5))) == whole


def test_an_adversary_that_stops_at_once_is_no_better():
    eta = Fraction(2)
    equal = Instance([1 / eta] * 12, [1] * 12)
    assert StopAdversary(eta, 12).play(SPJF()).ratio > competitive_ratio(SPJF(), equal)


def test_two_sizes():
    eta = Fraction(3, 2)
    assert two_size_ratio(1, 1, eta) == (2 * eta**2 + 1) / (eta**2 + 2)
    sizes = [eta] * 3 + [1 / eta] * 5
    assert two_size_ratio(3, 5, eta) == competitive_ratio(SPJF(), Instance(sizes, [1] * 8))
    large = [two_size_ratio(round(n / (1 + eta)), n - round(n / (1 + eta)), eta) for n in (10**3, 10**6)]
    assert [float(ratio) for ratio in large] == pytest.approx([1.5, 1.5], abs=1e-3)
    assert max(large) < eta


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_extreme_instances_are_all_and_no_worse_than_two_sizes(n):
    eta = Fraction(7, 5)
    exponents = {tuple(row) for row in extreme_exponents(n)}
    allowed = {
        e
        for e in product(range(n), repeat=n)
        if all(e[i] <= e[j] + 1 for i in range(n) for j in range(i + 1, n)) and set(e) == set(range(max(e) + 1))
    }
    assert exponents == allowed
    instances = [extreme_instance(np.array(e), eta) for e in exponents]
    assert all(instance.eta <= eta for instance in instances)
    assert all(list(instance.predictions) == sorted(instance.predictions) for instance in instances)
    assert max(competitive_ratio(SPJF(), instance) for instance in instances) == spjf_supremum(n, eta)
    assert spjf_supremum(n, eta) < eta


def test_the_search_reaches_the_supremum_and_not_more():
    x, p = climb(SPJF(), 1.5, 6, chains=64, steps=400, rng=np.random.default_rng(0))
    case, counterexamples = worst_of(SPJF(), x, p, {"eta": "1.5"})
    supremum = float(spjf_supremum(6, Fraction(3, 2)))
    assert float(case.ratio) == pytest.approx(supremum, abs=1e-3)
    assert case.ratio <= supremum * (1 + 1e-9)
    assert case.instance.classify() == "smooth"
    assert 0 < case.exponent < 1
    assert not counterexamples


class Claims(SPJF):
    """SPJF with a bound that is too good to be true."""

    def smoothness(self, eta, n):
        return Fraction(11, 10)


def test_counterexamples_are_found_and_kept_exactly(tmp_path, caplog):
    x, p = np.array([[3.0, 1.0], [2.0, 1.0], [1.0, 3.0]]), np.ones((3, 2))
    worst, counterexamples = worst_of(Claims(), x, p, {"eta": "3"})
    assert worst.ratio == pytest.approx(Fraction(7, 5), abs=1e-8)
    assert sorted(float(case.ratio) for case in counterexamples) == pytest.approx([5 / 4, 7 / 5])
    write_worst_cases(
        worst_by([worst, exact_case(SPJF(), Instance([1, 1], [1, 3]), {"eta": "3"})]),
        counterexamples,
        tmp_path / "worst.json",
    )
    assert "counterexample" in caplog.text
    text = (tmp_path / "worst.json").read_text()
    assert text.count('"exact_ratio"') == 3
