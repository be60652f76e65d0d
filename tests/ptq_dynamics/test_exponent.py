"""The exponent of a curve of means against a power law with noise of either sign."""

import numpy as np
import pandas as pd
import pytest

from seedbed.ptq_dynamics.statistics import exponent_of_means


def curve(noise):
    steps = np.array([375, 750, 1500])
    values = 3.0 * steps**1.7 * (1 + np.asarray(noise)[:, None])
    return pd.DataFrame({"step": np.tile(steps, len(noise)), "value": values.ravel()})


def test_the_exponent_of_a_power_law_is_found_though_one_model_lies_below_zero():
    assert exponent_of_means(curve([0.0])) == pytest.approx(1.7)
    assert exponent_of_means(curve([1.5, -1.2, 0.3])) == pytest.approx(1.7)


def test_means_below_zero_have_no_exponent():
    assert np.isnan(exponent_of_means(curve([-3.0, 0.1])))
