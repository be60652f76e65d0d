"""Cards: what is read back, and what is refused with which words."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from seedbed.core.claims.card import load_card
from seedbed.core.errors import ConfigError

HERE = Path(__file__).parent
CARD = {
    "title": "SMOTE and Mirrors",
    "links": {"arxiv": "2510.15083"},
    "reconstructed": ["recall formulas"],
    "rows": {
        "recon": {"experiment": "attack", "method": "recon_smote", "metric": "recall"},
        "precise": {"like": "recon", "metric": "precision"},
    },
    "claims": {
        "C6": {
            "statement": "It recovers most of them",
            "setting": "paper",
            "where": "Table 4",
            "unit": "seed",
            "each": "dataset",
            "published": {"ecoli": 0.445, "abalone": 0.62},
            "checks": [
                {"measure": {"mean": "recon"}, "is": {"within": {"ecoli": 0.12, "abalone": 0.05}}},
                {"measure": {"min": "precise"}, "decide": "every", "is": {"at_least": 1}},
            ],
        },
        "C10": {"statement": "Works on larger data", "setting": "paper", "not_tested": "budget"},
    },
}


def write(tmp_path, change=lambda card: None, name="smote_privacy"):
    card = json.loads(json.dumps(CARD))
    change(card)
    path = tmp_path / f"{name}.yaml"
    path.write_text(yaml.safe_dump(card, sort_keys=False))
    return path


def check(card, number=1):
    return card["claims"]["C6"]["checks"][number - 1]


def refusal(tmp_path, change):
    with pytest.raises(ConfigError) as error:
        load_card(write(tmp_path, change))
    lines = str(error.value).splitlines()
    assert all(line.startswith(f"{tmp_path / 'smote_privacy.yaml'}: ") for line in lines)
    return "\n".join(line.split("smote_privacy.yaml: ")[1] for line in lines)


def test_a_card_says_what_its_file_says(tmp_path):
    card = load_card(write(tmp_path))
    assert card.paper == "smote_privacy" and list(card.claims) == ["C6", "C10"]
    claim = card.claims["C6"]
    assert claim.unit == ["seed"] and claim.each == ["dataset"] and claim.where == "Table 4"
    assert claim.checks[0].is_.range(0.62, "abalone").low == pytest.approx(0.57)
    assert card.rows["precise"]["method"] == card.rows["recon"]["method"]
    assert card.claims["C10"].not_tested == "budget"


def test_the_published_value_belongs_to_the_checks_that_compare_with_it(tmp_path):
    claim = load_card(write(tmp_path)).claims["C6"]
    assert claim.published_for(claim.checks[0]) == {"ecoli": 0.445, "abalone": 0.62}
    assert claim.published_for(claim.checks[1]) is None


def test_a_card_as_plain_data_is_json_and_depends_on_every_key(tmp_path):
    """The workflow's digest of a card is made from it."""
    dumped = json.dumps(load_card(write(tmp_path)).model_dump(mode="json"))
    for change in [
        lambda card: check(card)["is"]["within"].update(ecoli=0.11),
        lambda card: check(card)["measure"].update(times=2),
        lambda card: check(card).update(where={"k": {"at_least": 3}}),
        lambda card: card["rows"]["recon"].update(k=5),
    ]:
        assert json.dumps(load_card(write(tmp_path, change)).model_dump(mode="json")) != dumped


def test_order_of_keys_and_comments_do_not_count(tmp_path):
    path = write(tmp_path)
    dumped = load_card(path).model_dump(mode="json")
    path.write_text("# a comment\n" + yaml.safe_dump(yaml.safe_load(path.read_text()), sort_keys=True))
    assert load_card(path).model_dump(mode="json") == dumped


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.update(titel="x"), "unknown key 'titel': did you mean 'title'?"),
        (lambda c: c.update(paper="x"), "unknown key 'paper': the file's name is the paper"),
        (lambda c: c.pop("title"), "title: this key is required"),
        (lambda c: c["claims"]["C6"].update(unt="seed"), "claims.C6: unknown key 'unt': did you mean 'unit'?"),
        (lambda c: c["claims"]["C6"].update(setting="papr"), "claims.C6.setting: 'papr' is not allowed"),
        (lambda c: check(c).update(decide="evry"), "claims.C6.checks.0.decide: 'evry' is not allowed"),
        (lambda c: check(c, 2).update({"is": {"at_leest": 1}}), "unknown key 'at_leest': did you mean 'at_least'?"),
        (lambda c: check(c, 2).update({"is": {"at_least": "x"}}), "at_least: 'x' is not allowed: a number"),
        (lambda c: check(c, 2).update({"is": {}}), "a region is a mapping"),
        (lambda c: check(c, 2).update({"is": {"above": 1, "at_least": 1}}), "two lower ends or two upper ends"),
        (lambda c: check(c, 2).update({"is": {"above": 1, "below": 1}}), "no number lies in this region"),
        (lambda c: check(c).update({"is": {"within": -1}}), "a distance above 0"),
        (lambda c: check(c).update(measure={"meen": "recon"}), "check C6/1: unknown statistic 'meen': did you mean 'mean'?"),
        (lambda c: check(c).update(measure={"mean": "rekon"}), "check C6/1: no rows are named 'rekon': did you mean 'recon'?"),
        (lambda c: check(c).update(measure={"median": "recon", "log": "y"}), "median has no option 'log'"),
        (lambda c: check(c).update(measure={"mean": "recon", "log": "x"}), "log: 'x' is not allowed: allowed: y"),
        (lambda c: check(c).update(measure={"slope": "recon"}), "slope needs 'x'"),
        (lambda c: check(c).update(measure={"slope": "recon", "x": "k", "log": "z"}), "log: 'z' is not allowed"),
        (lambda c: check(c).update(measure={"quantile": "recon", "q": 2}), "q: 2 is not allowed: a number from 0 to 1"),
        (lambda c: check(c).update(measure={"share": "recon", "of": {"within": 1}}), "of: 'within' is not allowed"),
        (lambda c: check(c).update(measure={"mean": "recon", "times": 0}), "times: 0 is not allowed"),
        (lambda c: check(c).update(measure={"difference": [{"mean": "recon"}]}), "difference combines two measures, found 1"),
        (lambda c: check(c).update(measure={"slope": [{"mean": "recon"}]}), "'slope' takes the name of rows, not a list"),
        (lambda c: check(c).update(measure={"ratio": "recon"}), "ratio combines a list of two measures"),
        (lambda c: check(c).update(measure={"mean": "recon", "min": "recon"}), "a measure has one statistic, found 'mean', 'min'"),
        (lambda c: check(c).update(measure="recon"), "'recon' is no measure"),
        (lambda c: c["rows"]["recon"].update(k=0.5), "k: 0.5 is not allowed: texts or integers"),
        (lambda c: c["rows"]["recon"].update(k=True), "k: True is not allowed: texts or integers"),
        (lambda c: c["rows"]["recon"].update(k=[]), "k: an empty list selects nothing"),
        (lambda c: c["rows"]["recon"].update(k={"atleast": 3}), "k: unknown key 'atleast'"),
        (lambda c: c["rows"]["recon"].update(value={"above": 3}), "rows.recon.value: rows are selected by what was measured"),
        (lambda c: c["rows"]["recon"].pop("metric"), "rows.recon: names no metric"),
        (lambda c: c["rows"]["recon"].update(metric=["recall", "f1"]), "mixes several metrics"),
        (lambda c: c["rows"].update(seed=c["rows"]["recon"]), "rows.seed: is the name of a column"),
        (lambda c: c["rows"]["precise"].update(like="rcon"), "rows.precise.like: 'rcon' is no other selection: did you mean 'recon'?"),
        (lambda c: c["rows"]["recon"].update(like="precise"), "is no other selection: allowed: none"),
        (lambda c: c["claims"]["C6"].pop("unit"), "claims.C6: names no unit"),
        (lambda c: c["claims"]["C6"].update(checks=[]), "claims.C6: has no checks"),
        (lambda c: c["claims"]["C6"].update(not_tested="budget"), "claims.C6.checks: a claim that is not tested has none"),
        (lambda c: c["claims"]["C6"].update(any="method"), "`each` and `any` exclude each other"),
        (lambda c: c["claims"]["C6"].update(enough=2), "claims.C6.enough: belongs to `any`"),
        (lambda c: c["claims"]["C6"].update(unit=["seed", "dataset"]), "'dataset' makes groups already"),
        (lambda c: c["claims"]["C6"].update(each="method"), "nothing to group by"),
        (lambda c: c["claims"]["C6"].pop("published"), "is.within: is a distance from the published value, and that is missing"),
        (lambda c: c["claims"]["C6"].update(published="large"), "and that is large"),
        (lambda c: c["claims"]["C6"].update(published=0.5), "has a distance for each group, and published is one number"),
        (lambda c: c["claims"]["C6"].pop("each"), "the claim has neither `each` nor `any`"),
        (lambda c: check(c)["is"]["within"].update(ecoly=1), "is.within.ecoly: has no published value: did you mean 'ecoli'?"),
        (lambda c: check(c, 2).update(pooled=True), "`every` looks at each unit by itself"),
        (lambda c: check(c, 2).update(holds={"above": 1}), "holds: belongs to `decide: share`"),
        (lambda c: c["claims"]["C6"].update(requires={"scale": "big"}), "claims.C6.requires.scale.0: 'big' is not allowed"),
        (lambda c: c.update(amendments=[{"date": "2026-01-01", "check": "C6/3", "old": "a", "new": "b", "why": "c"}]), "'C6/3' is no check: did you mean 'C6/2'?"),
    ],
)  # fmt: skip
def test_faults_are_named_with_what_is_allowed(tmp_path, change, words):
    assert words in refusal(tmp_path, change)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"measure": {"count": "recon", "of": {"above": 1}}, "is": {"at_least": 0}}, "is: holds whatever is measured ([0, inf])"),
        ({"measure": {"share": "recon", "of": {"above": 1}}, "is": {"at_most": 1}}, "holds whatever is measured ([0, 1])"),
        ({"measure": {"span": "recon"}, "is": {"above": 0}}, "holds whatever is measured ((0, inf])"),
        ({"measure": {"std": "recon", "times": 2}, "is": {"above": 0}}, "holds whatever is measured"),
        ({"measure": {"spearman": "recon", "x": "k"}, "is": {"above": -2}}, "holds whatever is measured ([-1, 1])"),
        ({"measure": {"difference": [{"r2": "recon", "x": "k"}, {"r2": "precise", "x": "k"}]}, "is": {"at_most": 1}}, "([-1, 1])"),
        ({"measure": {"max": [{"r2": "recon", "x": "k"}, {"r2": "precise", "x": "k"}]}, "is": {"at_least": 0}}, "([0, 1])"),
        ({"measure": {"ratio": [{"span": "recon"}, {"span": "precise"}]}, "is": {"at_least": 0}}, "holds whatever is measured"),
        ({"measure": {"mean": "recon"}, "decide": "share", "is": {"at_least": 0}}, "holds whatever is measured ([0, 1])"),
        ({"measure": {"r2": "recon", "x": "k"}, "is": {"above": 1}}, "is: cannot hold, the measure lies in [0, 1]"),
        ({"measure": {"count": "recon"}, "is": {"at_least": 1}, "contradicted": "never"}, "a rule must be able to fail"),
        ({"measure": {"mean": "recon"}, "is": {"above": 0}, "contradicted": {"below": 0.1}}, "contradicted: overlaps with `is`"),
        ({"measure": {"r2": "recon", "x": "k"}, "is": {"above": 0.5}, "contradicted": {"below": 0}}, "contradicted: cannot happen"),
        ({"measure": {"mean": "recon"}, "is": {"above": 0}, "contradicted": {"within": 1}}, "contradicted: 'within' belongs to `is`"),
        ({"measure": {"difference": [{"min": [{"mean": "recon"}, {"mean": "precise"}]}, {"max": [{"mean": "recon"}, {"mean": "precise"}]}]}, "is": {"above": 0}}, "more than one min or max of measures"),
    ],
)  # fmt: skip
def test_rules_that_cannot_fail_or_cannot_hold_are_refused(tmp_path, rule, words):
    assert words in refusal(tmp_path, lambda card: card["claims"]["C6"].update(checks=[rule], published=None))


