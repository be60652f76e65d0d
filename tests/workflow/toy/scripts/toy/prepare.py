"""Read the numbers."""

import numpy as np

from seedbed.core.job import run
from seedbed.core.sources import Manifest
from seedbed.core.tables import write_features


def main(snakemake):
    text = Manifest.load(snakemake.input[0]).read("numbers.txt").decode()
    numbers = np.array([[int(word)] for word in text.split()])
    write_features(numbers, np.zeros(len(numbers)), snakemake.output[0])


run(main, snakemake)
