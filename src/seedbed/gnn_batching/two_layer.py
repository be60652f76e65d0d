"""Two-layer GraphSAGE with mean aggregation, on sampled blocks (Section 3.2 of the specification, one hidden layer)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.neighbours import Block, sample_neighbours
from seedbed.gnn_batching.one_layer import LOSSES, Curves, Split, batches


@dataclass(frozen=True)
class Inputs:
    """What the network needs to know of its b targets: m rows ``x`` (m, 2 d), and who among them is whose neighbour.

    ``targets`` (b,) and ``neighbours`` (e,) are positions among the rows; the neighbours of target i are
    ``neighbours[starts[i] : starts[i + 1]]``, with ``starts`` (b,).
    """

    x: torch.Tensor
    targets: torch.Tensor
    neighbours: torch.Tensor
    starts: torch.Tensor


class GraphSAGE(nn.Module):
    """K networks side by side on the same blocks: ``W1 [x, mean x]``, layer norm, ReLU, then ``W2 [h, mean h]``.

    The first mean is over features, which have no gradient, so it comes in as input. Weights are Glorot-normal, the
    same for all K; biases 0.
    """

    def __init__(self, d: int, hidden: int, classes: int, models: int, rng: np.random.Generator) -> None:
        super().__init__()
        for name, rows, columns in (("first", 2 * d, hidden), ("second", 2 * hidden, classes)):
            start = rng.normal(scale=np.sqrt(2 / (rows + columns)), size=(rows, columns)).astype(np.float32)
            setattr(self, name, nn.Parameter(torch.from_numpy(start).repeat(models, 1, 1)))
            setattr(self, f"{name}_bias", nn.Parameter(torch.zeros(models, 1, columns)))
        self.scale, self.shift = (nn.Parameter(value(models, 1, hidden)) for value in (torch.ones, torch.zeros))

    def forward(self, inputs: Inputs) -> torch.Tensor:
        """Raw outputs (K, b, C) of the targets."""
        models, _, hidden = self.shift.shape
        h = inputs.x @ self.first + self.first_bias
        h = torch.relu(functional.layer_norm(h, (hidden,)) * self.scale + self.shift)
        side_by_side = h.transpose(0, 1).reshape(-1, models * hidden)
        means = functional.embedding_bag(inputs.neighbours, side_by_side, inputs.starts, mode="mean")
        means = means.reshape(-1, models, hidden).transpose(0, 1)
        return torch.cat([h[:, inputs.targets], means], 2) @ self.second + self.second_bias


def losses(z: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Cross-entropy of the first of two networks and squared error of the second, in the order of `LOSSES`; (2,).

    ``z`` (2, b, C) are raw outputs, which squared error cuts at 0; it is the mean over nodes and classes, against
    one-hot labels.
    """
    one_hot = functional.one_hot(labels, z.shape[2])
    return torch.stack([functional.cross_entropy(z[0], labels), ((torch.relu(z[1]) - one_hot) ** 2).mean()])


def sampled_inputs(graph: Graph, nodes: np.ndarray, fan_outs: Sequence[int], rng: np.random.Generator) -> Inputs:
    """Hop by hop from the targets ``nodes`` outwards, fresh at each hop; what a node samples there, it samples once."""
    near, far = fan_outs
    block = sample_neighbours(graph, nodes, near, rng.random((len(nodes), near), dtype=np.float32))
    rows, place = np.unique(np.concatenate([nodes, block.indices]), return_inverse=True)
    outer = sample_neighbours(graph, rows, far, rng.random((len(rows), far), dtype=np.float32))
    x = graph.node_features
    return _inputs(np.column_stack([x[rows], outer.mean(x)]), place, block)


def full_inputs(graph: Graph) -> Callable[[np.ndarray], Inputs]:
    """Function from target nodes (b,) to inputs with full neighbourhoods."""
    x, largest = graph.node_features, int(graph.degrees.max())
    everywhere = np.column_stack([x, Block(graph.indptr, graph.indices).mean(x)])

    def of(nodes: np.ndarray) -> Inputs:
        block = sample_neighbours(graph, nodes, largest, np.empty((len(nodes), largest)))
        rows, place = np.unique(np.concatenate([nodes, block.indices]), return_inverse=True)
        return _inputs(everywhere[rows], place, block)

    return of


def _inputs(x: np.ndarray, place: np.ndarray, block: Block) -> Inputs:
    """Inputs of targets and their neighbours, which lie at ``place`` among the rows of ``x``."""
    targets, neighbours = np.split(place, [len(block.counts)])
    return Inputs(*map(torch.from_numpy, (x, targets, neighbours, block.indptr[:-1])))


def train(
    graph: Graph,
    split: Split,
    stream: np.random.Generator,
    batch_size: int,
    fan_out: int,
    *,
    hidden: int,
    rate: float,
    n_iter: int,
    check: int,
) -> Curves:
    """Train a network for each loss by stochastic gradient descent, with the same fan-out at both hops.

    Parameters are those of `seedbed.gnn_batching.one_layer.train`, for one seed and one rate. The returned curves have
    axes (1, losses, 1, time), and an evaluation at every ``check`` iterations.
    """
    y = torch.from_numpy(graph.node_labels)
    start, batch_rng, neighbour_rng = stream.spawn(3)
    model = GraphSAGE(graph.node_features.shape[1], hidden, int(y.max()) + 1, len(LOSSES), start)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    order = split.train[batches(len(split.train), batch_size, n_iter, batch_rng)]
    full = full_inputs(graph)
    held = np.concatenate([split.train, split.val, split.test])
    ends = np.cumsum([len(split.train), len(split.val)]).tolist()
    exact = full(held)
    everywhere = fan_out >= graph.degrees.max()
    batch, evaluations = [], []
    for iteration in range(n_iter + 1):
        if iteration % check == 0:
            evaluations.append(_evaluate(model(exact), y[held], ends))
        if iteration == n_iter:
            break
        nodes = order[iteration]
        inputs = full(nodes) if everywhere else sampled_inputs(graph, nodes, (fan_out, fan_out), neighbour_rng)
        loss = losses(model(inputs), y[nodes])
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.step()
        batch.append(loss.detach().numpy())
    whole, test_loss, val, test = np.moveaxis(np.array(evaluations), 0, -1)[:, None, :, None]
    dead = ~np.isfinite(whole[..., -1])
    return Curves(check, check, np.stack(batch, -1)[None, :, None], whole, test_loss, val, test, dead)


def _evaluate(z: torch.Tensor, labels: torch.Tensor, ends: Sequence[int]) -> tuple[np.ndarray, ...]:
    """Training loss, test loss, validation accuracy and test accuracy, each of both networks (2,).

    ``z`` (2, held, C) and ``labels`` (held,) are of training, validation and test nodes, split at ``ends``.
    """
    (z_train, z_val, z_test), (train, val, test) = z.detach().tensor_split(ends, 1), labels.tensor_split(ends)
    accuracies = [(of.argmax(2) == right).double().mean(1).numpy() for of, right in ((z_val, val), (z_test, test))]
    return losses(z_train, train).numpy(), losses(z_test, test).numpy(), *accuracies
