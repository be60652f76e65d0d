"""Figures of CAP; each function takes the metrics table and returns one figure, empty where a scale has no rows."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seedbed.core.plots import COLOURS, MARKERS
from seedbed.lowrank_sparse.statistics import BINS

NAMES = {
    "cap": "CAP",
    "cap_activations": "CAP, inputs scaled (ours)",
    "wanda": "Wanda",
    "oats": "OATS",
    "sparsegpt": "SparseGPT",
    "magnitude_global": "magnitude, global",
    "svd": "SVD",
}
RIVALS = ["magnitude_global", "wanda", "sparsegpt", "oats", "svd"]


def _select(metrics: pd.DataFrame, **columns: object) -> pd.DataFrame:
    for column, value in columns.items():
        if column not in metrics:
            return metrics[:0]
        metrics = metrics[metrics[column] == value]
    return metrics


def _log(axes: Axes, **scales: str) -> None:
    """Logarithmic scales, where there is something to show."""
    if axes.has_data() and any(len(line.get_xdata()) for line in axes.lines):
        axes.set(**scales)


def _paper(metrics: pd.DataFrame, metric: str, dataset: str) -> pd.DataFrame:
    rows = _select(metrics, experiment="cap", method="cap", variant="paper", metric=metric, dataset=dataset)
    return _select(rows, ratio=50, seed=0)


def pareto(metrics: pd.DataFrame) -> Figure:
    """Loss against the share of weights removed, all methods, byte model."""
    rows = _select(metrics, metric="loss", dataset="bytelm")
    series = {method: _select(rows, experiment="compress", method=method) for method in RIVALS}
    series["cap_activations"] = _select(rows, experiment="cap", method="cap_activations")
    series["cap"] = _select(rows, experiment="cap", method="cap", variant="paper")
    figure, axes = plt.subplots()
    for number, (method, of_method) in enumerate(series.items()):
        windows = of_method.groupby(["ratio", "window"]).value.mean().groupby("ratio")
        mean, error = windows.mean(), windows.sem()
        style = {"color": COLOURS[number], "marker": MARKERS[number], "linewidth": 2.4 if method == "cap" else 1.2}
        axes.errorbar(mean.index.astype(float), mean, error, label=NAMES[method], **style)
    dense = _select(rows, experiment="compress", method="dense").value.mean()
    axes.axhline(dense, color="0.4", linestyle=":", label="dense")
    axes.set(xlabel="weights removed (%)", ylabel="loss (nats per byte)")
    axes.legend(fontsize=7.5)
    return figure


def rpca_convergence(metrics: pd.DataFrame) -> Figure:
    """Residual, rank and density against iterations of robust PCA, and the loss at 50 %."""
    rows = _select(metrics, experiment="iterations", dataset="bytelm")
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.6))
    labels = {
        "rpca_rank_share": "rank of L / full",
        "rpca_density": "density of S",
        "rpca_residual": "relative residual",
    }
    for metric, label in labels.items():
        mean = _select(rows, metric=metric, residual="discarded").groupby("rpca_iterations").value.mean()
        left.plot(mean.index.astype(float), mean, label=label)
    _log(left, xscale="log", yscale="log")
    left.set(xlabel="iterations", ylabel="share (mean over matrices)")
    left.legend()
    for residual in ("discarded", "kept"):
        windows = _select(rows, metric="loss", residual=residual).groupby("rpca_iterations").value
        mean, error = windows.mean(), windows.sem()
        right.errorbar(mean.index.astype(float), mean, error, label=f"residual {residual}")
    _log(right, xscale="log")
    right.set(xlabel="iterations", ylabel="loss at 50 % (nats per byte)")
    right.legend()
    return figure


def lambda_sweep(metrics: pd.DataFrame) -> Figure:
    """Rank of L and density of S against λ."""
    rows = _select(metrics, experiment="lambdas", dataset="bytelm")
    figure, axes = plt.subplots()
    for metric, label in {"rpca_rank_share": "rank of L / full rank", "rpca_density": "density of S"}.items():
        matrices = _select(rows, metric=metric).groupby("lambda_tenths").value
        mean, spread = matrices.mean(), matrices.std()
        axes.errorbar(mean.index.astype(float) / 10, mean, spread, label=label)
    _log(axes, xscale="log")
    axes.set(xlabel="λ / (1 / √max(m, n))", ylabel="share", ylim=(0, 1.08))
    axes.legend()
    return figure


def budget_heatmap(metrics: pd.DataFrame) -> Figure:
    """Share of its parameters that each matrix keeps, and how much of it is in factors."""
    models = [model for model in ("bytelm", "smollm2") if len(_paper(metrics, "kept", model))]
    figure, grid = plt.subplots(len(models), 2, figsize=(7.2, 2.9 * len(models)), squeeze=False)
    titles = {"kept": "parameters kept", "low_rank_share": "of these in factors"}
    for row, model in zip(grid, models, strict=True):
        for axes, (metric, title) in zip(row, titles.items(), strict=True):
            rows = _paper(metrics, metric, model)
            parts = rows.matrix.str.extract(r"(\d+)\..*\.(\w+)_proj").set_axis(["block", "kind"], axis=1)
            table = rows.assign(block=parts.block.astype(int), kind=parts.kind)
            table = table.pivot_table(index="block", columns="kind", values="value")[
                ["q", "k", "v", "o", "gate", "up", "down"]
            ]
            image = axes.imshow(table, cmap="cividis", aspect="auto")
            axes.set_xticks(range(7), table.columns)
            axes.set_yticks(range(len(table)), table.index)
            axes.set(title=f"{model}: {title}", ylabel="block")
            axes.grid(False)
            figure.colorbar(image, ax=axes)
    return figure


def probability_histogram(metrics: pd.DataFrame) -> Figure:
    """Probabilities before and after the policy gradient, by kind of candidate."""
    figure, grid = plt.subplots(1, 2, figsize=(7.2, 3.4), sharey=True)
    three = _select(metrics, experiment="cap", method="cap", variant="paper", dataset="bytelm", ratio=50)
    long = _select(metrics, experiment="policy", variant="steps_300")
    centres = (BINS[:-1] + BINS[1:]) / 2
    titles = {"rank": "singular triples of L", "entry": "entries of S"}
    for axes, (kind, title) in zip(grid, titles.items(), strict=True):
        series = {"before": (three, "before"), "3 steps": (three, "after"), "300 steps": (long, "after")}
        for label, (rows, when) in series.items():
            shares = _select(rows, metric=f"probability_{when}", kind=kind, seed=0).sort_values("bin").value
            if len(shares):
                axes.step(centres, shares.clip(lower=1e-6), where="mid", marker="", label=label)
        _log(axes, yscale="log")
        axes.set(title=title, xlabel="probability")
    grid[0].set(ylabel="share of candidates")
    grid[1].legend()
    return figure


def pg_trace(metrics: pd.DataFrame) -> Figure:
    """Sampled loss and baseline along 300 policy steps, and the mean square of the gradient."""
    rows = _select(metrics, experiment="policy", variant="steps_300", seed=0)
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.2, 3.4))
    for metric, label in {"policy_loss": "sampled mask", "policy_baseline": "baseline"}.items():
        trace = _select(rows, metric=metric).sort_values("step")
        left.plot(trace.step.astype(float), trace.value, marker="", label=label)
    left.set(xlabel="step", ylabel="calibration loss (nats per byte)")
    left.legend()
    trace = _select(rows, metric="policy_gradient_square").sort_values("step")
    right.plot(trace.step.astype(float), trace.value, marker="")
    _log(right, yscale="log")
    right.set(xlabel="step", ylabel="mean square of the gradient")
    return figure


def policy_gain(metrics: pd.DataFrame) -> Figure:
    """Loss without policy minus with it, by number of steps, for each seed."""
    gains = _select(metrics, metric="policy_gain", dataset="bytelm", ratio=50)
    rows = gains[gains.experiment.isin(["cap", "policy"])] if len(gains) else gains
    figure, axes = plt.subplots()
    for number, (steps, of_steps) in enumerate(rows.groupby("policy_iterations")):
        x = number + np.linspace(-0.15, 0.15, len(of_steps))
        axes.plot(x, of_steps.value, linestyle="", color=COLOURS[0], marker="o")
        axes.plot([number - 0.25, number + 0.25], [of_steps.value.mean()] * 2, color="0.2", marker="")
        axes.annotate(f"{steps} steps", (number, 0), (0, 4), textcoords="offset points", ha="center")
    axes.axhline(0, color="0.4", linestyle=":", marker="")
    axes.set_xticks([])
    axes.set(xlabel="policy steps (a point is a seed, a bar their mean)", ylabel="gain (nats per byte)")
    return figure


def sensitivity_vs_budget(metrics: pd.DataFrame) -> Figure:
    """Share that a matrix keeps against the loss if it alone is compressed."""
    rows = _select(metrics, experiment="sensitivity", dataset="bytelm")
    kept, alone = (_select(rows, metric=metric) for metric in ("kept", "sensitivity"))
    figure, axes = plt.subplots()
    if len(alone):
        kept, loss = kept.set_index("matrix").value, alone.set_index("matrix").value
        kinds = kept.index.str.extract(r"\.(\w+)_proj")[0].to_numpy()
        for number, kind in enumerate(sorted(set(kinds))):
            of_kind = kinds == kind
            style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": ""}
            axes.plot(loss[of_kind], kept[of_kind], label=kind, **style)
        axes.legend(ncols=2)
    axes.axhline(0.5, color="0.4", linestyle=":", marker="")
    axes.set(xlabel="loss if compressed alone to 50 % (nats per byte)", ylabel="share of parameters kept")
    return figure


def spectrum_by_layer(metrics: pd.DataFrame) -> Figure:
    """Singular values of W and of L, by kind of matrix."""
    rows = _select(metrics, experiment="sensitivity", dataset="bytelm")
    figure, axes = plt.subplots()
    if len(rows):
        kinds = rows.matrix.str.extract(r"\.(\w+)_proj")[0]
        for number, kind in enumerate(["q", "v", "up", "down"]):
            for metric, line in {"sigma_whole": "-", "sigma_low_rank": "--"}.items():
                mean = _select(rows[kinds == kind], metric=metric).groupby("index").value.mean()
                style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": line}
                axes.plot(mean.index.astype(float), mean, label=kind if line == "-" else None, **style)
        axes.plot([], [], color="0.4", marker="", linestyle="--", label="L, after 10 iterations")
        axes.legend()
    axes.set(xlabel="index", ylabel="singular value / largest of W")
    return figure


def speed_vs_density(metrics: pd.DataFrame) -> Figure:
    """Wall time of a half-empty CSR matrix and of a dense one over that of a CAP layer."""
    rows = _select(metrics, experiment="speed")
    figure, axes = plt.subplots()
    for metric, label in {"over_half": "50 % CSR / CAP", "over_dense": "dense / CAP"}.items():
        of_metric = _select(rows, metric=metric, rows=rows.rows.max())
        repeats = of_metric.groupby("density").value
        mean = repeats.median()
        spread = np.abs(repeats.quantile([0.25, 0.75]).unstack().to_numpy().T - mean.to_numpy())
        axes.errorbar(mean.index.astype(float), mean, spread, label=label)
    axes.axhline(1, color="0.4", linestyle=":", marker="")
    axes.set(xlabel="density of S (%)", ylabel="ratio of wall times (above 1: CAP is faster)")
    axes.legend()
    return figure
