"""Read the numbers."""

import pandas as pd

from seedbed.core.job import run
from seedbed.core.sources import Manifest
from seedbed.core.tables import write_table


def main(snakemake):
    text = Manifest.load(snakemake.input[0]).read("numbers.txt").decode()
    write_table(pd.DataFrame({"x": [int(word) for word in text.split()]}), snakemake.output[0])


run(main, snakemake)
