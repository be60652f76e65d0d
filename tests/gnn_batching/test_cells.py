"""Iterations of a cell are counted by each rule; validation, never the test set, picks runs."""

import numpy as np
import pytest

from seedbed.gnn_batching.grid import CellRules, Goals, arm_rows, cell_rows, linear_rate, selected
from seedbed.gnn_batching.one_layer import Curves


def curves(**changed):
    """One seed, both losses, two rates; three values of the full criterion and of evaluations, at 0, 5 and 10."""
    zeros = np.zeros((1, 2, 2, 3))
    of = {
        "batch": np.full((1, 2, 2, 10), 9.0),
        "full": zeros + [10.0, 6, 2],
        "test_loss": zeros + [10.0, 7, 4],
        "val_accuracy": zeros + [0.0, 0.5, 1],
        "test_accuracy": zeros,
        "dead": np.zeros((1, 2, 2), bool),
    }
    return Curves(5, 5, **{**of, **changed})


GOALS = Goals({"25": np.full((1, 2), 8.0), "60": np.full((1, 2), 5.2)}, np.full((1, 2), 0.95))


def values_of(rows, metric, **factors):
    return [
        values[metric]
        for _, values, found in rows
        if metric in values and all(found.get(name) == value for name, value in factors.items())
    ]


def test_goals_come_from_the_middle_rate():
    goals = Goals.of(curves(full=np.stack([np.zeros((1, 2, 3)), np.zeros((1, 2, 3)) + [10.0, 6, 2]], 2)), 1)
    assert goals.loss["25"] == pytest.approx(8) and goals.loss["60"] == pytest.approx(5.2)
    assert goals.accuracy == pytest.approx(0.95)


def test_each_criterion_reads_its_own_curve():
    batch = np.full((1, 2, 2, 10), 9.0)
    batch[0, 0, 0, 3], batch[0, 0, 1, 7] = 5, 5
    test_accuracy = np.ones((1, 2, 2, 3))
    rules = CellRules(rates=("low", "mid"), linear=1, kept=3.0)
    rows = list(cell_rows((16, 4), curves(batch=batch, test_accuracy=test_accuracy), GOALS, rules))
    of = {"loss": "ce", "target": "60"}
    at = {
        rate: values_of(rows, "iterations", criterion="batch", rate=rate, **of)[0]
        for rate in ("low", "mid", "best", "linear")
    }
    assert at == {"low": 3, "mid": 7, "best": 3, "linear": 7}
    assert values_of(rows, "iterations", criterion="full", rate="low", **of) == [10]
    assert values_of(rows, "iterations", criterion="full", rate="low", loss="ce", target="25") == [5]
    assert values_of(rows, "iterations", criterion="accuracy", rate="low", loss="mse") == [10]
    assert values_of(rows, "censored", criterion="ema", rate="best", loss="ce", target="60") == [True]
    assert values_of(rows, "samples", rate="low", loss="ce", target="60") == [160]
    assert values_of(rows, "edges", rate="low", loss="ce", target="60") == [480]
    assert values_of(rows, "gap", loss="ce", rate="low") == [8.5 - 8]


def test_validation_picks_the_evaluation_and_the_run():
    val = np.array([0.2, 0.9, 0.1])
    test = np.array([0.9, 0.3, 0.8])
    spread = {"val_accuracy": np.zeros((1, 2, 2, 3)) + val, "test_accuracy": np.zeros((1, 2, 2, 3)) + test}
    assert selected(curves(**spread))[1] == pytest.approx(0.3)
    worse = {"val_accuracy": spread["val_accuracy"] / 2, "test_accuracy": spread["test_accuracy"] + 0.1}
    cells = {(2, 15): curves(**worse), (4, 15): curves(**spread), (8, 15): curves(**worse), (8, 100): curves(**worse)}
    arms = {factors["arm"]: values["accuracy"] for _, values, factors in arm_rows(cells, 8)}
    assert arms == pytest.approx({"full_graph": 0.4, "mini": 0.4, "guided": 0.3, "outside": 0.4})


def test_the_linear_rate_is_in_proportion_to_the_batch_size():
    sizes, rates = [4, 16, 64, 256, 1024], [0.0125, 0.05, 0.2]
    assert [linear_rate(b, sizes, rates) for b in sizes] == [None, 0, 1, 2, None]
