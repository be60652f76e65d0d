"""Scores count distinct real rows and distinct outputs."""

import math

import numpy as np
import pytest

from seedbed.smote_privacy.scoring import match_scores, merge_close

REAL = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])


def test_perfect_output():
    assert match_scores(REAL[::-1], REAL) == {"precision": 1, "recall": 1, "f1": 1}


def test_a_record_found_twice_counts_once():
    output = np.array([[0.0, 0], [1e-10, 0], [5, 5]])
    scores = match_scores(output, REAL)
    assert scores == {"precision": 1 / 2, "recall": 1 / 4, "f1": pytest.approx(1 / 3)}


def test_duplicate_records_are_one():
    assert match_scores(REAL[:1], REAL[[0, 1, 1]])["recall"] == 1 / 2


def test_one_output_near_two_records_finds_both_and_recall_stays_below_one():
    real = np.array([[0.0, 0], [1.5e-9, 0]])
    assert match_scores(np.array([[0.75e-9, 0]]), real, atol=1e-9) == {"precision": 1, "recall": 1, "f1": 1}


def test_without_output_precision_is_undefined():
    scores = match_scores(np.empty((0, 2)), REAL)
    assert math.isnan(scores["precision"]) and scores["recall"] == scores["f1"] == 0


def test_wrong_output_scores_zero():
    assert match_scores(REAL + 5, REAL) == {"precision": 0, "recall": 0, "f1": 0}


def test_tolerance_is_by_coordinate_and_zero_means_equal():
    near = REAL + 0.9e-9
    assert match_scores(near, REAL)["recall"] == 1
    assert match_scores(REAL + 1.1e-9, REAL)["recall"] == 0
    assert match_scores(near, REAL, atol=0)["recall"] == 0
    assert match_scores(REAL, REAL, atol=0)["recall"] == 1


def test_merge_close_joins_chains():
    chain = np.array([[0.0], [0.9], [1.8], [5]])
    np.testing.assert_array_equal(merge_close(chain, 1), [[0], [5]])


def test_bad_shapes_are_refused():
    with pytest.raises(ValueError, match="no real rows"):
        match_scores(REAL, np.empty((0, 2)))
    with pytest.raises(ValueError, match="cannot match"):
        match_scores(REAL, np.zeros((3, 3)))
