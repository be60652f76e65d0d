"""Random labelled graphs, and the maximum common edge subgraph by trying all maps."""

from itertools import permutations

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import edge_labels, node_labels


def random_graph(generator, n, density=0.5, node_kinds=2, edge_kinds=2):
    edges = [(u, v) for u in range(n) for v in range(u) if generator.random() < density]
    kinds = generator.integers(edge_kinds, size=len(edges))
    return Graph.from_edges(n, edges, edge_labels=kinds, node_labels=generator.integers(node_kinds, size=n))


def relabelled(graph, order):
    """The same graph with node ``u`` called ``order[u]``."""
    names = np.empty(graph.n_nodes, dtype=int)
    names[order] = node_labels(graph)
    return Graph.from_edges(graph.n_nodes, order[graph.edges], edge_labels=edge_labels(graph), node_labels=names)


def brute_force(first, second):
    """Most common edges over all injections of the smaller graph's nodes."""
    small, large = sorted((first, second), key=lambda graph: graph.n_nodes)
    kinds = {}
    for (u, v), label in zip(large.edges.tolist(), edge_labels(large).tolist(), strict=True):
        kinds[u, v] = kinds[v, u] = label
    a, b = node_labels(small), node_labels(large)
    edges = list(zip(small.edges.tolist(), edge_labels(small).tolist(), strict=True))
    return max(
        sum(
            kinds.get((image[u], image[v])) == label and a[u] == b[image[u]] and a[v] == b[image[v]]
            for (u, v), label in edges
        )
        for image in permutations(range(large.n_nodes), small.n_nodes)
    )
