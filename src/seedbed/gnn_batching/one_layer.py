"""One-layer GraphSAGE by stochastic gradient descent, many runs side by side in plain arrays.

Runs that see the same batches share them: every pair of a loss and a learning rate is a model that reads the sample of
its seed. Gradients are written out; with one layer they are a line each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.neighbours import Block, sample_neighbours

LOSSES = ("ce", "mse")


@dataclass(frozen=True)
class Split:
    """Training, validation and test nodes of one seed."""

    train: np.ndarray
    val: np.ndarray
    test: np.ndarray

    @classmethod
    def draw(cls, n_nodes: int, n_train: int, n_val: int, n_test: int, rng: np.random.Generator) -> Split:
        """Disjoint random sets of the given sizes; fewer test nodes where the graph has no more."""
        if n_train + n_val >= n_nodes:
            raise ValueError(f"n_train + n_val = {n_train + n_val}: the graph has {n_nodes} nodes, none left to test")
        order = rng.permutation(n_nodes)
        return cls(*np.split(order[: n_train + n_val + n_test], [n_train, n_train + n_val]))


@dataclass(frozen=True)
class Curves:
    """What one cell (batch size, fan-out) of the grid recorded; axes (seeds, losses, rates, time).

    Attributes
    ----------
    batch : (S, L, R, n_iter)
        Loss of the mini-batch before its update (criterion ``batch``).
    full : (S, L, R, n_iter / check + 1)
        Loss of all training nodes with full neighbourhoods (criterion ``full``), at 0, ``check``, 2 ``check`` …
    test_loss, val_accuracy, test_accuracy : (S, L, R, evaluations)
        At 0, ``evaluate``, 2 ``evaluate`` …; full neighbourhoods.
    dead : (S, L, R)
        Whether the last model is no longer a number, or its outputs are 0 on all training nodes.
    """

    check: int
    evaluate: int
    batch: np.ndarray
    full: np.ndarray
    test_loss: np.ndarray
    val_accuracy: np.ndarray
    test_accuracy: np.ndarray
    dead: np.ndarray

    @classmethod
    def joined(cls, seeds: Sequence[Curves]) -> Curves:
        """Curves of several seeds, each given with one."""
        names = [field.name for field in fields(cls) if field.name not in ("check", "evaluate")]
        arrays = {name: np.concatenate([getattr(curves, name) for curves in seeds]) for name in names}
        return cls(seeds[0].check, seeds[0].evaluate, **arrays)


@dataclass(frozen=True)
class OneLayer:
    """Models ``z = W [x, mean of neighbours, 1]`` of all losses and rates: raw outputs for cross-entropy, ReLU for MSE.

    ``weights``: (S, L, R, C, p) with p = 2 d + 1. The mean squared error is over batch and classes, against one-hot
    labels (Section 3 of the paper); cross-entropy is the multi-class one, on raw outputs [R].
    """

    weights: np.ndarray
    rates: np.ndarray

    @classmethod
    def initial(
        cls, d: int, classes: int, rates: Sequence[float], rngs: Sequence[np.random.Generator], dtype: type = np.float32
    ) -> OneLayer:
        """Glorot-normal weights, the same for all losses and rates of a seed; biases 0."""
        scale = np.sqrt(2 / (2 * d + classes))
        start = np.stack([rng.normal(scale=scale, size=(classes, 2 * d + 1)) for rng in rngs])
        start[:, :, -1] = 0
        shape = (len(rngs), len(LOSSES), len(rates), *start.shape[1:])
        return cls(np.broadcast_to(start[:, None, None], shape).astype(dtype), np.asarray(rates, dtype))

    def outputs(self, inputs: np.ndarray) -> np.ndarray:
        """Outputs (S, L, R, C, b) on ``inputs`` (S, b, p); those of MSE are cut at 0."""
        shape = self.weights.shape
        z = self.weights.reshape(shape[0], -1, shape[-1]) @ inputs.transpose(0, 2, 1)
        z = z.reshape(*shape[:-1], inputs.shape[1])
        np.maximum(z[:, 1], 0, out=z[:, 1])
        return z

    def gradient(self, inputs: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Losses (S, L, R) and their gradients (S, L, R, C, p) on a batch with ``labels`` (S, b)."""
        loss, error = losses_and_errors(self.outputs(inputs), labels)
        flat = error.reshape(len(error), -1, error.shape[-1]) @ inputs
        return loss, flat.reshape(self.weights.shape)

    def step(self, inputs: np.ndarray, labels: np.ndarray) -> np.ndarray:
        """One step of gradient descent in place; losses (S, L, R) before it."""
        loss, gradient = self.gradient(inputs, labels)
        np.subtract(self.weights, self.rates[:, None, None] * gradient, out=self.weights)
        return loss


