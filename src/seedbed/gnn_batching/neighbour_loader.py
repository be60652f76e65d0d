"""Race the sampler against torch_geometric's `NeighborLoader`.

Outside the workflow: the loader's compiled part is in no package index for the torch of the lock. It needs
`torch_geometric` and `torch_sparse` (docs/papers/gnn_batching.md says how they were built)::

    python -m seedbed.gnn_batching.neighbour_loader
"""

from __future__ import annotations

import numpy as np
import torch

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.neighbours import Block, sample_neighbours
from seedbed.core.race import race


def sampled(graph: Graph, nodes: np.ndarray, fan_out: int, rng: np.random.Generator) -> Block:
    """A block with random numbers of its own."""
    return sample_neighbours(graph, nodes, fan_out, rng.random((len(nodes), fan_out), dtype=np.float32))


def loaded(graph: Graph, nodes: np.ndarray, fan_out: int, rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """What the loader hands out for a batch: neighbours, numbered among the distinct nodes, and features of those."""
    block = sampled(graph, nodes, fan_out, rng)
    rows, place = np.unique(np.concatenate([nodes, block.indices]), return_inverse=True)
    return place, block.indptr, graph.node_features[rows]


def race_loader(graph: Graph, batch_size: int, fan_out: int, batches: int, rounds: int) -> dict[str, np.ndarray]:
    """Seconds of the peers over ours, (rounds,): their loader against `loaded`, their compiled sampler against ours.

    All are on one thread and one hop, without replacement; a round is ``batches`` batches.
    """
    from torch_geometric.data import Data
    from torch_geometric.loader import NeighborLoader

    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    edges = torch.from_numpy(np.stack([graph.indices, graph.sources]))
    data = Data(torch.from_numpy(graph.node_features), edges, y=torch.from_numpy(graph.node_labels))
    pointers, neighbours = torch.from_numpy(graph.indptr), torch.from_numpy(graph.indices)
    compiled = torch.ops.torch_sparse.neighbor_sample
    ratios = {"loader": [], "sampler": []}
    for _ in range(rounds):
        nodes = rng.permutation(graph.n_nodes)[: batch_size * batches]
        parts = nodes.reshape(batches, batch_size)
        loader = NeighborLoader(data, [fan_out], torch.from_numpy(nodes), batch_size=batch_size)
        peers = {
            "loader": lambda loader=loader: list(loader),
            "loader, ours": lambda parts=parts: [loaded(graph, part, fan_out, rng) for part in parts],
            "sampler": lambda parts=parts: [
                compiled(pointers, neighbours, torch.from_numpy(part), [fan_out], False, True) for part in parts
            ],
            "sampler, ours": lambda parts=parts: [sampled(graph, part, fan_out, rng) for part in parts],
        }
        seconds = race(peers, dict.fromkeys(peers, 3))
        for name, values in ratios.items():
            values.append(seconds[name] / seconds[f"{name}, ours"])
    return {name: np.array(values) for name, values in ratios.items()}


if __name__ == "__main__":
    for nodes in (20_000, 200_000):
        graph = stochastic_block_model(nodes, 5, 60, 0.4, 16, 0.4, np.random.default_rng(0))
        for name, ratios in race_loader(graph, 512, 15, 20, 10).items():
            print(f"{nodes} nodes, {name}: {np.median(ratios):.2f} times ({ratios.min():.2f} to {ratios.max():.2f})")
