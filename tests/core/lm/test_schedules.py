import math

import pytest

from seedbed.core.lm.schedules import WSD, Cosine


def rates(schedule, n):
    return [schedule(step) for step in range(n)]


def test_warmup_reaches_the_peak_at_its_last_update():
    assert rates(WSD(2.0, warmup=4), 6) == [0.5, 1.0, 1.5, 2.0, 2.0, 2.0]
    assert Cosine(2.0, total=10, warmup=4)(3) == 2.0


def test_a_cooldown_falls_linearly_and_would_be_zero_one_step_after_the_last_update():
    schedule = WSD(4.0, warmup=2, total=10, cooldown=4)
    assert rates(schedule, 11) == [2.0, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0, 3.0, 2.0, 1.0, 0.0]


def test_a_cooldown_branch_equals_the_trunk_until_the_cooldown_begins():
    trunk, branch = WSD(3e-3, warmup=10), WSD(3e-3, warmup=10, total=80, cooldown=20)
    assert rates(branch, 61) == rates(trunk, 61)
    assert branch(61) < trunk(61)


def test_cosine_ends_at_its_final_value_and_is_halfway_in_the_middle():
    schedule = Cosine(2.0, total=20, warmup=10, final=0.1)
    assert schedule(10) == 2.0
    assert schedule(15) == pytest.approx(2.0 * (0.1 + 0.9 / 2))
    assert schedule(20) == schedule(30) == pytest.approx(0.2)
    assert schedule(11) == pytest.approx(2.0 * (0.1 + 0.9 * (1 + math.cos(math.pi / 10)) / 2))


@pytest.mark.parametrize("wrong", [{"cooldown": 4}, {"cooldown": 4, "total": 5, "warmup": 2}])
def test_a_cooldown_that_does_not_fit_is_an_error(wrong):
    with pytest.raises(ValueError, match="cooldown"):
        WSD(1.0, **wrong)


def test_a_warmup_longer_than_the_run_is_an_error():
    with pytest.raises(ValueError, match="warm-up"):
        Cosine(1.0, total=5, warmup=5)
