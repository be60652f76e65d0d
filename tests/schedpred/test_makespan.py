"""Bounds, plans and optima of makespan against brute force."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from seedbed.schedpred.makespan import (
    earliest_completion_lists,
    makespan_lower_bound,
    optimal_makespan,
    planned_makespan,
    related_guarantee,
    related_lower_bound,
)


def brute_force(sizes, speeds):
    loads = (
        max(
            Fraction(sum(x for x, i in zip(sizes, choice, strict=True) if i == machine)) / speed
            for machine, speed in enumerate(speeds)
        )
        for choice in product(range(len(speeds)), repeat=len(sizes))
    )
    return min(loads)


@pytest.mark.parametrize("seed", range(4))
def test_the_program_finds_the_optimum(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 30, 7).tolist()
    assert optimal_makespan(sizes, m=3) == (brute_force(sizes, [1, 1, 1]),) * 2
    speeds = rng.integers(1, 6, 3).tolist()
    value, bound = optimal_makespan(sizes, speeds=speeds)
    assert value == brute_force(sizes, speeds) and bound == pytest.approx(float(value), rel=2e-9)


def test_a_program_cut_short_gives_a_bound_below_the_optimum():
    sizes = np.random.default_rng(0).uniform(size=16).tolist()
    value, bound = optimal_makespan(sizes, m=3, node_limit=1)
    best, proven = optimal_makespan(sizes, m=3, node_limit=20_000)
    assert bound <= proven <= best <= value and bound < value


def test_lower_bounds_hold_and_grow_with_each_size():
    rng = np.random.default_rng(0)
    for _ in range(20):
        sizes, speeds = rng.integers(1, 20, 6).tolist(), rng.integers(1, 5, 3).tolist()
        assert related_lower_bound(sizes, speeds) <= brute_force(sizes, speeds)
        (bound,) = makespan_lower_bound(np.array([sizes], dtype=object), 2)
        assert bound <= brute_force(sizes, [1, 1])
        for job in range(6):
            larger = [x + (i == job) for i, x in enumerate(sizes)]
            assert makespan_lower_bound(np.array([larger], dtype=object), 2)[0] >= bound


def test_equal_jobs_fill_whole_rounds():
    assert makespan_lower_bound(np.ones((1, 17)), 8)[0] == 3
    assert optimal_makespan([1] * 17, m=8) == (3, 3)


def test_earliest_completion_keeps_its_guarantee_and_is_optimal_for_equal_sizes():
    rng = np.random.default_rng(1)
    for _ in range(20):
        speeds = rng.integers(1, 6, 3).tolist()
        for sizes in (rng.integers(1, 20, 6).tolist(), [3] * 6):
            plan = planned_makespan(sizes, speeds, earliest_completion_lists(sizes, speeds))
            assert plan <= Fraction(related_guarantee(sizes, speeds)) * brute_force(sizes, speeds)


@pytest.mark.parametrize("m", [2, 3, 4, 5])
def test_lpt_is_tight_on_its_worst_instance(m):
    sizes = [size for size in range(2 * m - 1, m, -1) for _ in range(2)] + [m] * 3
    plan = planned_makespan(sizes, [1] * m, earliest_completion_lists(sizes, [1] * m))
    assert Fraction(plan, optimal_makespan(sizes, m)[0]) == Fraction(4, 3) - Fraction(1, 3 * m)


def test_only_some_jobs_are_planned():
    lists = earliest_completion_lists([4, 3, 2, 1], [1, 1], jobs=[1, 3])
    assert sorted(job for jobs in lists for job in jobs) == [1, 3]


def test_machines_or_speeds():
    with pytest.raises(ValueError, match="give m"):
        optimal_makespan([1, 2])
