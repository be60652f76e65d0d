"""Figures: quantization along training; each function takes the metrics table and returns one figure."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seedbed.core.plots import COLOURS, MARKERS

BLACK, BLUE, ORANGE, GREEN = COLOURS[6], COLOURS[0], COLOURS[1], COLOURS[2]
RUNS = {
    "trunk": ("constant rate", BLUE, "o"),
    "lawa": ("average (LAWA)", GREEN, "^"),
    "cooldown": ("cooled", ORANGE, "s"),
}


def _select(metrics: pd.DataFrame, **columns: object) -> pd.DataFrame:
    for column, value in columns.items():
        metrics = metrics[metrics[column] == value]
    return metrics


def _by(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean and standard error over seeds by ``column``."""
    return rows.groupby(column).value.agg(["mean", "sem"]).sort_index().fillna(0)


def _line(axes: Axes, rows: pd.DataFrame, scale: float = 1, **style: object) -> None:
    summary = _by(rows, "step") * scale
    axes.errorbar(summary.index.to_numpy(int), summary["mean"], summary["sem"], **style)


def qerror_and_lr_vs_tokens(metrics: pd.DataFrame) -> Figure:
    """3-bit GPTQ error and learning rate, and loss, of the trunk and its cooldowns."""
    rows = _select(metrics, experiment="cooldown", method="gptq", bits=3)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.4))
    rate = left.twinx()
    rate.spines["right"].set_visible(True)
    rate.grid(False)
    trunk = _select(rows, run="trunk")
    length = int(trunk.step.max())
    peak = float(trunk.lr.iloc[0])
    rate.plot([0, length], [peak, peak], color="0.5", linestyle=":", marker="")
    for axes, metric, scale in ((left, "relative_error", 100), (right, "loss", 1)):
        _line(axes, _select(trunk, metric=metric), scale, color=BLUE, marker="o", label="constant rate")
    cooled = _select(rows, run="cooldown")
    starts = sorted(trunk.step.astype(int).unique())
    for number, end in enumerate(sorted(cooled.total.astype(int).unique())):
        colour = COLOURS[1:][number % 6]
        before = max(step for step in starts if step < end)
        for axes, metric, scale in ((left, "relative_error", 100), (right, "loss", 1)):
            ends = [_by(_select(part, metric=metric, step=at), "step")["mean"].iloc[0] * scale
                    for part, at in ((trunk, before), (_select(cooled, total=end), end))]  # fmt: skip
            axes.plot([before, end], ends, color=colour, marker="", linestyle="--")
            _line(
                axes,
                _select(cooled, total=end, metric=metric),
                scale,
                color=colour,
                marker=MARKERS[1 + number % 6],
                label=f"cooled at {end:,}",
            )
        rate.plot([end - length / 10, end], [peak, 0], color=colour, linestyle=":", marker="")
    rate.set(ylim=(0, peak * 3), yticks=[0, peak], ylabel="learning rate (dotted)")
    left.set(xlabel="updates", ylabel="3-bit error: loss ratio − 1 (%)")
    right.set(xlabel="updates", ylabel="full-precision loss (nats)")
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper center", ncols=3)
    return figure


def fp_vs_quant_loss(metrics: pd.DataFrame) -> Figure:
    """Loss after against loss before quantization, means over seeds."""
    rows = metrics[metrics.experiment.isin(["cooldown", "sweep"]) & (metrics.method == "gptq")]
    figure, all_axes = plt.subplots(1, 2, figsize=(7.0, 3.6))
    for axes, bits in zip(all_axes, (3, 4), strict=True):
        part = rows[(rows.bits == bits) & rows.metric.isin(["loss", "quantized_loss"])]
        keys = ["run", "lr", "weight_decay", "total", "step"]
        means = part.pivot_table(index=keys, columns="metric", values="value").reset_index()
        for number, (run, points) in enumerate(means.groupby("run")):
            axes.plot(
                points.loss,
                points.quantized_loss,
                linestyle="",
                marker=MARKERS[number],
                color=COLOURS[number],
                alpha=0.8,
                label=run,
            )
        ends = means.loss.min(), means.loss.max()
        axes.plot(ends, ends, color="0.5", linestyle=":", marker="")
        axes.set(title=f"{bits} bits", xlabel="loss before (nats)")
    all_axes[0].set_ylabel("loss after (nats)")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside right center")
    return figure


