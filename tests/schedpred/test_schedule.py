"""The validator accepts what a machine could do, and nothing else."""

from fractions import Fraction

import pytest

from seedbed.schedpred.instance import Instance
from seedbed.schedpred.schedule import InvalidSchedule, Run, Schedule, validate

JOBS = Instance([2, 3], [1, 1])
TWO_SPEEDS = Instance([2, 3], [1, 1], speeds=[1, 2])


def test_one_after_the_other():
    schedule = Schedule([Run(0, 0, 0, 2), Run(1, 0, 2, 5)], [2, 5])
    validate(schedule, JOBS)
    validate(schedule, JOBS, preemption="restart")
    assert (schedule.makespan, schedule.total_completion_time, schedule.last_starts()) == (5, 7, [0, 2])


def test_shared_equally():
    half = Fraction(1, 2)
    validate(Schedule([Run(0, 0, 0, 4, half), Run(1, 0, 0, 4, half), Run(1, 0, 4, 5)], [4, 5]), JOBS)


def test_progress_is_kept_by_resuming_and_lost_by_restarting():
    resumed = Schedule([Run(0, 0, 0, 1), Run(1, 0, 1, 4), Run(0, 0, 4, 5)], [5, 4])
    restarted = Schedule([Run(0, 0, 0, 1), Run(1, 0, 1, 4), Run(0, 0, 4, 6)], [6, 4])
    validate(resumed, JOBS)
    validate(restarted, JOBS, preemption="restart")
    with pytest.raises(InvalidSchedule, match="job 0: size 2, but work 1"):
        validate(resumed, JOBS, preemption="restart")
    with pytest.raises(InvalidSchedule, match="job 0: size 2, but work 3"):
        validate(restarted, JOBS)


def test_speeds_count():
    validate(Schedule([Run(0, 0, 0, 2), Run(1, 1, 0, Fraction(3, 2))], [2, Fraction(3, 2)], 2), TWO_SPEEDS)


@pytest.mark.parametrize(
    ("runs", "ends", "fault"),
    [
        ([Run(0, 0, 0, 2)], [2, 5], "job 1: never runs"),
        ([Run(0, 0, 0, 2), Run(1, 0, 1, 4)], [2, 4], "machine 0: shares add up"),
        ([Run(0, 0, 0, 2), Run(1, 0, 2, 4)], [2, 4], "job 1: size 3, but work 2"),
        ([Run(0, 0, 0, 2), Run(1, 0, 2, 6)], [2, 6], "job 1: size 3, but work 4"),
        ([Run(0, 0, 0, 2), Run(1, 0, 2, 5)], [2, 4], "job 1: said to end at 4"),
        ([Run(0, 0, 0, 2), Run(1, 1, 2, 5)], [2, 5], "no such job or machine"),
        ([Run(0, 0, -1, 1), Run(1, 0, 1, 4)], [1, 4], "must start at 0"),
        ([Run(0, 0, 0, 1, 2), Run(1, 0, 1, 4)], [1, 4], "share within"),
        ([Run(0, 0, 0, 2)], [2], "other jobs or machines"),
    ],
)
def test_impossible_schedules_are_named(runs, ends, fault):
    with pytest.raises(InvalidSchedule, match=fault):
        validate(Schedule(runs, ends), JOBS)


def test_no_job_is_on_two_machines_at_once():
    runs = [Run(0, 0, 0, 2), Run(1, 0, 2, 3), Run(1, 1, 2, 3)]
    with pytest.raises(InvalidSchedule, match="job 1: runs twice"):
        validate(Schedule(runs, [2, 3], 2), TWO_SPEEDS)


def test_a_job_that_did_its_work_does_not_go_on():
    runs = [Run(0, 0, 0, 2), Run(1, 0, 2, 5), Run(0, 0, 5, 7)]
    with pytest.raises(InvalidSchedule, match="job 0: goes on after"):
        validate(Schedule(runs, [7, 5]), JOBS, preemption="restart")


def test_exact_numbers_are_compared_exactly_and_floats_to_rounding():
    late = Fraction(1, 10**12)
    with pytest.raises(InvalidSchedule, match="job 1: size 3"):
        validate(Schedule([Run(0, 0, 0, 2), Run(1, 0, 2, 5 + late)], [2, 5 + late]), JOBS)
    thirds = Instance([0.1, 0.2], [1, 1])
    validate(Schedule([Run(0, 0, 0, 0.1), Run(1, 0, 0.1, 0.1 + 0.2)], [0.1, 0.3]), thirds)
