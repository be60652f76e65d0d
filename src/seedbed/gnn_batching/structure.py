"""How far the structure that mini-batches see lies from the full one (Section 4 of the paper, Theorem 3).

The row discrepancy has a closed form for the mean aggregator [D]; the Wasserstein distance is known only as an infimum
over couplings, and its cost is ours [R].
"""

from __future__ import annotations

import os

import numpy as np

from seedbed.core.graphs.graph import Graph


def row_discrepancy(degrees: np.ndarray, fan_out: int) -> np.ndarray:
    """Squared distance of a node's full from its sampled mean weights, ``1/fan_out - 1/degree``, else 0. (n,) [D].

    The sampled row has weights 1/fan_out on fan_out of the degree neighbours, so this is the same for every sample.
    """
    degrees = np.maximum(degrees, 1)
    return np.where(degrees > fan_out, 1 / fan_out - 1 / degrees, 0.0)


def feature_discrepancy(graph: Graph, fan_out: int) -> np.ndarray:
    """Expected squared distance of the sampled from the full mean of the neighbours' features, (n,) [D].

    ``(1/fan_out - 1/degree) S²``, with S² the trace of the neighbours' sample covariance (divisor degree - 1).
    """
    x = graph.node_features.astype(np.float64)
    adjacency, degrees = graph.to_scipy(), graph.degrees
    divisor = np.maximum(degrees, 1)[:, None]
    mean = (adjacency @ x) / divisor
    squares = (adjacency @ (x**2).sum(1)) - degrees * (mean**2).sum(1)
    return row_discrepancy(degrees, fan_out) * squares / np.maximum(degrees - 1, 1)


def structure_distance(
    seen: np.ndarray, test: np.ndarray, seen_labels: np.ndarray, test_labels: np.ndarray, penalty: float
) -> float:
    """Optimal transport between uniform weights on ``seen`` (m, d) and ``test`` (n, d), Δ(β, b) [R].

    The cost of a pair is the squared distance of their aggregated features, and ``penalty`` more where labels differ.
    """
    os.environ.setdefault("POT_BACKEND_DISABLE_PYTORCH", "1")  # or it imports torch, which costs two seconds
    import ot

    different = seen_labels[:, None] != test_labels
    cost = squared_distances(seen, test) + penalty * different
    uniform = [np.full(len(side), 1 / len(side)) for side in (seen, test)]
    return float(ot.emd2(*uniform, cost, numItermax=1_000_000))


def squared_distances(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Squared Euclidean distances (m, n) between rows, in float64."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    distances = (left**2).sum(1)[:, None] + (right**2).sum(1) - 2 * left @ right.T
    return np.maximum(distances, 0)
