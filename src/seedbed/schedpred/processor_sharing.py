"""One machine shared among jobs: policies, what they may see, and a simulator that goes from event to event.

A policy divides the machine continuously (preemption costs nothing) and learns a job's size when the job completes. The
simulator never lets time pass in quanta: rates are constant between events, and an event is a completion or a point
that the policy asks for. With fractions everything is exact.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from seedbed.schedpred.instance import Instance, Number
from seedbed.schedpred.total_completion_time import optimal_total_completion_time


@dataclass(frozen=True, slots=True)
class Observation:
    """All that a non-clairvoyant policy knows; true sizes are not in it.

    Attributes
    ----------
    time : number
        Now.
    predictions : ndarray, (n,)
        Predicted sizes.
    received : ndarray, (n,)
        Work that each job has received.
    completed : ndarray of bool, (n,)
        Which jobs have completed; their received work is their true size.
    """

    time: Number
    predictions: np.ndarray
    received: np.ndarray
    completed: np.ndarray


class Policy(ABC):
    """How the machine is divided."""

    @abstractmethod
    def rates(self, seen: Observation) -> np.ndarray:
        """Rate of each job (n,): not negative, at most 1 in total, zero for completed jobs."""

    def breakpoint(self, seen: Observation, rates: np.ndarray) -> Number:
        """Time from now until the policy wants to be asked again, if no job completes before."""
        return math.inf

    def total_completion_time(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Sum of completion times (...) of jobs of sizes ``x`` (..., n) with predictions ``p`` (..., n)."""
        shape = x.shape[:-1]
        pairs = zip(x.reshape(-1, x.shape[-1]), p.reshape(-1, x.shape[-1]), strict=True)
        totals = np.array([share(self, *pair).total_completion_time for pair in pairs], x.dtype)
        return totals.reshape(shape)[()]

    def ratios(self, x: np.ndarray, p: np.ndarray) -> np.ndarray:
        """Sum of completion times over the optimum's (...) of jobs of sizes ``x`` (..., n)."""
        return self.total_completion_time(x, p) / optimal_total_completion_time(x)

    def smoothness(self, eta: Number, n: int) -> Number:
        """Proven bound on the ratio for error ``eta`` and ``n`` jobs; infinite if there is none."""
        return math.inf


@dataclass(frozen=True)
class Event:
    """The state between two events: ``received`` (n,) at ``time``, and the ``rates`` (n,) from then on."""

    time: Number
    received: np.ndarray
    completed: np.ndarray
    rates: np.ndarray


@dataclass(frozen=True)
class SharedRun:
    """What a policy did: completion times (n,), and all events in order."""

    completion_times: np.ndarray
    events: tuple[Event, ...]

    @property
    def total_completion_time(self) -> Number:
        return self.completion_times.sum()


def simulate(policy: Policy, instance: Instance) -> SharedRun:
    """Run ``policy`` on ``instance``; exact if all sizes and predictions are whole numbers or fractions."""
    return share(policy, as_array(instance.sizes), as_array(instance.predictions))


def competitive_ratio(policy: Policy, instance: Instance) -> Number:
    """Sum of completion times of ``policy`` over that of the optimum."""
    return policy.ratios(as_array(instance.sizes), as_array(instance.predictions))


def as_array(values: tuple[Number, ...]) -> np.ndarray:
    """``values`` as floats if there is a float among them, else as an array of fractions."""
    if any(isinstance(value, float) for value in values):
        return np.array(values, dtype=float)
    return np.array([Fraction(value) for value in values], dtype=object)


def share(policy: Policy, x: np.ndarray, p: np.ndarray) -> SharedRun:
    """Run ``policy`` on jobs of sizes ``x`` (n,) and predictions ``p`` (n,).

    Raises
    ------
    ValueError
        If the rates are negative, exceed the machine, serve a completed job, or serve nobody.
    """
    n = len(x)
    time: Number = 0 if x.dtype == object else 0.0
    received, completed = x - x, np.zeros(n, bool)
    completion_times, events = x - x, []
    predictions = _read_only(p)
    while not completed.all():
        seen = Observation(time, predictions, _read_only(received), _read_only(completed))
        rates = policy.rates(seen)
        _check(rates, completed)
        events.append(Event(time, seen.received, seen.completed, rates))
        served = np.flatnonzero(rates > 0)
        needed = (x[served] - received[served]) / rates[served]
        step = min(needed.min(), policy.breakpoint(seen, rates))
        received[served] += rates[served] * step
        time = time + step
        done = served[needed <= step]
        received[done], completed[done], completion_times[done] = x[done], True, time
    events.append(Event(time, _read_only(received), _read_only(completed), x - x))
    return SharedRun(completion_times, tuple(events))


def _read_only(values: np.ndarray) -> np.ndarray:
    copy = values.copy()
    copy.flags.writeable = False
    return copy


def _check(rates: np.ndarray, completed: np.ndarray) -> None:
    total = rates.sum()
    if (rates < 0).any() or total > 1 + (0 if rates.dtype == object else 1e-9):
        raise ValueError(f"rates must be at least 0 and at most 1 in total, found a total of {float(total):g}")
    if (rates[completed] > 0).any() or not total > 0:
        raise ValueError("rates must serve unfinished jobs, at least one of them, and no completed one")
