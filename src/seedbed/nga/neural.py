"""Neural graduated assignment (Section 3.2): a fresh network for each pair, trained on the pair itself.

A graph network scores pairs of nodes; Gumbel noise and Sinkhorn turn the scores into B assignments S; m layers refine
them, S ← Sinkhorn(β_l A◇ S) with a learned temperature β_l = W1_lᵀ W2_l; the loss is -mean J(S). Pairs of a batch share
no parameter: each learns as if it were alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from seedbed.core.graphs.graph import Graph
from seedbed.nga.adam import ClippedAdam
from seedbed.nga.batch import PairBatch
from seedbed.nga.common_subgraph import Found
from seedbed.nga.sinkhorn import sinkhorn

BETA_STD = 0.15  # of the entries of W1 and W2 at the start [R]
FIXED_BETAS = (0.5, 1.7, 5.8, 20.0)  # graduated assignment's first and last temperature, geometrically
TEMPERATURES = ("W1", "W2", "beta")
TINY = np.float32(1e-30)


@dataclass(frozen=True)
class Settings:
    """Hyper-parameters; the paper's defaults, and where it says nothing those of its code or ours.

    Parameters
    ----------
    variant : {"scalar_beta", "acg_gnn", "scalar", "fixed_beta"}
        What turns A◇ S into the next scores: the paper's β_l = W1_lᵀ W2_l; the released code's small network on the
        association graph; a β_l that is one plain parameter; β_l on the schedule of graduated assignment.
    layers : int
        m, refinement layers.
    dimension : int
        d, of W1_l and W2_l.
    samples : int
        B, Gumbel samples; their noise is drawn anew each epoch.
    noise : bool
        Whether there is any Gumbel noise.
    epochs, learning_rate : int, float
        Of Adam.
    temperature_rate : float
        Factor on the learning rate of what β_l is made of (the control for the product parameterisation).
    hidden, gnn_layers : int
        Width and depth of the graph network.
    channels : int
        Width of the variant acg_gnn.
    n_iter : int
        Sweeps of Sinkhorn.
    clip : float
        Largest norm of a pair's gradient.
    """

    variant: str = "scalar_beta"
    layers: int = 4
    dimension: int = 32
    samples: int = 10
    noise: bool = True
    epochs: int = 200
    learning_rate: float = 1e-3
    temperature_rate: float = 1.0
    hidden: int = 32
    gnn_layers: int = 8
    channels: int = 16
    n_iter: int = 20
    clip: float = 1.0


Pair = tuple[Graph, Graph]


@dataclass(frozen=True)
class Epoch:
    """What one epoch shows: objectives of the assignments (P, B), temperatures (P, m), maps of each pair if decoded."""

    number: int
    objective: np.ndarray
    betas: np.ndarray
    targets: list[np.ndarray] | None


class NeuralGraduatedAssignment:
    """The networks of all pairs of a batch.

    Parameters
    ----------
    pairs : sequence of (Graph, Graph)
    settings : Settings
    generators : sequence of numpy.random.Generator
        One a pair, for its initial weights and its noise: a pair's result does not depend on the others in the batch
        (but for the rounding of sums).
    """

    def __init__(self, pairs: Sequence[Pair], settings: Settings, generators: Sequence[np.random.Generator]) -> None:
        self.batch, self.settings, self.generators = PairBatch(pairs), settings, list(generators)
        self.weights: dict[str, Tensor] = {}
        hidden, layers, channels = settings.hidden, settings.layers, settings.channels
        for layer in range(settings.gnn_layers):
            self._weight(f"node_self_{layer}", (hidden, hidden), hidden**-0.5)
            self._weight(f"node_neighbours_{layer}", (hidden, hidden), hidden**-0.5)
        if settings.variant == "scalar_beta":
            self._weight("W1", (layers, settings.dimension), BETA_STD)
            self._weight("W2", (layers, settings.dimension), BETA_STD)
        elif settings.variant == "scalar":
            self._weight("beta", (layers,), BETA_STD**2 * settings.dimension**0.5)  # as spread as W1ᵀ W2
        elif settings.variant == "acg_gnn":
            for layer in range(layers):
                for depth, width in enumerate((1, channels, channels)):
                    self._weight(f"cell_self_{layer}_{depth}", (width, channels), width**-0.5)
                    self._weight(f"cell_neighbours_{layer}_{depth}", (width, channels), width**-0.5)
                self._weight(f"readout_{layer}", (channels, 1), channels**-0.5)
        elif settings.variant != "fixed_beta":
            raise ValueError(f"variant {settings.variant!r}: allowed: scalar_beta, acg_gnn, scalar, fixed_beta")
        self.weights["embedding"] = self._embeddings()
        rates = [
            settings.learning_rate * (settings.temperature_rate if name in TEMPERATURES else 1.0)
            for name in self.weights
        ]
        self._optimizer = ClippedAdam(list(self.weights.values()), rates, settings.clip)

    def train(self, decode_from: float = 0.5) -> Iterator[Epoch]:
        """Train; from that share of the epochs on, decode every one."""
        for number in range(self.settings.epochs):
            assignments = self.assignments()
            objective = self.batch.objective(assignments)
            yield self._record(number, assignments, objective, number >= decode_from * self.settings.epochs)
            self._optimizer.step(-objective.mean(dim=1).sum())

    def assignments(self) -> Tensor:
        """S^(m) for fresh noise, (P, B, N1, N2); zero outside the candidates."""
        scores = self.node_scores().unsqueeze(1).expand(-1, self.settings.samples, -1, -1)
        assignment = self._project(scores + self._gumbel() if self.settings.noise else scores)
        for layer in range(self.settings.layers):
            assignment = self._project(self._refined_scores(assignment, layer))
        return assignment

    def node_scores(self) -> Tensor:
        """L0 = h1 h2ᵀ / √hidden of the graph network that both graphs of a pair share, (P, N1, N2)."""
        h1, h2 = (self._node_states(labels, averages) for labels, averages in self.batch.nodes)
        return h1 @ h2.transpose(1, 2) / self.settings.hidden**0.5

    def betas(self) -> Tensor:
        """Temperatures (P, m); m = 0 for the variant that has a network in their place."""
        if self.settings.variant == "scalar_beta":
            return (self.weights["W1"] * self.weights["W2"]).sum(-1)
        if self.settings.variant == "scalar":
            return self.weights["beta"]
        if self.settings.variant == "fixed_beta":
            return torch.tensor(FIXED_BETAS).expand(len(self.batch), -1)
        return torch.zeros(len(self.batch), 0)

    def _weight(self, name: str, shape: tuple[int, ...], std: float) -> None:
        drawn = np.stack([generator.normal(0.0, std, shape) for generator in self.generators])
        self.weights[name] = torch.from_numpy(drawn).float().requires_grad_()

    def _embeddings(self) -> Tensor:
        """One row a label, (P, largest number of labels, hidden); each pair draws those that it has."""
        drawn = torch.zeros(len(self.batch), max(self.batch.n_labels), self.settings.hidden)
        for pair, (count, generator) in enumerate(zip(self.batch.n_labels, self.generators, strict=True)):
            drawn[pair, :count] = torch.from_numpy(generator.normal(size=(count, self.settings.hidden)))
        return drawn.requires_grad_()

    def _node_states(self, labels: Tensor, averages: Tensor) -> Tensor:
        """Residual message passing: h ← h + tanh(h W_self + (mean of h over neighbours) W_neighbours) [R]."""
        states = self.weights["embedding"].gather(1, labels.unsqueeze(-1).expand(-1, -1, self.settings.hidden))
        for layer in range(self.settings.gnn_layers):
            own = states @ self.weights[f"node_self_{layer}"]
            states = states + torch.tanh(own + averages @ states @ self.weights[f"node_neighbours_{layer}"])
        return torch.nn.functional.layer_norm(states, states.shape[-1:])

    def _gumbel(self) -> Tensor:
        """Gumbel(0, 1) noise (P, B, N1, N2), drawn pair by pair."""
        noise = torch.zeros(len(self.batch), self.settings.samples, *self.batch.shape)
        for pair, (graph, generator) in enumerate(zip(self.batch.graphs, self.generators, strict=True)):
            n1, n2 = graph.shape
            uniform = generator.random((self.settings.samples, n1, n2), dtype=np.float32)
            noise[pair, :, :n1, :n2] = torch.from_numpy(-np.log(-np.log(np.maximum(uniform, TINY))))
        return noise

    def _project(self, scores: Tensor) -> Tensor:
        """Sinkhorn over the candidates; mass that a row had to leave elsewhere is dropped."""
        batch = self.batch
        return sinkhorn(scores, batch.rows, batch.columns, batch.dummies, batch.mask, self.settings.n_iter)

    def _refined_scores(self, assignment: Tensor, layer: int) -> Tensor:
        if self.settings.variant == "acg_gnn":
            return self._cell_scores(assignment, layer)
        return self.betas()[:, layer].reshape(-1, 1, 1, 1) * self.batch.gradient(assignment)

    def _cell_scores(self, assignment: Tensor, layer: int) -> Tensor:
        """Block of the released code: message passing on the association graph, maximum over its depths, a score."""
        pairs, samples, n1, n2 = assignment.shape
        states = assignment.permute(0, 2, 3, 1).reshape(pairs, n1 * n2 * samples, 1)
        depths = []
        for depth in range(3):
            around = self.batch.neighbour_sums(states.reshape(pairs * n1 * n2, -1)).reshape(states.shape)
            states = states @ self.weights[f"cell_self_{layer}_{depth}"]
            states = states + around @ self.weights[f"cell_neighbours_{layer}_{depth}"]
            if depth < 2:
                states = torch.nn.functional.layer_norm(torch.sigmoid(states), states.shape[-1:])
            depths.append(states)
        largest = torch.stack(depths).amax(dim=0)
        return (largest @ self.weights[f"readout_{layer}"]).reshape(pairs, n1, n2, samples).permute(0, 3, 1, 2)

    def _record(self, number: int, assignments: Tensor, objective: Tensor, decode: bool) -> Epoch:
        targets = self.batch.decode(assignments.detach()) if decode else None
        return Epoch(number, objective.detach().numpy(), self.betas().detach().numpy().copy(), targets)


@dataclass(frozen=True)
class Search:
    """What neural graduated assignment found for one pair.

    Attributes
    ----------
    mapping : (n,)
        Best map over all decoded epochs and samples, first graph to second, -1 where unmatched.
    first_sample : int
        Common edges of the best map that sample 0 alone gave.
    single, together : float
        At the last epoch: common edges of a decoded sample on average, and of the best of the B.
    objective : (epochs,)
        Mean J / 2 over the samples.
    betas : (epochs, m)
    """

    mapping: np.ndarray
    first_sample: int
    single: float
    together: int
    objective: np.ndarray
    betas: np.ndarray


def search(pairs: Sequence[Pair], generators: Sequence[np.random.Generator], settings: Settings) -> list[Search]:
    """Train on all pairs at once and keep the best map of each."""
    network = NeuralGraduatedAssignment(pairs, settings, generators)
    graphs = network.batch.graphs
    epochs = list(network.train())
    decoded = [epoch.targets for epoch in epochs if epoch.targets is not None]
    found = []
    for pair, graph in enumerate(graphs):
        targets = np.stack([epoch[pair] for epoch in decoded])  # (epochs, B, n1)
        edges = graph.count_edges(targets)
        best = targets.reshape(-1, targets.shape[-1])[edges.argmax()]
        objective = np.array([epoch.objective[pair].mean() / 2 for epoch in epochs])
        betas = np.array([epoch.betas[pair] for epoch in epochs])
        found.append(
            Search(graph.mapping(best), edges[:, 0].max(), edges[-1].mean(), edges[-1].max(), objective, betas)
        )
    return found


def solve(pairs: Sequence[Pair], generators: Sequence[np.random.Generator], **options: Any) -> list[Found]:
    """Best map of each pair; ``options`` are those of `Settings`."""
    return [
        Found(found.mapping, values=temperature_signs(found.betas))
        for found in search(pairs, generators, Settings(**options))
    ]


def temperature_signs(betas: np.ndarray, settled: int = 10) -> dict[str, float]:
    """Whether any β_l (epochs, m) is negative after the first epochs, and whether one then has left its first sign."""
    later = betas[settled:]
    return {
        "negative_beta": float((later < 0).any()),
        "sign_change": float((np.sign(later) != np.sign(betas[0])).any()),
    }


def epochs_to(objective: np.ndarray, target: float) -> int:
    """Epochs until ``objective`` (epochs,) first reaches ``target``; one more than there are if it never does."""
    reached = np.flatnonzero(objective >= target)
    return int(reached[0]) + 1 if len(reached) else len(objective) + 1
