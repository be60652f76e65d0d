"""Variants of CAP, run on one model: the settings by name, the shared decompositions, and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor

from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.lowrank_sparse.budget import Compressed
from seedbed.lowrank_sparse.candidates import CandidatePool
from seedbed.lowrank_sparse.cap import (
    Allocating,
    Allocation,
    Decomposing,
    decompose,
    layer_budgets,
    one_part,
    select,
    trajectory,
)
from seedbed.lowrank_sparse.policy_gradient import PolicyGradient
from seedbed.lowrank_sparse.problem import Problem
from seedbed.lowrank_sparse.robust_pca import RobustPCA
from seedbed.lowrank_sparse.statistics import BINS

FACTORS = ("rpca_iterations", "lambda_tenths", "residual", "policy_iterations")


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


def trajectories(variants: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Mapping[str, Any]]]:
    """``variants`` (name -> variant) in groups that differ in ``policy_iterations`` alone, by rising iterations.

    They are stops of one run of the policy. Groups with the same candidates follow each other, and those that need no
    decomposition (`candidates` `low_rank` and `sparse`, the largest) come last.
    """
    groups: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, variant in sorted(variants.items(), key=lambda item: item[1]["policy_iterations"]):
        groups.setdefault(repr(variant | {"policy_iterations": 0}), {})[name] = variant
    places = {"both": 0, "S": 1, "L": 2, "low_rank": 3, "sparse": 4}
    first = [next(iter(group.values())) for group in groups.values()]
    order = sorted(range(len(first)), key=lambda k: (repr(decomposing(first[k])), places[first[k]["candidates"]]))
    return [list(groups.values())[k] for k in order]


class VariantRunner:
    """CAP on one problem; what variants in a row share is computed once."""

    def __init__(self, problem: Problem, metrics: Metrics, key: tuple[str, str]) -> None:
        """``key``: experiment and data set, for random numbers."""
        self.problem, self.metrics, self.key = problem, metrics, key
        self._splits: tuple[Decomposing | None, dict[str, RobustPCA]] = None, {}
        self._pool: tuple[object, CandidatePool | None] = None, None
        self._first: tuple[object, Tensor | None] = None, None
        self._start_loss: dict[tuple[object, ...], float] = {}

    def pool(self, variant: Mapping[str, Any]) -> CandidatePool:
        """Candidates of a variant; the last ones and their decomposition are kept."""
        settings, candidates = decomposing(variant), variant["candidates"]
        if self._pool[0] != (settings, candidates):
            self._pool, self._first = (None, None), (None, None)
            rms = self.problem.rms() if settings.activations else {}
            self._decompose(settings if candidates in ("both", "L", "S") else None, rms)
            splits = one_part(self.problem.task.weights, candidates, self._splits[1])
            self._pool = (settings, candidates), CandidatePool(splits, rms or None)
        return self._pool[1]

    def _decompose(self, settings: Decomposing | None, rms: Mapping[str, Tensor]) -> None:
        if self._splits[0] != settings:
            self._splits = None, {}
            splits = decompose(self.problem.task.weights, settings, rms) if settings else {}
            self._splits = settings, splits

    def run(self, group: Mapping[str, Mapping[str, Any]], ratio: int, seed: int, record: bool) -> None:
        """One seed of a group of `trajectories` at one ratio (percent).

        A variant without policy steps is measured for seed 0 only. ``record``: also matrices, policy steps and
        probabilities. ``policy_gain`` is the loss without any policy step minus that with them, from the same initial
        probabilities.
        """
        if seed:
            group = {name: variant for name, variant in group.items() if variant["policy_iterations"]}
        if not group:
            return
        variant = next(iter(group.values()))
        pool, settings = self.pool(variant), allocating(variant)
        start = decomposing(variant), variant["candidates"], settings.init, ratio
        first = self._first[1] if self._first[0] == start else None
        stops = [variant["policy_iterations"] for variant in group.values()]
        states = trajectory(pool, ratio / 100, settings, self.problem.policy_loss, rng(seed, *self.key), stops, first)
        for (name, variant), found in zip(group.items(), states, strict=True):
            self._first = start, found.initial
            factors = {key: variant[key] for key in FACTORS} | {"variant": name, "ratio": ratio}
            matrices = pool.compressed(found.mask)
            loss = self.problem.measure(self.metrics, matrices, seed, **factors)
            if record:
                self._record(pool, found, matrices, seed, factors)
            del matrices
            if variant["policy_iterations"]:
                before = self._loss_before((*start, settings.scope), pool, found.initial)
                self.metrics.add(seed, {"policy_gain": before - loss}, **factors)
            else:
                self._start_loss[*start, settings.scope] = loss

    def _loss_before(self, key: tuple[object, ...], pool: CandidatePool, initial: Tensor) -> float:
        """Loss without any policy step, measured once for all runs that start there."""
        if key not in self._start_loss:
            mask = select(pool, initial, key[-2] / 100, key[-1])
            self._start_loss[key] = float(self.problem.losses(pool.compressed(mask)).mean())
        return self._start_loss[key]

    def _record(
        self,
        pool: CandidatePool,
        found: Allocation,
        matrices: Mapping[str, Compressed],
        seed: int,
        factors: dict[str, str | int],
    ) -> None:
        for matrix, values in layer_budgets(matrices).items():
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
                counts = np.histogram(s[place].cpu().numpy(), BINS.astype(np.float32))[0]
                for number, count in enumerate((counts / max(counts.sum(), 1)).tolist()):
                    self.metrics.add(seed, {f"probability_{when}": count}, bin=number, kind=kind, **factors)
