"""Statistics of the card on tables whose answers are seen at a glance."""

import pandas as pd
import pytest

from seedbed.gnn_batching.statistics import fluctuation_difference, sensitivity_difference


def table(value):
    cells = [(b, fan_out) for b in (1, 2, 3) for fan_out in (1, 2, 3)]
    return pd.DataFrame([{"batch_size": b, "fan_out": fan_out, "value": value(b, fan_out)} for b, fan_out in cells])


def test_a_range_over_fan_outs_counts_positive():
    assert sensitivity_difference(table(lambda b, fan_out: 5 * fan_out + b)) == 10 - 2


def test_a_straight_line_does_not_fluctuate():
    assert fluctuation_difference(table(lambda b, fan_out: 4 * fan_out + (b == 2))) == pytest.approx(0 - 2)
