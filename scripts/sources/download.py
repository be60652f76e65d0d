"""Fetch one source of `config/sources.yaml`.

Output: data/raw/<source>/source.json, the manifest, and beside it the files that it names.
"""

from pathlib import Path

from seedbed.core.job import run
from seedbed.core.sources import Sources, fetch


def main(snakemake):
    name = snakemake.wildcards.source
    source = Sources.model_validate({name: snakemake.params.source}).root[name]
    fetch(name, source, Path(snakemake.output[0]).parent, mirror=snakemake.config["mirror"])


run(main, snakemake)
