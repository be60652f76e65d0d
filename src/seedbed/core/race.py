"""Races: peers timed in turn in one process, so that what slows the machine slows all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def race(peers: Mapping[str, Callable[[], object]], laps: Mapping[str, int] | None = None) -> dict[str, float]:
    """One round: run every peer, in turn, and return its wall seconds.

    Parameters
    ----------
    peers : mapping of str to callable
        What to time; results are thrown away.
    laps : mapping of str to int, optional
        How often to run a peer in this round (default once); its shortest lap counts.

    Returns
    -------
    dict
        Seconds of each peer.
    """
    laps = laps or {}
    seconds = dict.fromkeys(peers, float("inf"))
    for lap in range(max(laps.values(), default=1)):
        for name, run in peers.items():
            if lap < laps.get(name, 1):
                start = time.perf_counter()
                run()
                seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds
