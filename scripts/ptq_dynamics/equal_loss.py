"""Compare errors of the runs of a sweep, and of the trunk, at equal loss in the stable phase.

Inputs: metrics of the cooldown and sweep experiments for one quantizer. Output: metrics, one row a level of the factor
that is varied (`run` says which), seed and number of bits.
"""

import pandas as pd

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.tables import read_table
from seedbed.ptq_dynamics.equal_loss import errors_at_equal_loss

FACTORS = ("lr", "weight_decay")


def main(snakemake):
    steps = snakemake.params.steps
    metrics = Metrics("equal_loss", snakemake.wildcards.dataset, snakemake.wildcards.method)
    measured = pd.concat([read_table(path) for path in snakemake.input])
    measured = measured[(measured.step <= max(steps)) & (measured.step >= min(steps))]
    keys = ["run", *FACTORS, "step", "bits", "seed"]
    table = measured.pivot_table(index=keys, columns="metric", values="value").reset_index()
    for factor in FACTORS:
        for (bits, seed), rows in table[table.run.isin(["trunk", factor])].groupby(["bits", "seed"]):
            curves = {
                level: list(zip(part.loss, part.relative_error, strict=True)) for level, part in rows.groupby(factor)
            }
            for level, error in errors_at_equal_loss(curves).items():
                metrics.add(seed, {"error_at_equal_loss": error}, run=factor, level=level, bits=int(bits))
    metrics.write(snakemake.output[0])


run(main, snakemake)
