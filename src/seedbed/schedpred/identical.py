"""Identical machines: SIMPLE, list-adjusting and list scheduling, on many instances at once (section 3.3).

Arrays have one row an instance. They hold floats, or integers and fractions as objects, which are computed with
exactly. One instance::

    from seedbed.schedpred.identical import simple_schedule
    from seedbed.schedpred.instance import Instance

    simple_schedule(Instance([3, 1, 1, 1], [1, 1, 1, 1]), m=2).makespan
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np

from seedbed.schedpred.instance import Instance
from seedbed.schedpred.machines import FixedSizes, play
from seedbed.schedpred.makespan import divide_all, makespan_lower_bound, optimal_plan
from seedbed.schedpred.policies import ListScheduling, Plan, PlannedLists, Thief
from seedbed.schedpred.schedule import Number, Schedule

Offline = Literal["lpt", "multifit", "milp"]
MULTIFIT_ROUNDS = 10
"""Bisections of MULTIFIT."""


@dataclass(frozen=True)
class Lists:
    """Plans of S instances on m machines.

    Attributes
    ----------
    jobs : ndarray of int, (S, m, n)
        Jobs of each machine in the order in which it runs them, from the left.
    lengths : ndarray of int, (S, m)
        How many these are.
    makespan : ndarray, (S,)
        Makespan of the plan, for the sizes planned with.
    """

    jobs: np.ndarray
    lengths: np.ndarray
    makespan: np.ndarray


# --- one instance ---------------------------------------------------------------------------------------------------


def simple_schedule(
    instance: Instance, m: int, offline: Offline = "lpt", adjust: bool = True, thief: Thief = "last"
) -> Schedule:
    """SIMPLE: an offline plan of the predictions, worked off machine by machine; with ``adjust`` with list-adjusting.

    Parameters
    ----------
    instance : Instance
        Sizes and predictions.
    m : int
        Identical machines.
    offline : {"lpt", "multifit", "milp"}
        Plan; ``"milp"`` is optimal (see `seedbed.schedpred.makespan.optimal_makespan`).
    adjust, thief
        As in `seedbed.schedpred.policies.PlannedLists`.
    """
    policy = PlannedLists(offline_plan(offline), adjust, thief)
    return play(policy, FixedSizes(instance.sizes), instance.predictions, [1] * m)


def list_schedule(instance: Instance, m: int, order: Literal["index", "prediction"] = "index") -> Schedule:
    """List scheduling by index, or by nonincreasing prediction (LPPT)."""
    return play(ListScheduling(order), FixedSizes(instance.sizes), instance.predictions, [1] * m)


def offline_plan(offline: Offline) -> Plan:
    """The plan of that name as `PlannedLists` takes it."""
    if offline == "milp":
        return lambda predictions, speeds: optimal_plan(predictions, speeds)[0]
    batch = {"lpt": lpt_lists, "multifit": multifit_lists}[offline]

    def plan(predictions: Sequence[Number], speeds: Sequence[Number]) -> list[list[int]]:
        lists = batch(np.array([list(predictions)], dtype=object), len(speeds))
        return [[int(job) for job in jobs[:k]] for jobs, k in zip(lists.jobs[0], lists.lengths[0], strict=True)]

    return plan


def robustness_instance(m: int) -> Instance:
    """m² equal predictions; the m jobs that LPT puts on the first machine have size 1, the others 1e-6.

    SIMPLE takes time m, the optimum little more than 1. Predictions are constant, so the class is `robust`.
    """
    sizes = [1 if job % m == 0 else Fraction(1, 10**6) for job in range(m * m)]
    return Instance(sizes, [Fraction(1, 1000)] * (m * m))


# --- plans ----------------------------------------------------------------------------------------------------------


def lpt_lists(sizes: np.ndarray, m: int) -> Lists:
    """Longest processing time first: each job, largest first, to the machine of least load. Within 4/3 - 1/(3m)."""
    order = np.argsort(-sizes, axis=1, kind="stable")
    rows = np.arange(len(sizes))
    loads = np.zeros((len(sizes), m), dtype=sizes.dtype)
    machines = np.empty(order.shape, dtype=int)
    for rank, job in enumerate(order.T):
        machines[:, rank] = machine = loads.argmin(axis=1)
        loads[rows, machine] += sizes[rows, job]
    return _lists(order, machines, loads)


def multifit_lists(sizes: np.ndarray, m: int) -> Lists:
    """MULTIFIT: bisect the makespan for which first-fit decreasing needs m bins. Within 13/11 + 2^-10."""
    order = np.argsort(-sizes, axis=1, kind="stable")
    largest_first = np.take_along_axis(sizes, order, axis=1)
    mean = divide_all(sizes.sum(axis=1), m)
    low, high = np.maximum(mean, largest_first[:, 0]), np.maximum(2 * mean, largest_first[:, 0])
    _, machines, loads = _first_fit(largest_first, high, m)
    for _ in range(MULTIFIT_ROUNDS):
        middle = divide_all(low + high, 2)
        fits, found, found_loads = _first_fit(largest_first, middle, m)
        machines[fits], loads[fits] = found[fits], found_loads[fits]
        low, high = np.where(fits, low, middle), np.where(fits, middle, high)
    return _lists(order, machines, loads)


def _first_fit(largest_first: np.ndarray, capacity: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First-fit: whether all jobs fit (S,), machine of each (S, n), loads (S, m)."""
    rows = np.arange(len(largest_first))
    loads = np.zeros((len(largest_first), m), dtype=largest_first.dtype)
    machines = np.empty(largest_first.shape, dtype=int)
    all_fit = np.ones(len(largest_first), dtype=bool)
    for rank, size in enumerate(largest_first.T):
        fits = (loads + size[:, None] <= capacity[:, None]).astype(bool)
        machines[:, rank] = machine = fits.argmax(axis=1)
        loads[rows, machine] += size
        all_fit &= fits.any(axis=1)
    return all_fit, machines, loads


