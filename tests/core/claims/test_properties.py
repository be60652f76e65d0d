"""What must not change a verdict, and what must change it in one direction only."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import CONFIG, rows, table

from seedbed.core.claims.card import Card
from seedbed.core.claims.engine import check_claims

SELECTIONS = {m: {"experiment": "main", "method": m, "metric": "score"} for m in ("ours", "theirs", "third")}
MEASURES = {
    "difference": {"difference": [{"mean": "ours"}, {"mean": "theirs"}]},
    "best": {"difference": [{"median": "ours"}, {"max": [{"mean": "theirs"}, {"mean": "third"}]}]},
    "ratio": {"ratio": [{"mean": "ours"}, {"mean": "theirs"}]},
    "slope": {"slope": "ours", "x": "k"},
}
ORDER = ["contradicted", "inconclusive", "reproduced"]

seeds = st.integers(0, 10_000)
measures = st.sampled_from(sorted(MEASURES))
pooled = st.booleans()


def metrics(seed, n=9):
    rng = np.random.default_rng(seed)
    unit, k = np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
    return table(
        *(
            rows("main", "score", np.exp(rng.normal(size=n)[unit] + 0.3 * rng.normal(size=3 * n)), dataset=d, method=m, seed=unit, k=k)
            for m in SELECTIONS
            for d in ("a", "b")
        )
    )  # fmt: skip


def decide(data, measure, bound, pooled=False, decide="interval", side="above"):
    check = {"measure": MEASURES[measure], "is": {side: bound}, "pooled": pooled, "decide": decide}
    claim = {"statement": "s", "setting": "paper", "unit": "seed", "checks": [check]}
    card = Card.model_validate({"paper": "p", "title": "t", "rows": SELECTIONS, "claims": {"A": claim}})
    claims, checks = check_claims(card, data, CONFIG, {})
    return claims.iloc[0], checks.iloc[0]


@settings(max_examples=25, deadline=None)
@given(seeds, measures, pooled)
def test_the_order_of_rows_changes_nothing(seed, measure, pooled):
    data = metrics(seed)
    shuffled = data.sample(frac=1, random_state=seed)
    one, other = (decide(frame, measure, 0.1, pooled)[0] for frame in (data, shuffled))
    assert (one.measured, one.low, one.high) == pytest.approx(
        (other.measured, other.low, other.high), rel=1e-9, abs=1e-9
    )
    assert one.verdict == other.verdict


@settings(max_examples=25, deadline=None)
@given(seeds, measures, pooled, st.floats(0.01, 100), st.floats(-2, 2))
def test_a_change_of_unit_changes_no_verdict(seed, measure, pooled, factor, bound):
    """Values and thresholds times a factor; a ratio keeps its threshold."""
    data = metrics(seed)
    scaled = data.assign(value=data.value * factor)
    moved = 1 if measure == "ratio" else factor
    one, other = decide(data, measure, bound, pooled)[0], decide(scaled, measure, bound * moved, pooled)[0]
    expected = [v * moved for v in (one.measured, one.low, one.high)]
    assert [other.measured, other.low, other.high] == pytest.approx(expected, rel=1e-6, abs=1e-9 * moved)
    if min(abs(one.low - bound), abs(one.high - bound)) > 1e-6:
        assert one.verdict == other.verdict


@settings(max_examples=25, deadline=None)
@given(seeds, measures, pooled, st.lists(st.floats(-3, 3), min_size=2, max_size=4))
def test_a_higher_threshold_is_never_easier(seed, measure, pooled, bounds):
    data = metrics(seed)
    found = [decide(data, measure, bound, pooled) for bound in sorted(bounds)]
    ranks = [ORDER.index(claim.verdict) for claim, _ in found]
    assert ranks == sorted(ranks, reverse=True)
    p = [check.p for _, check in found]
    assert p == sorted(p)


@settings(max_examples=25, deadline=None)
@given(seeds, measures, pooled, st.floats(-3, 3))
def test_p_belongs_to_the_interval(seed, measure, pooled, bound):
    claim, check = decide(metrics(seed), measure, bound, pooled)
    if abs(claim.low - bound) > 1e-9:
        assert (check.p <= 0.05) == (claim.verdict == "reproduced") == (claim.low > bound)


@settings(max_examples=20, deadline=None)
@given(seeds, measures, st.floats(-3, 3))
def test_a_claim_and_its_opposite_are_never_both_reproduced(seed, measure, bound):
    data = metrics(seed)
    one, other = decide(data, measure, bound)[0], decide(data, measure, bound, side="below")[0]
    opposite = dict(zip(ORDER, ORDER[::-1], strict=True))
    assert other.verdict == opposite[one.verdict]


@settings(max_examples=15, deadline=None)
@given(seeds, st.permutations(range(9)))
def test_names_of_units_mean_nothing(seed, names):
    """Other names are another order of resampling, so that the bootstrap's limits differ by its own noise only."""
    data = metrics(seed)
    renamed = data.assign(seed=np.array(names)[data.seed.astype(int)])
    one, other = (decide(frame, "difference", 0)[0] for frame in (data, renamed))
    assert other.measured == pytest.approx(one.measured)
    assert [other.low, other.high] == pytest.approx([one.low, one.high], abs=0.15 * (one.high - one.low))


@settings(max_examples=20, deadline=None)
@given(seeds, st.floats(-3, 3))
def test_every_is_exact(seed, bound):
    data = metrics(seed)
    means = (
        data[data.method != "third"]
        .groupby(["method", "dataset", "seed"], observed=True)
        .value.mean()
        .unstack("method")
    )
    gains = means.ours - means.theirs
    claim, _ = decide(data, "difference", bound, decide="every")
    assert claim.verdict == ("reproduced" if (gains > bound).all() else "contradicted")
    assert claim.measured == pytest.approx(gains.min()) and claim.high == pytest.approx(gains.max())
