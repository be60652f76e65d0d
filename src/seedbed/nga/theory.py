"""Identities behind the learned temperature (Section 3.5), as errors that ought to vanish."""

from __future__ import annotations

import numpy as np
import torch
from scipy.special import softmax

from seedbed.nga.association import AssociationGraph
from seedbed.nga.sinkhorn import sinkhorn


def random_scores(graph: AssociationGraph, generator: np.random.Generator) -> np.ndarray:
    """Normal scores (n1, n2), far lower where there is no candidate."""
    return np.where(graph.mask, generator.normal(size=graph.shape), -30.0)


def variance_identity_error(graph: AssociationGraph, scores: np.ndarray) -> float:
    """Error of d/dβ E_p[h] = Var_p(h) at β = 0, for p ∝ exp(scores + β h) by rows and h = A◇ p(0), over the variance.

    The left side is a central difference.
    """
    p, step = softmax(scores, axis=1), 1e-4
    h = graph.gradient(p)
    up, down = ((softmax(scores + beta * h, axis=1) * h).sum() for beta in (step, -step))
    variance = (p * h**2).sum() - ((p * h).sum(axis=1) ** 2).sum()
    return abs((up - down) / (2 * step * variance) - 1)


def objective_change(graph: AssociationGraph, scores: np.ndarray, beta: float) -> float:
    """J(S') - J(S) of a step from S = Sinkhorn(scores) to S' = Sinkhorn(scores + β A◇ S) (Theorem 1)."""
    assignment = _project(graph, scores)
    return graph.objective(_project(graph, scores + beta * graph.gradient(assignment))) - graph.objective(assignment)


def _project(graph: AssociationGraph, scores: np.ndarray) -> np.ndarray:
    return sinkhorn(torch.from_numpy(scores), n_iter=200).numpy() * graph.mask


def product_step_error(dimension: int, generator: np.random.Generator, rate: float = 0.1) -> float:
    """Error of Proposition 2: one gradient step on W1, W2 moves β = W1ᵀW2 by -η g (|W1|² + |W2|²) + η² g² β."""
    w1, w2 = generator.normal(size=(2, dimension))
    g, beta = generator.normal(), w1 @ w2
    moved = (w1 - rate * g * w2) @ (w2 - rate * g * w1) - beta
    return abs(moved - (-rate * g * (w1 @ w1 + w2 @ w2) + rate**2 * g**2 * beta))
