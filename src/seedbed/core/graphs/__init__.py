"""Graphs as arrays: what the papers on graphs share."""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "Block": "neighbours",
        "Graph": "graph",
        "nearest_neighbour_graph": "generate",
        "sample_neighbours": "neighbours",
        "stochastic_block_model": "generate",
    },
)