def error_vs_loss(metrics: pd.DataFrame) -> Figure:
    """3-bit error against loss in the stable phase, by learning rate and by weight decay."""
    rows = metrics[metrics.experiment.isin(["cooldown", "sweep"]) & (metrics.method == "gptq") & (metrics.bits == 3)]
    rows = rows[rows.metric.isin(["loss", "relative_error"])]
    stable = sorted(set(_select(rows, run="lr").step) - set(_select(rows, run="lr").total))
    figure, all_axes = plt.subplots(1, 2, figsize=(7.0, 3.4), sharey=True)
    panels = {"lr": "peak learning rate", "weight_decay": "weight decay λ"}
    for axes, (factor, title) in zip(all_axes, panels.items(), strict=True):
        part = rows[rows.run.isin(["trunk", factor]) & rows.step.isin(stable)]
        means = part.pivot_table(index=[factor, "step"], columns="metric", values="value").reset_index()
        for number, level in enumerate(sorted(means[factor].unique(), key=float)):
            curve = means[means[factor] == level].sort_values("step")
            axes.plot(
                curve.loss, 100 * curve.relative_error, color=COLOURS[number], marker=MARKERS[number], label=level
            )
        axes.invert_xaxis()
        axes.set(xlabel="full-precision loss (nats), training →")
        axes.legend(title=title)
    all_axes[0].set_ylabel("3-bit error (%)")
    return figure


def delta_vs_budget(metrics: pd.DataFrame) -> Figure:
    """Loss through quantization at the end of cosine and WSD runs against their length."""
    rows = _select(metrics, method="gptq", bits=3, metric="delta")
    figure, axes = plt.subplots(figsize=(4.8, 3.6))
    for number, (run, label) in enumerate({"cosine": "cosine", "cooldown": "WSD"}.items()):
        part = _select(rows, run=run)
        if part.empty:
            continue
        summary = _by(part[part.step == part.total], "total")
        lengths = summary.index.to_numpy(float)
        axes.errorbar(
            lengths, summary["mean"], summary["sem"], linestyle="", color=COLOURS[number], marker=MARKERS[number]
        )
        slope, intercept = np.polyfit(np.log(lengths), np.log(summary["mean"].clip(lower=1e-9)), 1)
        axes.plot(
            lengths,
            np.exp(intercept) * lengths**slope,
            marker="",
            color=COLOURS[number],
            label=f"{label}: tokens to the power {slope:.2f}",
        )
    axes.set(xscale="log", yscale="log", xlabel="updates in all", ylabel="loss through 3-bit quantization (nats)")
    axes.legend()
    return figure


def lawa_vs_cooldown(metrics: pd.DataFrame) -> Figure:
    """Trunk, average and cooldown at the same steps: loss, 3-bit loss, 3-bit error."""
    rows = _select(metrics, experiment="cooldown", method="gptq", bits=3)
    shared = sorted(set(_select(rows, run="lawa").step))
    panels = {
        "loss": ("full-precision loss (nats)", 1),
        "quantized_loss": ("3-bit loss (nats)", 1),
        "relative_error": ("3-bit error (%)", 100),
    }
    figure, all_axes = plt.subplots(1, 3, figsize=(8.2, 3.2))
    for axes, (metric, (title, scale)) in zip(all_axes, panels.items(), strict=True):
        for run, (label, colour, marker) in RUNS.items():
            part = _select(rows, run=run, metric=metric)
            _line(axes, part[part.step.isin(shared)], scale, color=colour, marker=marker, label=label)
        axes.set(xlabel="updates", title=title)
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def backend_comparison(metrics: pd.DataFrame) -> Figure:
    """Decay jump by quantizer, mean and standard error over seeds."""
    rows = _select(metrics, experiment="cooldown", bits=3, metric="relative_error")
    figure, axes = plt.subplots(figsize=(5.6, 3.4))
    for number, (method, label) in enumerate({"rtn": "round to nearest", "gptq": "GPTQ", "awq": "AWQ"}.items()):
        part = _select(rows, method=method)
        if part.empty:
            continue
        cooled, trunk = (_select(part, run=run).set_index(["seed", "step"]).value for run in ("cooldown", "trunk"))
        jump = (cooled - trunk.reindex(cooled.index)).groupby("step").agg(["mean", "sem"]) * 100
        place = np.arange(len(jump)) + (number - 1) * 0.25
        axes.bar(place, jump["mean"], 0.22, yerr=jump["sem"], color=COLOURS[number], ecolor="0.3", label=label)
        axes.set_xticks(range(len(jump)), [f"{step:,}" for step in jump.index])
    axes.axhline(0, color="0.3", linewidth=0.8, marker="")
    axes.set(xlabel="update at which the cooldown ends", ylabel="decay jump of the 3-bit error (points)")
    axes.legend()
    return figure


