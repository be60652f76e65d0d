"""Machines that run what a policy orders, while true sizes stay hidden (sections 3.3, 3.4 and 10).

`play` runs a policy event by event. The policy sees an `Observation` (predictions, speeds, what runs, what ended) and
answers with `Orders`; who decides when a run ends is `FixedSizes`, or an adversary. Preemption is with restart: a
stopped run loses its progress. Times are exact where sizes, speeds and predictions are integers or fractions.

Ties: at one time all completions come first, lower job first, then the policy decides once.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from seedbed.schedpred.schedule import Number, Run, Schedule


@dataclass(slots=True)
class Observation:
    """All that a policy may know.

    Attributes
    ----------
    time : number
        Now.
    predictions : sequence of numbers, (n,)
        Predicted sizes.
    speeds : sequence of numbers, (m,)
        Speeds.
    finished : list of bool, (n,)
        Which jobs ended.
    running : list of int or None, (m,)
        Job on each machine.
    freed : list of int
        Machines whose job ended since the last decision; at the beginning all machines.
    """

    time: Number
    predictions: Sequence[Number]
    speeds: Sequence[Number]
    finished: list[bool]
    running: list[int | None]
    freed: list[int]


@dataclass(slots=True)
class Orders:
    """A policy's answer: machines to stop, then (machine, job) to start, and when to ask again if nothing ends."""

    starts: Iterable[tuple[int, int]] = ()
    stops: Iterable[int] = ()
    wake: Number | None = None


class Policy(Protocol):
    """A deterministic policy; one object plays one game."""

    def decide(self, seen: Observation) -> Orders:
        """Called at time 0, at each time at which jobs end, and at the time that the last orders asked for."""


class HiddenSizes(Protocol):
    """Who knows, or makes up, when runs end."""

    def start(self, time: Number, jobs: Sequence[int], speeds: Sequence[Number]) -> None:
        """``jobs`` start runs at ``time``, in ascending order, on machines of these speeds."""

    def stop(self, job: int) -> None:
        """The run of ``job`` loses its progress."""

    def next_completion(self) -> Number | None:
        """When the next run ends if nothing else happens; None if nothing runs."""

    def complete(self, time: Number) -> list[int]:
        """Jobs that end at ``time``, in ascending order."""


class FixedSizes:
    """Sizes set from the start."""

    def __init__(self, sizes: Sequence[Number]) -> None:
        self._sizes = sizes
        self._ends: list[tuple[Number, int, int]] = []
        self._run = [0] * len(sizes)  # number of the job's present run, which tells stopped runs from it

    def start(self, time: Number, jobs: Sequence[int], speeds: Sequence[Number]) -> None:
        for job, speed in zip(jobs, speeds, strict=True):
            heapq.heappush(self._ends, (time + divide(self._sizes[job], speed), job, self._run[job]))

    def stop(self, job: int) -> None:
        self._run[job] += 1

    def next_completion(self) -> Number | None:
        while self._ends and self._run[self._ends[0][1]] != self._ends[0][2]:
            heapq.heappop(self._ends)
        return self._ends[0][0] if self._ends else None

    def complete(self, time: Number) -> list[int]:
        ended = []
        while self.next_completion() is not None and self._ends[0][0] <= time:
            ended.append(heapq.heappop(self._ends)[1])
        return sorted(ended)


