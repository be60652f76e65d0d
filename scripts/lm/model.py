"""Convert a pretrained model from its GGUF file, once.

Input: manifest of the source. Output: its folder for `transformers`: configuration, weights in bfloat16, tokenizer.
"""

from pathlib import Path

from seedbed.core.job import run
from seedbed.core.lm.conversion import convert_gguf
from seedbed.core.sources import Manifest


def main(snakemake):
    gguf = Manifest.load(snakemake.input[0]).path(snakemake.params.file)
    convert_gguf(gguf, Path(snakemake.output[0]).parent)


run(main, snakemake)
