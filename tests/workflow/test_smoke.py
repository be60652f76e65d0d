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


def test_every_selection_of_a_card_names_what_its_jobs_measure(smoke):
    """Of the jobs that the smoke run has. Values of factors may differ from those of the laptop scale, where
    `test_committed_results_decide_every_check_of_the_card` wants rows for every check."""
    for paper in find_papers(smoke.path / "seeds"):
        card = load_card(smoke.path / "seeds" / f"{paper}.yaml")
        metrics = pd.read_parquet(smoke.path / f"results/smoke/{paper}/metrics.parquet")
        table = Table(metrics, paper, card.rows, False, {})
        found = {}
        for name, rows in card.rows.items():
            job = {column: rows[column] for column in ("experiment", "method") if column in rows}
            if table.mask(job).any():
                found[name] = bool(table.mask(job | {"metric": rows["metric"]}).any())
        assert found and all(found.values()), (paper, [name for name, any_row in found.items() if not any_row])


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


def test_jobs_that_a_smoke_run_leaves_out_run_too(smoke):
    """Each job imports transformers, which takes longer than all that a smoke run computes; so it has few of them."""
    config = "config/ptq_dynamics.yaml"
    smoke.edit(
        config, "    trunk: [2, 20, 30, 40]\n", "    trunk: [2, 20, 30, 40]\n    quantizers: {rtn: [3], awq: [3]}\n"
    )
    smoke.edit(config, "    total: 30\n", "    total: 30\n    quantizers: {gptq: [3, 4]}\n")
    smoke.snakemake("ptq_dynamics", config=("scale=smoke",))
    jobs = {path.stem for path in smoke.path.glob("results/smoke/ptq_dynamics/jobs/*/*/*.parquet")}
    assert {"rtn", "awq", "gptq"} <= jobs and smoke.contents(
        "results/smoke/ptq_dynamics/jobs/equal_loss/*/gptq.parquet"
    )
