"""Parse one data set, scale its features to [-1, 1] and check it against the paper's table.

Input: manifest of its source. Output: one row a sample, features f0 … f{d-1} (float64) and the class y (1: minority).
"""

from seedbed.core.job import run
from seedbed.core.sources import Manifest
from seedbed.core.tables import write_features
from seedbed.smote_privacy.datasets import parse


def main(snakemake):
    raw = Manifest.load(snakemake.input[0]).read(snakemake.params.file)
    parsed = parse(snakemake.wildcards.dataset, raw)
    write_features(parsed.data, parsed.target, snakemake.output[0])


run(main, snakemake)
