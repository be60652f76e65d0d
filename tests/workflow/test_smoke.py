"""The smoke run of all papers: it ends with a report, a second run gives the same bytes, nothing is left to do."""

import pandas as pd
import pytest
from conftest import copy_project

from seedbed.core.claims.card import load_card
from seedbed.core.claims.selection import Table
from seedbed.core.config import find_papers

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    project = copy_project(tmp_path_factory.mktemp("smoke") / "first")
    project.snakemake(config=("scale=smoke",))
    return project


def test_the_report_is_there_and_names_every_claim(smoke):
    report = smoke.read("results/smoke/report.html")
    for paper in find_papers(smoke.path / "seeds"):
        for claim in load_card(smoke.path / "seeds" / f"{paper}.yaml").claims:
            assert f'id="{paper}-{claim}"' in report
    assert "http://" not in report.replace("http://www.w3.org", "")


def test_every_selection_of_a_card_finds_rows(smoke):
    """A check that pins another data set than the smoke run has stays untested; its selection must match all the same."""
    for paper in find_papers(smoke.path / "seeds"):
        card = load_card(smoke.path / "seeds" / f"{paper}.yaml")
        table = Table(
            pd.read_parquet(smoke.path / f"results/smoke/{paper}/metrics.parquet"), paper, card.rows, False, {}
        )
        assert [name for name, rows in card.rows.items() if not table.mask(rows).any()] == []


def test_a_second_call_has_nothing_to_do(smoke):
    assert "Nothing to be done" in smoke.snakemake(config=("scale=smoke",))


def test_two_clean_runs_give_equal_metrics(smoke, tmp_path):
    second = copy_project(tmp_path / "second")
    second.snakemake(config=("scale=smoke", f"mirror={smoke.path / 'data/raw'}"))
    first_tables, second_tables = (p.contents("results/smoke/*/metrics.parquet") for p in (smoke, second))
    assert first_tables.keys() == second_tables.keys() and first_tables
    for name in first_tables:
        one, two = (pd.read_parquet(p.path / name) for p in (smoke, second))
        assert one.timing.any(), "the races are part of the smoke run"
        pd.testing.assert_frame_equal(one[~one.timing], two[~two.timing], check_exact=True)
        pd.testing.assert_frame_equal(one.drop(columns="value"), two.drop(columns="value"))
    untimed = "results/smoke/*/jobs/[!s]*/**/*.parquet"
    assert smoke.contents(untimed) == second.contents(untimed)


def test_the_verdicts_are_printed(smoke):
    text = smoke.run("python", "-m", "seedbed", "verdicts", "smoke").stdout
    assert "| paper | claim |" in text and "report.html" in text
