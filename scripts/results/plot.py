"""Draw the figures that a paper's card names, from its metrics.

Input: metrics.parquet. Outputs: figures/<name>.svg.
"""

from importlib import import_module
from pathlib import Path

from seedbed.core.job import run
from seedbed.core.plots import save, style
from seedbed.core.tables import read_table


def main(snakemake):
    figures = import_module(f"seedbed.{snakemake.params.paper}.figures")
    metrics = read_table(snakemake.input[0])
    for path in snakemake.output:
        with style():
            save(getattr(figures, Path(path).stem)(metrics), path)


run(main, snakemake)
