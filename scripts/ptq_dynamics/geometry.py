"""Curvature at checkpoints of both experiments, and the loss on a plane at the end of a run of each learning rate.

Inputs: the models of both, token files. Output: metrics; those of the planes (first seed) have places on the grid as
factors.
"""

from itertools import product

import numpy as np

from seedbed.core.job import run
from seedbed.core.lm.data_order import windows
from seedbed.core.lm.tokenization import load_tokenizer
from seedbed.core.lm.tokens import read_tokens
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.core.random import rng
from seedbed.ptq_dynamics.geometry import geometry, next_token_loss, planes
from seedbed.ptq_dynamics.protocol import Protocol
from seedbed.ptq_dynamics.trajectories import checkpoints, ends_by_rate, new_models

QUANTIZER = "gptq"


def main(snakemake):
    dataset, settings = snakemake.wildcards.dataset, snakemake.params.settings
    recipe, shape = snakemake.params.recipe, snakemake.params.model
    experiments = {name: snakemake.params[name] for name in ("cooldown", "sweep")}
    validation = read_tokens(snakemake.input.validation)
    (model,) = new_models(shape, load_tokenizer(snakemake.input.tokenizer).vocab_size, [0], dataset)
    text = read_tokens(snakemake.input.calibration)
    model.to(snakemake.params.device)
    protocol = Protocol(model, validation, text, dataset, snakemake.params.evaluation, shape["context"])
    starts = np.arange(settings["sequences"]) * (len(validation) // settings["sequences"])
    tokens = windows(validation, starts, shape["context"] + 1).to(model.device)

    def one(item):
        (name, checkpoint), seed = item
        protocol.load(checkpoint.read(snakemake.input[name])[seed])
        after = protocol.quantized(seed, QUANTIZER, settings["bits"])
        stream = rng(seed, "geometry", dataset)
        return geometry(model, after, tokens, settings["probes"], settings["iterations"], stream)

    chosen = [
        (name, checkpoint)
        for name, experiment in experiments.items()
        for checkpoint in checkpoints(name, recipe, experiment)
        if is_chosen(checkpoint.factors, settings["steps"])
    ]
    metrics = Metrics("geometry", dataset, "hessian")
    items = list(product(chosen, range(recipe["seeds"])))
    for ((_, checkpoint), seed), values in zip(items, work_off(one, items, snakemake.threads), strict=True):
        metrics.add(seed, values, **checkpoint.factors, bits=settings["bits"])

    ends = ends_by_rate(recipe, *experiments.values())
    triples = {}
    for lr, (name, end, earlier_name, earlier) in ends.items():
        now, before = end.read(snakemake.input[name])[0], earlier.read(snakemake.input[earlier_name])[0]
        protocol.load(now)
        triples[lr] = (now, before, protocol.quantized(0, QUANTIZER, settings["bits"]))
    for lr, place, values in planes(
        model, lambda model: float(next_token_loss(model, tokens)), triples, settings["plane"]
    ):
        metrics.add(0, values, lr=lr, **place)
    metrics.write(snakemake.output[0])


def is_chosen(factors, steps):
    """Stable and cooled states, averages, and where runs of other rates end."""
    if factors["run"] == "lr":
        return factors["step"] == factors["total"]
    return factors["run"] in ("trunk", "cooldown", "lawa") and factors["step"] in steps


run(main, snakemake)
