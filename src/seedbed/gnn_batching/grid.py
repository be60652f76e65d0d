"""The cross of batch size and fan-out: what each cell's curves come to, and which run validation would pick.

All cells are trained at the same fixed rates (`RATES`). Iterations are reported at each of them, and under two rules
that choose the rate by the cell: `best`, the fewest iterations over the rates, and `linear`, rates in proportion to the
batch size.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from seedbed.gnn_batching.hits import iterations_to, moving_average, targets, value_at
from seedbed.gnn_batching.one_layer import LOSSES, Curves

RATES = ("low", "mid", "high")
SHARES = {"25": 0.25, "60": 0.6, "90": 0.9}
ACCURACY_SHARE = 0.95
GUIDED_FAN_OUT = 15
Cell = tuple[int, int]
Row = tuple[int, dict[str, float], dict[str, str | int]]


@dataclass(frozen=True)
class Goals:
    """What a run must reach, from full-graph training at the middle rate, seed by seed.

    Attributes
    ----------
    loss : mapping of str to (S, L)
        Share of the decrease that the reference makes (`SHARES`) -> loss there.
    accuracy : (S, L)
        `ACCURACY_SHARE` of the reference's last validation accuracy.
    """

    loss: Mapping[str, np.ndarray]
    accuracy: np.ndarray

    @classmethod
    def of(cls, full_graph: Curves, rate: int) -> Goals:
        """Goals from the curves of full-graph training, of which ``rate`` is the middle one."""
        curve = full_graph.full[:, :, rate]
        loss = {name: targets(curve, share) for name, share in SHARES.items()}
        return cls(loss, ACCURACY_SHARE * full_graph.val_accuracy[:, :, rate, -1])


@dataclass(frozen=True)
class CellRules:
    """How the iterations of one cell are counted.

    Attributes
    ----------
    rates : names of the rates on the curves' third axis
    linear : index of the rate in proportion to the batch size, or None where no rate is
    kept : neighbours that a target keeps on average, ``min(fan_out, degree)``
    """

    rates: Sequence[str] = RATES
    linear: int | None = None
    kept: float = 0.0


def linear_rate(batch_size: int, batch_sizes: Sequence[int], rates: Sequence[float]) -> int | None:
    """Index of the rate that is to the middle one as ``batch_size`` is to the middle batch size, if there is one."""
    wanted = rates[len(rates) // 2] * batch_size / batch_sizes[len(batch_sizes) // 2]
    found = np.flatnonzero(np.isclose(rates, wanted))
    return int(found[0]) if len(found) else None


def cell_rows(cell: Cell, curves: Curves, goals: Goals, rules: CellRules) -> Iterator[Row]:
    """(seed, values, factors) of one cell: iterations under each criterion, target and rule of rates; then `run_rows`.

    ``samples`` and ``edges`` are the target nodes and sampled neighbours that the iterations of criterion ``full`` see.
    """
    place = {"batch_size": cell[0], "fan_out": cell[1]}
    criteria = {
        "batch": (curves.batch, 1, goals.loss),
        "full": (curves.full, curves.check, goals.loss),
        "ema": (moving_average(curves.batch), 1, goals.loss),
        "accuracy": (-curves.val_accuracy, curves.evaluate, {"95": -goals.accuracy}),
    }
    for criterion, (curve, every, of_target) in criteria.items():
        for target, goal in of_target.items():
            first, censored = iterations_to(curve, goal[..., None], every)
            # A target reached at iteration 0 or 1 counts as one iteration, so that logarithms exist.
            first = np.maximum(first, 1)
            for (seed, loss), _ in np.ndenumerate(goal):
                of_rate = dict(zip(rules.rates, zip(first[seed, loss], censored[seed, loss], strict=True), strict=True))
                if len(of_rate) > 1:
                    of_rate["best"] = (first[seed, loss].min(), censored[seed, loss].all())
                if rules.linear is not None:
                    of_rate["linear"] = of_rate[rules.rates[rules.linear]]
                for rate, (iterations, is_censored) in of_rate.items():
                    values = {"iterations": iterations, "censored": is_censored}
                    if criterion == "full":
                        values["samples"] = iterations * cell[0]
                        values["edges"] = iterations * cell[0] * rules.kept
                    factors = {"loss": LOSSES[loss], "criterion": criterion, "target": target, "rate": rate}
                    yield seed, values, {**place, **factors}
    yield from run_rows(cell, curves, goals, rules.rates)


def run_rows(cell: Cell, curves: Curves, goals: Goals, rates: Sequence[str]) -> Iterator[Row]:
    """(seed, values, factors) of each run of a cell: whether it died, accuracies, generalisation gap.

    The gap is test loss minus training loss where the training loss falls to the 25 % target.
    """
    ratio, target = curves.evaluate // curves.check, goals.loss["25"][..., None]
    gap = value_at(curves.full[..., ::ratio], curves.test_loss, target) - target
    _, chosen = selected(curves)
    for (seed, loss, rate), dead in np.ndenumerate(curves.dead):
        values = {
            "dead": dead,
            "accuracy": chosen[seed, loss, rate],
            "accuracy_last": curves.test_accuracy[seed, loss, rate, -1],
        }
        if np.isfinite(gap[seed, loss, rate]):
            values["gap"] = gap[seed, loss, rate]
        yield seed, values, {"batch_size": cell[0], "fan_out": cell[1], "loss": LOSSES[loss], "rate": rates[rate]}


def selected(curves: Curves) -> tuple[np.ndarray, np.ndarray]:
    """Best validation accuracy of each run, and its test accuracy at that evaluation; both (S, L, R)."""
    best = curves.val_accuracy.argmax(-1)[..., None]
    return tuple(np.take_along_axis(of, best, -1)[..., 0] for of in (curves.val_accuracy, curves.test_accuracy))


def arm_rows(cells: Mapping[Cell, Curves], n_train: int) -> Iterator[Row]:
    """(seed, values, factors) of cross-entropy runs that validation picks inside an arm, a set of cells.

    ``full_graph`` and ``mini`` (a quarter of the training nodes, fan-out 15) have the same number of runs, one a rate.
    ``guided`` is the paper's advice (Section 5.5): at most half of the training nodes, fan-out at most 15; ``outside``
    are all other cells.
    """
    full_graph = (max(b for b, _ in cells), max(fan_out for _, fan_out in cells))
    guided = [cell for cell in cells if cell[0] <= n_train // 2 and cell[1] <= GUIDED_FAN_OUT]
    arms = {
        "full_graph": [full_graph],
        "mini": [(n_train // 4, GUIDED_FAN_OUT)],
        "guided": guided,
        "outside": [cell for cell in cells if cell not in guided],
    }
    for arm, inside in arms.items():
        pairs = [selected(cells[cell]) for cell in inside]
        val, test = (np.concatenate([pair[side][:, 0] for pair in pairs], 1) for side in (0, 1))
        for seed, run in enumerate(val.argmax(1)):
            yield seed, {"accuracy": test[seed, run]}, {"arm": arm, "loss": "ce"}
