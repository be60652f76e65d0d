"""The adversaries force what theory says, on every policy, and their instances repeat the game."""

from fractions import Fraction

import pytest

from seedbed.schedpred.bounds import last_big_bound
from seedbed.schedpred.games import GROUP_SPOILER, GroupAdversary, LastBigAdversary, replay
from seedbed.schedpred.identical_study import POLICIES as IDENTICAL
from seedbed.schedpred.makespan import optimal_makespan
from seedbed.schedpred.policies import DoublingEstimates, ListScheduling, PlannedLists, StaggeredStarts
from seedbed.schedpred.related_study import POLICIES as RELATED
from seedbed.schedpred.schedule import validate


@pytest.mark.parametrize("method", IDENTICAL)
@pytest.mark.parametrize("spoiler", [False, True])
def test_last_big(method, spoiler):
    for q, m in [(Fraction(3, 2), 2), (2, 3), (3, 5), (Fraction(14, 5), 3), (5, 5)]:
        adversary = LastBigAdversary(q, m, spoiler)
        game = adversary.play(IDENTICAL[method])
        validate(game.schedule, game.instance, preemption="restart")
        assert replay(game, IDENTICAL[method]).schedule == game.schedule
        assert game.ratio >= adversary.bound - Fraction(1, 10**9)
        assert game.instance.classify() == ("smooth" if spoiler else "robust")
        assert float(game.instance.eta) ** 2 <= q * (1 + 1e-9)


@pytest.mark.parametrize("m", [2, 3, 5])
def test_the_optimum_of_last_big(m):
    for q in range(2, m + 1):
        game = LastBigAdversary(q, m).play(ListScheduling)
        assert optimal_makespan(game.instance.sizes, m) == (game.optimum, game.optimum)
        assert game.ratio == last_big_bound(q, m) == 2 - Fraction(1, q)


@pytest.mark.parametrize(
    ("method", "times"),
    [
        (ListScheduling, [2, 4, 8]),
        (lambda: DoublingEstimates(k0=0), [2, 3, 4]),
        (lambda: DoublingEstimates(k0=1), [2.5, 3.5, 4.5]),
        (lambda: DoublingEstimates(k0=10), [3 - 2**-10, 4 - 2**-10, 5 - 2**-10]),
    ],
)
def test_group_games_of_known_length(method, times):
    assert [GroupAdversary(K, 4).play(method).ratio for K in (1, 2, 3)] == times


def test_the_best_policy_needs_half_a_unit_for_each_group():
    for K in range(1, 5):
        assert GroupAdversary(K, 4).play(StaggeredStarts).ratio == pytest.approx(1 + K / 2, abs=1e-5)


@pytest.mark.parametrize("method", RELATED)
@pytest.mark.parametrize("predictions", ["lowest", "centred"])
def test_no_policy_is_faster_than_the_groups_allow(method, predictions):
    for K, spoiler in [(1, False), (2, True), (3, True)]:
        game = GroupAdversary(K, 4, predictions, spoiler).play(RELATED[method])
        validate(game.schedule, game.instance, preemption="restart")
        assert replay(game, RELATED[method]).schedule == game.schedule
        assert game.ratio >= 1 + K / 2 - 1e-8
        assert game.instance.classify() == ("smooth" if spoiler else "robust")
        assert float(game.instance.eta) == pytest.approx(2.0 ** float(GroupAdversary(K, 4, predictions).log2_eta))


def test_floats_are_exact_in_group_games():
    """The same game in fractions."""
    from seedbed.schedpred.machines import QuotaAdversary, play

    for method in (ListScheduling, PlannedLists, lambda: DoublingEstimates(k0=10)):
        game = GroupAdversary(2, 4, spoiler=True).play(method)
        hidden = QuotaAdversary([(2**k, 4 ** (2 - k)) for k in range(3)], Fraction(GROUP_SPOILER))
        predictions = [Fraction(p) for p in game.instance.predictions]
        exact = play(method(), hidden, predictions, [Fraction(s) for s in game.instance.speeds])
        assert exact.completion_times == game.schedule.completion_times


def test_a_tiny_job_changes_little():
    for method in (PlannedLists, ListScheduling, DoublingEstimates):
        game = GroupAdversary(2, 4).play(method)
        assert abs(replay(game, method, GROUP_SPOILER).ratio - game.ratio) < 1e-6
