"""Adaptive lower bounds for makespan: the last job is big, and groups of jobs of geometric sizes (sections 3.3, 3.4).

Both are ours, made in the spirit of the paper. Predictions are equal, so a policy cannot tell the jobs apart, and the
sizes follow from what it runs (`QuotaAdversary`)::

    from seedbed.schedpred.games import LastBigAdversary
    from seedbed.schedpred.policies import ListScheduling

    LastBigAdversary(eta_squared=4, m=5).play(ListScheduling).ratio      # Fraction(7, 4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from seedbed.schedpred.bounds import last_big_choices
from seedbed.schedpred.instance import Instance
from seedbed.schedpred.machines import FixedSizes, Policy, QuotaAdversary, divide, play
from seedbed.schedpred.schedule import Number, Schedule


@dataclass(frozen=True)
class GameResult:
    """How a game went.

    Attributes
    ----------
    instance : Instance
        What the adversary made: the sizes that the policy met. Playing the policy on it repeats the game.
    schedule : Schedule
        What the policy did.
    optimum : number
        Makespan of the best schedule known for the instance: it is the optimum but for the spoiler's share.
    """

    instance: Instance
    schedule: Schedule
    optimum: Number

    @property
    def ratio(self) -> Number:
        """Makespan over that of the best schedule known: never more than the true ratio."""
        return divide(self.schedule.makespan, self.optimum)


UNIT_SPOILER = Fraction(1, 10**12)
GROUP_SPOILER = 2.0**-30
"""Sizes of spoilers: far below the smallest size over the square of the error."""


class LastBigAdversary:
    """The last job to reach one unit of work has size β, all others end there (section 3.3, ours).

    There are k m + 1 jobs on m identical machines, for (k, β) the better of `last_big_choices`. Stopping a run loses
    its progress, so at most k m jobs have reached one unit before time k + 1, and the makespan is at least k + β. The
    optimum is k + 1: the big job alone on a machine, k m ≤ (m - 1)(k + 1) unit jobs on the others.

    Parameters
    ----------
    eta_squared : int or Fraction
        Square of the error, so that it can be exact. (Predictions are √β to 1e-12, so that η(I) = √β ≤ η.)
    m : int
        Machines, at least two.
    spoiler : bool
        Whether to append a tiny job that is predicted exactly, which makes the instance `smooth`.
    """

    def __init__(self, eta_squared: Number, m: int, spoiler: bool = False) -> None:
        choices = last_big_choices(Fraction(eta_squared), m)
        self.units, self.big = max(choices, key=lambda choice: (choice[0] + choice[1]) / (choice[0] + 1))
        self.m = m
        self.bound = (self.units + self.big) / Fraction(self.units + 1)
        self._spoiler = UNIT_SPOILER if spoiler else None

    def play(self, new_policy: Callable[[], Policy]) -> GameResult:
        """Play against a fresh policy."""
        n_units = self.units * self.m
        prediction = Fraction(float(self.big) ** 0.5).limit_denominator(10**6)
        predictions = [prediction] * (n_units + 1)
        optimum = Fraction(self.units + 1)
        if self._spoiler is not None:
            predictions.append(self._spoiler)
            optimum += self._spoiler
        hidden = QuotaAdversary([(1, n_units), (self.big, 1)], self._spoiler)
        schedule = play(new_policy(), hidden, predictions, [1] * self.m)
        return GameResult(Instance(hidden.sizes, predictions), schedule, optimum)


class GroupAdversary:
    """Groups k = 0 … K of B^(K-k) machines of speed 2^k and as many jobs of size 2^k (section 3.4, ours).

    Each job on a machine of its own group ends at time 1. All predictions are equal, so η = 2^K if they are 1, and
    2^(K/2) if they are 2^(K/2). While jobs of size 2^k are left, a run ends when it reaches 2^k.

    For any policy and B ≥ 4 the time is at least 1 + K/2: no run has done more than half of 2^k when size 2^k becomes
    the smallest, and the machines that could end its jobs within less than half a unit from then on are too few. That
    is above ⌈log2 η⌉ = ⌈K/2⌉ for centred predictions. `StaggeredStarts` shows that it is no more; so with the lowest
    predictions the game does not prove log2 η = K. (It lasts K + 1 or longer for policies that do not time their runs.)

    Numbers are floats, but sums of few powers of two, so that arithmetic on them is exact.

    Parameters
    ----------
    K, B : int
        Groups are numbered to K; each has B times the machines of the next.
    predictions : {"lowest", "centred"}
        All predictions 1, or all 2^(K/2).
    spoiler : bool
        Whether to append a job of size and prediction 2^-30, which makes the instance `smooth`.
    """

    def __init__(
        self, K: int, B: int, predictions: Literal["lowest", "centred"] = "lowest", spoiler: bool = False
    ) -> None:
        self.K, self.B = K, B
        self.log2_eta = K if predictions == "lowest" else Fraction(K, 2)
        self.speeds = [2.0**k for k in range(K + 1) for _ in range(B ** (K - k))]
        self._prediction = 1.0 if predictions == "lowest" else 2.0 ** (K / 2)
        self._spoiler = GROUP_SPOILER if spoiler else None

    def play(self, new_policy: Callable[[], Policy]) -> GameResult:
        """Play against a fresh policy."""
        predictions = [self._prediction] * len(self.speeds)
        optimum = 1.0
        if self._spoiler is not None:
            predictions.append(self._spoiler)
            optimum += self._spoiler / 2**self.K
        hidden = QuotaAdversary([(2.0**k, self.B ** (self.K - k)) for k in range(self.K + 1)], self._spoiler)
        schedule = play(new_policy(), hidden, predictions, self.speeds)
        return GameResult(Instance(hidden.sizes, predictions, self.speeds), schedule, optimum)


def replay(result: GameResult, new_policy: Callable[[], Policy], spoiler: Number | None = None) -> GameResult:
    """A fresh policy on the sizes that the adversary made; the policy must repeat what it did.

    With ``spoiler`` a job of that size, predicted exactly, is appended to the instance. Unlike in a new game with a
    spoiler, the other sizes stay.
    """
    instance = result.instance
    sizes, predictions, optimum = instance.sizes, instance.predictions, result.optimum
    if spoiler is not None:
        sizes, predictions, optimum = (*sizes, spoiler), (*predictions, spoiler), optimum + spoiler
    speeds = instance.speeds or [1] * result.schedule.n_machines
    schedule = play(new_policy(), FixedSizes(sizes), predictions, speeds)
    return GameResult(Instance(sizes, predictions, instance.speeds), schedule, optimum)
