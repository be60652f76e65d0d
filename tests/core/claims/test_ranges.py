"""Ranges: what lies inside lies not outside, and intervals of ranges hold what they promise."""

from hypothesis import assume, given
from hypothesis import strategies as st

from seedbed.core.claims.ranges import EVERYTHING, INF, Range

ends = st.sampled_from([-INF, -2.0, -1.0, 0.0, 1.0, 2.0, INF])
values = st.sampled_from([-3.0, -2.0, -1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])
ranges = st.builds(Range, ends, ends, st.booleans(), st.booleans()).filter(
    lambda r: not r.empty() and r.low < INF and r.high > -INF
)


@given(ranges, values)
def test_every_number_lies_inside_or_outside(one, value):
    assume(not (one.low == -INF and one.high == INF))
    assert (value in one) != any(value in side for side in one.outside())


@given(ranges, ranges, values)
def test_an_overlap_holds_what_both_hold(one, other, value):
    assert (value in one.overlap(other)) == (value in one and value in other)


@given(ranges, ranges, values)
def test_what_covers_holds_all(one, other, value):
    if one.covers(other) and value in other:
        assert value in one
    if one.overlap(other).empty():
        assert not (value in one and value in other)


@given(ranges, ranges, values, values, st.sampled_from([-2.0, 0.5]))
def test_sums_and_multiples_lie_where_they_must(one, other, x, y, factor):
    if x in one:
        assert x * factor in one.times(factor)
        if y in other:
            assert x + y in one.plus(other)


def test_everything_has_no_outside():
    assert EVERYTHING.outside() == () and EVERYTHING.covers(EVERYTHING) and 1e300 in EVERYTHING
