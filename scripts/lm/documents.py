"""Take the documents of a corpus out of its source, and split them.

Input: manifest of the source. Output: one row a document: its split (train, validation or calibration) and its text.
"""

from seedbed.core.job import run
from seedbed.core.lm.corpora import documents, split, write_documents
from seedbed.core.sources import Manifest


def main(snakemake):
    settings = snakemake.params.settings
    raw = Manifest.load(snakemake.input[0]).read(settings["file"])
    texts = documents(snakemake.wildcards.dataset, raw, settings["max_bytes"])
    write_documents(split(texts, settings["validation"], settings["calibration"]), snakemake.output[0])


run(main, snakemake)
