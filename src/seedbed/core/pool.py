"""A pool of processes of one thread each, which works off the seeds and parameter sets of one job."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from threadpoolctl import threadpool_limits
from tqdm import tqdm

Item = TypeVar("Item")
Result = TypeVar("Result")
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # malloc.h
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS")


def one_thread() -> None:
    """Limit BLAS, OpenMP and torch of this process to one thread: jobs share the cores, and sums keep their order."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # for libraries that are loaded later
    threadpool_limits(1)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def keep_freed_memory() -> None:
    """Let glibc reuse the memory of large arrays instead of handing it back at each free.

    A job frees thousands of arrays of some MB; faulting their pages in again took a seventh of its time.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):  # another C library
        return
    for parameter in (M_MMAP_THRESHOLD, M_TRIM_THRESHOLD):
        mallopt(parameter, 1 << 30)


def work_off(function: Callable[[Item], Result], items: Iterable[Item], threads: int = 1) -> list[Result]:
    """``[function(item) for item in items]``, on ``threads`` forked processes; results keep the order of the items.

    ``function`` and what it closes over reach the workers by the fork; items and results are pickled. An exception
    in a worker is raised here, and a worker that is killed raises `concurrent.futures.process.BrokenProcessPool`.
    """
    items = list(items)
    progress = {"total": len(items), "mininterval": 5, "file": sys.stderr}
    if threads == 1 or len(items) < 2:
        return [function(item) for item in tqdm(items, **progress)]
    global _function
    _function = function
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(min(threads, len(items)), mp_context=context, initializer=one_thread) as pool:
        return list(tqdm(pool.map(_call, items), **progress))


def _call(item: Item) -> Result:
    return _function(item)
