"""The search for instances on which a single-machine policy is worst, many at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from seedbed.schedpred.instance import Instance, with_spoiler
from seedbed.schedpred.processor_sharing import Policy, competitive_ratio
from seedbed.schedpred.worst_cases import WorstCase

NEAR = 1e-9  # relative; floats that come nearer to a bound than this are computed again, exactly
PREDICTION_SPAN = 4  # a climb starts with predictions spread over η to this power


def worst_of(
    policy: Policy, x: np.ndarray, p: np.ndarray, found: Mapping[str, str | int]
) -> tuple[WorstCase, list[WorstCase]]:
    """The worst of many instances, and all counterexamples to the policy's proven bound.

    Parameters
    ----------
    x, p : ndarray, (instances, n)
        Sizes and predictions. Ratios are computed in floats; that of the worst instance, and those that come near to
        the bound or exceed it, again in fractions.
    """
    ratios = policy.ratios(x, p)
    errors = np.maximum(x / p, p / x).max(axis=1)
    worst = int(np.argmax(ratios))
    near = [
        i
        for i in np.flatnonzero(ratios > 1 + NEAR)
        if ratios[i] >= (1 - NEAR) * float(policy.smoothness(errors[i], x.shape[1]))
    ]
    cases = {i: exact_case(policy, Instance(tuple(x[i]), tuple(p[i])), found) for i in {worst, *near}}
    return cases[worst], [case for case in cases.values() if case.slack < 0]


def exact_case(policy: Policy, instance: Instance, found: Mapping[str, str | int]) -> WorstCase:
    """``instance``, with a spoiler if it is not smooth without, and its ratio in fractions of its exact numbers."""
    exact = Instance(tuple(map(Fraction, instance.sizes)), tuple(map(Fraction, instance.predictions)))
    if exact.classify() == "robust":
        exact = with_spoiler(exact)
    bound = policy.smoothness(exact.eta, len(exact.sizes))
    return WorstCase(exact, competitive_ratio(policy, exact), bound, found)


def climb(
    policy: Policy, eta: float, n: int, chains: int, steps: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Hill climb towards a large ratio, all ``chains`` at once, for a fixed number of ``steps``.

    A state is ``log p_j`` and ``log x_j - log p_j`` in ``[-log η, log η]``. A step changes one job of each chain: its
    error to an end or to anything, its prediction by a little or to that of another job. A change that does not make
    the ratio smaller is kept. Jobs are listed by falling size: ties of predictions are broken against the policy.

    Returns
    -------
    x, p : ndarray, (chains, n)
        Sizes and predictions at the end.
    """
    log_eta, every = math.log(eta), np.arange(chains)
    log_p = rng.uniform(0, PREDICTION_SPAN * log_eta, (chains, n))
    error = rng.uniform(-1, 1, (chains, n))
    best = _ratio(policy, *_listed(log_p, error * log_eta))
    for _ in range(steps):
        job, other = rng.integers(n, size=(2, chains))
        kind, amount = rng.integers(4, size=chains), rng.uniform(-1, 1, chains)
        new_error = np.select([kind == 0, kind == 1], [np.sign(amount), amount], error[every, job])
        new_log_p = np.select(
            [kind == 2, kind == 3], [log_p[every, job] + amount * log_eta, log_p[every, other]], log_p[every, job]
        )
        old_error, old_log_p = error[every, job], log_p[every, job]
        error[every, job], log_p[every, job] = new_error, new_log_p
        ratio = _ratio(policy, *_listed(log_p, error * log_eta))
        worse = np.flatnonzero(ratio < best)
        error[worse, job[worse]], log_p[worse, job[worse]] = old_error[worse], old_log_p[worse]
        best = np.maximum(best, ratio)
    return _listed(log_p, error * log_eta)


def _listed(log_p: np.ndarray, log_error: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sizes and predictions, jobs by falling size."""
    x = np.exp(log_p + log_error)
    order = np.argsort(-x, axis=1, kind="stable")
    return np.take_along_axis(x, order, 1), np.exp(np.take_along_axis(log_p, order, 1))


def _ratio(policy: Policy, x: np.ndarray, p: np.ndarray) -> np.ndarray:
    optimum = x @ np.arange(1, x.shape[1] + 1)  # sizes fall, so the first job is the last of the optimum
    return policy.total_completion_time(x, p) / optimum
