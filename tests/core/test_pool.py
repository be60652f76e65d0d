import os
import signal
from concurrent.futures.process import BrokenProcessPool

import pytest
from threadpoolctl import threadpool_info

from seedbed.core.pool import keep_freed_memory, work_off


def square(x):
    if x == 13:
        raise ValueError("thirteen")
    return x * x


@pytest.mark.parametrize("threads", [1, 2])
def test_results_keep_the_order_of_the_items(threads):
    assert work_off(square, range(10), threads) == [x * x for x in range(10)]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_worker_is_raised(threads):
    with pytest.raises(ValueError, match="thirteen"):
        work_off(square, range(20), threads)


def test_closures_reach_the_workers():
    offset = 5
    assert work_off(lambda x: x + offset, range(4), 2) == [5, 6, 7, 8]


def test_workers_use_one_thread_each():
    import numpy  # noqa: F401  loads a BLAS

    for libraries in work_off(lambda _: [library["num_threads"] for library in threadpool_info()], range(2), 2):
        assert libraries and set(libraries) == {1}


def faults_of_many_arrays():
    import resource

    import numpy as np

    def hundred_arrays():
        return [np.ones(200_000) for _ in range(100)]

    hundred_arrays()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(3):
        hundred_arrays()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_freed_memory_is_kept_for_the_next_arrays():
    def kept(_):
        keep_freed_memory()
        return faults_of_many_arrays()

    handed_back = max(work_off(lambda _: faults_of_many_arrays(), range(2), 2))
    if handed_back < 10_000:
        pytest.skip("this C library keeps freed memory by itself")
    assert max(work_off(kept, range(2), 2)) < handed_back / 10


def test_a_killed_worker_is_an_error_and_no_hang():
    with pytest.raises(BrokenProcessPool):
        work_off(lambda _: os.kill(os.getpid(), signal.SIGKILL), range(2), 2)
