"""How well similarities rank the candidates of a query: reciprocal rank, average precision, precision at ten."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rdkit import Chem
from rdkit.Chem import DataStructs, rdFingerprintGenerator

from seedbed.nga.optima import similarity
from seedbed.nga.pairs import Pairs


def tanimoto(first: str, second: str) -> float:
    """Tanimoto similarity of the Morgan fingerprints (radius 2, 2,048 bits) of two SMILES."""
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    prints = [generator.GetFingerprint(Chem.MolFromSmiles(smiles)) for smiles in (first, second)]
    return DataStructs.TanimotoSimilarity(*prints)


def ranking(estimated: np.ndarray, true: np.ndarray, relevant: float) -> dict[str, float]:
    """Of one query with similarities (k,): ties share their mean rank.

    ``reciprocal_rank`` is of the truly most similar candidate (the best of several); ``average_precision`` and
    ``precision_at_10`` are of the candidates above ``relevant``, and left out where there are none.
    """
    better, equal = estimated > estimated[:, None], estimated == estimated[:, None]
    ranks = better.sum(axis=1) + (equal.sum(axis=1) + 1) / 2
    values = {"reciprocal_rank": 1 / ranks[true == true.max()].min()}
    found = np.sort(ranks[true > relevant])
    if len(found):
        values["average_precision"] = float(np.mean(np.arange(1, len(found) + 1) / found))
        values["precision_at_10"] = float((found <= 10).sum() / 10)
        values["precision_at_10_limit"] = min(len(found), 10) / 10
    return values


def regressed(estimated: np.ndarray, true: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Similarities put on the scale of the true ones by the line fitted on all other queries."""
    fitted = np.empty_like(true)
    for number in np.unique(query):
        own = query == number
        fitted[own] = np.polyval(np.polyfit(estimated[~own], true[~own], 1), estimated[own])
    return fitted


def estimates(
    method: str, pairs: Pairs, generators: Sequence[np.random.Generator], options: Mapping[str, Any]
) -> np.ndarray:
    """Similarity of each pair: Tanimoto of ``fingerprint``, or the Johnson similarity of what a solver finds."""
    if method == "fingerprint":
        return np.array([tanimoto(a.smiles, b.smiles) for a, b in zip(pairs.first, pairs.second, strict=True)])
    found = importlib.import_module(f"seedbed.nga.{method}").solve(pairs.graphs, generators, **options)
    return np.array([similarity(pair, result.mapping) for pair, result in zip(pairs.graphs, found, strict=True)])


def squared_errors(method: str, estimated: np.ndarray, true: np.ndarray, query: np.ndarray) -> np.ndarray:
    """Squared errors of the similarities; fingerprints are on another scale and are regressed first."""
    on_scale = regressed(estimated, true, query) if method == "fingerprint" else estimated
    return (on_scale - true) ** 2
