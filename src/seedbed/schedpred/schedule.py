"""Schedules of one machine or many, and a validator that trusts none of the simulators (sections 3.1 and 10)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from numbers import Rational
from typing import Literal

from seedbed.schedpred.instance import Instance

Number = int | float | Fraction
Preemption = Literal["resume", "restart"]


class InvalidSchedule(ValueError):
    """A schedule that no machine could run, or that does not do the work it claims to."""


@dataclass(frozen=True, slots=True)
class Run:
    """One job on one machine without a break, from ``start`` to ``end``, at ``share`` of the machine's speed."""

    job: int
    machine: int
    start: Number
    end: Number
    share: Number = 1


@dataclass(frozen=True)
class Schedule:
    """What a policy did.

    Attributes
    ----------
    runs : sequence of Run
        In any order; runs that were stopped are there too.
    completion_times : sequence of numbers, (n,)
        When each job ended, as the simulator saw it.
    n_machines : int
        Machines, busy or not.
    """

    runs: Sequence[Run]
    completion_times: Sequence[Number]
    n_machines: int = 1

    @property
    def makespan(self) -> Number:
        """C_max, the end of the last job."""
        return max(self.completion_times)

    @property
    def total_completion_time(self) -> Number:
        """ΣC_j."""
        return sum(self.completion_times)

    def last_starts(self) -> list[Number]:
        """Start of the last run of each job, (n,): without preemption, when the job started."""
        starts: dict[int, Number] = {}
        for run in self.runs:
            starts[run.job] = max(starts.get(run.job, run.start), run.start)
        return [starts[job] for job in range(len(self.completion_times))]


def validate(
    schedule: Schedule, instance: Instance, preemption: Preemption = "resume", tolerance: float = 1e-9
) -> None:
    """Check a schedule against the true sizes, from its runs alone.

    - every run is on a machine that exists, starts at 0 or later, ends after it starts, at a share within (0, 1];
    - the shares of a machine add up to 1 at most at any time, and no job is on two machines at once;
    - the work a job received is its size: over all its runs under ``"resume"``; under ``"restart"`` in its last run
      alone, and no earlier run did as much;
    - a job ends when its last run does, and not before x_j / s_max.

    Parameters
    ----------
    schedule : Schedule
        The schedule.
    instance : Instance
        True sizes and, on related machines, speeds.
    preemption : {"resume", "restart"}
        Whether a stopped job keeps its progress.
    tolerance : float
        Largest relative error where numbers are floats; integers and fractions are compared exactly.

    Raises
    ------
    InvalidSchedule
        With the job or machine at fault.
    """
    speeds = [1] * schedule.n_machines if instance.speeds is None else instance.speeds
    numbers = [*instance.sizes, *speeds, *schedule.completion_times]
    numbers += [number for run in schedule.runs for number in (run.start, run.end, run.share)]
    if all(isinstance(number, Rational) for number in numbers):
        tolerance = 0
    slack = tolerance * schedule.makespan
    if len(speeds) != schedule.n_machines or len(instance.sizes) != len(schedule.completion_times):
        raise InvalidSchedule("the schedule has other jobs or machines than the instance")
    of_job, of_machine = defaultdict(list), defaultdict(list)
    for run in schedule.runs:
        if not (0 <= run.machine < len(speeds) and 0 <= run.job < len(instance.sizes)):
            raise InvalidSchedule(f"{run}: no such job or machine")
        if not (run.start >= 0 and run.end > run.start and 0 < run.share <= 1 + tolerance):
            raise InvalidSchedule(f"{run}: must start at 0 or later, end later, with a share within (0, 1]")
        of_job[run.job].append(run)
        of_machine[run.machine].append(run)
    for machine, runs in of_machine.items():
        if _peak_share(runs, slack) > 1 + tolerance:
            raise InvalidSchedule(f"machine {machine}: shares add up to more than 1")
    for job, size in enumerate(instance.sizes):
        runs = sorted(of_job[job], key=lambda run: run.start)
        if not runs:
            raise InvalidSchedule(f"job {job}: never runs")
        if any(after.start < before.end - slack for before, after in pairwise(runs)):
            raise InvalidSchedule(f"job {job}: runs twice at the same time")
        work = [(run.end - run.start) * run.share * speeds[run.machine] for run in runs]
        error = tolerance * size + slack * max(speeds)
        done = sum(work) if preemption == "resume" else work[-1]
        if abs(done - size) > error:
            raise InvalidSchedule(f"job {job}: size {size}, but work {done}")
        if preemption == "restart" and any(done >= size + error for done in work[:-1]):
            raise InvalidSchedule(f"job {job}: goes on after a run that did its whole work")
        completion = schedule.completion_times[job]
        if abs(completion - runs[-1].end) > slack:
            raise InvalidSchedule(f"job {job}: said to end at {completion}, but its last run ends at {runs[-1].end}")
        if completion < size / Fraction(max(speeds)) - slack:
            raise InvalidSchedule(f"job {job}: ends at {completion}, before the fastest machine could")


def _peak_share(runs: Sequence[Run], slack: Number) -> Number:
    """Largest sum of shares of the runs of one machine at one time; overlaps up to ``slack`` do not count."""
    changes = [(run.start + slack / 2, 1, run.share) for run in runs]
    changes += [(run.end - slack / 2, 0, -run.share) for run in runs]
    total = peak = 0
    for _, _, change in sorted(changes):
        total += change
        peak = max(peak, total)
    return peak
