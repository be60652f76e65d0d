"""The engine from a card and a table to claims.csv and checks.csv."""

import re
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from made_up import CONFIG, noise, rows, table
from scipy import stats

from seedbed.core.claims.audit import faults
from seedbed.core.claims.card import Card
from seedbed.core.claims.engine import CHECK_COLUMNS, CLAIM_COLUMNS, check_claims, summary
from seedbed.core.claims.selection import ClaimsError

ROWS = {
    "ours": {"experiment": "main", "method": "ours", "metric": "score"},
    "theirs": {"experiment": "main", "method": "theirs", "metric": "score"},
    "all": {"experiment": "main", "metric": "score"},
}
GAIN = {"difference": [{"mean": "ours"}, {"mean": "theirs"}]}


def card(*checks, selections=None, **keys):
    claim = {"statement": "Ours is better", "setting": "paper", "unit": "seed", "checks": list(checks), **keys}
    made = Card.model_validate({"paper": "made_up", "title": "t", "rows": selections or ROWS, "claims": {"A": claim}})
    assert not faults(made)
    return made


def run(made, metrics, config=CONFIG, unavailable=None):
    claims, checks = check_claims(made, metrics, config, unavailable or {})
    return claims.iloc[0], checks


def pair(gain=0.1, n=6, sd=0.01, **columns):
    base = 0.5 + 0.2 * noise(n, 1)
    return [
        rows("main", "score", base + gain + sd * noise(n, 2), method="ours", **columns),
        rows("main", "score", base, method="theirs", **columns),
    ]


# The tables


def test_the_tables_have_the_columns_of_the_contract():
    claims, checks = check_claims(card({"measure": GAIN, "is": {"above": 0}}), table(*pair()), CONFIG, {})
    assert tuple(claims.columns) == CLAIM_COLUMNS == (
        "paper", "claim", "statement", "setting", "metric", "published", "measured", "low", "high", "n", "unit", "rule", "verdict", "reason",
    )  # fmt: skip
    assert (
        set(checks.columns) == set(CLAIM_COLUMNS) | {"check", "group", "p"} and tuple(checks.columns) == CHECK_COLUMNS
    )


def test_a_row_says_what_was_measured_over_which_units_by_which_rule():
    claim, checks = run(card({"measure": GAIN, "is": {"above": 0}}, published=0.12), table(*pair()))
    x = 0.1 + 0.01 * noise(6, 2)
    expected = stats.ttest_1samp(x, 0)
    interval = expected.confidence_interval(0.95)
    assert (claim.measured, claim.low, claim.high) == pytest.approx((0.1, interval.low, interval.high))
    assert checks.p[0] == pytest.approx(expected.pvalue)
    assert (claim.verdict, claim.n, claim.unit, claim.published) == ("reproduced", 6, "seed", 0.12)
    assert claim.metric == "mean ours − mean theirs"
    assert claim.rule == "mean ours − mean theirs above 0; 95 % interval over 6 seeds (Student t)"
    assert claim.reason is None and checks.check[0] == "A/1" and checks.group[0] is None


def test_the_deciding_check_is_the_first_with_the_claims_verdict():
    high, low = ({"measure": {"mean": name}, "is": {"above": bound}} for name, bound in (("ours", 0), ("theirs", 9)))
    claim, checks = run(card(high, low), table(*pair()))
    assert checks.verdict.tolist() == ["reproduced", "contradicted"]
    assert claim.verdict == "contradicted" and claim.metric == "mean theirs"
    assert claim.reason.endswith("lies below 9") and claim.reason.startswith("the 97.5 % interval")


def test_labels_and_notes_replace_the_words():
    claim, _ = run(card({"measure": GAIN, "is": {"above": 0}, "label": "gain"}), table(*pair()))
    assert claim.metric == "gain" and claim.rule.startswith("gain above 0")
    claim, _ = run(card({"measure": GAIN, "is": {"above": 0}}, metric="gain in points"), table(*pair()))
    assert claim.metric == "gain in points"


def test_summary_is_json_of_finite_numbers():
    claims, _ = check_claims(card({"measure": GAIN, "is": {"above": 0}}), table(*pair(n=4)), CONFIG, {})
    assert summary(claims) == {"A": {"measured": pytest.approx(0.1)}}


# Not tested


def test_a_claim_says_itself_that_it_is_not_tested():
    claim, checks = run(card(not_tested="budget"), table(*pair()))
    assert (claim.verdict, claim.reason, len(checks)) == ("not tested", "budget", 0)


@pytest.mark.parametrize(("requires", "reason"), [({"sources": "web"}, "needs sources: web"), ({"scale": ["cluster"]}, "needs scale: cluster"), ({"scale": ["laptop", "cluster"]}, None)])  # fmt: skip
def test_a_claim_that_needs_another_configuration_is_not_tested(requires, reason):
    claim, _ = run(card({"measure": GAIN, "is": {"above": 0}}, requires=requires), table(*pair()))
    assert claim.reason == reason and (claim.verdict == "reproduced") == (reason is None)


def test_an_unavailable_data_set_leaves_its_group_not_tested():
    metrics = table(*pair(dataset="a"))
    check = {"measure": GAIN, "is": {"above": 0}}
    claim, checks = run(card(check, each="dataset"), metrics, unavailable={"b": "npm is not installed"})
    assert claim.verdict == "not tested" and claim.reason == "b: npm is not installed"
    assert dict(zip(checks.group, checks.verdict, strict=True)) == {"a": "reproduced", "b": "not tested"}
    claim, _ = run(card(check), metrics, unavailable={"b": "npm is not installed"})
    assert (claim.verdict, claim.reason) == ("not tested", "b: npm is not installed")
    claim, _ = run(card({**check, "where": {"dataset": "a"}}), metrics, unavailable={"b": "npm is not installed"})
    assert claim.verdict == "reproduced"


def test_a_reason_stands_even_where_no_row_at_all_is_there():
    check = {"measure": {"mean": "ours"}, "is": {"above": 0}}
    elsewhere = table(rows("other", "score", np.ones(5), method="ours"))
    claim, _ = run(card(check), elsewhere, unavailable={"a": "npm is not installed"})
    assert (claim.verdict, claim.reason) == ("not tested", "a: npm is not installed")


def test_one_available_witness_contradicts():
    metrics = table(*pair(gain=-0.1, dataset="a"))
    claim, _ = run(card({"measure": GAIN, "is": {"above": 0}}, each="dataset"), metrics, unavailable={"b": "no"})
    assert claim.verdict == "contradicted"


def test_values_that_a_selection_lists_must_be_there_but_in_a_smoke_run():
    check = {"measure": {"mean": "ours", "where": {"dataset": ["a", "b"]}}, "is": {"above": 0}}
    metrics = table(*pair(dataset="a"))
    claim, _ = run(card(check), metrics)
    assert (claim.verdict, claim.reason) == ("not tested", "no rows of `ours` with dataset b")
    assert run(card(check), metrics, {"scale": "smoke", "sources": "registries"})[0].verdict == "reproduced"
    claim, checks = run(card(check, each="dataset"), metrics)
    assert (
        checks.verdict.tolist() == ["reproduced", "not tested"]
        and claim.reason == "b: no rows of `ours` with dataset b"
    )


@pytest.mark.parametrize("scale", ["smoke", "laptop"])
def test_a_claim_whose_rows_are_all_missing_is_not_tested_and_no_error(scale):
    check = {"measure": GAIN, "is": {"above": 0}, "where": {"dataset": "elsewhere"}}
    claim, _ = run(card(check), table(*pair()), {"scale": scale, "sources": "registries"})
    assert claim.verdict == "not tested" and "no rows of `ours`" in claim.reason


def test_an_experiment_without_rows_has_no_factors_either():
    check = {"measure": {"slope": "other", "x": "bits", "where": {"bits": {"above": 2}}}, "is": {"above": 0}}
    made = card(check, selections={"other": {"experiment": "elsewhere", "metric": "score"}})
    claim, _ = run(made, table(*pair()))
    assert claim.verdict == "not tested" and "experiment elsewhere" in claim.reason


# Units, data sets, pairs


