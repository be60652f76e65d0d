"""Figures of schedpred; each function takes the metrics table and returns one figure."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seedbed.core.plots import COLOURS, MARKERS
from seedbed.schedpred.bounds import ETA_STAR, smoothness_bounds
from seedbed.schedpred.games import GroupAdversary
from seedbed.schedpred.identical import simple_schedule
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.policies import ListScheduling
from seedbed.schedpred.schedule import Run

LABELS = {
    "spjf": "SPJF",
    "round_robin": "round robin",
    "preferential_round_robin": "preferential RR",
    "multilevel_feedback": "multilevel feedback",
    "list": "list",
    "lppt": "LPPT",
    "simple": "SIMPLE",
    "simple_la": "SIMPLE + list-adjusting",
    "list_postpone": "list, restarts",
    "doubling": "DoublingEstimates",
    "trust": "trust predictions",
}


def _select(metrics: pd.DataFrame, **columns: str | int) -> pd.DataFrame:
    for column, value in columns.items():
        metrics = metrics[metrics[column] == value]
    return metrics


def _numbers(texts: pd.Series) -> pd.Series:
    """Errors, which the table keeps as texts."""
    return texts.map(lambda text: float(text) if "/" not in text else int(text.split("/")[0]) / int(text.split("/")[1]))


def _policy(rows: pd.DataFrame) -> pd.Series:
    """Policies with their parameters, in words."""
    names = rows.method.map(LABELS)
    for column, words in (("theta", " θ = "), ("levels", " at ")):
        if column in rows:  # a smoke run has no policy with parameters
            names += (words + rows[column].str.replace(" ", ", ")).fillna("")
    return names


def _band(axes: Axes, eta: pd.Series, rows: pd.DataFrame, middle: str, largest: str, label: str) -> None:
    """From the median of ``middle`` to the largest of ``largest``, over all instances of an error."""
    rows = rows.assign(x=eta)
    low = _select(rows, metric=middle).groupby("x").value.median()
    high = _select(rows, metric=largest).groupby("x").value.max()
    axes.fill_between(low.index.to_numpy(float), low, high.reindex(low.index), color="0.85", label=label)


def smoothness_single(metrics: pd.DataFrame) -> Figure:
    """One machine: bounds, games and random instances against the error."""
    games = _select(metrics, experiment="game", metric="ratio")
    games = games[games.n == games.n.max()]
    random = _select(metrics, experiment="random", method="spjf")
    figure, axes = plt.subplots(figsize=(6.4, 4.6))
    _band(axes, _numbers(random.eta), random, "ratio", "worst", "random instances, SPJF")
    grid = np.linspace(1, 4, 301)
    axes.plot(grid, grid**2, color="0.3", linestyle=":", marker="", label="upper bound η² of SPJF")
    axes.plot(grid, grid, color=COLOURS[0], linewidth=1, marker="", label="exact supremum of SPJF (ours)")
    for part in (np.array([1, ETA_STAR]), np.array([1 + math.sqrt(3), 4])):
        lower = [smoothness_bounds("single", eta)["lower"] for eta in part]
        label = "lower bound of the paper" if part[0] == 1 else None
        axes.plot(part, lower, color="black", linewidth=2.5, marker="", label=label)
    for number, (policy, rows) in enumerate(games.groupby(_policy(games), sort=False)):
        style = {"color": COLOURS[number % 7], "marker": MARKERS[number % 7], "linestyle": ""}
        axes.plot(_numbers(rows.eta), rows.value, label=policy, fillstyle="full" if number < 7 else "none", **style)
    axes.set(xlabel="error η", ylabel="ratio to the optimum", ylim=(0.95, 4.6), xlim=(1, 4.05))
    figure.legend(loc="outside lower center", ncols=2, fontsize=7.5)
    return figure


def smoothness_identical(metrics: pd.DataFrame) -> Figure:
    """Identical machines: bounds, games and random instances against the error."""
    games = _select(metrics, experiment="identical_game", metric="ratio", spoiler="yes")
    m = int(games.m.max())
    random = _select(metrics, experiment="identical_small", method="simple_la_exact")
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    _band(axes, _numbers(random.eta), random, "ratio_median", "ratio_max", "random instances")
    grid = np.linspace(1, 3, 401)
    bounds = [smoothness_bounds("identical", eta, m) for eta in grid]
    lines = {
        "lower": ("forced by the game (ours)", "-"),
        "upper": ("min(η², 2 - 1/m)", "--"),
        "prior_upper": ("bound before the paper", ":"),
    }
    for name, (label, line) in lines.items():
        axes.plot(grid, [bound[name] for bound in bounds], color="black", linestyle=line, marker="", label=label)
    shown = ["list", "lppt", "simple", "simple_la", "list_postpone"]
    for number, method in enumerate(shown):
        rows = _select(games, method=method, m=m)
        style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": "", "fillstyle": "none"}
        place = np.sqrt(_numbers(rows.eta_squared))
        axes.plot(place, rows.value, label=LABELS[method], markersize=5 + 2 * number, **style)
    axes.set(xlabel="error η", ylabel="makespan over the optimum", ylim=(0.97, 2.3))
    figure.legend(loc="outside lower center", ncols=2, fontsize=7.5)
    return figure


def smoothness_related(metrics: pd.DataFrame) -> Figure:
    """Related machines: bounds and the game of groups against the error."""
    games = metrics[metrics.experiment.isin(["related_game", "related_growth"])]
    games = _select(games, predictions="centred", spoiler="no")
    keys = ["experiment", "method", "B", "K"]
    table = games[games.metric.isin(["eta", "ratio"])].pivot_table(index=keys, columns="metric", values="value")
    figure, axes = plt.subplots(figsize=(6.4, 4.2))
    grid = np.geomspace(1.2, 48, 300)
    bounds = [smoothness_bounds("related", eta) for eta in grid]
    axes.plot(grid, [bound["lower"] for bound in bounds], color="black", marker="", label="lower bound ⌈log2 η⌉")
    upper = [bound["upper"] for bound in bounds]
    axes.plot(grid, upper, color="black", linestyle="--", marker="", label="DoublingEstimates, bound at ρ = 1 (ours)")
    for number, method in enumerate(["list", "trust", "doubling"]):
        if method in table.index.get_level_values("method"):
            rows = table.xs(method, level="method")
            style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": "", "fillstyle": "none"}
            axes.plot(rows.eta, rows.ratio, label=LABELS[method], markersize=5 + 2 * number, **style)
    axes.set(xscale="log", yscale="log", xlabel="error η", ylabel="makespan over the optimum")
    ticks = [1, 2, 4, 8, 16, 32]
    axes.set_xticks(ticks, map(str, ticks))
    axes.set_yticks([*ticks, 64, 256], map(str, [*ticks, 64, 256]))
    axes.minorticks_off()
    figure.legend(loc="outside lower center", ncols=2, fontsize=7.5)
    return figure


def partition(metrics: pd.DataFrame) -> Figure:
    """Instances in the plane of error and spread, by class."""
    rows = _select(metrics, experiment="partition")
    rows = rows[rows.metric.isin(["eta", "P"])]
    table = rows.pivot_table(index=["seed", "instance", "class"], columns="metric", values="value").reset_index()
    figure, axes = plt.subplots(figsize=(5.2, 4.2))
    grid = np.linspace(1, 4, 50)
    axes.plot(grid, grid, color="0.4", marker="", linewidth=1, label="η = √P")
    for number, name in enumerate(("smooth", "robust", "consistent")):
        of_class = table[table["class"] == name].drop_duplicates(["eta", "P"])
        axes.plot(
            of_class.eta, np.sqrt(of_class.P), color=COLOURS[number], marker=MARKERS[number], linestyle="", label=name
        )
    axes.set(xlabel="error η", ylabel="√P, root of largest over smallest size", xlim=(0.9, 4.1), ylim=(0.9, 4.1))
    figure.legend(loc="outside lower center", ncols=4)
    return figure


def convergence(metrics: pd.DataFrame) -> Figure:
    """Ratio of SPJF in the game against 1/n."""
    rows = _select(metrics, experiment="game", method="spjf", metric="ratio")
    figure, axes = plt.subplots(figsize=(6.0, 3.6))
    shown = [eta for eta in ("1.2", "1.5", "1.8", "2", "3") if eta in set(rows.eta)]
    for colour, marker, eta in zip(COLOURS, MARKERS, shown, strict=False):
        of_eta = _select(rows, eta=eta).sort_values("n")
        share = 1 / of_eta.n.to_numpy(float)
        axes.plot(share, of_eta.value / float(eta), color=colour, marker=marker, label=f"η = {eta}")
    axes.axhline(1, color="0.4", linewidth=0.8, linestyle=":", marker="")
    axes.set(xlabel="1/n", ylabel="ratio over η", xlim=(0, None))
    axes.legend()
    return figure


def worst_ratios(metrics: pd.DataFrame) -> Figure:
    """Largest ratio found for each policy and error, as numbers."""
    rows = metrics[metrics.experiment.isin(["game", "random", "search"]) & metrics.metric.isin(["ratio", "worst"])]
    rows = rows[rows.method != "random_order"]
    found = rows.assign(policy=_policy(rows)).pivot_table(index="policy", columns="eta", values="value", aggfunc="max")
    shown = [eta for eta in ("1.1", "1.2", "1.5", "1.8", "2", "2.3", "3", "4") if eta in found]
    found = found[shown].sort_values(shown[-1])
    figure, axes = plt.subplots(figsize=(6.4, 0.6 + 0.42 * len(found)))
    axes.imshow(found, cmap="cividis", aspect="auto", vmin=1, vmax=4.5)
    for (y, x), value in np.ndenumerate(found.to_numpy()):
        colour = "white" if value < 2.6 else "black"
        axes.text(x, y, f"{value:.3f}", ha="center", va="center", fontsize=8, color=colour)
    axes.set_xticks(range(len(shown)), shown)
    axes.set_yticks(range(len(found)), found.index)
    axes.set(xlabel="error η")
    axes.grid(False)
    return figure


def list_adjusting(metrics: pd.DataFrame) -> Figure:
    """SIMPLE without and with list-adjusting, on jobs that are predicted equal."""
    del metrics  # an illustration on made-up jobs
    sizes = [3, 1, 1, 3, 1, 2, 3, 1, 1, 2, 1, 1]
    instance = Instance(sizes, [2] * len(sizes))
    figure, all_axes = plt.subplots(2, 1, sharex=True, figsize=(6.0, 4.0))
    for axes, adjust in zip(all_axes, (False, True), strict=True):
        schedule = simple_schedule(instance, m=3, adjust=adjust)
        _gantt(axes, list(schedule.runs), [str(size) for size in sizes], 3)
        axes.set(title="SIMPLE with list-adjusting" if adjust else "SIMPLE", ylabel="machine")
    all_axes[-1].set_xlabel("time")
    return figure


def group_game(metrics: pd.DataFrame) -> Figure:
    """List scheduling in the game of groups."""
    del metrics  # an illustration: the smallest game that shows all groups
    game = GroupAdversary(K=2, B=2)
    result = game.play(ListScheduling)
    figure, axes = plt.subplots(figsize=(6.0, 3.6))
    names = [f"{size:g}" for size in result.instance.sizes]
    _gantt(axes, list(result.schedule.runs), names, len(game.speeds))
    axes.axvline(1, color="black", linestyle="--", linewidth=1, marker="", label="optimum")
    axes.set_yticks(range(len(game.speeds)), [f"speed {speed:g}" for speed in game.speeds])
    axes.set(xlabel="time; numbers are the sizes that the adversary chose")
    axes.legend(loc="lower right")
    return figure


def _gantt(axes: Axes, runs: list[Run], names: list[str], machines: int) -> None:
    for run in runs:
        length = float(run.end - run.start)
        colour = COLOURS[:6][run.job % 6]
        axes.barh(run.machine, length, left=float(run.start), height=0.8, color=colour, edgecolor="white", alpha=0.75)
        axes.text(float(run.start) + length / 2, run.machine, names[run.job], ha="center", va="center", fontsize=8)
    axes.set_yticks(range(machines))
    axes.invert_yaxis()
    axes.grid(False, axis="y")
