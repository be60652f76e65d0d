"""Policies on one machine: closed forms, the simulator, and what a policy may see."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seedbed.schedpred import (
    SPJF,
    Instance,
    MultilevelFeedback,
    Policy,
    PreferentialRoundRobin,
    RandomOrder,
    RoundRobin,
    competitive_ratio,
    optimal_total_completion_time,
    simulate,
)
from seedbed.schedpred.single_machine import factors, make_policy

HALF = Fraction(1, 2)
POLICIES = [SPJF(), RoundRobin(), *(PreferentialRoundRobin(Fraction(k, 5)) for k in range(6))]
FEEDBACK = [MultilevelFeedback([1]), MultilevelFeedback([HALF, 2])]
numbers = st.integers(1, 9).map(Fraction)
instances = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=7).map(
    lambda jobs: Instance(*zip(*jobs, strict=True))
)


@pytest.mark.parametrize("n", [1, 2, 7])
def test_round_robin_on_equal_jobs(n):
    assert competitive_ratio(RoundRobin(), Instance([3] * n, [1] * n)) == Fraction(2 * n, n + 1)


def test_perfect_predictions_make_spjf_optimal():
    sizes = [5, 1, 4, 4, 2]
    assert competitive_ratio(SPJF(), Instance(sizes, sizes)) == 1


@settings(deadline=None, max_examples=60)
@given(instances)
def test_closed_forms_equal_the_simulator_exactly(instance):
    for policy in POLICIES:
        x, p = (np.array(values, dtype=object) for values in (instance.sizes, instance.predictions))
        assert policy.total_completion_time(x, p) == simulate(policy, instance).total_completion_time


def test_batches_equal_one_by_one():
    rng = np.random.default_rng(0)
    x = rng.pareto(1.1, (4, 3, 15)) + 1
    p = x * 2 ** rng.uniform(-1, 1, x.shape)
    for policy in POLICIES:
        assert policy.total_completion_time(x, p) == pytest.approx(
            Policy.total_completion_time(policy, x, p), rel=1e-12
        )


@settings(deadline=None, max_examples=60)
@given(instances)
def test_work_is_conserved_and_no_job_is_early(instance):
    for policy in [*POLICIES, *FEEDBACK]:
        run = simulate(policy, instance)
        assert max(run.completion_times) == sum(instance.sizes)
        assert all(c >= x for c, x in zip(run.completion_times, instance.sizes, strict=True))
        for before, after in zip(run.events, run.events[1:], strict=False):
            assert sum(before.rates) == 1
            assert sum(after.received) == after.time
            assert (after.received >= before.received).all()


@settings(deadline=None, max_examples=40)
@given(instances, st.integers(2, 9))
def test_scaling(instance, factor):
    scaled = Instance([factor * x for x in instance.sizes], [factor * p for p in instance.predictions])
    for policy in [*POLICIES, *FEEDBACK]:
        assert competitive_ratio(policy, scaled) == competitive_ratio(policy, instance)
    predictions_alone = Instance(instance.sizes, scaled.predictions)
    for policy in POLICIES:
        assert competitive_ratio(policy, predictions_alone) == competitive_ratio(policy, instance)


@settings(deadline=None, max_examples=60)
@given(instances)
def test_proven_bounds_hold(instance):
    for policy in POLICIES:
        assert competitive_ratio(policy, instance) <= policy.smoothness(instance.eta, len(instance.sizes))


def test_preferential_round_robin_lies_between_its_parts():
    rng = np.random.default_rng(1)
    x, p = rng.integers(1, 30, (2, 5, 8)).astype(object) * Fraction(1)
    assert (PreferentialRoundRobin(0).total_completion_time(x, p) == SPJF().total_completion_time(x, p)).all()
    assert (PreferentialRoundRobin(1).total_completion_time(x, p) == RoundRobin().total_completion_time(x, p)).all()
    nearly = PreferentialRoundRobin(1e-9).total_completion_time(x.astype(float), p.astype(float))
    assert nearly == pytest.approx(SPJF().total_completion_time(x, p).astype(float), rel=1e-6)
    with pytest.raises(ValueError, match="theta"):
        PreferentialRoundRobin(2)


def test_random_order_is_the_mean_over_all_orders():
    from itertools import permutations

    sizes = [1.0, 2.0, 7.0, 3.0]
    costs = [np.cumsum(order).sum() for order in permutations(sizes)]
    assert RandomOrder().total_completion_time(np.array(sizes), np.ones(4)) == pytest.approx(np.mean(costs))


def test_feedback_probes_then_postpones():
    run = simulate(MultilevelFeedback([1]), Instance([3, 1, 1], [1, 1, 1]))
    assert list(run.completion_times) == [5, 2, 3]
    two_levels = simulate(MultilevelFeedback([1, 2]), Instance([5, 5], [1, 1]))  # to 1, 1, 2, 2, then to the end
    assert list(two_levels.completion_times) == [7, 10]


def test_the_optimum_is_the_best_of_all_orders():
    from itertools import permutations

    sizes = np.array([4, 1, 3, 2])
    assert optimal_total_completion_time(sizes) == min(np.cumsum(order).sum() for order in permutations(sizes))


class Cheat(Policy):
    def __init__(self, name):
        self.name = name

    def rates(self, seen):
        return getattr(seen, self.name)


@pytest.mark.parametrize("name", ["sizes", "x", "instance"])
def test_a_policy_cannot_read_true_sizes(name):
    with pytest.raises(AttributeError, match=name):
        simulate(Cheat(name), Instance([1, 2], [1, 1]))


class Writes(Policy):
    def rates(self, seen):
        seen.received[0] = 5
        return seen.received


def test_a_policy_cannot_change_what_happened():
    with pytest.raises(ValueError, match="read-only"):
        simulate(Writes(), Instance([1.0, 2.0], [1.0, 1.0]))


class Fixed(Policy):
    def __init__(self, rates):
        self._rates = np.array(rates)

    def rates(self, seen):
        return self._rates


@pytest.mark.parametrize(
    ("rates", "says"),
    [([0.9, 0.9], "at most 1"), ([-0.1, 0.5], "at least 0"), ([0.0, 0.0], "serve"), ([1.0, 0.0], "no completed")],
)
def test_impossible_rates_are_refused(rates, says):
    with pytest.raises(ValueError, match=says):
        simulate(Fixed(rates), Instance([1.0, 2.0], [1.0, 1.0]))


def test_policies_by_name():
    parameters = {"levels": ["1/2", "1"]}
    assert make_policy("multilevel_feedback", parameters).levels == (HALF, 1)
    assert factors(parameters) == {"levels": "1/2 1"}
    assert make_policy("preferential_round_robin", {"theta": "0.2"}).theta == Fraction(1, 5)
