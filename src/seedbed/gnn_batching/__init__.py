"""Full-graph against mini-batch training of graph networks, by batch size and fan-out (Liu et al., ICLR 2026).

Train a cell of the grid for two seeds and ask how long it took::

    from seedbed.gnn_batching.hits import iterations_to
    from seedbed.gnn_batching.one_layer import train

    curves = train(graph, splits, streams, 512, 15, rates=[0.1], n_iter=400, check=4, evaluate=20)
    iterations_to(curves.full, target, every=curves.check)      # criterion `full`; curves.batch: criterion `batch`
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "Curves": "one_layer",
        "GraphSAGE": "two_layer",
        "OneLayer": "one_layer",
        "Split": "one_layer",
        "feature_discrepancy": "structure",
        "iterations_to": "hits",
        "row_discrepancy": "structure",
        "structure_distance": "structure",
    },
)