def test_a_band_around_the_published_value_that_covers_all_values_is_refused(tmp_path):
    def change(card):
        rule = {"measure": {"share": "recon", "of": {"above": 0.5}}, "is": {"within": 0.7}}
        card["claims"]["C6"].update(published={"ecoli": 0.5}, checks=[rule])

    assert "(group ecoli): holds whatever is measured" in refusal(tmp_path, change)


def test_touching_regions_are_no_overlap(tmp_path):
    rule = {"measure": {"mean": "recon"}, "is": {"above": 0}, "contradicted": {"at_most": 0}}
    load_card(write(tmp_path, lambda card: card["claims"]["C6"].update(checks=[rule])))


def test_a_papers_own_statistics_are_known_without_importing_them(tmp_path, monkeypatch):
    import seedbed

    package = tmp_path / "seedbed"
    (package / "smote_privacy").mkdir(parents=True)
    (package / "smote_privacy" / "statistics.py").write_text("import does_not_exist\ndef hull_share(rows): ...\n")
    monkeypatch.setattr(seedbed, "__file__", str(package / "__init__.py"))
    path = write(tmp_path, lambda card: check(card, 2).update(measure={"hull_share": "precise"}))
    assert load_card(path).claims["C6"].checks[1].measure.name == "hull_share"


def test_loading_is_quick_and_needs_no_statistics():
    """No-op runs load every card: 20 ms for forty claims, without numpy, pandas or scipy."""
    code = """
import sys, time
from seedbed.core.claims.card import load_card
load_card(sys.argv[1])
start = time.process_time()
load_card(sys.argv[1])
print(time.process_time() - start)
assert not {"numpy", "pandas", "scipy"} & set(sys.modules), "heavy imports"
"""
    run = subprocess.run([sys.executable, "-c", code, HERE / "hard_checks.yaml"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 0.5  # CPU seconds, ten times and more what was measured, for a busy machine


def test_loading_the_hard_card_again_and_again_gives_equal_cards():
    assert load_card(HERE / "hard_checks.yaml") == load_card(HERE / "hard_checks.yaml")
