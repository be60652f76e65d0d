"""Figures of SMOTE and Mirrors; each function takes the metrics table and returns one figure."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from seedbed.core.plots import COLOURS, MARKERS
from seedbed.smote_privacy.recon_smote import recon_smote
from seedbed.smote_privacy.smote import smote_sample

ORDER = ["ecoli", "abalone", "car_eval_34", "solar_flare", "car_eval_4", "yeast_me2", "mammography", "abalone_19"]
"""Data sets by the number of synthetic rows per real row."""


def _present(metrics: pd.DataFrame) -> list[str]:
    return [name for name in ORDER if name in set(metrics.dataset)]


def _select(metrics: pd.DataFrame, **columns: str) -> pd.DataFrame:
    for column, value in columns.items():
        metrics = metrics[metrics[column] == value]
    return metrics


def principle(metrics: pd.DataFrame) -> Figure:
    """Six real rows, what SMOTE makes of them, and what ReconSMOTE gets back from the synthetic rows alone."""
    del metrics  # an illustration on made-up rows
    real = np.array([[0.1, 0.2], [0.5, 0.05], [0.95, 0.25], [0.85, 0.8], [0.4, 0.95], [0.05, 0.7]])
    synthetic = smote_sample(real, k=3, n_samples=80, rng=np.random.default_rng(1))[0]
    found = recon_smote(synthetic, k=3)
    figure, (before, after) = plt.subplots(1, 2, sharex=True, sharey=True, figsize=(6.4, 4.3))
    for axes in (before, after):
        axes.plot(*synthetic.T, linestyle="", marker=".", color="0.55", markersize=4, label="synthetic row")
        axes.set(aspect="equal", xlabel="feature 1")
    before.plot(*real.T, linestyle="", marker="o", color=COLOURS[0], markersize=7, label="real row")
    after.plot(*real.T, linestyle="", marker="o", fillstyle="none", color=COLOURS[0], markersize=10, label="real row")
    after.plot(*found.T, linestyle="", marker="X", color=COLOURS[1], markersize=6, label="reconstructed")
    before.set(title="what SMOTE releases", ylabel="feature 2")
    after.set(title="where three lines meet")
    figure.legend(*after.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def attacks_and_audits(metrics: pd.DataFrame) -> Figure:
    """How much the attacks find and how little the usual audits report, by data set."""
    series = {
        "DistinSMOTE, recall": _select(metrics, experiment="attack", method="distin_smote", metric="recall"),
        "ReconSMOTE, recall": _select(metrics, experiment="attack", method="recon_smote", metric="recall"),
        "membership from synthetic rows, AUC": _select(metrics, experiment="membership_syn", metric="auc"),
        "linkability, risk": _select(metrics, experiment="distance", method="linkability", metric="risk"),
        "random forest, precision": _select(metrics, experiment="forest", method="distinguisher", metric="precision"),
    }
    datasets = _present(metrics)
    figure, axes = plt.subplots(figsize=(6.8, 3.8))
    width = 0.8 / len(series)
    for number, (label, rows) in enumerate(series.items()):
        by_dataset = rows.groupby("dataset").value.agg(["mean", "std"]).reindex(datasets)
        place = np.arange(len(datasets)) + (number - (len(series) - 1) / 2) * width
        axes.bar(
            place, by_dataset["mean"], width, yerr=by_dataset["std"], label=label, color=COLOURS[number], ecolor="0.3"
        )
    axes.set_xticks(range(len(datasets)), datasets, rotation=20, ha="right")
    axes.set(ylim=(0, 1.08), ylabel="share, risk or AUC")
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def recall_by_ratio(metrics: pd.DataFrame) -> Figure:
    """Recall of ReconSMOTE against synthetic rows per real row, with the prediction and the lower bound."""
    rows = _select(metrics, experiment="ratio")
    figure, axes = plt.subplots()
    datasets = _present(rows)
    for number, (colour, marker, dataset) in enumerate(zip(COLOURS, MARKERS, datasets, strict=False)):
        of_set = rows[rows.dataset == dataset]
        measured = of_set[(of_set.method == "recon_smote") & (of_set.metric == "recall")]
        summary = measured.groupby("ratio").value.agg(["mean", "min", "max"])
        spread = np.abs(summary[["min", "max"]].to_numpy().T - summary["mean"].to_numpy())
        place = summary.index.to_numpy(dtype=float) * 1.04 ** (number - len(datasets) // 2)  # side by side
        axes.errorbar(place, summary["mean"], spread, color=colour, marker=marker, linestyle="", label=dataset)
        graph = of_set[of_set.metric == "graph"].groupby("ratio").value.mean()
        axes.plot(graph.index, graph, color=colour, marker="", linestyle="--")
    bound = rows[rows.metric == "bound"].groupby("ratio").value.min()
    axes.plot(bound.index, bound, color="0.4", marker="", linestyle=":", label="lower bound (out-edges, ours)")
    axes.plot([], [], color="0.4", marker="", linestyle="--", label="prediction from the graph (ours)")
    axes.set_xscale("log")
    ratios = sorted(rows.ratio.dropna().astype(int).unique())
    axes.set_xticks(ratios, [str(ratio) for ratio in ratios])
    axes.minorticks_off()
    axes.set(xlabel="synthetic rows per real row", ylabel="recall of ReconSMOTE")
    axes.legend(fontsize=7.5)
    return figure


def recall_by_k(metrics: pd.DataFrame) -> Figure:
    """Recall of both attacks against the number of neighbours that SMOTE interpolates between."""
    rows = _select(metrics, experiment="neighbours", metric="recall")
    figure, axes = plt.subplots()
    styles = {"distin_smote": ("DistinSMOTE", "--"), "recon_smote": ("ReconSMOTE", "-")}
    for colour, marker, dataset in zip(COLOURS, MARKERS, _present(rows), strict=False):
        for method, (label, line) in styles.items():
            of_method = rows[(rows.dataset == dataset) & (rows.method == method)]
            summary = of_method.groupby("k").value.agg(["mean", "std"])
            axes.errorbar(
                summary.index, summary["mean"], summary["std"], color=colour, marker=marker, linestyle=line,
                label=f"{label}, {dataset}",
            )  # fmt: skip
    axes.set_xticks(sorted(rows.k.dropna().astype(int).unique()))
    axes.set(xlabel="neighbours k", ylabel="recall", ylim=(0, 1.05))
    axes.legend()
    return figure


def noise_and_tolerance(metrics: pd.DataFrame) -> Figure:
    """Precision of DistinSMOTE and recall of ReconSMOTE under noise, by the tolerance of the attack."""
    rows = _select(metrics, experiment="noise")
    panels = {"DistinSMOTE, precision": ("distin_smote", "precision"), "ReconSMOTE, recall": ("recon_smote", "recall")}
    figure, all_axes = plt.subplots(1, 2, figsize=(6.8, 3.1), sharey=True)
    for axes, (title, (method, metric)) in zip(all_axes, panels.items(), strict=True):
        cells = rows[(rows.method == method) & (rows.metric == metric)]
        table = cells.pivot_table(index="tol", columns="noise", values="value")
        table = table.loc[sorted(table.index, key=float), sorted(table.columns, key=float)]
        image = axes.imshow(table, vmin=0, vmax=1, cmap="cividis", aspect="auto")
        for (y, x), value in np.ndenumerate(table.to_numpy()):
            axes.text(
                x,
                y,
                "not run" if np.isnan(value) else f"{value:.2f}",
                ha="center",
                va="center",
                color="white" if value < 0.6 else "black",
                fontsize=8,
            )
        axes.set_xticks(range(len(table.columns)), table.columns)
        axes.set_yticks(range(len(table.index)), table.index)
        axes.set(title=title, xlabel="half-width of the noise")
        axes.grid(False)
    all_axes[0].set_ylabel("tolerance of the attack")
    figure.colorbar(image, ax=all_axes)
    return figure


def membership(metrics: pd.DataFrame) -> Figure:
    """AUC of membership inference, one value a target row, by what the adversary sees."""
    rows = metrics[metrics.experiment.isin(["membership_syn", "membership_clf"])]
    labels = {"clf": "classifier, no SMOTE", "aug_clf": "classifier, SMOTE", "syn": "synthetic rows"}
    datasets = _present(rows)
    figure, axes = plt.subplots(figsize=(6.8, 3.6))
    series = [(label, rows[(rows.method == method) & (rows.metric == "auc")]) for method, label in labels.items()]
    series.append(("synthetic rows, labels permuted", rows[(rows.method == "syn") & (rows.metric == "auc_permuted")]))
    for number, (label, part) in enumerate(series):
        values = {i: part[part.dataset == name].value.to_numpy() for i, name in enumerate(datasets)}
        values = {i: of_set for i, of_set in values.items() if len(of_set)}
        places = np.array(list(values)) + (number - 1.5) * 0.2
        boxes = axes.boxplot(
            list(values.values()), positions=places, widths=0.17, patch_artist=True, flierprops={"markersize": 2}
        )
        for box in boxes["boxes"]:
            box.set(facecolor=COLOURS[number], alpha=0.7)
        for line in boxes["medians"]:
            line.set(color="black", marker="")
        for line in [*boxes["whiskers"], *boxes["caps"]]:
            line.set(marker="")
        axes.bar(0, 0, color=COLOURS[number], alpha=0.7, label=label)
    axes.axhline(0.5, color="0.4", linewidth=0.8, linestyle=":", marker="")
    axes.set_xticks(range(len(datasets)), datasets, rotation=20, ha="right")
    axes.set(ylabel="AUC of the attack", xlim=(-0.6, len(datasets) - 0.4))
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def runtime(metrics: pd.DataFrame) -> Figure:
    """Seconds of DistinSMOTE against the rows that it looks at, one dot a round."""
    rows = _select(metrics, experiment="speed", metric="attack_seconds")
    figure, axes = plt.subplots()
    axes.loglog(rows.n_rows, rows.value, linestyle="", color=COLOURS[0], label="DistinSMOTE, ours")
    middle = rows.groupby("n_rows").value.median()
    slope, intercept = np.polyfit(np.log(middle.index.to_numpy(dtype=float)), np.log(middle), 1)
    line = np.exp(intercept) * middle.index.to_numpy(dtype=float) ** slope
    axes.loglog(middle.index, line, color="0.4", marker="", linestyle="--", label=f"rows to the power {slope:.2f}")
    axes.set_xticks(middle.index, [str(size) for size in middle.index])
    axes.minorticks_off()
    axes.set(xlabel="rows of the augmented minority", ylabel="seconds")
    axes.legend()
    return figure
