"""The batched networks against one network trained by autograd, and against scikit-learn."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
import torch
from sklearn.datasets import make_classification
from sklearn.neural_network import MLPClassifier

from seedbed.smote_privacy import mlp_ensemble
from seedbed.smote_privacy.mlp_ensemble import MLPSettings, train_ensemble


def make_rows(n_rows: int = 330, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n_rows, n_features=5, n_informative=4, n_redundant=0, weights=[0.7], random_state=seed)
    return X / np.abs(X).max(axis=0), y


def train_one(
    X: np.ndarray, y: np.ndarray, settings: MLPSettings, start: list[tuple], orders: list[np.ndarray]
) -> list[torch.Tensor]:
    """One network in double precision, by autograd, with the textbook loss and scikit-learn's form of Adam."""
    parameters = [torch.tensor(array, dtype=torch.float64, requires_grad=True) for pair in start for array in pair]
    X, y = torch.tensor(X), torch.tensor(y, dtype=torch.float64)
    mean, square = [torch.zeros_like(p) for p in parameters], [torch.zeros_like(p) for p in parameters]
    batch_size, n_steps = min(settings.batch_size, len(X)), 0
    for order in orders:
        for begin in range(0, len(X), batch_size):
            batch = order[begin : begin + batch_size]
            hidden = X[batch].T
            for weight, bias in zip(parameters[:-2:2], parameters[1:-2:2], strict=True):
                hidden = torch.relu(weight @ hidden + bias)
            logits = (parameters[-2] @ hidden + parameters[-1])[0]
            loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y[batch])
            loss = loss + settings.alpha / 2 / len(batch) * sum((weight**2).sum() for weight in parameters[::2])
            gradients = torch.autograd.grad(loss, parameters)
            n_steps += 1
            rate = settings.learning_rate * (1 - settings.beta_2**n_steps) ** 0.5 / (1 - settings.beta_1**n_steps)
            with torch.no_grad():
                for p, m, v, g in zip(parameters, mean, square, gradients, strict=True):
                    m.copy_(settings.beta_1 * m + (1 - settings.beta_1) * g)
                    v.copy_(settings.beta_2 * v + (1 - settings.beta_2) * g**2)
                    p -= rate * m / (v.sqrt() + settings.epsilon)
    return [p.detach() for p in parameters]


class Recorder:
    """A generator that keeps what it drew."""

    def __init__(self, seed: int) -> None:
        self.rng, self.orders, self.starts = np.random.default_rng(seed), [], []

    def permuted(self, *args, **kwargs) -> np.ndarray:
        self.orders.append(self.rng.permuted(*args, **kwargs))
        return self.orders[-1]

    def uniform(self, *args, **kwargs) -> np.ndarray:
        self.starts.append(self.rng.uniform(*args, **kwargs))
        return self.starts[-1]


@pytest.mark.parametrize("hidden", [(5, 5), (3,)])
def test_each_network_is_the_one_trained_alone(hidden: tuple[int, ...]):
    settings = MLPSettings(hidden, n_epochs=3, alpha=0.05, learning_rate=0.01)
    X, y = make_rows()
    n_models = 4
    rows = X + np.random.default_rng(1).normal(0, 0.1, (n_models, *X.shape))
    recorder = Recorder(0)
    ensemble = train_ensemble(rows, y, settings, recorder)
    sizes = (5, *hidden, 1)
    for model in range(n_models):
        start = []
        for draw, n_in, n_out in zip(recorder.starts, sizes[:-1], sizes[1:], strict=True):
            weights, biases = np.split(draw, [n_models * n_out * n_in])
            start.append((weights.reshape(n_models, n_out, n_in)[model], biases.reshape(n_models, n_out, 1)[model]))
        orders = [order[model] for order in recorder.orders]
        alone = train_one(rows[model], y, settings, start, orders)
        together = [layer[model] for pair in zip(ensemble.weights, ensemble.biases, strict=True) for layer in pair]
        for expected, found in zip(alone, together, strict=True):
            torch.testing.assert_close(found.double(), expected, atol=2e-5, rtol=1e-4)


