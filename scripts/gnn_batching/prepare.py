"""Make one graph by its recipe, or read it from its archive, and hold it against its digest.

Input: manifest of its source, if it has one. Output: rows, features and labels as an npz archive.
"""

import logging

from seedbed.core.errors import SourceError
from seedbed.core.graphs.generate import nearest_neighbour_graph, stochastic_block_model
from seedbed.core.graphs.load import ARCHIVES, TABLES, structure_digest, write_graph
from seedbed.core.job import run
from seedbed.core.random import rng
from seedbed.core.sources import Manifest


def main(snakemake):
    recipe, name = dict(snakemake.params.recipe), snakemake.wildcards.dataset
    read = Manifest.load(snakemake.input[0]).read if snakemake.input else None
    kind, expected, _ = recipe.pop("kind"), recipe.pop("sha256"), recipe.pop("source")
    if kind == "nearest_neighbours":
        graph = nearest_neighbour_graph(*TABLES[recipe["table"]](read), recipe["k"])
    elif kind == "block_model":
        graph = stochastic_block_model(**recipe, rng=rng(0, "graph", name))
    else:
        graph = ARCHIVES[recipe["file"]](read(recipe["file"]))
    found = structure_digest(graph)
    logging.info("%s: %d nodes, %d edges, digest %s", name, graph.n_nodes, graph.n_edges, found)
    if expected not in (None, found):
        raise SourceError(f"{name}: digest of rows and labels is {found}, config/gnn_batching.yaml says {expected}")
    write_graph(graph, snakemake.output[0])


run(main, snakemake)
