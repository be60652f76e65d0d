"""Traces: maps come in order of time, and are worth what the solver returns in the end."""

import numpy as np
import pytest
from labelled import random_graph

from seedbed.nga.anytime import SOLVERS, edges_at, seconds_to, trace
from seedbed.nga.association import association_common_graph
from seedbed.nga.exact import maximum_common_edges

POINTS = [(0.1, 3), (0.2, 2), (0.4, 7)]


def test_what_is_held_when():
    assert [edges_at(POINTS, when) for when in (0.05, 0.1, 0.3, 0.4, 9)] == [0, 3, 3, 7, 7]
    assert [seconds_to(POINTS, edges) for edges in (2, 3, 4, 7)] == [0.1, 0.1, 0.4, 0.4]
    assert seconds_to(POINTS, 8) == np.inf


@pytest.mark.parametrize("solver", [solver for solver in SOLVERS if not solver.startswith("rascal")])
def test_every_solver_reports_maps_of_at_most_the_optimum(solver):
    generator = np.random.default_rng(0)
    pair = random_graph(generator, 7, 0.4), random_graph(generator, 8, 0.4)
    options = {"neural": {"epochs": 4}, "neural_tabu": {"steps": 20}}.get(solver, {})
    points = trace(solver, pair, generator, options, seconds=5)
    times, edges = zip(*points, strict=True)
    assert list(times) == sorted(times)
    assert 0 < max(edges) <= maximum_common_edges(association_common_graph(*pair)).lower
