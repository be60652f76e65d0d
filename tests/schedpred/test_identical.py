"""SIMPLE and list-adjusting: batches against the event-driven machines, and what is proven of them."""

from fractions import Fraction

import numpy as np
import pytest

from seedbed.schedpred.identical import (
    certified_ratio,
    enumerated_lists,
    list_schedule,
    lpt_lists,
    multifit_lists,
    robustness_instance,
    run_in_order,
    run_lists,
    simple_schedule,
)
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.machines import FixedSizes, play
from seedbed.schedpred.makespan import makespan_lower_bound, optimal_makespan
from seedbed.schedpred.policies import PlannedLists
from seedbed.schedpred.schedule import validate
from seedbed.schedpred.smooth_instances import draw_smooth

PLANS = {"lpt": lpt_lists, "multifit": multifit_lists}


def batch(n=12, count=8, eta=1.6, seed=0):
    x, p = draw_smooth("lognormal", eta, n, count, np.random.default_rng(seed))
    return x, p, [Instance(tuple(a), tuple(b)) for a, b in zip(x, p, strict=True)]


@pytest.mark.parametrize("offline", PLANS)
@pytest.mark.parametrize("adjust", [False, True])
@pytest.mark.parametrize("thief", ["last", "first"])
def test_batches_do_what_machines_do(offline, adjust, thief):
    x, p, instances = batch()
    starts, makespan = run_lists(x, p, PLANS[offline](p, 3), adjust, thief)
    for row, instance in enumerate(instances):
        schedule = simple_schedule(instance, 3, offline, adjust, thief)
        validate(schedule, instance, preemption="restart")
        assert schedule.makespan == makespan[row]
        assert schedule.last_starts() == starts[row].tolist()


@pytest.mark.parametrize("order", ["index", "prediction"])
def test_batches_of_list_scheduling_do_what_machines_do(order):
    x, p, instances = batch()
    keys = -p if order == "prediction" else np.zeros_like(p)
    starts, makespan = run_in_order(x, np.argsort(keys, axis=1, kind="stable"), 3)
    for row, instance in enumerate(instances):
        schedule = list_schedule(instance, 3, order)
        assert schedule.makespan == makespan[row] and schedule.last_starts() == starts[row].tolist()


def test_exact_numbers_stay_exact():
    sizes, predictions = (
        np.array([[Fraction(1, 3)] * 4], dtype=object),
        np.array([[1, 1, 1, Fraction(1, 2)]], dtype=object),
    )
    for adjust in (False, True):
        _, makespan = run_lists(sizes, predictions, lpt_lists(predictions, 3), adjust)
        assert makespan[0] == Fraction(2, 3)


def test_enumerated_plans_are_optimal():
    x, p, _ = batch(n=8)
    for m in (2, 3, 4):
        for sizes, value in zip(x, enumerated_lists(x, m).makespan, strict=True):
            assert value == pytest.approx(optimal_makespan(sizes.tolist(), m)[0], rel=1e-9)
        planned = enumerated_lists(p, m)
        _, makespan = run_lists(p, p, planned, adjust=False)
        np.testing.assert_allclose(makespan, planned.makespan)


def test_plans_keep_their_guarantees():
    x, _, _ = batch(n=9, count=200)
    for m in (2, 3):
        best = enumerated_lists(x, m).makespan
        assert (lpt_lists(x, m).makespan / best).max() <= 4 / 3 - 1 / (3 * m) + 1e-9
        assert (multifit_lists(x, m).makespan / best).max() <= 13 / 11 + 2**-10
        assert (certified_ratio(lpt_lists(x, m), x) >= lpt_lists(x, m).makespan / best - 1e-9).all()


def scalar_multifit(sizes, m):
    """MULTIFIT, written straight."""
    low, high = max(sum(sizes) / m, max(sizes)), max(2 * sum(sizes) / m, max(sizes))
    for capacity in [high, *([None] * 10)]:
        middle = (low + high) / 2 if capacity is None else capacity
        bins = [0.0] * m
        for size in sorted(sizes, reverse=True):
            machine = next((i for i in range(m) if bins[i] + size <= middle), None)
            if machine is None:
                break
            bins[machine] += size
        if machine is None:
            low = middle
        else:
            high, best = middle, max(bins)
    return best


def test_multifit_is_the_textbook_procedure_and_can_beat_lpt():
    x, _, _ = batch(n=10, count=200)
    for m in (2, 3, 4):
        assert multifit_lists(x, m).makespan.tolist() == [scalar_multifit(sizes.tolist(), m) for sizes in x]
    tight = np.array([[3.0, 3, 2, 2, 2]])
    assert (lpt_lists(tight, 2).makespan[0], multifit_lists(tight, 2).makespan[0]) == (7, 6)


@pytest.mark.parametrize("m", [2, 3, 5])
def test_graham(m):
    """m (m - 1) ones and then one m: list scheduling needs 2 - 1/m of the optimum."""
    instance = Instance([1] * (m * (m - 1)) + [m], [1] * (m * (m - 1) + 1))
    assert Fraction(list_schedule(instance, m).makespan, optimal_makespan(instance.sizes, m)[0]) == 2 - Fraction(1, m)


@pytest.mark.parametrize(("thief", "stolen"), [("last", 7), ("first", 3)])
def test_an_exhausted_machine_steals_from_the_list_with_most_work_waiting(thief, stolen):
    """Lists 0 5, 1 4 6 and 2 3 7 on three machines; the first is through at time 2, when 4 6 and 3 7 wait."""
    predictions = [100, 90, 80, 30, 20, 1, Fraction(19, 2), Fraction(1, 2)]
    policy = PlannedLists(lambda *_: [[0, 5], [1, 4, 6], [2, 3, 7]], adjust=True, thief=thief)
    schedule = play(policy, FixedSizes([1, 10, 10, 5, 5, 1, 5, 5]), predictions, [1] * 3)
    thefts = [run for run in schedule.runs if run.machine == 0 and run.start == 2]
    assert [run.job for run in thefts] == [stolen]


@pytest.mark.parametrize("thief", ["last", "first"])
def test_no_job_starts_later_and_no_bound_breaks_with_list_adjusting(thief):
    for m in (2, 3, 5):
        for eta in (1.1, 1.5, 3.0):
            x, p, _ = batch(n=20, count=100, eta=eta)
            lists = lpt_lists(p, m)
            plain, simple = run_lists(x, p, lists, adjust=False)
            starts, adjusted = run_lists(x, p, lists, True, thief)
            assert (starts <= plain).all() and (starts < plain).any()
            bound, rho = makespan_lower_bound(x, m), certified_ratio(lists, p)
            assert (simple / bound <= rho * eta**2 * (1 + 1e-12)).all()
            assert (adjusted / bound <= (2 - 1 / m) * (1 + 1e-12)).all()


@pytest.mark.parametrize("m", [2, 5])
def test_simple_is_no_better_than_m_without_stealing(m):
    instance = robustness_instance(m)
    assert instance.classify() == "robust"
    assert simple_schedule(instance, m, adjust=False).makespan == m
    assert simple_schedule(instance, m).makespan < 1.001
