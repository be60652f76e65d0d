"""Policies for makespan on identical and related machines (sections 3.3 and 3.4).

========================  ============================================================================================
`ListScheduling`          next job in a fixed order to the fastest idle machine; variants that stop runs
`PlannedLists`            SIMPLE: each machine works off its list of an offline plan of the predictions; with
                          ``adjust``, SIMPLE with list-adjusting; on related machines, TrustPredictions
`DoublingEstimates`       rounds of plans with estimates 2^k p_j, runs stopped at their estimates
`StaggeredStarts`         the best answer to the game of groups: faster machines start later
========================  ============================================================================================

A policy object plays one game. Details that the paper leaves open are ours.
"""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Literal

from seedbed.schedpred.machines import Observation, Orders, divide
from seedbed.schedpred.makespan import earliest_completion_lists
from seedbed.schedpred.schedule import Number

Plan = Callable[[Sequence[Number], Sequence[Number]], list[list[int]]]
Thief = Literal["last", "first"]


class ListScheduling:
    """Start the next job of a fixed order on the fastest idle machine; the lower machine where speeds tie.

    Parameters
    ----------
    order : {"index", "prediction"}
        Jobs by number, or by nonincreasing prediction: LPPT, longest predicted processing time first.
    postpone : bool
        Stop a run that exceeds its limit while other jobs wait, and put its job last in the queue with twice the limit;
        the first limit is the time that the predicted size takes. (ours)
    migrate : bool
        When no job waits, restart the job of the slowest busy machine on an idle machine of at least twice the speed.
        (ours)
    """

    def __init__(
        self, order: Literal["index", "prediction"] = "index", postpone: bool = False, migrate: bool = False
    ) -> None:
        self._order, self._postpone, self._migrate = order, postpone, migrate
        self._waiting: deque[int] | None = None
        self._idle: list[tuple[Number, int]] = []  # (-speed, machine)
        self._doublings: dict[int, int] = {}
        self._limits: list[tuple[Number, int, int]] = []  # (time, machine, job)

    def decide(self, seen: Observation) -> Orders:
        if self._waiting is None:
            jobs = range(len(seen.predictions))
            by_prediction = self._order == "prediction"
            self._waiting = deque(sorted(jobs, key=lambda job: -seen.predictions[job]) if by_prediction else jobs)
        for machine in seen.freed:
            heapq.heappush(self._idle, (-seen.speeds[machine], machine))
        stops, starts = [], []
        for machine, job in self._overdue(seen):
            if len(self._waiting) > len(self._idle):
                stops.append(machine)
                heapq.heappush(self._idle, (-seen.speeds[machine], machine))
                self._waiting.append(job)
                self._doublings[job] = self._doublings.get(job, 0) + 1
        while self._waiting and self._idle:
            starts.append((heapq.heappop(self._idle)[1], self._waiting.popleft()))
        if self._migrate and self._idle and not self._waiting:
            self._move_to_faster(seen, starts, stops)
        if self._postpone:
            for machine, job in starts:
                allowed = seen.predictions[job] * 2 ** self._doublings.get(job, 0)
                heapq.heappush(self._limits, (seen.time + divide(allowed, seen.speeds[machine]), machine, job))
        return Orders(starts, stops, self._limits[0][0] if self._limits else None)

    def _overdue(self, seen: Observation) -> list[tuple[int, int]]:
        """(machine, job) of the runs whose limit has come; limits of runs that ended are dropped."""
        overdue = []
        while self._limits and (self._limits[0][0] <= seen.time or seen.finished[self._limits[0][2]]):
            _, machine, job = heapq.heappop(self._limits)
            if not seen.finished[job]:
                overdue.append((machine, job))
        return overdue

    def _move_to_faster(self, seen: Observation, starts: list[tuple[int, int]], stops: list[int]) -> None:
        """Add restarts on idle machines, fastest first, of the jobs of the slowest busy machines."""
        begun = {machine for machine, _ in starts}
        busy = sorted(
            (speed, machine)
            for machine, speed in enumerate(seen.speeds)
            if seen.running[machine] is not None and machine not in begun
        )
        idle = deque(sorted(self._idle))
        for speed, machine in busy:
            if not idle or -idle[0][0] < 2 * speed:
                break
            starts.append((idle.popleft()[1], seen.running[machine]))
            stops.append(machine)
            idle.append((-speed, machine))
        self._idle = sorted(idle)


class PlannedLists:
    """Each machine works off its list of an offline plan of the predictions.

    Parameters
    ----------
    plan : callable
        ``plan(predictions, speeds)`` returns the jobs of each machine in the order in which it runs them.
    adjust : bool
        List-adjusting: a machine whose own list is exhausted takes a waiting job from the list with the largest
        predicted load still waiting (lower machine where they tie). On identical machines no job then starts later.
    thief : {"last", "first"}
        Which job of that list it takes.
    """

    def __init__(self, plan: Plan = earliest_completion_lists, adjust: bool = False, thief: Thief = "last") -> None:
        self._plan, self._adjust, self._thief = plan, adjust, thief
        self._lists: list[deque[int]] | None = None
        self._waiting_load: list[Number] = []

    def decide(self, seen: Observation) -> Orders:
        if self._lists is None:
            self._lists = [deque(jobs) for jobs in self._plan(seen.predictions, seen.speeds)]
            self._waiting_load = [sum(seen.predictions[job] for job in jobs) for jobs in self._lists]
        starts = []
        for machine in seen.freed:
            owner = machine if self._lists[machine] or not self._adjust else self._victim()
            jobs = self._lists[owner]
            if jobs:
                job = jobs.popleft() if owner == machine or self._thief == "first" else jobs.pop()
                self._waiting_load[owner] -= seen.predictions[job]
                starts.append((machine, job))
        return Orders(starts)

    def _victim(self) -> int:
        machines = range(len(self._lists))
        return max(machines, key=lambda machine: (bool(self._lists[machine]), self._waiting_load[machine], -machine))


