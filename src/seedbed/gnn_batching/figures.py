"""Figures of gnn_batching; each function takes the metrics table and returns one figure."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib import ticker
from matplotlib.figure import Figure
from scipy import stats

from seedbed.core.plots import COLOURS, MARKERS

CRITERIA = {"batch": "loss of the batch", "ema": "its moving average", "full": "loss of all training nodes"}
LOSS_NAMES = {"mse": "squared error", "ce": "cross-entropy"}
RULE_COLUMNS = ["experiment", "rate", "criterion", "target"]
RULES = {
    "loss of the batch": ("grid", "low", "batch", "60"),
    "its moving average": ("grid", "low", "ema", "60"),
    "loss of all nodes": ("grid", "low", "full", "60"),
    "loss of all nodes, late": ("grid", "mid", "full", "90"),
    "validation accuracy": ("grid", "mid", "accuracy", "95"),
    "loss of all nodes, best rate": ("grid", "best", "full", "60"),
    "loss of all nodes, linear rate": ("grid", "linear", "full", "60"),
    "two layers, loss of the batch": ("two_layer", "mid", "batch", "60"),
    "two layers, loss of all nodes": ("two_layer", "mid", "full", "60"),
}


def _iterations(metrics: pd.DataFrame, along: str, fixed: str, place: int) -> Figure:
    """Iterations against one knob with the other fixed: a panel a data set and loss, a line a criterion."""
    rows = metrics[(metrics.experiment == "grid") & (metrics.metric == "iterations")]
    rows = rows[(rows.rate == "low") & (rows.target == "60")]
    values = np.sort(rows[fixed].unique())
    rows = rows[rows[fixed] == values[min(place, len(values) - 1)]]
    datasets = list(dict.fromkeys(rows.dataset))
    figure, panels = plt.subplots(
        len(datasets), 2, sharex=True, squeeze=False, figsize=(6.4, 0.8 + 2.2 * len(datasets))
    )
    for line, dataset in zip(panels, datasets, strict=True):
        for axes, (loss, words) in zip(line, LOSS_NAMES.items(), strict=True):
            for number, (criterion, label) in enumerate(CRITERIA.items()):
                chosen = rows[(rows.dataset == dataset) & (rows.loss == loss) & (rows.criterion == criterion)]
                of_knob = chosen.groupby(along).value
                place_of = np.arange(of_knob.ngroups)
                style = {"color": COLOURS[number], "marker": MARKERS[number], "label": label}
                axes.errorbar(place_of, of_knob.mean(), of_knob.sem(), **style)
                axes.set_xticks(place_of, ["all" if value == 100000 else str(value) for value in of_knob.mean().index])
            axes.set(yscale="log", title=f"{dataset}, {words}")
            axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter("{x:g}")
            axes.yaxis.set_minor_formatter(ticker.NullFormatter())
        line[0].set_ylabel("iterations")
    for axes in panels[-1]:
        axes.set_xlabel(along.replace("_", "-" if along == "fan_out" else " "))
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def iterations_batch_size(metrics: pd.DataFrame) -> Figure:
    """Iterations to the target against the batch size, at the second largest fan-out."""
    return _iterations(metrics, "batch_size", "fan_out", metrics.fan_out.nunique() - 2)


def iterations_fan_out(metrics: pd.DataFrame) -> Figure:
    """Iterations to the target against the fan-out, at the fourth batch size."""
    return _iterations(metrics, "fan_out", "batch_size", 3)


def accuracy(metrics: pd.DataFrame) -> Figure:
    """Test accuracy of every cell, as numbers."""
    rows = metrics[(metrics.experiment == "grid") & (metrics.metric == "accuracy") & (metrics.rate == "mid")]
    rows = rows[rows.loss == "ce"]
    datasets = list(dict.fromkeys(rows.dataset))
    figure, panels = plt.subplots(1, len(datasets), squeeze=False, figsize=(0.8 + 3.2 * len(datasets), 3.2))
    for axes, dataset in zip(panels[0], datasets, strict=True):
        table = rows[rows.dataset == dataset].pivot_table(index="batch_size", columns="fan_out", values="value") * 100
        axes.imshow(table, cmap="cividis", aspect="auto")
        middle = (table.to_numpy().min() + table.to_numpy().max()) / 2
        for (y, x), value in np.ndenumerate(table.to_numpy()):
            axes.text(x, y, f"{value:.1f}", ha="center", va="center", color="white" if value < middle else "black")
        axes.set_xticks(range(table.shape[1]), ["all" if value == 100000 else str(value) for value in table.columns])
        axes.set_yticks(range(table.shape[0]), table.index)
        axes.set(xlabel="fan-out", ylabel="batch size", title=f"{dataset}, test accuracy in %")
        axes.grid(False)
    return figure


def _slopes(rows: pd.DataFrame) -> np.ndarray:
    """Slope of log iterations against log batch size of each seed, with a mean for each line of fan-outs."""
    sizes = rows.groupby("fan_out").batch_size.transform("nunique")
    rows = rows[sizes == sizes.max()]  # other fan-outs are no line
    centred = np.log(rows.assign(x=rows.batch_size)[["x", "value"]].astype(float))
    lines = [rows.seed, rows.fan_out]
    centred -= centred.groupby(lines).transform("mean")
    products = pd.DataFrame({"xy": centred.x * centred.value, "xx": centred.x**2}).groupby(rows.seed).sum()
    return (products.xy / products.xx).to_numpy()


def slopes(metrics: pd.DataFrame) -> Figure:
    """Exponents of iterations in the batch size: a panel a loss, a line a rule, a marker a data set."""
    wanted = metrics[metrics.metric == "iterations"]
    wanted = wanted[wanted.fan_out.isin(np.sort(wanted.fan_out.unique())[-2:])]
    figure, panels = plt.subplots(1, 2, sharex=True, sharey=True, figsize=(7.6, 3.8))
    place = -np.arange(len(RULES))
    for axes, (loss, words) in zip(panels, LOSS_NAMES.items(), strict=True):
        for number, dataset in enumerate(dict.fromkeys(wanted[wanted.experiment == "grid"].dataset)):
            of_dataset = wanted[(wanted.dataset == dataset) & (wanted.loss == loss)]
            chosen = [of_dataset[(of_dataset[RULE_COLUMNS] == rule).all(axis=1)] for rule in RULES.values()]
            values = [_slopes(rows) for rows in chosen]
            middle = [of_rule.mean() if len(of_rule) else np.nan for of_rule in values]
            half = [stats.sem(of) * stats.t.ppf(0.975, len(of) - 1) if len(of) > 1 else np.nan for of in values]
            style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": "none", "label": dataset}
            axes.errorbar(middle, place + 0.12 - 0.24 * number, xerr=half, **style)
        axes.axvline(0, color="black", linewidth=0.8)
        axes.set(title=words, xlabel="exponent of iterations in the batch size")
    panels[0].set_yticks(place, list(RULES))
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
