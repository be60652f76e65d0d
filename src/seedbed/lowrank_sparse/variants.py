"""Variants of CAP, run on one model: the settings by name, the shared decompositions, and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.cap import (
    Allocating,
    Allocation,
    Decomposing,
    allocate,
    decompose,
    layer_budgets,
    one_part,
    select,
)
from seedbed.lowrank_sparse.policy_gradient import PolicyGradient
from seedbed.lowrank_sparse.problem import Problem

FACTORS = ("rpca_iterations", "lambda_tenths", "residual", "policy_iterations")
BINS = np.linspace(0, 1, 21)


def decomposing(variant: Mapping[str, Any]) -> Decomposing:
    """Settings of stage 1 of a `config.Variant`."""
    return Decomposing(
        variant["rpca_iterations"],
        variant["lambda_tenths"] / 10,
        variant["residual"] == "kept",
        variant["scaling"] == "activations",
        variant["schedule"],
    )


def allocating(variant: Mapping[str, Any]) -> Allocating:
    """Settings of stage 2."""
    policy = PolicyGradient(
        variant["policy_iterations"],
        variant["learning_rate"],
        variant["baseline_window"],
        variant["baseline_decay"],
        variant["projection"],
        variant["parametrisation"],
    )
    return Allocating(variant["scope"], variant["init"], policy)


class VariantRunner:
    """CAP on one problem; decompositions that variants share are computed once."""

    def __init__(self, problem: Problem, metrics: Metrics, key: tuple[str, str]) -> None:
        """``key``: experiment and data set, for random numbers."""
        self.problem, self.metrics, self.key = problem, metrics, key
        self._pools: dict[Decomposing, CandidatePool] = {}
        self._one_part: tuple[object, CandidatePool | None] = None, None
        self._start_loss: dict[tuple[object, ...], float] = {}

    def pool(self, variant: Mapping[str, Any]) -> CandidatePool:
        """Candidates of a variant; only the last ones of one part are kept, which take much memory."""
        settings, weights, candidates = decomposing(variant), self.problem.task.weights, variant["candidates"]
        if settings not in self._pools:
            rms = self.problem.rms()
            splits = decompose(weights, settings, rms)
            self._pools[settings] = CandidatePool(splits, rms if settings.activations else None)
        if candidates == "both":
            return self._pools[settings]
        if self._one_part[0] != (settings, candidates):
            self._one_part = None, None
            splits = one_part(weights, candidates, self._pools[settings].decompositions)
            self._one_part = (settings, candidates), CandidatePool(splits)
        return self._one_part[1]

    def run(self, name: str, variant: Mapping[str, Any], ratio: int, seed: int, record: bool) -> None:
        """One seed at one ratio (percent); ``record``: also its matrices, policy steps and probabilities.

        ``policy_gain`` is the loss without any policy step minus that with them, from the same initial probabilities.
        """
        pool, settings = self.pool(variant), allocating(variant)
        factors = {key: variant[key] for key in FACTORS} | {"variant": name, "ratio": ratio}
        found = allocate(pool, ratio / 100, settings, self.problem.policy_loss, rng(seed, *self.key))
        loss = self.problem.measure(self.metrics, pool.compressed(found.mask), seed, **factors)
        start = decomposing(variant), variant["candidates"], settings.scope, settings.init, ratio
        if not variant["policy_iterations"]:
            self._start_loss[start] = loss
        else:
            if start not in self._start_loss:
                mask = select(pool, found.initial, ratio / 100, settings.scope)
                self._start_loss[start] = float(self.problem.losses(pool.compressed(mask)).mean())
            self.metrics.add(seed, {"policy_gain": self._start_loss[start] - loss}, **factors)
        if record:
            self._record(pool, found, seed, factors)

    def _record(self, pool: CandidatePool, found: Allocation, seed: int, factors: dict[str, str | int]) -> None:
        for matrix, values in layer_budgets(pool.compressed(found.mask)).items():
            split = pool.decompositions[matrix]
            stage_1 = {
                "rpca_rank_share": split.rank / min(split.S.shape),
                "rpca_density": split.density,
                "rpca_residual": split.residual,
            }
            self.metrics.add(seed, values | stage_1, matrix=matrix, **factors)
        for number, step in enumerate(found.trace):
            self.metrics.add(
                seed, {f"policy_{key}": value for key, value in vars(step).items()}, step=number, **factors
            )
        for kind, place in (("rank", pool.is_rank), ("entry", ~pool.is_rank)):
            for when, s in (("before", found.initial), ("after", found.final)):
                counts = torch.histogram(s[place].cpu(), torch.tensor(BINS, dtype=torch.float32)).hist
                for number, count in enumerate((counts / counts.sum().clamp_min(1)).tolist()):
                    self.metrics.add(seed, {f"probability_{when}": count}, bin=number, kind=kind, **factors)
