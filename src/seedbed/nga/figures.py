"""Figures of nga; each function takes the metrics table and returns one figure."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rdkit import Chem
from rdkit.Chem import rdDepictor
from scipy.special import stdtrit

from seedbed.core.plots import COLOURS, MARKERS
from seedbed.nga.common_part import mces

LABELS = {
    "neural": "NGA",
    "neural_tabu": "NGA + tabu (ours)",
    "tabu_search": "tabu search",
    "local_search": "local search",
    "graduated_assignment": "graduated assignment",
    "random_walk": "RRWM",
    "rascal": "RASCAL",
    "rascal_default": "RASCAL, own options",
    "exact": "exact (HiGHS)",
}
SETS = {
    "chembl_small": "ChEMBL, 18–26 atoms",
    "chembl_large": "ChEMBL, 31–38 atoms",
    "nci_large": "NCI, 31–38 atoms",
    "aids": "AIDS, 31+ atoms",
    "mutag": "MUTAG, 18–28 atoms",
    "molhiv": "MOLHIV, 31+ atoms",
}


def _rows(metrics: pd.DataFrame, experiment: str, *names: str, **factors: str) -> pd.DataFrame:
    """Rows of an experiment's metrics; factors that a smoke run lacks are missing in all rows."""
    rows = metrics[(metrics.experiment == experiment) & metrics.metric.isin(names)]
    for column, value in factors.items():
        rows = rows[rows[column] == value]
    return rows.reindex(columns=[*rows.columns.union(["arm", "layer", "epoch"], sort=False)])


def _mean_and_half_width(rows: pd.DataFrame) -> tuple[float, float]:
    """Mean over pairs, each the mean of its seeds, and half of its 95 % interval (Student t)."""
    values = rows.groupby("pair").value.mean()
    n = len(values)
    return values.mean(), stdtrit(n - 1, 0.975) * values.std() / n**0.5 if n > 1 else 0.0


def accuracy_by_method(metrics: pd.DataFrame) -> Figure:
    """Accuracy of all solvers on all data sets."""
    rows = _rows(metrics, "solve", "accuracy")
    methods = [method for method in LABELS if method in set(rows.method)]
    figure, axes = plt.subplots(figsize=(6.4, 0.9 + 0.5 * len(methods)))
    present = [name for name in SETS if name in set(rows.dataset)]
    for number, dataset in enumerate(present):
        of_set = rows[rows.dataset == dataset]
        middle, width = zip(*[_mean_and_half_width(of_set[of_set.method == m]) for m in methods], strict=True)
        place = np.arange(len(methods)) + (number - (len(present) - 1) / 2) * 0.8 / len(present)
        style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": "", "capsize": 2}
        axes.errorbar(middle, place, xerr=width, label=SETS[dataset], **style)
    axes.set_yticks(range(len(methods)), [LABELS[method] for method in methods])
    axes.invert_yaxis()
    axes.set(xlabel="common bonds found, % of the optimum", xlim=(-3, 104))
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure


def accuracy_over_time(metrics: pd.DataFrame) -> Figure:
    """The anytime curves."""
    rows = _rows(metrics, "speed", "accuracy", method="anytime")
    figure, axes = plt.subplots(figsize=(6.4, 4.4))
    names = [name for name in LABELS if name in set(rows.solver)]
    for number, solver in enumerate(names):
        curve = rows[rows.solver == solver].groupby("ms").value.mean()
        style = {"color": COLOURS[number % 7], "marker": MARKERS[number % 7], "linestyle": "-" if number < 7 else "--"}
        axes.plot(curve.index.to_numpy(float) / 1000, curve, label=LABELS[solver], **style)
    axes.set(xscale="log", xlabel="seconds on one core", ylabel="common bonds found, % of the optimum", ylim=(-2, 102))
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure


ARMS = {
    "default": "m = 4, d = 32, 8 samples",
    "m2": "m = 2",
    "m1": "m = 1",
    "m0": "m = 0, no layers",
    "d4": "d = 4",
    "d1": "d = 1",
    "d1_fast": "d = 1, β learned 32 × as fast",
    "scalar": "scalar β",
    "scalar_fast": "scalar β, 32 × as fast",
    "fixed_beta": "β on a fixed schedule",
    "no_noise": "no Gumbel noise",
    "one_sample": "1 sample",
    "one_sample_long": "1 sample, 8 × the epochs",
    "acg_gnn": "network on the association graph",
}


def ablation(metrics: pd.DataFrame) -> Figure:
    """Accuracy of all arms."""
    rows = _rows(metrics, "ablation", "accuracy")
    arms = [arm for arm in ARMS if arm in set(rows.arm)]
    figure, axes = plt.subplots(figsize=(6.4, 0.8 + 0.28 * len(arms)))
    for place, arm in enumerate(arms):
        middle, width = _mean_and_half_width(rows[rows.arm == arm])
        colour = COLOURS[1] if arm == "default" else COLOURS[0]
        axes.errorbar(middle, place, xerr=width, color=colour, marker="o", capsize=2)
    axes.set_yticks(range(len(arms)), [ARMS[arm] for arm in arms])
    axes.invert_yaxis()
    axes.set(xlabel="common bonds found, % of the optimum")
    return figure


