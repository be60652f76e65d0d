"""Many small classifiers trained at once: the shadow networks of the classifier attacks (nb_11).

The paper trains ``MLPClassifier(hidden_layer_sizes=(d, d), max_iter=25)`` hundreds of times for each target row. The
networks are tiny, so almost all of that time is per-call overhead. Here a batch of networks is one set of three-way
tensors, and a training step of all of them is a handful of batched matrix products.

What is kept from scikit-learn: ReLU units, Glorot-uniform weights *and* biases, the mean log loss with the penalty
``alpha / 2 |W|^2`` divided by the batch size (biases are free), Adam with its form of the bias correction, a new
shuffle every epoch, mini-batches of ``min(200, n)`` rows of which the last is smaller.

What differs: single precision (scikit-learn keeps the precision of the data, here double; 25 epochs of Adam with random
batches are far noisier than rounding), other random numbers, and no early stopping: scikit-learn may stop from epoch 12
on, when the loss has not fallen by 1e-4 for more than ten epochs, which did not happen on any of the paper's data sets.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class MLPSettings:
    """Settings of one network and its training; the defaults are those of scikit-learn, but for the epochs."""

    hidden: tuple[int, ...]
    """Units of each hidden layer; the paper takes ``(d, d)`` for data of ``d`` columns."""
    n_epochs: int = 25
    """Passes over the data (``max_iter``)."""
    batch_size: int = 200
    """Rows in one step; all rows where there are fewer."""
    learning_rate: float = 1e-3
    """Step size of Adam."""
    beta_1: float = 0.9
    """Decay of Adam's mean of the gradient."""
    beta_2: float = 0.999
    """Decay of Adam's mean of the squared gradient."""
    epsilon: float = 1e-8
    """Added to the root of that mean."""
    alpha: float = 1e-4
    """Strength of the L2 penalty on weights."""

    def __post_init__(self) -> None:
        if not self.hidden or min(self.hidden) < 1:
            raise ValueError(f"hidden must name at least one layer of at least one unit, got {self.hidden}")
        if self.n_epochs < 1 or self.batch_size < 1:
            raise ValueError(f"n_epochs and batch_size must be positive, got {self.n_epochs} and {self.batch_size}")


