"""Train the byte model.

Input: token files of a corpus. Output: its folder for `transformers`. A killed run goes on from its last checkpoint.
"""

import shutil
import tempfile
from pathlib import Path

from seedbed.core.job import run
from seedbed.core.lm.models import llama
from seedbed.core.lm.schedules import Cosine
from seedbed.core.lm.tokens import read_tokens
from seedbed.core.lm.train import Run, Settings, train


def main(snakemake):
    settings, folder = snakemake.params.settings, Path(snakemake.params.folder)
    shape = {name: settings[name] for name in ("width", "layers", "heads", "context")}
    model = llama(vocab_size=256, seed=0, **shape)
    schedule = Cosine(settings["lr"], settings["steps"], settings["warmup"], final=0.1)
    runs = [Run(schedule, seed=0, weight_decay=settings["weight_decay"])]
    shared = Settings(settings["batch"], settings["context"], checkpoint_every=100, device=snakemake.params.device)
    train([model], read_tokens(snakemake.input.train), runs, settings["steps"], shared, folder)
    target = Path(snakemake.output[0]).parent
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as part:
        model.save_pretrained(part)
        for path in map(Path, snakemake.output):
            (Path(part) / path.name).replace(path)
    shutil.rmtree(folder)


run(main, snakemake)