def test_start_is_within_the_glorot_bounds_of_each_layer():
    sizes, n_models = (4, 6, 1), 500
    weights, biases = mlp_ensemble._layers(
        torch.from_numpy(mlp_ensemble._glorot(sizes, n_models, np.random.default_rng(0))), sizes, n_models
    )
    for layer, (n_in, n_out) in enumerate(pairwise(sizes)):
        bound = (6 / (n_in + n_out)) ** 0.5
        for values in (weights[layer], biases[layer]):
            assert 0.97 * bound < values.abs().max() <= bound
            assert values.std().item() == pytest.approx(bound / 3**0.5, rel=0.05)


def test_shadow_networks_are_distributed_like_scikit_learns():
    """Mean and spread of the probability at a few rows, and of the training loss, over 60 networks of each kind."""
    X, y = make_rows(450)
    probes = X[:6]
    settings = MLPSettings((5, 5), n_epochs=25)
    n_models = 60
    ensemble = train_ensemble(np.stack([X] * n_models), y, settings, np.random.default_rng(0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peers = [MLPClassifier((5, 5), max_iter=25, random_state=seed).fit(X, y) for seed in range(n_models)]

    ours = np.column_stack([ensemble.predict_proba(probes), log_loss(ensemble.predict_proba(X), y)])
    theirs = np.array([[*m.predict_proba(probes)[:, 1], log_loss(m.predict_proba(X)[None, :, 1], y)[0]] for m in peers])
    standard_error = np.sqrt((ours.var(axis=0) + theirs.var(axis=0)) / n_models)
    assert np.all(np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) < 3.5 * standard_error)
    assert np.all(np.abs(np.log(ours.std(axis=0) / theirs.std(axis=0))) < 0.45)
    assert np.all(standard_error < 0.03)


def log_loss(probability: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Mean log loss (n_models,) of probabilities (n_models, n_rows)."""
    return -np.log(np.where(y == 1, probability, 1 - probability)).mean(axis=1)


def test_probability_is_the_forward_pass_row_by_row():
    X, y = make_rows(60)
    ensemble = train_ensemble(np.stack([X] * 3), y, MLPSettings((4,), n_epochs=1), np.random.default_rng(0))
    found = ensemble.predict_proba(X)
    assert found.shape == (3, 60)
    for model in range(3):
        first, last = (weight[model].double().numpy() for weight in ensemble.weights)
        first_bias, last_bias = (bias[model].double().numpy() for bias in ensemble.biases)
        for row, probability in zip(X, found[model], strict=True):
            logit = last @ np.maximum(first @ row + first_bias[:, 0], 0) + last_bias[:, 0]
            assert probability == pytest.approx(1 / (1 + np.exp(-logit[0])), abs=1e-5)


def test_same_generator_same_bytes():
    X, y = make_rows(250)
    first, second = (
        train_ensemble(np.stack([X] * 3), y, MLPSettings((5, 5), n_epochs=2), np.random.default_rng(7))
        for _ in range(2)
    )
    assert first.predict_proba(X).tobytes() == second.predict_proba(X).tobytes()


def test_errors_name_the_value():
    X, y = make_rows(40)
    with pytest.raises(ValueError, match=r"\(n_models, 39, d\).*\(1, 40, 5\)"):
        train_ensemble(X[None], y[:39], MLPSettings((2,)), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"got \(40, 5\)"):
        train_ensemble(X, y, MLPSettings((2,)), np.random.default_rng(0))
    with pytest.raises(ValueError, match="classes 0 and 1"):
        train_ensemble(X[None], y + 1, MLPSettings((2,)), np.random.default_rng(0))
    with pytest.raises(ValueError, match="hidden"):
        MLPSettings(())
    with pytest.raises(ValueError, match="n_epochs"):
        MLPSettings((2,), n_epochs=0)