def enumerated_lists(sizes: np.ndarray, m: int) -> Lists:
    """Optimal plans, by trying all assignments that differ in more than the names of machines: for n up to about 10."""
    order = np.argsort(-sizes, axis=1, kind="stable")
    largest_first = np.take_along_axis(sizes, order, axis=1)
    choices = _partitions(sizes.shape[1], m)
    makespan = (choices == 0).astype(float) @ largest_first.T
    for machine in range(1, m):
        np.maximum(makespan, (choices == machine).astype(float) @ largest_first.T, out=makespan)
    machines = choices[makespan.argmin(axis=0)]
    loads = np.stack([np.where(machines == machine, largest_first, 0).sum(axis=1) for machine in range(m)], axis=1)
    return _lists(order, machines, loads)


@lru_cache
def _partitions(n: int, m: int) -> np.ndarray:
    """Machines (·, n) of n jobs, up to the names of the m machines: a job goes to one in use, or to the next."""
    choices = np.zeros((1, 1), dtype=int)
    for _ in range(n - 1):
        in_use = choices.max(axis=1) + 1
        extended = [
            np.column_stack([choices[in_use >= machine], np.full((in_use >= machine).sum(), machine)])
            for machine in range(m)
        ]
        choices = np.concatenate(extended)
    return choices


def _lists(order: np.ndarray, machines: np.ndarray, loads: np.ndarray) -> Lists:
    """Lists from the machines (S, n) of jobs in ``order`` (S, n)."""
    rows = np.arange(len(order))
    jobs = np.zeros((*loads.shape, order.shape[1]), dtype=int)
    lengths = np.zeros(loads.shape, dtype=int)
    for job, machine in zip(order.T, machines.T, strict=True):
        jobs[rows, machine, lengths[rows, machine]] = job
        lengths[rows, machine] += 1
    return Lists(jobs, lengths, loads.max(axis=1))


# --- policies -------------------------------------------------------------------------------------------------------


def run_in_order(sizes: np.ndarray, order: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """List scheduling: the next job of ``order`` (S, n) to the machine that is free first.

    Returns
    -------
    starts : ndarray, (S, n)
        When each job starts.
    makespan : ndarray, (S,)
        When the last one ends.
    """
    rows = np.arange(len(sizes))
    free = np.zeros((len(sizes), m), dtype=sizes.dtype)
    starts = np.zeros_like(sizes)
    for job in order.T:
        machine = free.argmin(axis=1)
        starts[rows, job] = free[rows, machine]
        free[rows, machine] += sizes[rows, job]
    return starts, free.max(axis=1)


def run_lists(
    sizes: np.ndarray, predictions: np.ndarray, lists: Lists, adjust: bool, thief: Thief = "last"
) -> tuple[np.ndarray, np.ndarray]:
    """SIMPLE, or with ``adjust`` SIMPLE with list-adjusting, on sizes (S, n); returns as `run_in_order`.

    Each step starts one job of each instance: on the machine that is free first, of those that have a job to start.
    """
    S, m = lists.lengths.shape
    rows = np.arange(S)
    free, starts = np.zeros((S, m), dtype=sizes.dtype), np.zeros_like(sizes)
    head, tail = np.zeros((S, m), dtype=int), lists.lengths.copy()
    load = np.stack(
        [
            np.where(
                np.arange(sizes.shape[1]) < tail[:, [i]], np.take_along_axis(predictions, lists.jobs[:, i], 1), 0
            ).sum(1)
            for i in range(m)
        ],
        axis=1,
    )
    never = np.inf if sizes.dtype == float else free.max() + sizes.sum() + 1
    for _ in range(sizes.shape[1]):
        waits = head < tail
        machine = (free if adjust else np.where(waits, free, never)).argmin(axis=1)
        owner = np.where(waits[rows, machine], machine, np.where(waits, load, -1).argmax(axis=1))
        from_front = (owner == machine) | (thief == "first")
        at = np.where(from_front, head[rows, owner], tail[rows, owner] - 1)
        head[rows, owner] += from_front
        tail[rows, owner] -= ~from_front
        job = lists.jobs[rows, owner, at]
        load[rows, owner] -= predictions[rows, job]
        starts[rows, job] = free[rows, machine]
        free[rows, machine] += sizes[rows, job]
    return starts, free.max(axis=1)


def certified_ratio(lists: Lists, predictions: np.ndarray) -> np.ndarray:
    """ρ of each plan, (S,): its makespan over the lower bound of the optimum of the predictions."""
    return lists.makespan / makespan_lower_bound(predictions, lists.lengths.shape[1])
