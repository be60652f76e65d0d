"""The scaling laws, from data that follow them."""

import numpy as np
import pandas as pd
import pytest

from seedbed.ptq_dynamics.equal_loss import errors_at_equal_loss
from seedbed.ptq_dynamics.scaling import fit_ptq_scaling

GRID = pd.DataFrame([(d, n, p) for d in (1e6, 1e7, 1e8) for n in (1e5, 1e6) for p in (3, 4)], columns=["tokens", "parameters", "bits"])  # fmt: skip


def test_kumar():
    delta = 2 * GRID.tokens**0.4 / GRID.parameters**0.6 * np.exp(-GRID.bits / 0.5)
    found = fit_ptq_scaling(GRID.assign(delta=delta), "kumar")
    expected = {"log_c": np.log(2), "gamma_d": 0.4, "gamma_n": 0.6, "1/gamma_p": 2.0}
    assert {name: value[0] for name, value in found.items()} == pytest.approx(expected)


def test_ouyang():
    delta = 3 * GRID.tokens**0.3 / (GRID.parameters**0.2 * GRID.bits**4.0)
    found = fit_ptq_scaling(GRID.assign(delta=delta), "ouyang")
    expected = {"log_k": np.log(3), "beta": 0.3, "alpha": 0.2, "gamma": 4.0}
    assert {name: value[0] for name, value in found.items()} == pytest.approx(expected)


def test_the_interval_covers_and_what_does_not_vary_is_left_out():
    one_model = GRID[(GRID.parameters == 1e5) & (GRID.bits == 3)].reset_index(drop=True)
    tables = [one_model.assign(delta=one_model.tokens**0.4 * np.exp(np.random.default_rng(seed).normal(0, 0.1, 3))) for seed in range(300)]  # fmt: skip
    fits = [fit_ptq_scaling(table) for table in tables]
    assert set(fits[0]) == {"log_c", "gamma_d"}
    covered = np.mean([low <= 0.4 <= high for _, low, high in (fit["gamma_d"] for fit in fits)])
    assert covered == pytest.approx(0.95, abs=0.04)


def test_faulty_tables_are_refused():
    with pytest.raises(ValueError, match="positive"):
        fit_ptq_scaling(GRID.assign(delta=0.0))
    with pytest.raises(ValueError, match="too few"):
        fit_ptq_scaling(GRID[:2].assign(delta=1.0))


def test_errors_at_equal_loss_are_those_of_the_common_range():
    curves = {"low": [(3.0, 0.3), (2.0, 0.2), (1.0, 0.1)], "high": [(2.5, 0.5), (1.5, 0.5)]}
    assert errors_at_equal_loss(curves) == pytest.approx({"low": 0.2, "high": 0.5})
    assert errors_at_equal_loss({"a": [(3.0, 0.1), (2.9, 0.1)], "b": [(1.0, 0.1), (1.1, 0.1)]}) == {}