class DoublingEstimates:
    """Rounds k = -k0, -k0 + 1, …: plan the jobs left with estimates 2^k p_j, stop each run at its estimate (ours).

    A round plans with `earliest_completion_lists`; a machine whose job ends early goes on with its next job; the next
    round begins when all lists are empty. The error η need not be known. If 2^-k0 ≤ 1/η, rounds with 2^k ≤ 1/η form a
    geometric series of at most 2ρ OPT, and each of the at most 2 log2 η + 2 later ones costs at most 2ρ OPT, for ρ
    the ratio of the plans: so the makespan is at most 2ρ (2 log2 η + 4) OPT.

    Parameters
    ----------
    k0 : int
        The first round has the estimates 2^-k0 p_j. Rounds that take less than 1e-9 of the time gone are skipped.
    estimates : {"predictions", "equal", "interleaved"}
        What 2^k multiplies: p_j; the lowest speed, which uses no prediction (the non-clairvoyant fallback); or both in
        turn, next the one that has had less time, for at most about twice the better of the two.
    """

    def __init__(self, k0: int = 30, estimates: Literal["predictions", "equal", "interleaved"] = "predictions") -> None:
        names = ["predictions", "equal"] if estimates == "interleaved" else [estimates]
        self._exponent = dict.fromkeys(names, -k0)
        self._spent: dict[str, Number] = dict.fromkeys(names, 0)
        self._current: str | None = None
        self._round_start: Number = 0
        self._estimates: list[Number] = []
        self._lists: list[deque[int]] = []
        self._limits: list[tuple[Number, int, int]] = []  # (time, machine, job)
        self._n_running = 0

    def decide(self, seen: Observation) -> Orders:
        free = list(seen.freed)
        stops = []
        if self._current is not None:
            self._n_running -= len(seen.freed)
        while self._limits and (self._limits[0][0] <= seen.time or seen.finished[self._limits[0][2]]):
            _, machine, job = heapq.heappop(self._limits)
            if not seen.finished[job]:
                stops.append(machine)
                free.append(machine)
                self._n_running -= 1
        starts = self._start_next(seen, free) if self._lists else []
        if self._n_running == 0:
            self._plan_round(seen)
            starts = self._start_next(seen, range(len(seen.speeds)))
        return Orders(starts, stops, self._limits[0][0])

    def _start_next(self, seen: Observation, machines: Sequence[int]) -> list[tuple[int, int]]:
        """Next jobs of these idle machines."""
        starts = [(machine, self._lists[machine].popleft()) for machine in machines if self._lists[machine]]
        for machine, job in starts:
            limit = seen.time + divide(self._estimates[job], seen.speeds[machine])
            heapq.heappush(self._limits, (limit, machine, job))
        self._n_running += len(starts)
        return starts

    def _plan_round(self, seen: Observation) -> None:
        if self._current is not None:
            self._spent[self._current] += seen.time - self._round_start
        self._current, self._round_start = min(self._spent, key=self._spent.get), seen.time
        left = [job for job, finished in enumerate(seen.finished) if not finished]
        base = seen.predictions
        if self._current == "equal":
            base = [min(seen.speeds)] * len(seen.predictions)
        total = divide(sum(base[job] for job in left), sum(seen.speeds))
        while True:
            k = self._exponent[self._current]
            self._exponent[self._current] += 1
            factor = divide(1, 2**-k) if k < 0 else 2**k
            if total * factor >= 1e-9 * seen.time:
                break
        self._estimates = [estimate * factor for estimate in base]
        self._lists = [deque(jobs) for jobs in earliest_completion_lists(self._estimates, seen.speeds, left)]


class StaggeredStarts:
    """Start a machine of speed s at (1/2 + ε) log2(s / s_min), and none again until all have started once (ours).

    From then on it schedules as `ListScheduling` does, by nonincreasing prediction.

    Against `seedbed.schedpred.games.GroupAdversary` each job then runs on a machine of its own, ahead by just less than
    what the adversary would end it at, and the game lasts 1 + K/2 + Kε: as short as any policy can make it.
    """

    EPSILON = 2.0**-20

    def __init__(self) -> None:
        self._waiting: deque[int] | None = None
        self._idle: list[tuple[Number, Number, int]] = []  # (when it may start, -speed, machine)
        self._last_delay = 0.0

    def decide(self, seen: Observation) -> Orders:
        if self._waiting is None:
            self._waiting = deque(sorted(range(len(seen.predictions)), key=lambda job: -seen.predictions[job]))
            slowest = min(seen.speeds)
            delay = {s: (0.5 + self.EPSILON) * math.log2(s / slowest) for s in set(seen.speeds)}
            self._idle = [(delay[speed], -speed, machine) for machine, speed in enumerate(seen.speeds)]
            self._last_delay = max(delay.values())
            heapq.heapify(self._idle)
        else:
            for machine in seen.freed:
                heapq.heappush(self._idle, (max(seen.time, self._last_delay), -seen.speeds[machine], machine))
        starts = []
        while self._waiting and self._idle and self._idle[0][0] <= seen.time:
            starts.append((heapq.heappop(self._idle)[2], self._waiting.popleft()))
        return Orders(starts, wake=self._idle[0][0] if self._waiting and self._idle else None)
