import time

from seedbed.core.race import race


def test_peers_run_in_turn_and_the_shortest_lap_counts():
    calls = []
    pauses = iter([0.05, 0.01, 0.02])

    def fast():
        calls.append("fast")
        time.sleep(next(pauses))

    seconds = race({"fast": fast, "slow": lambda: calls.append("slow")}, {"fast": 3, "slow": 2})
    assert calls == ["fast", "slow", "fast", "slow", "fast"]
    assert 0.01 <= seconds["fast"] < 0.02
    assert seconds["slow"] < 0.01
