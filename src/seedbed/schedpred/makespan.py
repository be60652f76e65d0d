"""Makespan with known sizes: bounds, approximations and the optimum on identical and related machines (section 4)."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np

from seedbed.schedpred.machines import divide
from seedbed.schedpred.schedule import Number


def makespan_lower_bound(sizes: np.ndarray, m: int) -> np.ndarray:
    """Lower bound of the optimum on m identical machines, for a batch of instances.

    The largest of the mean load Σx/m, the largest size, and for each k the k + 1 smallest of the k m + 1 largest sizes:
    of these jobs, some machine has k + 1. (For k = 1 that is x_(m) + x_(m+1).)

    Parameters
    ----------
    sizes : ndarray, (S, n)
        Sizes; floats, or exact numbers in an object array.

    Returns
    -------
    ndarray, (S,)
        Never more than the optimum. Scales with the sizes and grows with each of them.
    """
    largest_first = -np.sort(-sizes, axis=1)
    bound = np.maximum(divide_all(largest_first.sum(axis=1), m), largest_first[:, 0])
    for k in range(1, (sizes.shape[1] - 1) // m + 1):
        bound = np.maximum(bound, largest_first[:, k * (m - 1) : k * m + 1].sum(axis=1))
    return bound


def divide_all(sizes: np.ndarray, speed: Number) -> np.ndarray:
    """``sizes / speed``, exact where the array holds exact numbers."""
    return np.array([divide(size, speed) for size in sizes], dtype=object) if sizes.dtype == object else sizes / speed


def related_lower_bound(sizes: Sequence[Number], speeds: Sequence[Number]) -> Number:
    """max_k (sum of the k largest sizes / sum of the k largest speeds), k < m, and Σx/Σs: never above the optimum."""
    sizes, speeds = sorted(sizes, reverse=True), sorted(speeds, reverse=True)
    short = min(len(sizes), len(speeds) - 1)
    prefixes = [divide(sum(sizes[:k]), sum(speeds[:k])) for k in range(1, short + 1)]
    return max([divide(sum(sizes), sum(speeds)), *prefixes])


def earliest_completion_lists(
    sizes: Sequence[Number], speeds: Sequence[Number], jobs: Sequence[int] | None = None
) -> list[list[int]]:
    """Largest size first, each job to the machine that would complete it first: LPT on related machines.

    Within 2m/(m+1) of the optimum (Gonzalez, Ibarra and Sahni 1977), and optimal where all sizes are equal.

    Parameters
    ----------
    sizes : sequence of numbers, (n,)
        Sizes to plan with.
    speeds : sequence of numbers, (m,)
        Speeds; equal ones have their own heap, so that many machines of few speeds are planned fast.
    jobs : sequence of int, optional
        Jobs to plan (default all).

    Returns
    -------
    list of list of int, (m,)
        Jobs of each machine in the order in which they were put there; ties: lower job, faster and lower machine.
    """
    lists: list[list[int]] = [[] for _ in speeds]
    jobs = range(len(sizes)) if jobs is None else jobs
    heaps = [
        (speed, [(0, machine) for machine in range(len(speeds)) if speeds[machine] == speed])
        for speed in sorted(set(speeds), reverse=True)
    ]
    for job in sorted(jobs, key=lambda job: (-sizes[job], job)):
        ends = [divide(heap[0][0] + sizes[job], speed) for speed, heap in heaps]
        _, heap = heaps[ends.index(min(ends))]
        load, machine = heap[0]
        lists[machine].append(job)
        heapq.heapreplace(heap, (load + sizes[job], machine))
    return lists


def related_guarantee(sizes: Sequence[Number], speeds: Sequence[Number]) -> float:
    """Proven ratio of `earliest_completion_lists` to the optimum: 1 for equal sizes, else 2m/(m+1)."""
    return 1.0 if min(sizes) == max(sizes) else 2 * len(speeds) / (len(speeds) + 1)


def optimal_makespan(
    x: Sequence[Number], m: int | None = None, speeds: Sequence[Number] | None = None, node_limit: int = 2000
) -> tuple[Number, Number]:
    """Least makespan of sizes ``x`` on ``m`` identical machines, or on machines of these ``speeds``.

    A mixed-integer program (HiGHS) assigns jobs to machines. Symmetry of identical machines is broken: the job of rank
    r in size goes to one of the first r machines. Work is limited by nodes and not by the clock, so that results
    repeat. No program is solved where LPT meets the lower bound.

    Returns
    -------
    value : number
        Makespan of the best schedule found, computed with the numbers given.
    lower_bound : number
        Proven bound; equal to ``value`` where that is the optimum to 2e-9.

    Raises
    ------
    ValueError
        Unless just one of ``m`` and ``speeds`` is given.
    """
    if (m is None) == (speeds is None):
        raise ValueError("give m for identical machines, or speeds for related ones")
    lists, bound = optimal_plan(x, [1] * m if speeds is None else speeds, node_limit)
    value = planned_makespan(x, speeds or [1] * m, lists)
    return value, min(bound, value)


def planned_makespan(sizes: Sequence[Number], speeds: Sequence[Number], lists: Sequence[Sequence[int]]) -> Number:
    """Makespan of a plan that gives each machine a list of jobs."""
    loads = [divide(sum(sizes[job] for job in jobs), speed) for jobs, speed in zip(lists, speeds, strict=True)]
    return max(loads)


def optimal_plan(
    sizes: Sequence[Number], speeds: Sequence[Number], node_limit: int = 2000
) -> tuple[list[list[int]], Number]:
    """A plan of least makespan, largest job first on each machine, and a proven lower bound of its makespan."""
    lists = earliest_completion_lists(sizes, speeds)
    identical = min(speeds) == max(speeds)
    bound = related_lower_bound(sizes, speeds)
    if identical:
        exact = np.array([list(sizes)], dtype=object)
        bound = max(bound, divide(makespan_lower_bound(exact, len(speeds))[0], speeds[0]))
    value = planned_makespan(sizes, speeds, lists)
    if value <= bound * (1 + 1e-12):
        return lists, value
    found, proven = _solve(np.array(sizes, dtype=float), np.array(speeds, dtype=float), float(bound), node_limit)
    if found is not None and (better := planned_makespan(sizes, speeds, found)) < value:
        lists, value = found, better
    proven = max(proven, bound)
    return lists, value if proven >= value * (1 - 2e-9) else proven


def _solve(
    sizes: np.ndarray, speeds: np.ndarray, bound: float, node_limit: int
) -> tuple[list[list[int]] | None, float]:
    """Assignment program: the lists it found, if any, and the bound that it proved.

    Loads are in thousandths of ``bound``: HiGHS stops at a gap of 1e-6, which then is 1e-9 of the makespan.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    n, m = len(sizes), len(speeds)
    job, machine = np.divmod(np.arange(n * m), m)
    load = 1000 * sizes[job] / speeds[machine] / bound
    rows = np.concatenate([job, n + machine, n + np.arange(m)])
    columns = np.concatenate([np.arange(n * m), np.arange(n * m), np.full(m, n * m)])
    values = np.concatenate([np.ones(n * m), load, -np.ones(m)])
    matrix = coo_array((values, (rows, columns)), shape=(n + m, n * m + 1)).tocsr()
    low = np.concatenate([np.ones(n), np.full(m, -np.inf)])
    high = np.concatenate([np.ones(n), np.zeros(m)])
    allowed = np.ones(n * m)
    if speeds.min() == speeds.max():
        rank = np.empty(n, dtype=int)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(n)
        allowed[machine > rank[job]] = 0
    result = milp(
        np.append(np.zeros(n * m), 1),
        constraints=LinearConstraint(matrix, low, high),
        integrality=np.append(np.ones(n * m), 0),
        bounds=Bounds(np.append(np.zeros(n * m), 1000), np.append(allowed, np.inf)),
        options={"node_limit": node_limit, "mip_rel_gap": 0},
    )
    proven = bound if result.mip_dual_bound is None else bound * result.mip_dual_bound / 1000
    if result.x is None:
        return None, proven
    choice = result.x[:-1].reshape(n, m).argmax(axis=1)
    order = np.argsort(-sizes, kind="stable")
    return [[int(j) for j in order if choice[j] == i] for i in range(m)], proven