def test_all_else_is_averaged_inside_the_unit():
    """Ten windows of five seeds are five units, not fifty."""
    seed, window = np.repeat(np.arange(5), 10), np.tile(np.arange(10), 5)
    values = (1 + 0.1 * noise(5))[seed] + 5 * noise(10)[window]
    claim, _ = run(
        card({"measure": {"mean": "ours"}, "is": {"above": 0}}),
        table(rows("main", "score", values, method="ours", seed=seed, window=window)),
    )
    assert claim.n == 5 and claim.high - claim.low == pytest.approx(
        2 * 2.776 * np.std(0.1 * noise(5), ddof=1) / np.sqrt(5), rel=1e-3
    )


def test_data_sets_count_equally_whatever_their_rows():
    """One set with ten rows a seed and value 0, one with one row and value 1: the mean is one half."""
    many = rows(
        "main",
        "score",
        0.01 * noise(60),
        dataset="a",
        method="ours",
        seed=np.repeat(np.arange(6), 10),
        window=np.tile(np.arange(10), 6),
    )
    one = rows("main", "score", 1 + 0.01 * noise(6), dataset="b", method="ours", seed=np.arange(6), window=0)
    assert run(card({"measure": {"mean": "ours"}, "is": {"above": 0}}), table(many, one))[0].measured == pytest.approx(
        0.5
    )


def test_units_inside_data_sets_are_strata():
    """Different numbers of units: sets count equally, and what lies between them is no error."""
    parts = [
        rows("main", "score", mean + 0.1 * noise(n), dataset=d, method="ours", seed=0, item=np.arange(n))
        for d, mean, n in (("a", 0, 3), ("b", 10, 4))
    ]
    claim, _ = run(card({"measure": {"mean": "ours"}, "is": {"above": 0}}, unit=["dataset", "item"]), table(*parts))
    x, y = (0.1 * noise(n) for n in (3, 4))
    expected = stats.ttest_ind(x, -y, equal_var=False).confidence_interval(0.95)
    assert claim.measured == pytest.approx(5) and claim.n == 7
    assert (claim.low, claim.high) == pytest.approx((5 + expected.low / 2, 5 + expected.high / 2))


def test_a_unit_that_lacks_a_data_set_is_an_error_that_names_it():
    metrics = table(*(rows("main", "score", 1 + noise(n), dataset=d, method="ours") for d, n in (("a", 6), ("b", 5))))
    with pytest.raises(ClaimsError, match=r"A/1: seed 5 has not all of the 2 data sets: put dataset into `unit`"):
        run(card({"measure": {"mean": "ours"}, "is": {"above": 0}}), metrics)


@pytest.mark.parametrize("lacks", ["ours", "theirs"])
@pytest.mark.parametrize("pooled", [False, True])
def test_a_pair_without_a_partner_is_an_error_that_names_it(lacks, pooled):
    metrics = table(*pair())
    metrics = metrics[~((metrics.method == lacks) & (metrics.seed == 3))]
    with pytest.raises(ClaimsError, match="different units" if pooled else "partner.* dataset d, seed 3"):
        run(card({"measure": GAIN, "is": {"above": 0}, "pooled": pooled}), metrics)


def test_a_value_that_is_no_number_is_an_error_that_names_the_row():
    metrics = table(*pair())
    metrics.loc[2, "value"] = np.nan
    with pytest.raises(ClaimsError, match=r"`ours`: no number in 1 rows, the first is .*seed 2"):
        run(card({"measure": GAIN, "is": {"above": 0}}), metrics)


def test_an_infinite_value_is_a_witness_but_no_part_of_a_mean():
    metrics = table(*pair())
    metrics.loc[2, "value"] = np.inf
    claim, _ = run(card({"measure": {"max": "ours"}, "decide": "every", "is": {"below": 9}}), metrics)
    assert (
        claim.verdict == "contradicted"
        and claim.reason == "1 of 6 values lie outside, the first is dataset d, seed 2: inf"
    )
    with pytest.raises(ClaimsError, match="infinite"):
        run(card({"measure": GAIN, "is": {"above": 0}}), metrics)


def test_columns_and_kinds_that_do_not_exist_are_errors():
    check = {"measure": {"mean": "ours", "where": {"k": 5}}, "is": {"above": 0}}
    with pytest.raises(ClaimsError, match="no column 'k' in the metrics; it has experiment"):
        run(card(check), table(*pair()))
    with pytest.raises(ClaimsError, match="holds texts such as '5'; 5 is an integer"):
        run(card(check), table(*pair(k="5")))
    with pytest.raises(ClaimsError, match="`ours`: no unit_column in the row|no column 'item'"):
        run(card({"measure": GAIN, "is": {"above": 0}}, unit="item"), table(*pair()))


