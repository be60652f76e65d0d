"""Events in their order, and sizes that no policy can see."""

from fractions import Fraction

import pytest

from seedbed.schedpred.instance import Instance
from seedbed.schedpred.machines import FixedSizes, Orders, QuotaAdversary, play
from seedbed.schedpred.policies import DoublingEstimates, ListScheduling, PlannedLists, StaggeredStarts
from seedbed.schedpred.schedule import validate


class Peek:
    def decide(self, seen):
        return Orders([(0, min(range(len(seen.sizes)), key=seen.sizes.__getitem__))])


class Ordered:
    """Gives the orders that it was made with, one each time."""

    def __init__(self, *orders):
        self.orders = iter(orders)
        self.seen = []

    def decide(self, seen):
        self.seen.append((seen.time, list(seen.running), list(seen.freed)))
        return next(self.orders, Orders())


def test_a_policy_that_reads_sizes_raises():
    with pytest.raises(AttributeError, match="sizes"):
        play(Peek(), FixedSizes([1, 2]), [1, 1], [1])


def test_completions_at_one_time_come_before_the_decision():
    policy = Ordered(Orders([(0, 0), (1, 1)]), Orders([(1, 2)]))
    schedule = play(policy, FixedSizes([2, 2, 1]), [1, 1, 1], [1, 1])
    assert policy.seen == [(0, [None, None], [0, 1]), (2, [None, None], [0, 1])]
    assert schedule.completion_times == [2, 2, 3]


def test_a_stopped_run_starts_again_from_nothing():
    policy = Ordered(Orders([(0, 0)], wake=1), Orders([(0, 1)], stops=[0]), Orders([(0, 0)]))
    schedule = play(policy, FixedSizes([2, 3]), [1, 1], [1])
    validate(schedule, Instance([2, 3], [1, 1]), preemption="restart")
    assert schedule.completion_times == [6, 4]


@pytest.mark.parametrize(
    ("orders", "fault"),
    [
        ([Orders()], "leaves all machines idle"),
        ([Orders([(0, 0), (0, 1)])], "starts job 1 on machine 0"),
        ([Orders([(0, 0), (1, 0)])], "starts job 0 on machine 1"),
        ([Orders([(0, 0)]), Orders([(0, 0)])], "starts job 0"),
        ([Orders([(0, 0)], stops=[1])], "stops machine 1"),
    ],
)
def test_impossible_orders_are_named(orders, fault):
    with pytest.raises(ValueError, match=fault):
        play(Ordered(*orders), FixedSizes([1, 2]), [1, 1], [1, 1])


def test_the_adversary_ends_the_lower_job_first_and_the_last_one_is_big():
    hidden = QuotaAdversary([(1, 2), (3, 1)])
    schedule = play(ListScheduling(), hidden, [1, 1, 1], [1, 1, 1])
    assert (hidden.sizes, schedule.completion_times) == ([1, 1, 3], [1, 1, 3])


def test_short_runs_do_not_tell_the_adversary_who_is_small():
    policy = Ordered(
        Orders([(0, 0)], wake=Fraction(1, 2)), Orders([(0, 1)], stops=[0]), Orders([(0, 2)]), Orders([(0, 0)])
    )
    hidden = QuotaAdversary([(1, 2), (5, 1)])
    schedule = play(policy, hidden, [1, 1, 1], [1])
    assert (hidden.sizes, schedule.makespan) == ([5, 1, 1], Fraction(1, 2) + 2 + 5)


POLICIES = {
    "list": ListScheduling,
    "postpone": lambda: ListScheduling(postpone=True),
    "migrate": lambda: ListScheduling("prediction", migrate=True),
    "trust": PlannedLists,
    "staggered": StaggeredStarts,
    "doubling": DoublingEstimates,
    "equal": lambda: DoublingEstimates(estimates="equal"),
    "interleaved": lambda: DoublingEstimates(k0=2, estimates="interleaved"),
}


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_makes_schedules_that_machines_could_run(name):
    instance = Instance([5, 1, 8, 2, 2, Fraction(1, 3), 7, 1], [1, 3, 2, 2, 9, 1, 7, 1], [1, 1, 3, Fraction(1, 2)])
    schedule = play(POLICIES[name](), FixedSizes(instance.sizes), instance.predictions, instance.speeds)
    validate(schedule, instance, preemption="restart")


@pytest.mark.parametrize("name", sorted(set(POLICIES) - {"equal", "interleaved"}))
def test_scaling_sizes_and_predictions_scales_the_schedule(name):
    """Not so with equal estimates, which are in units of work."""
    sizes, predictions, speeds = [5, 1, 8, 2, 2, 3, 7], [1, 3, 2, 2, 9, 1, 7], [1, 1, 2]
    if name == "staggered":
        speeds = [1, 1, 1]  # its delays are times
    base = play(POLICIES[name](), FixedSizes(sizes), predictions, speeds)
    scaled = play(POLICIES[name](), FixedSizes([3 * x for x in sizes]), [3 * p for p in predictions], speeds)
    assert scaled.completion_times == [3 * end for end in base.completion_times]


@pytest.mark.parametrize(("faster", "end"), [(Fraction(3, 2), 6), (2, 4)])
def test_migration_is_to_machines_of_twice_the_speed(faster, end):
    """The faster machine is free at time 1; there the long job would start again."""
    policy = ListScheduling("prediction", migrate=True)
    schedule = play(policy, FixedSizes([faster, 6]), [2, 1], [1, faster])
    assert schedule.completion_times == [1, end]


def test_equal_estimates_use_no_prediction():
    sizes, speeds = [5, 1, 8, 2], [1, 2]
    schedules = [
        play(DoublingEstimates(3, "equal"), FixedSizes(sizes), predictions, speeds)
        for predictions in ([1, 1, 1, 1], [9, 1, 2, 30])
    ]
    assert schedules[0] == schedules[1]


@pytest.mark.parametrize("name", ["list", "migrate", "trust"])
def test_scaling_predictions_alone_changes_nothing(name):
    sizes, predictions, speeds = [5, 1, 8, 2, 2, 3, 7], [1, 3, 2, 2, 9, 1, 7], [1, 1, 2]
    base = play(POLICIES[name](), FixedSizes(sizes), predictions, speeds)
    assert play(POLICIES[name](), FixedSizes(sizes), [3 * p for p in predictions], speeds) == base
