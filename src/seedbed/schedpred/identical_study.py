"""Policies on identical machines: against the adversary, on random instances, under search (claims C5, C6, C9)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from seedbed.schedpred.bounds import smoothness_bounds
from seedbed.schedpred.games import UNIT_SPOILER, LastBigAdversary, replay
from seedbed.schedpred.hill_climb import hill_climb
from seedbed.schedpred.identical import (
    Lists,
    certified_ratio,
    enumerated_lists,
    lpt_lists,
    multifit_lists,
    offline_plan,
    robustness_instance,
    run_in_order,
    run_lists,
)
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.machines import FixedSizes, Policy, play
from seedbed.schedpred.makespan import makespan_lower_bound, optimal_makespan
from seedbed.schedpred.policies import DoublingEstimates, ListScheduling, PlannedLists, Thief
from seedbed.schedpred.smooth_instances import draw_smooth
from seedbed.schedpred.study import Study

POLICIES: dict[str, Callable[[], Policy]] = {
    "list": ListScheduling,
    "list_postpone": lambda: ListScheduling(postpone=True),
    "lppt": lambda: ListScheduling("prediction"),
    "simple": PlannedLists,
    "simple_la": lambda: PlannedLists(adjust=True),
    "simple_la_first": lambda: PlannedLists(adjust=True, thief="first"),
    "simple_la_multifit": lambda: PlannedLists(offline_plan("multifit"), adjust=True),
    "simple_la_milp": lambda: PlannedLists(offline_plan("milp"), adjust=True),
    "doubling": lambda: DoublingEstimates(k0=10),
}
"""Policies that can play; ``list_postpone`` and ``doubling`` stop runs and restart them."""


@dataclass(frozen=True)
class BatchPolicy:
    """A policy as the random studies run it, and what is proven of it.

    Attributes
    ----------
    plan : callable or None
        Offline plan of predictions on m machines; None for list scheduling.
    by_prediction : bool
        For list scheduling: by nonincreasing prediction instead of by index.
    adjust, thief
        For plans: as in `seedbed.schedpred.policies.PlannedLists`.
    """

    plan: Callable[[np.ndarray, int], Lists] | None = None
    by_prediction: bool = False
    adjust: bool = False
    thief: Thief = "last"


BATCH_POLICIES = {
    "list": BatchPolicy(),
    "lppt": BatchPolicy(by_prediction=True),
    "simple": BatchPolicy(lpt_lists),
    "simple_la": BatchPolicy(lpt_lists, adjust=True),
    "simple_la_first": BatchPolicy(lpt_lists, adjust=True, thief="first"),
    "simple_la_multifit": BatchPolicy(multifit_lists, adjust=True),
    "simple_la_exact": BatchPolicy(enumerated_lists, adjust=True),
}
"""Policies of the random studies; ``simple_la_exact`` enumerates plans, for few jobs and machines."""


def last_big_games(method: str, eta_squared: Sequence[str], machines: Sequence[int]) -> Study:
    """Play one policy of `POLICIES` against `LastBigAdversary`, with and without the spoiler, exactly.

    Factors ``eta_squared, m, spoiler``. Pairs with η² above m are left out: there L(η) is that of η² = m. Metrics:

    - ``ratio``, of the policy replayed on the sizes that the adversary made;
    - ``bound``, L(η), and ``slack``, the ratio less the bound;
    - ``smooth``, whether the instance is in that class;
    - with the spoiler ``spoiler_change``, by how much it moves the ratio when appended to the instance of the game
      without, and ``game_change``, the difference of the two games.
    """
    study = Study()
    new_policy = POLICIES[method]
    for q, m in ((Fraction(q), m) for q in eta_squared for m in machines):
        if q > m:
            continue
        plain = LastBigAdversary(q, m).play(new_policy)
        for spoiler in (False, True):
            adversary = LastBigAdversary(q, m, spoiler)
            game = adversary.play(new_policy)
            ratio = replay(game, new_policy).ratio
            values = {
                "ratio": ratio,
                "bound": adversary.bound,
                "slack": ratio - adversary.bound,
                "smooth": game.instance.classify() == "smooth",
            }
            if spoiler:
                values["spoiler_change"] = abs(replay(plain, new_policy, UNIT_SPOILER).ratio - plain.ratio)
                values["game_change"] = abs(ratio - plain.ratio)
            study.add(0, values, eta_squared=str(q), m=m, spoiler="yes" if spoiler else "no")
            study.see((str(q), m), game.instance, ratio, math.inf, eta_squared=str(q), m=m)
    return study


def robustness_ratios(method: str, machines: Sequence[int]) -> Study:
    """Ratio of one policy of `POLICIES` on `robustness_instance`.

    Factor ``m``; metrics ``ratio`` and ``ratio_per_machine``. The optimum is exact: each machine has one job of size 1
    and m - 1 tiny ones.
    """
    study = Study()
    for m in machines:
        instance = robustness_instance(m)
        makespan = play(POLICIES[method](), FixedSizes(instance.sizes), instance.predictions, [1] * m).makespan
        ratio = makespan / makespan_lower_bound(np.array([instance.sizes], dtype=object), m)[0]
        study.add(0, {"ratio": ratio, "ratio_per_machine": ratio / m}, m=m)
        study.see(m, instance, ratio, math.inf, m=m)
    return study


def random_ratios(
    method: str,
    families: Sequence[str],
    etas: Sequence[str],
    shapes: Sequence[tuple[int, int]],
    count: int,
    optimum: Literal["enumerated", "bound"],
    seed: int,
    rng: np.random.Generator,
) -> Study:
    """Ratios of one policy of `BATCH_POLICIES` on random instances, smooth ones for η above 1, else consistent ones.

    Factors ``family, eta, n, m``; metrics of the ``count`` instances of each set:

    - ``ratio_max``, ``ratio_median``: to the optimum, or to its lower bound and then never too small;
    - ``slack``: least difference of the proven bound and the ratio. The bound is min(ρη², 2 - 1/m) with
      list-adjusting, ρη² without, 2 - 1/m for list scheduling. Where the ratio is to the lower bound, so is ρ, and the
      proof holds as it is: the lower bound scales with the sizes and grows with each;
    - ``rho_max``, of plans: largest ρ;
    - ``start_delay``, with list-adjusting: the most that a job starts later than without; at most 0 by theory;
    - ``rival_slack``: min(2(η² + 1)/3, 2) less ``ratio_max``.

    Parameters
    ----------
    method : str
        Policy.
    families, etas : sequence of str
        Families of `draw_smooth`, errors.
    shapes : sequence of (n, m)
        Jobs and machines.
    count : int
        Instances of each set.
    optimum : {"enumerated", "bound"}
        What ratios and ρ are against.
    seed : int
        For the rows.
    rng : numpy.random.Generator
        Source of instances: the same for all methods if it is in the same state.
    """
    study = Study()
    policy = BATCH_POLICIES[method]
    for family in families:
        for (n, m), eta in ((shape, eta) for shape in shapes for eta in etas):
            sizes, predictions = draw_smooth(family, float(eta), n, count, rng)
            run = _run(policy, sizes, predictions, m, optimum)
            bound = _proven_bound(policy, float(eta), m, run.rho)
            slack = bound - run.ratio
            values = {"ratio_max": run.ratio.max(), "ratio_median": np.median(run.ratio), "slack": slack.min()}
            values["rival_slack"] = smoothness_bounds("identical", float(eta), m)["prior_upper"] - run.ratio.max()
            if policy.plan:
                values["rho_max"] = run.rho.max()
            if policy.adjust:
                values["start_delay"] = run.start_delay.max()
            study.add(seed, values, family=family, eta=eta, n=n, m=m)
            for row in {int(run.ratio.argmax()), int(slack.argmin())}:
                instance = Instance(tuple(sizes[row]), tuple(predictions[row]))
                study.see((eta, m), instance, float(run.ratio[row]), float(bound[row]), eta=eta, m=m)
    return study


def search_violations(
    method: str,
    families: Sequence[str],
    etas: Sequence[str],
    shapes: Sequence[tuple[int, int]],
    chains: int,
    steps: int,
    seed: int,
    rng: np.random.Generator,
) -> Study:
    """Hill-climb for sizes on which one policy of `BATCH_POLICIES` comes nearest to its proven bound, or breaks it.

    The objective is the ratio to the lower bound of the optimum, over the proven bound. Factors ``eta, n, m``. Metrics:
    ``slack``, least difference of bound and ratio; ``ratio_max``, largest ratio to the lower bound; ``ratio_best``, of
    the instance with the largest objective, the ratio to the bound that HiGHS proves, mostly the optimum;
    ``evaluations``. ``chains`` are divided among the families that predictions come from; half of all chains have equal
    predictions.
    """
    study = Study()
    policy = BATCH_POLICIES[method]
    for (n, m), eta in ((shape, eta) for shape in shapes for eta in etas):
        drawn = [draw_smooth(family, float(eta), n, math.ceil(chains / len(families)), rng)[1] for family in families]
        predictions = np.concatenate(drawn)
        predictions[::2] = 1.0
        lists = policy.plan(predictions, m) if policy.plan else None

        def relative(sizes, predictions=predictions, lists=lists, m=m, eta=eta):
            run = _run(policy, sizes, predictions, m, "bound", lists)
            return run.ratio / _proven_bound(policy, float(eta), m, run.rho)

        sizes, reached = hill_climb(relative, predictions, float(eta), steps, rng)
        run = _run(policy, sizes, predictions, m, "bound", lists)
        bound = _proven_bound(policy, float(eta), m, run.rho)
        best = int(reached.argmax())
        _, least = optimal_makespan([float(size) for size in sizes[best]], m)
        values = {
            "slack": (bound - run.ratio).min(),
            "ratio_max": run.ratio.max(),
            "ratio_best": run.makespan[best] / least,
            "evaluations": (steps + 1) * len(predictions),
        }
        study.add(seed, values, eta=eta, n=n, m=m)
        instance = Instance(tuple(sizes[best]), tuple(predictions[best]))
        study.see((eta, m), instance, float(run.ratio[best]), float(bound[best]), eta=eta, m=m)
    return study


@dataclass(frozen=True)
class _Run:
    """Outcome of a batch, each (S,): makespan, its ratio, ρ of the plan (nan without), largest delay of a start."""

    makespan: np.ndarray
    ratio: np.ndarray
    rho: np.ndarray
    start_delay: np.ndarray


def _run(
    policy: BatchPolicy,
    sizes: np.ndarray,
    predictions: np.ndarray,
    m: int,
    optimum: Literal["enumerated", "bound"],
    lists: Lists | None = None,
) -> _Run:
    """Run a policy on a batch; ``lists`` are its plans where they are known."""
    exact = optimum == "enumerated"
    least = enumerated_lists(sizes, m).makespan if exact else makespan_lower_bound(sizes, m)
    rho, delay = np.full(len(sizes), np.nan), np.full(len(sizes), np.nan)
    if policy.plan:
        lists = lists or policy.plan(predictions, m)
        rho = certified_ratio(lists, predictions)
        if exact:
            best = lists if policy.plan is enumerated_lists else enumerated_lists(predictions, m)
            rho = lists.makespan / best.makespan
        starts, makespan = run_lists(sizes, predictions, lists, policy.adjust, policy.thief)
        if policy.adjust:
            plain, _ = run_lists(sizes, predictions, lists, adjust=False)
            delay = (starts - plain).max(axis=1)
    else:
        order = np.argsort(-predictions if policy.by_prediction else np.zeros_like(sizes), axis=1, kind="stable")
        _, makespan = run_in_order(sizes, order, m)
    return _Run(makespan, makespan / least, rho, delay)


def _proven_bound(policy: BatchPolicy, eta: float, m: int, rho: np.ndarray) -> np.ndarray:
    """Upper bound of the ratio of each instance, (S,)."""
    graham = np.full(len(rho), 2 - 1 / m)
    if policy.plan is None:
        return graham
    return np.minimum(rho * eta**2, graham) if policy.adjust else rho * eta**2