def test_a_statistic_that_is_not_defined_is_an_error_that_names_the_unit():
    with pytest.raises(ClaimsError, match="slope of `ours` is not defined for dataset d, seed 0"):
        run(card({"measure": {"slope": "ours", "x": "k"}, "is": {"above": 0}}), table(*pair(k=1)))


def test_too_few_units_are_inconclusive_and_show_the_value():
    claim, _ = run(card({"measure": GAIN, "is": {"above": 0}}), table(*pair(n=4)))
    assert claim.verdict == "inconclusive" and claim.measured == pytest.approx(0.1) and pd.isna(claim.low)
    assert claim.reason.startswith("4 units; an interval needs 5")


# Groups


def test_a_baseline_is_held_against_every_group():
    parts = [
        rows("main", "score", v + 0.01 * noise(6, k), method=m)
        for k, (m, v) in enumerate({"a": 0.9, "b": 0.2, "base": 0.5}.items())
    ]
    selections = {"base": {**ROWS["all"], "method": "base"}, "new": {**ROWS["all"], "method": {"not": "base"}}}
    check = {"measure": {"difference": [{"mean": "new"}, {"mean": "base"}]}, "is": {"above": 0}}
    claim, checks = run(card(check, selections=selections, each="method"), table(*parts))
    assert dict(zip(checks.group, checks.measured.round(6), strict=True)) == {"a": 0.4, "b": -0.3}
    assert (
        claim.verdict == "contradicted"
        and claim.metric == "mean new − mean base (b)"
        and claim.reason.startswith("b: ")
    )
    assert run(card(check, selections=selections, any="method"), table(*parts))[0].verdict == "reproduced"


def test_any_pays_for_its_choice():
    """p = .03 in one of three groups is not enough."""
    means = (0.1, 0.0, 0.0)
    parts = [
        rows("main", "score", m + 0.085 * noise(6, k), dataset=d, method="ours")
        for k, (d, m) in enumerate(zip("abc", means, strict=True))
    ]
    check = {"measure": {"mean": "ours"}, "is": {"above": 0}}
    claim, checks = run(card(check, any="dataset"), table(*parts))
    assert 0.05 / 3 < checks.p[0] < 0.05 and claim.verdict == "inconclusive"
    assert claim.rule.endswith("98.33 % interval over 6 seeds (Student t)")


def test_more_groups_cannot_be_asked_for_than_there_are():
    check = {"measure": GAIN, "is": {"above": 0}}
    metrics = table(*pair(dataset="a"), *pair(dataset="b"))
    with pytest.raises(ClaimsError, match="A.enough: asks for 3 of dataset, found 2"):
        run(card(check, any="dataset", enough=3), metrics)
    assert run(card(check, any="dataset", enough=3), metrics, {"scale": "smoke"})[0].verdict == "reproduced"


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ({"min": [{"mean": "a"}, {"mean": "b"}]}, 2),
        ({"max": [{"mean": "a"}, {"mean": "b"}], "times": -1}, -4),
        ({"difference": [{"mean": "c"}, {"min": [{"mean": "a"}, {"mean": "b"}]}]}, 6),
        ({"difference": [{"max": [{"mean": "a"}, {"mean": "b"}]}, {"mean": "c"}], "times": -2}, 8),
        ({"ratio": [{"mean": "c"}, {"max": [{"mean": "a"}, {"mean": "b"}]}]}, 2),
        ({"ratio": [{"min": [{"mean": "a"}, {"mean": "b"}]}, {"mean": "c"}], "times": 10}, 2.5),
        ({"sum": [{"mean": "c"}, {"difference": [{"mean": "c"}, {"max": [{"mean": "a"}, {"mean": "b", "times": 3}]}]}]}, 4),
        ({"mean": [{"max": [{"mean": "a"}, {"difference": [{"mean": "c"}, {"mean": "b"}]}]}, {"mean": "c"}]}, 6),
    ],
)  # fmt: skip
@pytest.mark.parametrize("pooled", [False, True])
def test_the_best_of_several_wherever_it_stands(measure, value, pooled):
    """Means 2, 4 and 8; with both signs and in denominators."""
    selections = {name: {**ROWS["all"], "method": name} for name in "abc"}
    metrics = table(
        *(rows("main", "score", v + 0.01 * noise(6, v), method=m) for m, v in zip("abc", (2, 4, 8), strict=True))
    )
    claim, _ = run(card({"measure": measure, "is": {"above": -99}, "pooled": pooled}, selections=selections), metrics)
    assert claim.measured == pytest.approx(value, rel=1e-2) and claim.low < claim.measured < claim.high
    assert claim.verdict == "reproduced"


