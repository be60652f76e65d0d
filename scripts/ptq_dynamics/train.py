"""Train all runs of an experiment over all seeds.

Inputs: token files. Outputs: the models (one tensor, seeds × parameters, a kept step) and a metrics table with the
gradient norm before clipping, every tenth update. Checkpoints lie under `work/` while the job runs.
"""

import shutil
from pathlib import Path

from safetensors.torch import save_file

from seedbed.core.files import whole
from seedbed.core.job import run
from seedbed.core.lm.tokenization import load_tokenizer
from seedbed.core.lm.tokens import read_tokens
from seedbed.core.metrics import Metrics
from seedbed.ptq_dynamics.training import train_all
from seedbed.ptq_dynamics.trajectories import PLANS


def main(snakemake):
    experiment, dataset = snakemake.wildcards.experiment, snakemake.wildcards.dataset
    recipe, model, work = snakemake.params.recipe, snakemake.params.model, Path(snakemake.params.work)
    plan = PLANS[experiment](recipe, snakemake.params.settings)
    vocab_size = load_tokenizer(snakemake.input.tokenizer).vocab_size
    tokens = read_tokens(snakemake.input.train)
    seeds = range(recipe["seeds"])
    device, threads = snakemake.params.device, snakemake.threads
    kept, norms = train_all(plan, seeds, dataset, tokens, model, vocab_size, work, device, threads)
    metrics = Metrics(experiment, dataset, "train")
    for trajectory, norm in norms.items():
        for step in range(9, len(norm), 10):
            for seed, value in enumerate(norm[step].tolist()):
                metrics.add(seed, {"gradient_norm": value}, **trajectory.factors, step=step + 1)
    with whole(snakemake.output.models) as part:
        save_file({key: values.cpu().contiguous() for key, values in kept.items()}, part)
    metrics.write(snakemake.output.metrics)
    shutil.rmtree(work)


run(main, snakemake)
