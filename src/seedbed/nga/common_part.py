"""The maximum common edge subgraph of two graphs, of `networkx` or RDKit, in one call."""

from __future__ import annotations

import importlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import networkx as nx
import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.nga.association import association_common_graph
from seedbed.nga.common_subgraph import common_edges, edge_type_bound
from seedbed.nga.exact import maximum_common_edges

if TYPE_CHECKING:
    from rdkit import Chem

Method = Literal["neural_tabu", "neural", "tabu_search", "local_search", "graduated_assignment", "random_walk", "exact"]


@dataclass(frozen=True)
class CommonSubgraph:
    """A common edge subgraph of two graphs.

    Attributes
    ----------
    mapping : dict
        Nodes of the first graph to nodes of the second, those that the common edges touch.
    edges : list of pairs
        Edges of the first graph that the map carries over.
    bound : int
        No common edge subgraph has more edges.
    """

    mapping: dict[Hashable, Hashable]
    edges: list[tuple[Hashable, Hashable]]
    bound: int

    @property
    def size(self) -> int:
        """Number of common edges."""
        return len(self.edges)

    @property
    def proven(self) -> bool:
        """Whether no common edge subgraph is larger."""
        return self.size == self.bound


def mces(
    first: nx.Graph | Chem.Mol,
    second: nx.Graph | Chem.Mol,
    method: Method = "neural_tabu",
    *,
    node_label: str | None = None,
    edge_label: str | None = None,
    seed: int = 0,
    **options: Any,
) -> CommonSubgraph:
    """The largest set of edges that two graphs share under one injective map that keeps labels.

    Parameters
    ----------
    first, second : networkx.Graph or rdkit.Chem.Mol
        Of one kind. Molecules are labelled by elements and bond types; nodes are then atom numbers.
    method : str
        ``exact`` proves its answer, or gives a bound after `node_limit`; the others are heuristics, whose answer is
        proven only where it meets the bound from the kinds of edges. ``neural`` is the paper's.
    node_label, edge_label : str, optional
        Attributes of a networkx graph that the map must keep; any hashable values.
    seed : int
        Of the heuristics.
    **options
        Those of the method: `Settings` for ``neural``, ``starts`` and ``steps`` for local search, …

    Raises
    ------
    ValueError
        If the graphs are not of one kind, or lack a label that is asked for, or the method is unknown.
    """
    if isinstance(first, nx.Graph) and isinstance(second, nx.Graph):
        pair, nodes = _networkx_graphs(first, second, node_label, edge_label), (list(first), list(second))
    elif isinstance(first, nx.Graph) or isinstance(second, nx.Graph):
        raise ValueError(f"expected two graphs of one kind, found {type(first).__name__} and {type(second).__name__}")
    else:
        from seedbed.core.graphs.molecules import molecule_graph

        pair = (molecule_graph(first), molecule_graph(second))
        nodes = (list(range(pair[0].n_nodes)), list(range(pair[1].n_nodes)))
    mapping, bound = _solve(pair, method, seed, options)
    edges = common_edges(*pair, mapping)
    used = {int(u): int(mapping[u]) for u in np.unique(edges)}
    return CommonSubgraph(
        {nodes[0][u]: nodes[1][v] for u, v in used.items()},
        [(nodes[0][u], nodes[0][v]) for u, v in edges.tolist()],
        bound,
    )


def _solve(pair: tuple[Graph, Graph], method: str, seed: int, options: dict[str, Any]) -> tuple[np.ndarray, int]:
    graph, bound = association_common_graph(*pair), edge_type_bound(*pair)
    if method == "exact":
        optimum = maximum_common_edges(graph, **options)
        return graph.mapping(optimum.targets), min(bound, optimum.upper)
    if method not in Method.__args__:
        raise ValueError(f"method {method!r}: allowed: {', '.join(Method.__args__)}")
    if bound == 0:
        return np.full(pair[0].n_nodes, -1), 0
    solve = importlib.import_module(f"seedbed.nga.{method}").solve
    return solve([pair], [np.random.default_rng(seed)], **options)[0].mapping, bound


def _networkx_graphs(
    first: nx.Graph, second: nx.Graph, node_label: str | None, edge_label: str | None
) -> tuple[Graph, ...]:
    """Both graphs with their labels numbered together."""
    codes: dict[Hashable, int] = {}
    graphs = []
    for graph in (first, second):
        coded = nx.Graph()
        for node, label in graph.nodes(data=node_label if node_label is not None else "", default=None):
            if node_label is not None and label is None:
                raise ValueError(f"node {node!r} has no attribute {node_label!r}")
            coded.add_node(node, label=codes.setdefault(("node", label), len(codes)))
        for u, v, label in graph.edges(data=edge_label if edge_label is not None else "", default=None):
            if edge_label is not None and label is None:
                raise ValueError(f"edge {u!r}, {v!r} has no attribute {edge_label!r}")
            coded.add_edge(u, v, label=codes.setdefault(("edge", label), len(codes)))
        graphs.append(Graph.from_networkx(coded, node_label="label", edge_label="label"))
    return tuple(graphs)