def test_groups_stand_in_the_order_of_the_published_values():
    parts = [rows("main", "score", 0.5 + 0.01 * noise(6), dataset=d, method="ours") for d in "abc"]
    check = {"measure": {"mean": "ours"}, "is": {"within": 0.1}}
    _, checks = run(card(check, each="dataset", published={"c": 0.5, "a": 0.48, "b": 0.52}), table(*parts))
    assert checks.group.tolist() == ["c", "a", "b"] and checks.published.tolist() == [0.5, 0.48, 0.52]
    _, checks = run(card(check, each="dataset", published={"c": 0.5, "a": 0.48}), table(*parts))
    assert checks.group.tolist() == ["c", "a"], "a group without a published value is not compared"


def test_several_columns_make_groups_together():
    parts = [rows("main", "score", 1 + 0.1 * noise(6), dataset=d, method="ours", k=k) for d in "ab" for k in (2, 5)]
    _, checks = run(card({"measure": {"mean": "ours"}, "is": {"above": 0}}, each=["dataset", "k"]), table(*parts))
    assert checks.group.tolist() == ["a / 2", "a / 5", "b / 2", "b / 5"]


# Decisions


def test_every_looks_at_each_unit_of_each_data_set():
    parts = [
        rows("main", "score", [1.0] * 3, dataset="a", method="ours"),
        rows("main", "score", [1.0, 1.0, 0.99], dataset="b", method="ours"),
    ]
    claim, checks = run(card({"measure": {"min": "ours"}, "decide": "every", "is": {"at_least": 1}}), table(*parts))
    assert claim.verdict == "contradicted" and (claim.measured, claim.low, claim.high, claim.n) == (0.99, 0.99, 1.0, 6)
    assert claim.reason == "1 of 6 values lie outside, the first is dataset b, seed 2: 0.99" and pd.isna(checks.p[0])


def test_every_combines_measures_in_each_unit():
    claim, _ = run(
        card({"measure": {"ratio": [{"mean": "ours"}, {"mean": "theirs"}]}, "decide": "every", "is": {"above": 1}}),
        table(*pair(sd=0, n=3)),
    )
    assert claim.verdict == "reproduced" and claim.low > 1


def test_a_share_counts_units():
    metrics = table(rows("main", "score", np.arange(40) < 36, method="ours"))
    check = {"measure": {"mean": "ours"}, "decide": "share", "is": {"above": 0.75}}
    claim, _ = run(card(check), metrics)
    expected = stats.binomtest(36, 40).proportion_ci(0.95, "exact")
    assert (claim.measured, claim.low, claim.high) == pytest.approx((0.9, expected.low, expected.high))
    assert claim.rule == "mean ours above 0.75; share of 40 seeds, 95 % Clopper–Pearson interval"


def test_a_share_of_values_needs_to_know_what_counts():
    metrics = table(*pair(n=20))
    with pytest.raises(ClaimsError, match="`holds` says when a unit counts"):
        run(card({"measure": GAIN, "decide": "share", "is": {"above": 0.5}}), metrics)
    claim, _ = run(card({"measure": GAIN, "decide": "share", "holds": {"above": 0.1}, "is": {"below": 0.9}}), metrics)
    assert claim.measured == 0.5 and "counted where above 0.1" in claim.rule


def test_a_ratio_is_one_of_means():
    metrics = table(
        rows("main", "score", [1, 2, 3, 4, 5, 6], method="ours"),
        rows("main", "score", [2, 2, 2, 2, 2, 14], method="theirs"),
    )
    claim, _ = run(card({"measure": {"ratio": [{"mean": "ours"}, {"mean": "theirs"}]}, "is": {"above": 0}}), metrics)
    assert claim.measured == pytest.approx(21 / 24) and "jackknife t, log scale" in claim.rule


