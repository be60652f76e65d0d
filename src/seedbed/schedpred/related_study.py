"""Policies on related machines: in the game of groups, on random instances, under search (claims C7, C8, C9)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from seedbed.schedpred.games import GROUP_SPOILER, GroupAdversary, replay
from seedbed.schedpred.hill_climb import hill_climb
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.machines import FixedSizes, Policy, play
from seedbed.schedpred.makespan import related_guarantee
from seedbed.schedpred.policies import DoublingEstimates, ListScheduling, PlannedLists, StaggeredStarts
from seedbed.schedpred.smooth_instances import draw_smooth
from seedbed.schedpred.study import Study

POLICIES: dict[str, Callable[[], Policy]] = {
    "list": ListScheduling,
    "list_migrate": lambda: ListScheduling("prediction", migrate=True),
    "trust": PlannedLists,
    "staggered": StaggeredStarts,
    "doubling": lambda: DoublingEstimates(k0=10),
    "doubling_from_1": lambda: DoublingEstimates(k0=1),
    "doubling_from_0": lambda: DoublingEstimates(k0=0),
    "doubling_equal": lambda: DoublingEstimates(k0=10, estimates="equal"),
    "doubling_interleaved": lambda: DoublingEstimates(k0=10, estimates="interleaved"),
}
"""Policies on related machines; ``trust`` works off a plan of the predictions as it is."""

BOUNDED = ("doubling",)
"""Policies of which 2ρ (2 log2 η + 4) is proven, up to η = 2^10: their first estimate is small enough."""

FASTEST = 8.0
"""Speeds of random instances are log-uniform from 1 to this."""


def upper_bound(eta: float, rho: float) -> float:
    """2ρ (2 log2 η + 4), what `DoublingEstimates` needs at most, for plans within ρ of their optimum (ours)."""
    return 2 * rho * (2 * math.log2(eta) + 4)


def group_games(
    method: str,
    groups: Sequence[tuple[int, int]],
    predictions: Sequence[Literal["lowest", "centred"]],
    spoilers: Sequence[Literal["no", "yes"]],
) -> Study:
    """Play one policy of `POLICIES` against `GroupAdversary`.

    Factors ``K, B, predictions, spoiler``. Metrics:

    - ``ratio``: time of the game over that of the best schedule known;
    - ``eta``, ``log2_eta``: error of the instance (of equal predictions: 2^K or 2^(K/2));
    - ``slack``: ratio less ⌈log2 η⌉;
    - ``smoothness``: largest ratio of games with this B and these predictions and no larger error;
    - ``upper_slack``, of the policies in `BOUNDED`: 2ρ (2 log2 η + 4) less the ratio;
    - with the spoiler ``smooth``, whether the instance is in that class; ``spoiler_change``, by how much it moves the
      ratio when appended to the instance of the game without; ``game_change``, the difference of the two games. These
      two need not be small: a moment's delay can decide which machine is free first.

    Parameters
    ----------
    method : str
        Policy.
    groups : sequence of (B, largest K)
        Games for K from 1 on.
    predictions : sequence of {"lowest", "centred"}
        Predictions, as `GroupAdversary` takes them.
    spoilers : sequence of {"no", "yes"}
        Whether to play without a spoiler, with one, or both ways.
    """
    study = Study()
    for (B, last), kind in ((group, kind) for group in groups for kind in predictions):
        smoothness = dict.fromkeys(spoilers, 0.0)
        for K in range(1, last + 1):
            plain = GroupAdversary(K, B, kind).play(POLICIES[method])
            for spoiler in spoilers:
                adversary = GroupAdversary(K, B, kind, spoiler == "yes")
                game = adversary.play(POLICIES[method]) if spoiler == "yes" else plain
                ratio = game.ratio
                smoothness[spoiler] = max(smoothness[spoiler], ratio)
                log2_eta = float(adversary.log2_eta)
                values = {
                    "ratio": ratio,
                    "eta": 2**log2_eta,
                    "log2_eta": log2_eta,
                    "slack": ratio - math.ceil(log2_eta),
                    "smoothness": smoothness[spoiler],
                }
                if method in BOUNDED:
                    rho = related_guarantee(game.instance.predictions, adversary.speeds)
                    values["upper_slack"] = upper_bound(2**log2_eta, rho) - ratio
                if spoiler == "yes":
                    values["spoiler_change"] = abs(replay(plain, POLICIES[method], GROUP_SPOILER).ratio - plain.ratio)
                    values["game_change"] = abs(ratio - plain.ratio)
                    values["smooth"] = game.instance.classify() == "smooth"
                study.add(0, values, K=K, B=B, predictions=kind, spoiler=spoiler)
    return study


def random_ratios(
    method: str,
    families: Sequence[str],
    etas: Sequence[str],
    shapes: Sequence[tuple[int, int]],
    count: int,
    seed: int,
    rng: np.random.Generator,
) -> Study:
    """Ratios of one policy of `POLICIES` to the optimum, which is enumerated, on random instances of the smooth class.

    Factors ``family, eta, n, m``; metrics of the ``count`` instances of each set: ``ratio_max``, ``ratio_median``; for
    the policies in `BOUNDED` ``upper_slack``, the least difference of 2ρ (2 log2 η + 4) and the ratio. Parameters are
    as in `seedbed.schedpred.identical_study.random_ratios`; speeds are log-uniform.
    """
    study = Study()
    for family in families:
        for (n, m), eta in ((shape, eta) for shape in shapes for eta in etas):
            sizes, predictions = draw_smooth(family, float(eta), n, count, rng)
            speeds = FASTEST ** rng.random((count, m))
            ratios = _ratios(method, sizes, predictions, speeds)
            values = {"ratio_max": ratios.max(), "ratio_median": np.median(ratios)}
            worst = int(ratios.argmax())
            instance = Instance(tuple(sizes[worst]), tuple(predictions[worst]), tuple(speeds[worst]))
            bound = math.inf
            if method in BOUNDED:
                bound = upper_bound(float(eta), 2 * m / (m + 1))
                values["upper_slack"] = bound - ratios.max()
            study.add(seed, values, family=family, eta=eta, n=n, m=m)
            study.see((eta, m), instance, float(ratios[worst]), bound, eta=eta, m=m)
    return study


def search_worst(
    method: str,
    etas: Sequence[str],
    shapes: Sequence[tuple[int, int]],
    chains: int,
    steps: int,
    seed: int,
    rng: np.random.Generator,
) -> Study:
    """Hill-climb for sizes on which one policy of `POLICIES` is worst, against the enumerated optimum.

    Factors ``eta, n, m``; metrics ``ratio_max``, ``evaluations``, and ``upper_slack`` as in `random_ratios`. Half of
    the chains have equal predictions, the others predictions of lognormal sizes.
    """
    study = Study()
    for (n, m), eta in ((shape, eta) for shape in shapes for eta in etas):
        predictions = draw_smooth("lognormal", float(eta), n, chains, rng)[1]
        predictions[::2] = 1.0
        speeds = FASTEST ** rng.random((chains, m))

        def ratio(sizes, predictions=predictions, speeds=speeds):
            return _ratios(method, sizes, predictions, speeds)

        sizes, ratios = hill_climb(ratio, predictions, float(eta), steps, rng)
        worst = int(ratios.argmax())
        values = {"ratio_max": ratios[worst], "evaluations": (steps + 1) * chains}
        bound = math.inf
        if method in BOUNDED:
            bound = upper_bound(float(eta), 2 * m / (m + 1))
            values["upper_slack"] = bound - ratios[worst]
        study.add(seed, values, eta=eta, n=n, m=m)
        instance = Instance(tuple(sizes[worst]), tuple(predictions[worst]), tuple(speeds[worst]))
        study.see((eta, m), instance, float(ratios[worst]), bound, eta=eta, m=m)
    return study


def _ratios(method: str, sizes: np.ndarray, predictions: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """Ratio of the policy to the optimum for each instance, (S,)."""
    makespans = [
        play(POLICIES[method](), FixedSizes(x), p, s).makespan
        for x, p, s in zip(sizes.tolist(), predictions.tolist(), speeds.tolist(), strict=True)
    ]
    return np.array(makespans) / enumerated_makespan(sizes, speeds)


def enumerated_makespan(sizes: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """Optimum of sizes (S, n) on machines of speeds (S, m), by trying all m^n assignments: for n about 8, m about 3.

    Load by load: the makespans of all assignments, (m^n, S).
    """
    (_, n), m = sizes.shape, speeds.shape[1]
    choices = np.arange(m**n)[:, None] // m ** np.arange(n) % m
    makespan = np.zeros((len(choices), len(sizes)))
    for machine in range(m):
        np.maximum(makespan, (choices == machine).astype(float) @ (sizes / speeds[:, [machine]]).T, out=makespan)
    return makespan.min(axis=0)
