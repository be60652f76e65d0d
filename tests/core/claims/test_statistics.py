"""Built-in statistics of many cells against numpy and scipy on one cell at a time."""

import numpy as np
import pytest
from scipy import stats

from seedbed.core.claims.measure import BUILT_IN, parse_measure
from seedbed.core.claims.statistics import cell_statistic, is_built_in

RNG = np.random.default_rng(5)
N_CELLS = 7
CELL = np.repeat(np.arange(N_CELLS), [3, 5, 4, 9, 6, 3, 8])
X = RNG.integers(0, 6, len(CELL)).astype(float) + 0.1 * CELL
Y = np.round(RNG.lognormal(size=len(CELL)), 1) + 0.1


def steps(x, y):
    levels = np.unique(x)
    return np.diff([y[x == level].mean() for level in levels])


EXPECTED = {
    "mean": lambda x, y: y.mean(),
    "median": lambda x, y: np.median(y),
    "min": lambda x, y: y.min(),
    "max": lambda x, y: y.max(),
    "sum": lambda x, y: y.sum(),
    "count": lambda x, y: len(y),
    "span": lambda x, y: np.ptp(y),
    "std": lambda x, y: y.std(ddof=1),
    "geometric_mean": lambda x, y: stats.gmean(y),
    "share": lambda x, y: np.mean((y > 0.5) & (y <= 1)),
    "quantile": lambda x, y: np.quantile(y, 0.95),
    "slope": lambda x, y: stats.linregress(x, y).slope,
    "intercept": lambda x, y: stats.linregress(x, y).intercept,
    "r2": lambda x, y: stats.linregress(x, y).rvalue ** 2,
    "correlation": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "smallest_step": lambda x, y: steps(x, y).min(),
    "largest_step": lambda x, y: steps(x, y).max(),
}
OPTIONS = {"share": {"of": {"above": 0.5, "at_most": 1}}, "quantile": {"q": 0.95}}


def built_in(name, **options):
    along = {"x": "x"} if name in list(EXPECTED)[11:] else {}
    return cell_statistic(parse_measure({name: "rows", **along, **OPTIONS.get(name, {}), **options}))


def test_every_built_in_is_tested_here():
    assert set(EXPECTED) == set(BUILT_IN) and all(map(is_built_in, BUILT_IN))


@pytest.mark.parametrize("name", EXPECTED)
def test_each_cell_has_its_own_statistic(name):
    order = RNG.permutation(len(CELL))
    found = built_in(name)(Y[order], X[order], CELL[order], N_CELLS)
    expected = [EXPECTED[name](X[CELL == cell], Y[CELL == cell]) for cell in range(N_CELLS)]
    assert found == pytest.approx(expected)


def test_a_count_with_a_region_counts_what_lies_inside():
    found = built_in("count", of={"below": 1})(Y, None, CELL, N_CELLS)
    assert found.tolist() == [np.sum(Y[CELL == cell] < 1) for cell in range(N_CELLS)]


def test_the_mean_of_equal_values_is_that_value():
    """So that exact checks of averaged values see no rounding."""
    assert built_in("mean")(np.full(7, 0.1), None, np.zeros(7, int), 1)[0] == 0.1


@pytest.mark.parametrize("name", ["slope", "correlation", "r2", "spearman", "kendall", "smallest_step"])
def test_what_needs_two_places_along_x_is_not_defined_at_one(name):
    found = built_in(name)(np.array([1.0, 2, 3, 4]), np.array([1.0, 1, 1, 2]), np.array([0, 0, 1, 1]), 2)
    assert np.isnan(found[0]) and not np.isnan(found[1])
