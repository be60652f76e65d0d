"""What a node map is worth: its common edges, counted on the two graphs themselves, and the similarity that follows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import edge_labels, node_labels


@dataclass(frozen=True)
class Found:
    """What a solver found for one pair.

    Attributes
    ----------
    mapping : (n,)
        First graph's nodes to the second's, -1 where unmatched.
    timing : bool
        Whether the map depends on the clock.
    values : dict
        What else the solver says of its search.
    """

    mapping: np.ndarray
    timing: bool = False
    values: dict[str, float] = field(default_factory=dict)


def common_edges(first: Graph, second: Graph, mapping: np.ndarray) -> np.ndarray:
    """Edges (k, 2) of ``first`` that ``mapping`` (-1: unmatched) carries to edges of ``second``, labels kept.

    Raises
    ------
    ValueError
        If the map is not injective.
    """
    used = mapping[mapping >= 0]
    if len(np.unique(used)) < len(used):
        raise ValueError("the map sends two nodes to one")
    kinds = {(u, v): label for (u, v), label in zip(second.edges.tolist(), edge_labels(second).tolist(), strict=True)}
    names1, names2 = node_labels(first).tolist(), node_labels(second).tolist()
    found = []
    for (u, v), label in zip(first.edges.tolist(), edge_labels(first).tolist(), strict=True):
        image = sorted((int(mapping[u]), int(mapping[v])))
        same_nodes = image[0] >= 0 and names1[u] == names2[mapping[u]] and names1[v] == names2[mapping[v]]
        if same_nodes and kinds.get((image[0], image[1])) == label:
            found.append((u, v))
    return np.array(found, dtype=np.int64).reshape(-1, 2)


def johnson_similarity(n_nodes: int, n_edges: int, first: Graph, second: Graph) -> float:
    """(|V_c| + |E_c|)² / ((|V1| + |E1|) (|V2| + |E2|)) of a common part; V_c are the nodes that its edges touch."""
    sizes = (first.n_nodes + first.n_edges) * (second.n_nodes + second.n_edges)
    return (n_nodes + n_edges) ** 2 / sizes if sizes else 1.0


def edge_type_bound(first: Graph, second: Graph) -> int:
    """Upper bound of the common edges: edges of one kind (labels of both ends and of the edge) are matched at best."""
    return sum((_edge_kinds(first) & _edge_kinds(second)).values())


def _edge_kinds(graph: Graph) -> Counter[tuple[int, int, int]]:
    names = node_labels(graph)[graph.edges]
    kinds = np.column_stack([np.sort(names, axis=1), edge_labels(graph)])
    return Counter(map(tuple, kinds.tolist()))