def losses_and_errors(z: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Losses (S, L, R) of outputs ``z`` (S, L, R, C, b), and their derivatives by the outputs before the ReLU."""
    classes, b = z.shape[-2:]
    one_hot = (labels[:, None] == np.arange(classes)[:, None])[:, None].astype(z.dtype)  # (S, 1, C, b)
    ce = z[:, 0] - z[:, 0].max(-2, keepdims=True)
    power = np.exp(ce)
    total = power.sum(-2, keepdims=True)
    loss_ce = (np.log(total[..., 0, :]) - (ce * one_hot).sum(-2)).mean(-1)
    difference = z[:, 1] - one_hot
    loss_mse = (difference**2).mean((-2, -1))
    error = np.empty_like(z)
    error[:, 0] = power / total - one_hot
    error[:, 1] = difference * (z[:, 1] > 0) * z.dtype.type(2 / classes)
    error /= b
    return np.stack([loss_ce, loss_mse], 1), error


def batches(n_train: int, batch_size: int, n_iter: int, rng: np.random.Generator) -> np.ndarray:
    """Positions (n_iter, batch_size) among the training nodes: without replacement inside an epoch.

    The batch size divides ``n_train``, so that no batch of an epoch is smaller than the others.
    """
    if n_train % batch_size:
        raise ValueError(f"batch_size={batch_size}: does not divide the {n_train} training nodes")
    epochs = -(-n_iter * batch_size // n_train)
    order = np.concatenate([rng.permutation(n_train) for _ in range(epochs)])
    return order[: n_iter * batch_size].reshape(n_iter, batch_size)


def full_inputs(graph: Graph) -> np.ndarray:
    """``[x, mean of all neighbours, 1]`` of every node, (n, p)."""
    x = graph.node_features
    return np.column_stack([x, Block(graph.indptr, graph.indices).mean(x), np.ones(len(x), x.dtype)])


def train(
    graph: Graph,
    splits: Sequence[Split],
    streams: Sequence[np.random.Generator],
    batch_size: int,
    fan_out: int,
    *,
    rates: Sequence[float],
    n_iter: int,
    check: int,
    evaluate: int,
) -> Curves:
    """Train all losses and rates for all seeds with one batch size and one fan-out.

    Parameters
    ----------
    splits, streams : one a seed
        A stream gives the start, the batches and the neighbours; two cells with equal streams have the same start.
    fan_out : int
        Neighbours a node; at least the largest degree is full-graph training.
    n_iter, check, evaluate : int
        Iterations; how many lie between two values of the ``full`` criterion, and between two evaluations.
    """
    x, y = graph.node_features, graph.node_labels
    full = full_inputs(graph)
    start_rngs, batch_rngs, neighbour_rngs = zip(*(stream.spawn(3) for stream in streams), strict=True)
    model = OneLayer.initial(x.shape[1], int(y.max()) + 1, rates, start_rngs, x.dtype)
    nodes = np.stack([split.train for split in splits])
    order = [nodes[seed][batches(nodes.shape[1], batch_size, n_iter, rng)] for seed, rng in enumerate(batch_rngs)]
    held = {name: np.stack([getattr(split, name) for split in splits]) for name in ("train", "val", "test")}
    held = {name: (full[of], y[of]) for name, of in held.items()}
    everywhere = fan_out >= graph.degrees.max()
    batch, whole, evaluations = [], [], []
    for iteration in range(n_iter + 1):
        if iteration % check == 0:
            whole.append(losses_and_errors(model.outputs(held["train"][0]), held["train"][1])[0])
        if iteration % evaluate == 0:
            evaluations.append(_evaluate(model, held["val"], held["test"]))
        if iteration == n_iter:
            break
        targets = np.stack([of[iteration] for of in order])
        inputs = full[targets] if everywhere else _sampled(graph, full, targets, fan_out, neighbour_rngs)
        batch.append(model.step(inputs, y[targets]))
    last = model.outputs(held["train"][0])
    dead = ~np.isfinite(last).all((3, 4)) | (last == 0).all((3, 4))
    test_loss, val, test = (np.stack(values, -1) for values in zip(*evaluations, strict=True))
    return Curves(check, evaluate, np.stack(batch, -1), np.stack(whole, -1), test_loss, val, test, dead)


def _sampled(graph: Graph, full: np.ndarray, targets: np.ndarray, fan_out: int, rngs: Sequence) -> np.ndarray:
    """Inputs (S, b, p) of the targets (S, b), with the mean of sampled neighbours."""
    inputs = full[targets]
    d = graph.node_features.shape[1]
    uniforms = np.concatenate([rng.random((targets.shape[1], fan_out), dtype=np.float32) for rng in rngs])
    block = sample_neighbours(graph, targets.ravel(), fan_out, uniforms)
    inputs[:, :, d : 2 * d] = block.mean(graph.node_features).reshape(*targets.shape, d)
    return inputs


def _evaluate(model: OneLayer, val: tuple, test: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Test loss, validation accuracy and test accuracy, each (S, L, R)."""
    accuracies = []
    for inputs, labels in (val, test):
        z = model.outputs(inputs)
        accuracies.append((z.argmax(-2) == labels[:, None, None]).mean(-1))
    return losses_and_errors(z, test[1])[0], *accuracies