def trace_sharpness_vs_step(metrics: pd.DataFrame) -> Figure:
    """Trace and top eigenvalue of trunk, averages and cooldowns."""
    rows = _select(metrics, experiment="geometry")
    panels = {"trace": "trace of the Hessian", "top_eigenvalue": "top eigenvalue"}
    figure, all_axes = plt.subplots(1, 2, figsize=(7.0, 3.3))
    for axes, (metric, title) in zip(all_axes, panels.items(), strict=True):
        for run, (label, colour, marker) in RUNS.items():
            _line(axes, _select(rows, run=run, metric=metric), color=colour, marker=marker, label=label)
        axes.set(xlabel="updates", ylabel=title, yscale="log")
    figure.legend(*all_axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def landscape(metrics: pd.DataFrame) -> Figure:
    """Loss planes, one a learning rate, with shared axes and levels."""
    rows = _select(metrics, experiment="geometry")
    planes = rows[rows.metric.str.startswith("plane_")]
    rates = sorted(planes.lr.unique(), key=float)
    figure, all_axes = plt.subplots(
        1, len(rates), figsize=(2.6 * len(rates) + 0.6, 3.0), sharex=True, sharey=True, squeeze=False
    )
    lowest, middle = planes[planes.metric == "plane_loss"].value.quantile([0, 0.6])
    levels = np.linspace(lowest, max(middle, lowest + 1e-3), 13)
    for axes, lr in zip(all_axes[0], rates, strict=True):
        part = planes[planes.lr == lr]
        alpha, beta, loss = (
            part[part.metric == f"plane_{name}"].pivot(index="row", columns="column", values="value").to_numpy(float)
            for name in ("alpha", "beta", "loss")
        )
        image = axes.contourf(alpha, beta, loss, levels=levels, cmap="cividis", extend="max")
        axes.plot(0, 0, "o", color="white", markeredgecolor="black")
        x, y = (
            rows[(rows.lr == lr) & (rows.metric == f"quantized_{name}")].value.iloc[0] for name in ("alpha", "beta")
        )
        axes.plot(x, y, "X", color="white", markeredgecolor="black", markersize=7)
        axes.set(title=f"peak {lr}", xlabel="towards the stable state")
        axes.grid(False)
    all_axes[0, 0].set_ylabel("towards the 3-bit model")
    figure.colorbar(image, ax=list(all_axes[0]), label="loss (nats)")
    return figure


def second_order_prediction(metrics: pd.DataFrame) -> Figure:
    """Predicted against measured loss through quantization, one point a model."""
    rows = _select(metrics, experiment="geometry")
    keys = ["run", "lr", "step", "seed"]
    rows = rows[rows.run.notna()]
    table = rows.pivot_table(index=keys, columns="metric", values="value")
    figure, axes = plt.subplots(figsize=(4.6, 3.8))
    for number, (name, label) in enumerate(
        {"predicted_delta": "gradient and curvature along Δ", "isotropic_delta": "trace · ‖Δ‖² / 2P"}.items()
    ):
        axes.plot(
            table[name],
            table.measured_delta,
            linestyle="",
            marker=MARKERS[number],
            color=COLOURS[number],
            alpha=0.6,
            label=label,
        )
    ends = [0, float(table.measured_delta.max())]
    axes.plot(ends, ends, color="0.4", linestyle=":", marker="")
    axes.set(xlabel="predicted (nats)", ylabel="measured (nats)")
    axes.legend()
    return figure


def layer_snr(metrics: pd.DataFrame) -> Figure:
    """Signal-to-noise ratio of quantized weights along training."""
    rows = _select(metrics, experiment="cooldown", bits=3, metric="snr")
    figure, axes = plt.subplots(figsize=(5.2, 3.4))
    for number, (method, label) in enumerate({"rtn": "round to nearest", "gptq": "GPTQ"}.items()):
        part = _select(rows, method=method)
        _line(axes, _select(part, run="trunk"), color=COLOURS[number], marker="o", label=f"{label}, constant rate")
        _line(
            axes,
            _select(part, run="cooldown"),
            color=COLOURS[number],
            marker="s",
            linestyle="",
            fillstyle="none",
            label=f"{label}, cooled",
        )
    axes.set(xlabel="updates", ylabel="signal to noise (dB)")
    axes.legend()
    return figure