@dataclass(frozen=True)
class MLPEnsemble:
    """Trained networks, one for each slice of the leading axis.

    Attributes
    ----------
    weights : list of tensor, each (n_models, n_out, n_in)
        Weights of each layer, float32.
    biases : list of tensor, each (n_models, n_out, 1)
        Biases of each layer, float32.
    """

    weights: list[torch.Tensor]
    biases: list[torch.Tensor]

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probability of class 1 for rows ``X`` (n_rows, d) under each network, as float64 (n_models, n_rows)."""
        import torch

        inputs = torch.as_tensor(np.asarray(X, dtype=np.float32)).T.expand(len(self.weights[0]), -1, -1)
        with torch.no_grad():
            logits = _forward(self.weights, self.biases, inputs)[1]
        return torch.sigmoid(logits[:, 0, :].double()).numpy()


def train_ensemble(X: np.ndarray, y: np.ndarray, settings: MLPSettings, rng: np.random.Generator) -> MLPEnsemble:
    """Train independent networks, each on its own rows, with its own start and its own shuffles.

    Parameters
    ----------
    X : ndarray, (n_models, n_rows, d)
        Rows of each network. About twenty networks are fastest: their activations then stay in the cache.
    y : ndarray, (n_rows,)
        Class 0 or 1 of each row, the same for all networks.
    settings : MLPSettings
        Network and training.
    rng : numpy.random.Generator
        Source of all randomness; the networks draw from it together, so another number of them is other networks.

    Returns
    -------
    MLPEnsemble

    Raises
    ------
    ValueError
        If the shapes do not fit or ``y`` has values other than 0 and 1.
    """
    import torch

    if X.ndim != 3 or X.shape[1] != len(y):
        raise ValueError(f"X must be (n_models, {len(y)}, d) to fit y, got {X.shape}")
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"y must hold the classes 0 and 1 only, got {np.unique(y)}")
    n_models, n_rows, n_columns = X.shape
    sizes = (n_columns, *settings.hidden, 1)
    rows = np.ascontiguousarray(X, dtype=np.float32).reshape(-1, n_columns)
    labels = np.asarray(y, dtype=np.float32)
    own_rows = np.tile(np.arange(n_rows), (n_models, 1))
    first_row = n_rows * np.arange(n_models)[:, None]
    parameters = torch.from_numpy(_glorot(sizes, n_models, rng))
    weights, biases = _layers(parameters, sizes, n_models)
    gradient = torch.empty_like(parameters)
    gradients = _layers(gradient, sizes, n_models)
    optimizer = _Adam(parameters, settings)
    batch_size = min(settings.batch_size, n_rows)
    with torch.no_grad():
        for _ in range(settings.n_epochs):
            order = rng.permuted(own_rows, axis=1)
            shuffled = torch.from_numpy(rows.take(order + first_row, axis=0))
            targets = torch.from_numpy(labels.take(order))[:, None, :]
            for start in range(0, n_rows, batch_size):
                batch = slice(start, start + batch_size)
                inputs = shuffled[:, batch].transpose(1, 2)
                _back_propagate(weights, biases, inputs, targets[:, :, batch], settings.alpha, *gradients)
                optimizer.step(gradient)
    return MLPEnsemble(weights, biases)


def _layers(flat: torch.Tensor, sizes: tuple[int, ...], n_models: int) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """View a flat vector as the weights (n_models, n_out, n_in) and biases (n_models, n_out, 1) of each layer.

    One flat vector holds all parameters, another their gradients, so that Adam is five operations and not thirty.
    """
    weights, biases, start = [], [], 0
    for n_in, n_out in pairwise(sizes):
        for width, views in ((n_in, weights), (1, biases)):
            stop = start + n_models * n_out * width
            views.append(flat[start:stop].view(n_models, n_out, width))
            start = stop
    return weights, biases


def _glorot(sizes: tuple[int, ...], n_models: int, rng: np.random.Generator) -> np.ndarray:
    """Flat parameters, uniform within ``sqrt(6 / (n_in + n_out))`` of their layer.

    scikit-learn chooses the constant by the *hidden* activation: 6 for ReLU, in the logistic output layer as well.
    """
    draws = []
    for n_in, n_out in pairwise(sizes):
        bound = np.sqrt(6.0 / (n_in + n_out))
        draws.append(rng.uniform(-bound, bound, n_models * n_out * (n_in + 1)))
    return np.concatenate(draws).astype(np.float32)


def _forward(
    weights: list[torch.Tensor], biases: list[torch.Tensor], inputs: torch.Tensor
) -> tuple[list[torch.Tensor], torch.Tensor]:
    """Inputs of every layer and the logits (n_models, 1, n_rows) for ``inputs`` (n_models, d, n_rows)."""
    import torch

    activations = [inputs]
    for weight, bias in zip(weights[:-1], biases[:-1], strict=True):
        activations.append(torch.baddbmm(bias, weight, activations[-1]).relu_())
    return activations, torch.baddbmm(biases[-1], weights[-1], activations[-1])


def _back_propagate(
    weights: list[torch.Tensor],
    biases: list[torch.Tensor],
    inputs: torch.Tensor,
    targets: torch.Tensor,
    alpha: float,
    weight_gradients: list[torch.Tensor],
    bias_gradients: list[torch.Tensor],
) -> None:
    """Fill in the gradients of mean log loss and penalty on ``inputs`` (n_models, d, n_rows)."""
    import torch

    n_rows = inputs.shape[-1]
    activations, logits = _forward(weights, biases, inputs)
    delta = logits.sigmoid_().sub_(targets).div_(n_rows)
    for layer in reversed(range(len(weights))):
        layer_inputs = activations[layer].transpose(1, 2)
        torch.baddbmm(weights[layer], delta, layer_inputs, beta=alpha / n_rows, out=weight_gradients[layer])
        torch.sum(delta, dim=2, keepdim=True, out=bias_gradients[layer])
        if layer:
            delta = torch.bmm(weights[layer].transpose(1, 2), delta).mul_(activations[layer].sign())


class _Adam:
    """Adam as in scikit-learn: ``p -= lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps)`` on a flat vector."""

    def __init__(self, parameters: torch.Tensor, settings: MLPSettings) -> None:
        import torch

        self.parameters = parameters
        self.settings = settings
        self.mean = torch.zeros_like(parameters)
        self.square = torch.zeros_like(parameters)
        self.n_steps = 0

    def step(self, gradient: torch.Tensor) -> None:
        """Move the parameters, in place, by one step."""
        settings = self.settings
        self.n_steps += 1
        correction = np.sqrt(1 - settings.beta_2**self.n_steps) / (1 - settings.beta_1**self.n_steps)
        self.mean.lerp_(gradient, 1 - settings.beta_1)
        self.square.mul_(settings.beta_2).addcmul_(gradient, gradient, value=1 - settings.beta_2)
        rate = settings.learning_rate * float(correction)
        self.parameters.addcdiv_(self.mean, self.square.sqrt().add_(settings.epsilon), value=-rate)