class QuotaAdversary:
    """Gives the smallest size that is left to the job whose run reaches it first (sections 3.3 and 3.4).

    There are ``quota`` jobs of each size. While the smallest size has quota left, a run ends when it reaches that size;
    then the next size is the smallest. So which job has which size is decided by what the policy runs, and no run ever
    did as much as the size that its job turns out to have.

    Parameters
    ----------
    quotas : sequence of (size, quota)
        Sizes in ascending order, and how many jobs have them; their sum is the number of jobs.
    spoiler : number, optional
        Size of one more job, numbered last, which is what it was predicted to be.

    Attributes
    ----------
    sizes : list of numbers, (n,)
        True sizes; complete when all jobs have ended.
    """

    def __init__(self, quotas: Sequence[tuple[Number, int]], spoiler: Number | None = None) -> None:
        self._left = deque([size, quota] for size, quota in quotas if quota)
        n_jobs = sum(quota for _, quota in quotas)
        self.sizes: list[Number] = [None] * n_jobs if spoiler is None else [None] * n_jobs + [spoiler]
        self._spoiler = None if spoiler is None else FixedSizes(self.sizes)
        self._runs: dict[Number, deque[tuple[Number, list[tuple[int, int]]]]] = {}  # by speed, in order of start
        self._run = [0] * len(self.sizes)

    def start(self, time: Number, jobs: Sequence[int], speeds: Sequence[Number]) -> None:
        together: dict[Number, list[tuple[int, int]]] = {}
        for job, speed in zip(jobs, speeds, strict=True):
            if self._is_spoiler(job):
                self._spoiler.start(time, [job], [speed])
            else:
                together.setdefault(speed, []).append((job, self._run[job]))
        for speed, runs in together.items():
            self._runs.setdefault(speed, deque()).append((time, runs))

    def stop(self, job: int) -> None:
        self._run[job] += 1
        if self._is_spoiler(job):
            self._spoiler.stop(job)

    def next_completion(self) -> Number | None:
        times = []
        for speed, batches in self._runs.items():
            while batches and not any(self._run[job] == run for job, run in batches[0][1]):
                batches.popleft()
            if batches:
                times.append(batches[0][0] + divide(self._left[0][0], speed))
        if self._spoiler and (end := self._spoiler.next_completion()) is not None:
            times.append(end)
        return min(times, default=None)

    def complete(self, time: Number) -> list[int]:
        ended = self._spoiler.complete(time) if self._spoiler else []
        while self._left:
            size, quota = self._left[0]
            reached = sorted(
                (job, start, speed)
                for speed, batches in self._runs.items()
                for start, runs in self._take(batches, time, divide(size, speed))
                for job, run in runs
                if self._run[job] == run
            )
            for job, _, _ in reached[:quota]:
                self.sizes[job] = size
                self._run[job] += 1
                ended.append(job)
            for job, start, speed in sorted(reached[quota:], key=lambda run: run[1], reverse=True):
                self._runs[speed].appendleft((start, [(job, self._run[job])]))
            self._left[0][1] -= min(quota, len(reached))
            if self._left[0][1]:
                break
            self._left.popleft()
        return sorted(ended)

    def _is_spoiler(self, job: int) -> bool:
        return self._spoiler is not None and job == len(self.sizes) - 1

    @staticmethod
    def _take(batches: deque, time: Number, duration: Number) -> Iterable[tuple[Number, list[tuple[int, int]]]]:
        """Remove and yield the batches that have run for ``duration`` at ``time``."""
        while batches and batches[0][0] + duration <= time:
            yield batches.popleft()


def play(policy: Policy, hidden: HiddenSizes, predictions: Sequence[Number], speeds: Sequence[Number]) -> Schedule:
    """Run ``policy`` until all jobs have ended.

    Parameters
    ----------
    policy : Policy
        A fresh policy.
    hidden : HiddenSizes
        Who decides when runs end.
    predictions : sequence of numbers, (n,)
        Predicted sizes.
    speeds : sequence of numbers, (m,)
        Speeds of the machines; ``[1] * m`` if they are identical.

    Returns
    -------
    Schedule
        All runs, also those that were stopped.

    Raises
    ------
    ValueError
        If the policy starts a job that ended or runs, or on a busy machine; stops an idle machine; or lets all machines
        idle for ever while jobs wait.
    """
    n_jobs, n_machines = len(predictions), len(speeds)
    seen = Observation(0, predictions, speeds, [False] * n_jobs, [None] * n_machines, list(range(n_machines)))
    machine_of: list[int | None] = [None] * n_jobs
    started: list[Number] = [0] * n_machines
    ends: list[Number] = [None] * n_jobs
    runs: list[Run] = []
    n_left = n_jobs
    while True:
        orders = policy.decide(seen)
        for machine in orders.stops:
            job = seen.running[machine]
            if job is None:
                raise ValueError(f"policy stops machine {machine}, which is idle")
            hidden.stop(job)
            if seen.time > started[machine]:
                runs.append(Run(job, machine, started[machine], seen.time))
            seen.running[machine] = machine_of[job] = None
        starts = sorted((job, machine) for machine, job in orders.starts)
        for job, machine in starts:
            if seen.running[machine] is not None or seen.finished[job] or machine_of[job] is not None:
                raise ValueError(f"policy starts job {job} on machine {machine}: ended, running or busy")
            seen.running[machine], machine_of[job], started[machine] = job, machine, seen.time
        if starts:
            hidden.start(seen.time, [job for job, _ in starts], [speeds[machine] for _, machine in starts])
        times = [time for time in (hidden.next_completion(), orders.wake) if time is not None]
        if not times:
            raise ValueError(f"policy leaves all machines idle at {seen.time} while {n_left} jobs wait")
        seen.time = min(times)
        seen.freed = []
        for job in hidden.complete(seen.time):
            machine = machine_of[job]
            runs.append(Run(job, machine, started[machine], seen.time))
            ends[job], seen.finished[job] = seen.time, True
            seen.running[machine] = machine_of[job] = None
            seen.freed.append(machine)
        n_left -= len(seen.freed)
        if not n_left:
            return Schedule(runs, ends, n_machines)
        seen.freed.sort()


def divide(size: Number, speed: Number) -> Number:
    """``size / speed``, exact for integers and fractions."""
    return size / speed if isinstance(size, float) or isinstance(speed, float) else Fraction(size) / speed