def temperatures(metrics: pd.DataFrame) -> Figure:
    """β of each layer over training."""
    rows = _rows(metrics, "ablation", "beta")
    figure, axes = plt.subplots(figsize=(6.0, 3.6))
    for number, (layer, of_layer) in enumerate(rows.groupby("layer")):
        curve = of_layer.groupby("epoch").value.mean()
        style = {"color": COLOURS[number], "marker": MARKERS[number], "markevery": 10}
        axes.plot(curve.index.to_numpy(float), curve, label=f"layer {layer}", **style)
    axes.axhspan(min(axes.get_ylim()[0], -1), 0, color="0.9", zorder=0)
    axes.set(xlabel="epoch", ylabel="temperature β")
    axes.legend()
    return figure


def time_by_size(metrics: pd.DataFrame) -> Figure:
    """Seconds against the number of cells, with power laws."""
    rows = _rows(metrics, "speed", "seconds", method="scaling")
    figure, axes = plt.subplots(figsize=(6.0, 3.8))
    for number, (solver, of_solver) in enumerate(rows.groupby("solver")):
        cells, seconds = of_solver.cells.to_numpy(float), of_solver.value.to_numpy()
        slope, intercept = np.polyfit(np.log(cells), np.log(seconds), 1)
        style = {"color": COLOURS[number], "marker": MARKERS[number]}
        axes.plot(cells, seconds, linestyle="", label=f"{LABELS[solver]}: power {slope:.1f}", **style)
        grid = np.geomspace(cells.min(), cells.max(), 20)
        axes.plot(grid, np.exp(intercept) * grid**slope, color=COLOURS[number], marker="", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlabel="n1 n2", ylabel="seconds on one core")
    figure.legend(loc="outside lower center", ncols=2, fontsize=8)
    return figure


def similarity(metrics: pd.DataFrame) -> Figure:
    """Estimated against true similarity."""
    rows = _rows(metrics, "retrieval", "similarity", "true")
    table = rows.pivot_table(index=["method", "pair"], columns="metric", values="value").reset_index()
    names = {"neural": "NGA", "neural_tabu": "NGA + tabu (ours)", "fingerprint": "Morgan fingerprints"}
    figure, axes = plt.subplots(figsize=(4.8, 4.6))
    axes.plot([0, 1], [0, 1], color="0.5", linewidth=0.8, marker="")
    for number, (method, of_method) in enumerate(table.groupby("method")):
        style = {"color": COLOURS[number], "marker": MARKERS[number], "linestyle": "", "fillstyle": "none"}
        axes.plot(of_method.true, of_method.similarity, label=names[method], **style)
    axes.set(xlabel="true Johnson similarity", ylabel="estimated similarity", xlim=(0, 1.02), ylim=(0, 1.02))
    figure.legend(loc="outside lower center", ncols=3, fontsize=8)
    return figure


EXAMPLE = {
    "imatinib": "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1",
    "nilotinib": "Cc1ccc(C(=O)Nc2cc(-n3cnc(C)c3)cc(C(F)(F)F)c2)cc1Nc1nccc(-c2cccnc2)n1",
}


def example(metrics: pd.DataFrame) -> Figure:
    """Two molecules and their common bonds."""
    del metrics  # an illustration
    first, second = (Chem.MolFromSmiles(smiles) for smiles in EXAMPLE.values())
    common = mces(first, second, method="exact")
    figure, both = plt.subplots(1, 2, figsize=(8.0, 3.4))
    images = [(common.mapping[u], common.mapping[v]) for u, v in common.edges]
    for axes, name, molecule, bonds in zip(both, EXAMPLE, (first, second), (common.edges, images), strict=True):
        _draw(axes, molecule, {frozenset(bond) for bond in bonds})
        axes.set(title=f"{name}, {molecule.GetNumBonds()} bonds, {common.size} common")
    return figure


def _draw(axes: Axes, molecule: Chem.Mol, common: set[frozenset[int]]) -> None:
    rdDepictor.Compute2DCoords(molecule)
    places = molecule.GetConformer().GetPositions()[:, :2]
    for bond in molecule.GetBonds():
        ends = [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()]
        colour, width = (COLOURS[1], 4) if frozenset(ends) in common else ("0.6", 1.5)
        axes.plot(*places[ends].T, marker="", solid_capstyle="round", color=colour, linewidth=width)
    for atom, place in zip(molecule.GetAtoms(), places, strict=True):
        if atom.GetSymbol() != "C":
            box = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": "none"}
            axes.text(*place, atom.GetSymbol(), ha="center", va="center", fontsize=8, bbox=box)
    axes.set_aspect("equal")
    axes.axis("off")
