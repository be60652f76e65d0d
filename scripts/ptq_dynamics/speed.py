"""Race our GPTQ against the column-by-column form on layers of random weights and inputs, in one process.

Output: metrics that depend on the clock: the speed-up, and how many times the time of the arithmetic alone (at the rate
of matrix products measured in the same round) it takes; and the share of weights that both quantize alike.
"""

import torch

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.race import race
from seedbed.core.random import rng
from seedbed.ptq_dynamics.calibration import HessianAccumulator
from seedbed.ptq_dynamics.gptq import gptq_quantize
from seedbed.ptq_dynamics.gptq_by_column import gptq_by_column

BITS, DATASET = 4, "random"


def main(snakemake):
    settings = snakemake.params.settings
    metrics = Metrics("speed", DATASET, "race")
    for seed in range(settings["repeats"]):
        stream = rng(seed, "speed", DATASET)
        for rows, columns in settings["shapes"]:
            timed, alike = race_layer(rows, columns, settings["group_size"], stream)
            metrics.add(seed, timed, timing=True, rows=rows, columns=columns)
            metrics.add(seed, {"agreement": alike}, rows=rows, columns=columns)
    metrics.write(snakemake.output[0])


def race_layer(rows, columns, group_size, stream):
    """Inputs that share a few directions, as activations do; weights are normal."""
    w = torch.from_numpy(stream.normal(size=(rows, columns)).astype("float32"))
    mixing = stream.normal(size=(columns, columns)) / columns**0.5
    x = torch.from_numpy((stream.normal(size=(4 * columns, columns)) @ mixing).astype("float32"))
    hessian = HessianAccumulator(columns).update(x).value
    found = {}

    def ours():
        found["ours"] = gptq_quantize(w, hessian, BITS, group_size, sym=False).q

    def by_column():
        found["by_column"] = gptq_by_column(w, hessian, BITS, group_size, sym=False).q

    square = torch.ones(1024, 1024)
    peers = {"ours": ours, "by_column": by_column, "product": lambda: square @ square}
    seconds = race(peers, {"ours": 3, "by_column": 2, "product": 3})
    rate = 2 * 1024**3 / seconds["product"]
    limit = (rows * columns**2 + 2 * columns**3 / 3) / rate  # updates; factor and its inverse
    alike = float((found["ours"] == found["by_column"]).float().mean())
    return {"speedup": seconds["by_column"] / seconds["ours"], "over_limit": seconds["ours"] / limit}, alike


run(main, snakemake)
