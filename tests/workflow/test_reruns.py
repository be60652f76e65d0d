"""A change reruns exactly what it affects."""

import os
import time

import pytest

JOBS = {f"results/laptop/toy/jobs/main/numbers/{method}.parquet" for method in ("double", "halve")}
TAIL = {
    f"results/laptop/toy/{name}"
    for name in ("metrics.parquet", "costs.csv", "claims.csv", "checks.csv", "summary.json", "figures/errors.svg")
} | {f"results/laptop/{name}" for name in ("report.html", "claims.csv", "claims.md")}

pytestmark = pytest.mark.workflow


def test_a_second_call_has_nothing_to_do(built_toy):
    assert "Nothing to be done" in built_toy.snakemake()


def test_touching_every_file_reruns_nothing(copy_of_built_toy):
    later = time.time() + 60
    for path in copy_of_built_toy.path.rglob("*"):
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path, (later, later))
    assert copy_of_built_toy.reruns() == set()


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("src/seedbed/toy/halve.py", "x / 2", "x / 4", {job for job in JOBS if "halve" in job} | TAIL),
        ("src/seedbed/core/random.py", "default_rng(np", "default_rng(1 and np", JOBS | TAIL),
        ("src/seedbed/core/plots.py", '"font.size": 9', '"font.size": 8', {"results/laptop/toy/figures/errors.svg"} | {t for t in TAIL if "toy" not in t}),
        ("scripts/toy/measure.py", "range(settings", "range(0, settings", JOBS | TAIL),
        ("config/toy.yaml", "offset: 3", "offset: 4", JOBS | TAIL),
        ("src/seedbed/toy/halve.py", '"""Error of halving."""', '"""Other words."""  # and why', set()),
        ("config/toy.yaml", "defaults:", "# a comment\ndefaults:", set()),
        ("config/toy.yaml", "mem_mb: 500", "mem_mb: 600", set()),
        ("config/toy.yaml", "cluster:\n  main: {seeds: 20}", "cluster:\n  main: {seeds: 30}", set()),
        ("seeds/toy.yaml", "at_most: 10", "at_most: 11", {t for t in TAIL if t.endswith(("claims.csv", "checks.csv", "summary.json", "report.html", "claims.md"))}),
    ],
)  # fmt: skip
def test_an_edit_reruns_exactly_its_jobs(copy_of_built_toy, file, old, new, expected):
    copy_of_built_toy.edit(file, old, new)
    assert copy_of_built_toy.reruns() == expected


def test_another_scale_has_files_of_its_own(copy_of_built_toy):
    before = copy_of_built_toy.contents("results/laptop/**/*")
    copy_of_built_toy.snakemake(config=("scale=smoke",))
    assert copy_of_built_toy.contents("results/laptop/**/*") == before
    assert copy_of_built_toy.reruns() == set()
