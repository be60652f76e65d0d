"""The cross of batch size and fan-out: what each cell's curves come to, and which run validation would pick."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from seedbed.gnn_batching.hits import iterations_to, moving_average, targets, value_at
from seedbed.gnn_batching.one_layer import LOSSES, Curves

RATES = ("low", "mid", "high")
SHARES = {"25": 0.25, "60": 0.6}
GUIDED_FAN_OUT = 15
Cell = tuple[int, int]
Row = tuple[int, dict[str, float], dict[str, str | int]]


def reference_targets(full_graph: Curves) -> dict[str, np.ndarray]:
    """Target losses (S, L) by the share of the decrease that full-graph training at the middle rate makes."""
    curve = full_graph.full[:, :, RATES.index("mid")]
    return {name: targets(curve, share) for name, share in SHARES.items()}


def cell_rows(cell: Cell, curves: Curves, goals: Mapping[str, np.ndarray]) -> Iterator[Row]:
    """(seed, values, factors) of one cell: iterations under each criterion and target, accuracies, gap.

    ``rate: best`` is the smallest number of iterations over the rates. The gap is test loss minus training loss where
    the training loss falls to the 25 % target.
    """
    place = {"batch_size": cell[0], "fan_out": cell[1]}
    criteria = {
        "batch": (curves.batch, 1),
        "full": (curves.full, curves.check),
        "ema": (moving_average(curves.batch), 1),
    }
    for criterion, (curve, every) in criteria.items():
        for target, goal in goals.items():
            first, censored = iterations_to(curve, goal[..., None], every)
            # A target reached at iteration 0 or 1 counts as one iteration, so that logarithms exist.
            first = np.maximum(first, 1)
            for (seed, loss), _ in np.ndenumerate(goal):
                factors = {**place, "loss": LOSSES[loss], "criterion": criterion, "target": target}
                for rate, name in enumerate(RATES):
                    values = {"iterations": first[seed, loss, rate], "censored": censored[seed, loss, rate]}
                    yield seed, values, {**factors, "rate": name}
                best = {"iterations": first[seed, loss].min(), "censored": censored[seed, loss].all()}
                yield seed, best, {**factors, "rate": "best"}
    ratio = curves.evaluate // curves.check
    gap = value_at(curves.full[..., ::ratio], curves.test_loss, goals["25"][..., None]) - goals["25"][..., None]
    _, chosen = selected(curves)
    for (seed, loss, rate), dead in np.ndenumerate(curves.dead):
        values = {
            "dead": dead,
            "accuracy": chosen[seed, loss, rate],
            "accuracy_last": curves.test_accuracy[seed, loss, rate, -1],
        }
        if np.isfinite(gap[seed, loss, rate]):
            values["gap"] = gap[seed, loss, rate]
        yield seed, values, {**place, "loss": LOSSES[loss], "rate": RATES[rate]}


def selected(curves: Curves) -> tuple[np.ndarray, np.ndarray]:
    """Best validation accuracy of each run, and its test accuracy at that evaluation; both (S, L, R)."""
    best = curves.val_accuracy.argmax(-1)[..., None]
    return tuple(np.take_along_axis(of, best, -1)[..., 0] for of in (curves.val_accuracy, curves.test_accuracy))


def arm_rows(cells: Mapping[Cell, Curves], n_train: int) -> Iterator[Row]:
    """(seed, values, factors) of cross-entropy runs that validation picks inside an arm, a set of cells.

    ``full_graph`` and ``mini`` (a quarter of the training nodes, fan-out 15) have the same number of runs, one a rate.
    ``guided`` is the paper's advice (Section 5.5): at most half of the training nodes, fan-out at most 15.
    """
    full_graph = (max(b for b, _ in cells), max(fan_out for _, fan_out in cells))
    arms = {
        "full_graph": [full_graph],
        "mini": [(n_train // 4, GUIDED_FAN_OUT)],
        "mini_any": [cell for cell in cells if cell != full_graph],
        "guided": [cell for cell in cells if cell[0] <= n_train // 2 and cell[1] <= GUIDED_FAN_OUT],
        "any": list(cells),
    }
    for arm, inside in arms.items():
        pairs = [selected(cells[cell]) for cell in inside]
        val, test = (np.concatenate([pair[side][:, 0] for pair in pairs], 1) for side in (0, 1))
        for seed, run in enumerate(val.argmax(1)):
            yield seed, {"accuracy": test[seed, run]}, {"arm": arm, "loss": "ce"}
