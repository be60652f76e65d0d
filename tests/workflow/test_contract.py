"""What every paper keeps: valid cards, complete rules, a DAG at every scale, a stage in DVC."""

import re
import subprocess

import pandas as pd
import pytest
import yaml
from conftest import ROOT, copy_project

from seedbed.core.claims.card import load_card
from seedbed.core.config import SCALES, SHARED, find_papers, load_paper_config

PAPERS = find_papers(ROOT / "seeds")
RULES = sorted((ROOT / "workflow/rules").glob("*.smk"))


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_has_all_its_parts(paper):
    load_card(ROOT / "seeds" / f"{paper}.yaml")
    for part in (
        f"config/{paper}.yaml",
        f"workflow/rules/{paper}.smk",
        f"src/seedbed/{paper}/__init__.py",
        f"src/seedbed/{paper}/config.py",
        f"src/seedbed/{paper}/figures.py",
        f"scripts/{paper}",
        f"tests/{paper}",
        f"docs/papers/{paper}.md",
    ):
        assert (ROOT / part).exists(), part


def rules_of(path):
    """(name or place, text) of each rule in a rules file."""
    parts = re.split(r"^(?=[ ]*rule\b)", path.read_text(), flags=re.M)[1:]
    return [(f"{path.name}: {part.split(':')[0].strip()}", part) for part in parts]


@pytest.mark.parametrize(
    ("name", "text"),
    [rule for path in [*RULES, ROOT / "Snakefile"] for rule in rules_of(path)],
    ids=lambda x: x.split("\n")[0],
)
def test_a_rule_is_complete(name, text):
    needed = ["log:", "resources:"]
    if "script:" in text:
        needed += ["output:", "benchmark:", "threads:", "params:", "code="]
    for directive in needed:
        assert directive in text, f"{name} lacks {directive}"
    assert "retries:" not in text
    assert "run:" not in text


def test_rules_files_share_no_name():
    """All rules files have one namespace, and lambdas look names up late: a second definition would change the first."""
    names = [
        name
        for path in RULES
        for name in re.findall(r"^(?:def )?(\w+)(?: =|\()", path.read_text(), re.MULTILINE)
        if name != "JOBS"
    ]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("paper", [*PAPERS, *SHARED])
def test_a_rule_is_named_after_its_script(paper):
    for name, text in rules_of(ROOT / "workflow/rules" / f"{paper}.smk"):
        if "script:" not in text:
            continue
        step = name.split(f"rule {paper}_")[1]
        assert f"scripts/{paper}/{step}.py" in text


def test_the_snakefile_fits_on_a_screen():
    assert len((ROOT / "Snakefile").read_text().splitlines()) <= 45


def test_the_lock_is_exact_and_right_for_any_build_of_torch():
    lines = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if line and line.lstrip()[0] != "#"]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+( ;.*)?", line) for line in lines), "exact versions, no local builds"
    assert "torch==2.13.0" in lines
    assert not [line for line in lines if line.startswith(("nvidia", "triton", "cuda"))]


@pytest.mark.parametrize(("target", "scale"), [("all", "laptop"), ("smoke", "smoke")])
def test_make_runs_the_scale_that_it_says(target, scale):
    commands = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"--config scale={scale} -- all" in commands
    assert f"python -m seedbed verdicts {scale}" in commands


def test_scripts_are_small():
    for script in (ROOT / "scripts").rglob("*.py"):
        assert len(script.read_text().splitlines()) <= 80, script


def test_papers_do_not_import_each_other():
    for paper in PAPERS:
        for module in (ROOT / "src/seedbed" / paper).rglob("*.py"):
            imported = set(re.findall(r"^\s*(?:from|import) seedbed\.(\w+)", module.read_text(), flags=re.M))
            assert imported <= {"core", paper}, module
    for module in (ROOT / "src/seedbed/core").rglob("*.py"):
        assert not set(re.findall(r"^\s*(?:from|import) seedbed\.(\w+)", module.read_text(), flags=re.M)) - {"core"}


def test_dvc_has_a_stage_for_each_paper_and_default_source_and_never_persists():
    text = (ROOT / "dvc.yaml").read_text()
    stages = yaml.safe_load(text)["stages"]
    sources = yaml.safe_load((ROOT / "config/sources.yaml").read_text())
    assert {*PAPERS, *SHARED} <= set(stages)
    assert set(stages["source"]["foreach"]) == {name for name, source in sources.items() if source["kind"] == "package"}
    assert "persist:" not in text


@pytest.mark.workflow
@pytest.mark.parametrize("scale", SCALES)
def test_every_paper_has_a_dag_at_every_scale(tmp_path, scale):
    project = copy_project(tmp_path)
    for sources in ("registries", "web"):
        text = project.run(
            "snakemake", "-n", "--cores", "2", "--config", f"scale={scale}", f"sources={sources}", "--", "all"
        ).stdout
        jobs = int(re.search(r"^total\s+(\d+)$", text, flags=re.M).group(1))
        assert len(PAPERS) * 4 < jobs < 2000


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("scale", SCALES)
def test_the_default_sources_are_known(paper, scale):
    sources = yaml.safe_load((ROOT / "config/sources.yaml").read_text())
    config = load_paper_config(paper, scale, ROOT / "config")
    assert {raw.source for raw in getattr(config, "datasets", {}).values()} <= set(sources)


@pytest.mark.parametrize("paper", PAPERS)
def test_committed_results_decide_every_check_of_the_card(paper):
    """Every claim and check of the card has its rows, and only claims that say so (or need other sources) are not tested."""
    claims = pd.read_csv(ROOT / "results/laptop" / paper / "claims.csv").set_index("claim")
    checks = pd.read_csv(ROOT / "results/laptop" / paper / "checks.csv")
    card = load_card(ROOT / "seeds" / f"{paper}.yaml")
    assert list(claims.index) == list(card.claims)
    for name, claim in card.claims.items():
        if claim.not_tested or claim.requires:
            continue
        assert claims.verdict[name] != "not tested", (name, claims.reason[name])
        of_claim = checks[checks.claim == name]
        assert set(of_claim.check) == {f"{name}/{number}" for number in range(1, len(claim.checks) + 1)}, name
        assert not (of_claim.verdict == "not tested").any(), (name, list(of_claim.reason))
