"""The same DAG on a real SLURM of one node: equal results, and nothing lost when a job or the head is killed."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import Project, copy_project

NODE = Path(__file__).parent / "node.sh"
PAPER = "schedpred"
missing = [program for program in ("slurmctld", "slurmd", "sbatch", "munged") if not shutil.which(program)]
pytestmark = [
    pytest.mark.workflow,
    pytest.mark.skipif(os.getuid() != 0, reason="only root can start a SLURM"),
    pytest.mark.skipif(bool(missing), reason=f"SLURM is not installed: no {', '.join(missing)}"),
]
# As in profiles/slurm, but for a node that answers at once.
QUICK = ("--profile", "profiles/slurm", "--slurm-init-seconds-before-status-checks", "1", "--latency-wait", "5")


@pytest.fixture(scope="module", autouse=True)
def node(tmp_path_factory):
    folder = tmp_path_factory.mktemp("slurm")
    try:
        subprocess.run(["bash", NODE, "start", folder], check=True, env={**os.environ, "SLURM_CPUS": "4"})
        yield
    finally:
        subprocess.run(["bash", NODE, "stop", folder], check=True)


def jobs(project: Project) -> list[dict[str, str]]:
    """What SLURM knows of this project's jobs, ended ones too, oldest first."""
    lines = project.run("scontrol", "--oneliner", "show", "jobs").stdout.splitlines()
    rows = [dict(pair.split("=", 1) for pair in line.split() if "=" in pair) for line in lines]
    mine = [row for row in rows if row.get("WorkDir") == str(project.path)]
    return sorted(mine, key=lambda row: int(row["JobId"]))


def results(project: Project) -> dict[str, bytes]:
    """Everything under results but what depends on the clock."""
    files = project.contents("results/laptop/toy/**/*")
    return {name: content for name, content in files.items() if not name.endswith("costs.csv")}


def wait_for_text(path: Path, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.05)
    return path.read_text()


def test_a_run_on_slurm_equals_a_local_one_and_its_jobs_can_be_told_apart(toy, built_toy):
    toy.edit("config/toy.yaml", "runtime: 5", "runtime: 5, gpus: 1")
    toy.run("snakemake", *QUICK, "--", "all")
    assert results(toy) == results(built_toy)
    ran = {job["Comment"]: job for job in jobs(toy)}
    assert set(ran) == {
        "rule_toy_prepare_wildcards_numbers",
        "rule_toy_measure_wildcards_main_numbers_double",
        "rule_toy_measure_wildcards_main_numbers_halve",
    }
    measure = ran["rule_toy_measure_wildcards_main_numbers_double"]
    assert measure["JobName"].startswith("seedbed_")
    assert measure["StdOut"].startswith(f"{toy.path}/logs/slurm/rule_toy_measure/main_numbers_double/")
    assert (measure["MinMemoryNode"], measure["TimeLimit"], measure["CPUs/Task"]) == ("500M", "00:05:00", "2")
    assert "gpu:1" in measure["TresPerJob"]
    # light rules ran on the head: their logs are there, and SLURM never saw them
    assert (toy.path / "logs/laptop/toy/check.log").exists() and (toy.path / "logs/laptop/report.log").exists()


@pytest.fixture
def unmeasured_toy(copy_of_built_toy):
    """The built toy without the output of its two measuring jobs."""
    shutil.rmtree(copy_of_built_toy.path / "results")
    return copy_of_built_toy


def test_a_killed_job_and_one_over_its_memory_limit_are_tried_again(unmeasured_toy, built_toy):
    """`double` gets a SIGKILL; `halve` takes 700 MB where 500 MB are allowed, and has 1,000 MB at the second attempt."""
    toy, started = unmeasured_toy, unmeasured_toy.path / "started"
    head = toy.start(
        "snakemake", *QUICK, "--", "all", TOY_STARTED=str(started), TOY_SECONDS="5", TOY_BYTES=str(700 << 20)
    )
    os.kill(int(wait_for_text(toy.path / "started_double")), signal.SIGKILL)
    assert head.wait(timeout=120) == 0
    assert results(toy) == results(built_toy)
    attempts = {(job["Comment"], job["MinMemoryNode"], job["TimeLimit"], job["JobState"]) for job in jobs(toy)}
    assert attempts == {
        (f"rule_toy_measure_wildcards_main_numbers_{method}", memory, minutes, state)
        for method in ("double", "halve")
        for memory, minutes, state in (("500M", "00:05:00", "FAILED"), ("1000M", "00:10:00", "COMPLETED"))
    }


def test_after_a_kill_of_the_head_resume_waits_for_its_jobs_and_goes_on(unmeasured_toy, built_toy):
    toy, started = unmeasured_toy, unmeasured_toy.path / "started"
    head = toy.start("snakemake", *QUICK, "--", "all", TOY_STARTED=str(started), TOY_SECONDS="5")
    wait_for_text(started)
    head.kill()
    head.wait()
    said = toy.make("resume", SNAKEMAKE_PROFILE="profiles/slurm")
    assert "waiting for SLURM job" in said and "to end it: scancel" in said
    assert "| paper | claim |" in said
    assert results(toy) == results(built_toy)
    states = [job["JobState"] for job in jobs(toy)]
    assert states == ["COMPLETED"] * 2, "what the killed head had submitted was finished, and not run again"


def test_a_papers_smoke_run_equals_a_local_one_and_its_race_had_the_node_for_itself(tmp_path):
    import pandas as pd

    on_slurm, local = (copy_project(tmp_path / name) for name in ("slurm", "local"))
    on_slurm.run("snakemake", *QUICK, "--config", "scale=smoke", "--", PAPER)
    local.snakemake(PAPER, config=("scale=smoke", f"mirror={on_slurm.path / 'data/raw'}"))
    one, two = (pd.read_parquet(p.path / f"results/smoke/{PAPER}/metrics.parquet") for p in (on_slurm, local))
    pd.testing.assert_frame_equal(one[~one.timing], two[~two.timing], check_exact=True)
    exclusive = {job["OverSubscribe"] == "NO" for job in jobs(on_slurm) if "speed" in job["Comment"]}
    assert exclusive == {True}
    assert {job["OverSubscribe"] for job in jobs(on_slurm) if "speed" not in job["Comment"]} == {"OK"}
