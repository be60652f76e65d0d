"""How figures look: one style, readable in grey and by colour-blind readers, the same bytes each time."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from seedbed.core.files import write_whole

COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]  # Okabe and Ito
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
STYLE = {
    "figure.figsize": (6.4, 3.8),
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS, marker=MARKERS),
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "lines.markersize": 4,
    "svg.fonttype": "none",
    "svg.hashsalt": "seedbed",
}


@contextmanager
def style() -> Iterator[None]:
    """The project's matplotlib style inside a ``with`` block."""
    with plt.rc_context(STYLE):
        yield


def save(figure: Figure, path: Path | str) -> None:
    """Write ``figure`` as SVG without a date, whole or not at all, and close it."""
    content = io.BytesIO()
    figure.savefig(content, format="svg", metadata={"Date": None, "Creator": "Seedbed"})
    plt.close(figure)
    write_whole(path, content.getvalue())
