"""Graphs as arrays: what the papers on graphs share."""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "ARCHIVES": "load",
        "Block": "neighbours",
        "Graph": "graph",
        "MOLECULES": "load",
        "TABLES": "load",
        "graph_molecule": "molecules",
        "molecule_graph": "molecules",
        "nearest_neighbour_graph": "generate",
        "sample_neighbours": "neighbours",
        "stochastic_block_model": "generate",
    },
)