def test_a_denominator_around_zero_is_undecidable():
    metrics = table(*pair(n=6), *(part.assign(metric="zero", value=noise(6)) for part in pair(n=6)[:1]))
    selections = {**ROWS, "zero": {**ROWS["ours"], "metric": "zero"}}
    claim, _ = run(
        card({"measure": {"ratio": [{"mean": "ours"}, {"mean": "zero"}]}, "is": {"above": 0}}, selections=selections),
        metrics,
    )
    assert claim.verdict == "inconclusive" and "denominator" in claim.reason


def test_logarithms_of_skewed_values():
    ours, theirs = (np.exp(v + noise(6, k)) for k, v in enumerate((2, 1)))
    metrics = table(rows("main", "score", ours, method="ours"), rows("main", "score", theirs, method="theirs"))
    measure = {"difference": [{"mean": "ours", "log": "y"}, {"mean": "theirs", "log": "y"}]}
    claim, _ = run(card({"measure": measure, "is": {"above": 0}}), metrics)
    assert claim.measured == pytest.approx(1) and claim.metric == "mean log ours − mean log theirs"
    metrics.loc[0, "value"] = -1.0
    claim, _ = run(card({"measure": measure, "is": {"above": 0}}), metrics)
    assert claim.verdict == "not tested" and re.search("no logarithm of value in the row .*seed 0", claim.reason)


def test_pooled_statistics_see_all_units_at_once():
    n = 12
    x = np.arange(n)
    metrics = table(rows("main", "score", 2.0 * x + noise(n), method="ours", size=x))
    claim, _ = run(card({"measure": {"slope": "ours", "x": "size"}, "pooled": True, "is": {"above": 0}}), metrics)
    expected = stats.linregress(x, 2.0 * x + noise(n))
    assert claim.measured == pytest.approx(expected.slope) and claim.n == n
    assert (claim.high - claim.low) / 2 == pytest.approx(2.228 * expected.stderr, rel=0.35)


def test_a_pooled_mean_is_the_mean_over_units():
    metrics = table(*pair())
    check = {"measure": GAIN, "is": {"above": 0}}
    one, other = (run(card({**check, "pooled": pooled}), metrics)[0] for pooled in (False, True))
    assert (one.measured, one.low, one.high) == pytest.approx((other.measured, other.low, other.high))


def test_pooled_units_inside_data_sets_are_strata_too():
    parts = [
        rows("main", "score", mean + 0.1 * noise(n), dataset=d, method="ours", seed=0, item=np.arange(n))
        for d, mean, n in (("a", 0, 3), ("b", 10, 4))
    ]
    check = {"measure": {"mean": "ours"}, "is": {"above": 0}}
    one, other = (
        run(card({**check, "pooled": pooled}, unit=["dataset", "item"]), table(*parts))[0] for pooled in (False, True)
    )
    assert (one.measured, one.low, one.high) == pytest.approx((other.measured, other.low, other.high))
    lonely = table(*parts, rows("main", "score", [1.0], dataset="c", method="ours", seed=0, item=0))
    for pooled in (False, True):
        claim, _ = run(card({**check, "pooled": pooled}, unit=["dataset", "item"]), lonely)
        assert claim.verdict == "inconclusive" and claim.reason == "a data set has one unit only"


def test_the_rule_names_the_data_sets():
    metrics = table(*pair(dataset="a"), *pair(dataset="b"))
    check = {"measure": GAIN, "is": {"above": 0}}
    assert run(card(check), metrics)[0].rule.endswith("95 % interval over 6 seeds on a, b (Student t)")
    assert run(card({**check, "pooled": True}), metrics)[0].rule.endswith("over 6 seeds on a, b (jackknife t)")
    assert run(card(check, unit=["dataset", "seed"]), metrics)[0].rule.endswith(
        "over 12 units (dataset × seed) on a, b (bootstrap-t)"
    )
    assert run(card({**check, "decide": "every"}), metrics)[0].rule.endswith(
        "in every seed on each of a, b, exact (12 values)"
    )


