"""Quantize every checkpoint of an experiment with one quantizer, and evaluate it before and after on the same tokens.

Inputs: the models, token files. Output: metrics, one row a checkpoint, seed and number of bits.
"""

from itertools import product

from seedbed.core.job import run
from seedbed.core.lm.tokenization import load_tokenizer
from seedbed.core.lm.tokens import read_tokens
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.ptq_dynamics.protocol import Protocol
from seedbed.ptq_dynamics.trajectories import checkpoints, new_models


def main(snakemake):
    experiment, dataset, method = (snakemake.wildcards[name] for name in ("experiment", "dataset", "method"))
    settings, recipe, shape = snakemake.params.settings, snakemake.params.recipe, snakemake.params.model
    (model,) = new_models(shape, load_tokenizer(snakemake.input.tokenizer).vocab_size, [0], dataset)
    protocol = Protocol(
        model.to(snakemake.params.device),
        read_tokens(snakemake.input.validation),
        read_tokens(snakemake.input.calibration),
        dataset,
        snakemake.params.evaluation,
        shape["context"],
        shape["micro_batch"] or 64,
    )

    def one(item):
        checkpoint, seed = item
        protocol.load(checkpoint.read(snakemake.input.models)[seed])
        return protocol.measure(seed, method, settings["quantizers"][method])

    items = list(product(checkpoints(experiment, recipe, settings), range(recipe["seeds"])))
    metrics = Metrics(experiment, dataset, method)
    for (checkpoint, seed), found in zip(items, work_off(one, items, snakemake.threads), strict=True):
        for bits, values in found.items():
            metrics.add(seed, values, **checkpoint.factors, bits=bits)
    metrics.write(snakemake.output[0])


run(main, snakemake)
