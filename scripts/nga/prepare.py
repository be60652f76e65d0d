"""Draw the pairs of one data set.

Input: manifest of its source. Output: one row a pair, labels, edges and SMILES of both molecules.
"""

from seedbed.core.job import run
from seedbed.core.random import rng
from seedbed.core.sources import Manifest
from seedbed.nga.pairs import draw_pairs, draw_queries, read_molecules, write_pairs


def main(snakemake):
    settings, manifest = snakemake.params.settings, Manifest.load(snakemake.input[0])
    generator = rng(0, "pairs", snakemake.wildcards.dataset)
    sizes, count = settings["sizes"], settings["pairs"]
    molecules = read_molecules(manifest.read(settings["file"]), settings["file"], sizes, settings["rows"])
    if settings["queries"]:
        others = read_molecules(manifest.read(settings["others"]), settings["others"], sizes)
        pairs = draw_queries(molecules, others, settings["queries"], count, generator)
    else:
        pairs = draw_pairs(molecules, sizes, count, generator)
    write_pairs(pairs, snakemake.output[0])


run(main, snakemake)