def test_across_data_sets_a_statistic_sees_them_all():
    """Each set has one size only, so that a slope inside a set would not be defined."""
    parts = [
        rows("main", "score", 3.0 * k + 0.1 * noise(6, k), dataset=f"d{k}", method="ours", size=k) for k in range(4)
    ]
    check = {"measure": {"slope": "ours", "x": "size"}, "is": {"above": 2}}
    assert run(card({**check, "across": "dataset"}), table(*parts))[0].measured == pytest.approx(3, abs=0.1)
    with pytest.raises(ClaimsError, match="not defined"):
        run(card(check), table(*parts))


def test_x_may_be_another_selection():
    k, seed = np.tile(np.arange(4), 5), np.repeat(np.arange(5), 4)
    gap, bound = (rows("grid", m, v, seed=seed, k=k) for m, v in (("gap", k + 0.1 * noise(20)), ("bound", 10.0 * k)))
    selections = {m: {"experiment": "grid", "metric": m} for m in ("gap", "bound")}
    made = card({"measure": {"slope": "gap", "x": "bound"}, "is": {"above": 0}}, selections=selections)
    assert run(made, table(gap, bound))[0].measured == pytest.approx(0.1, rel=0.1)
    assert run(made, table(gap, bound.iloc[::-1]))[0].measured == run(made, table(gap, bound))[0].measured
    with pytest.raises(ClaimsError, match=r"`bound` has no partner of the `gap` row .*seed 2, k 3"):
        run(made, table(gap, bound.drop(index=11)))
    with pytest.raises(ClaimsError, match="several rows of `bound` agree in"):
        run(made, table(gap, bound, bound.iloc[:1]))


def test_a_paper_brings_its_own_statistics(monkeypatch):
    module = ModuleType("seedbed.made_up.statistics")
    module.late_share = lambda part: float((part.value[part.k >= 2] > 0).mean())
    monkeypatch.setitem(sys.modules, "seedbed.made_up", ModuleType("seedbed.made_up"))
    monkeypatch.setitem(sys.modules, "seedbed.made_up.statistics", module)
    monkeypatch.setattr("seedbed.core.claims.audit.statistic_names", lambda paper: ["late_share"])
    k, seed = np.tile(np.arange(4), 6), np.repeat(np.arange(6), 4)
    values = np.where(k == 3, 1.0, -1.0) + 2 * ((k == 2) & (seed < 3))
    made = card({"measure": {"late_share": "ours", "times": 2}, "is": {"above": 0}})
    assert run(made, table(rows("main", "score", values, method="ours", seed=seed, k=k)))[0].measured == pytest.approx(
        1.5
    )


def test_timing_rows_are_measured_like_others():
    metrics = table(rows("main", "score", 3 + 0.1 * noise(6), method="ours", timing=True))
    assert run(card({"measure": {"mean": "ours"}, "is": {"above": 1}}), metrics)[0].verdict == "reproduced"


def test_texts_that_are_numbers_may_be_compared_as_such():
    metrics = table(
        *(rows("main", "score", v + 0.1 * noise(6), method="ours", eps=e) for v, e in ((1, "1e-10"), (2, "1e-3")))
    )
    check = {"measure": {"mean": "ours", "where": {"eps": {"at_most": "1e-5"}}}, "is": {"above": 0}}
    assert run(card(check), metrics)[0].measured == pytest.approx(1)
    assert run(card({**check, "measure": {"mean": "ours", "where": {"eps": "1e-3"}}}), metrics)[
        0
    ].measured == pytest.approx(2)


def test_two_runs_give_equal_tables():
    made = card({"measure": GAIN, "is": {"above": 0}})
    metrics = table(*pair(n=12))
    one, other = (pd.concat(check_claims(made, metrics, CONFIG, {})) for _ in range(2))
    pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("pooled", [False, True])
def test_an_x_that_is_a_selection_without_rows_leaves_the_claim_not_tested(pooled):
    check = {"measure": {"spearman": "ours", "x": "nowhere"}, "is": {"above": 0}, "pooled": pooled}
    made = card(check, selections=ROWS | {"nowhere": {"experiment": "other", "metric": "score"}})
    claim, _ = run(made, table(*(part for k in (1, 2, 3) for part in pair(k=k))))
    assert claim.verdict == "not tested"
    assert claim.reason.startswith("no rows of `nowhere`")
