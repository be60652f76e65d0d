"""Faults end in one clear line, before any job where that can be; what was killed goes on."""

import os
import signal
import time

import pytest

pytestmark = pytest.mark.workflow


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("config/config.yaml", "scale: laptop", "scale: laptob", "config/config.yaml: scale: 'laptob' is not allowed"),
        ("config/config.yaml", "device: cpu", "devise: cpu", "unknown key 'devise': did you mean 'device'?"),
        ("config/toy.yaml", "seeds: 8", "seeds: none", "toy.yaml: defaults.main.seeds: 'none' is not allowed"),
        ("config/sources.yaml", "kind: file", "kind: fiel", "sources.yaml: toy-table"),
        ("seeds/toy.yaml", "unit: seed", "unti: seed", "unknown key 'unti': did you mean 'unit'?"),
        ("seeds/toy.yaml", "{mean: doubled}", "{mean: dubbled}", "dubbled"),
    ],
)  # fmt: skip
def test_a_bad_file_stops_before_any_job(toy, file, old, new, told):
    toy.edit(file, old, new)
    output = toy.snakemake(check=False)
    assert told in output
    assert "Traceback" not in output
    assert not (toy.path / "data").exists()


def test_a_missing_file_is_named(toy):
    (toy.path / "config/toy.yaml").unlink()
    assert "config/toy.yaml: no such file" in toy.snakemake(check=False)


def test_a_source_with_a_wrong_digest_is_refused(toy):
    (toy.path / "mirror/toy-table/numbers.txt").write_text("1 2 3")
    output = toy.snakemake(check=False)
    assert "SHA-256 is" in output and "config/sources.yaml says" in output
    assert not list((toy.path / "data/raw").rglob("numbers.txt"))


def test_raw_data_that_was_changed_is_found_out(copy_of_built_toy):
    (copy_of_built_toy.path / "data/raw/toy-table/numbers.txt").write_text("1 2 3")
    output = copy_of_built_toy.snakemake("--", "toy_prepare", check=False)
    copy_of_built_toy.edit("scripts/toy/prepare.py", "np.array([[int(", "np.array([[0 + int(")
    output = copy_of_built_toy.snakemake(check=False)
    assert "numbers.txt: changed since it was fetched; remove" in output


def test_a_source_that_cannot_be_had_leaves_its_claims_not_tested(toy):
    toy.edit("config/sources.yaml", "kind: file", "kind: package\n  registry: npm\n  package: toy\n  version: '1'")
    toy.edit("config/sources.yaml", 'url: "https://example.invalid/numbers.txt"', "member: package/numbers.txt")
    toy.edit("config/config.yaml", "mirror: mirror", "mirror: null")
    toy.snakemake(PATH=without("npm", toy))
    claims = toy.read("results/laptop/toy/claims.csv")
    assert claims.count("not tested") == 2
    assert "npm is not installed, and toy comes from npm" in claims


def without(client, project):
    """A PATH whose folders hold everything that is needed but ``client``."""
    import shutil

    folder = project.path / "bin"
    folder.mkdir()
    for name in ("snakemake", "python", "git", "bash", "sh", "env", "uname", "which"):
        found = shutil.which(name, path=project.environment()["PATH"])
        (folder / name).symlink_to(found)
    assert not shutil.which(client, path=str(folder))
    return str(folder)


def wait_for(path, seconds=60):
    end = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < end, f"{path} did not appear"
        time.sleep(0.05)


def test_after_a_kill_of_everything_the_rest_is_done_and_results_are_the_same(toy, built_toy):
    started = toy.path / "started"
    head = toy.start("snakemake", "--cores", "2", "--", "all", TOY_STARTED=str(started), TOY_SECONDS="60")
    wait_for(started)
    os.killpg(head.pid, signal.SIGKILL)
    head.wait()
    assert "LockException" in toy.snakemake(check=False)
    toy.run("python", "-m", "seedbed", "wait")
    toy.run("snakemake", "--unlock", "--cores", "1", "--", "all")
    toy.snakemake()
    metrics = "results/laptop/toy/metrics.parquet"
    assert toy.contents(metrics) == built_toy.contents(metrics)


def test_a_mirror_that_was_filled_here_serves_a_machine_without_network(toy, built_toy, tmp_path):
    toy.make("mirror", MIRROR=str(tmp_path / "mirror"), WEB="1")
    assert (tmp_path / "mirror/toy-table/numbers.txt").exists()
    (toy.path / "mirror").rename(tmp_path / "gone")
    toy.run("rm", "-r", "data")
    toy.snakemake(config=(f"mirror={tmp_path / 'mirror'}",))
    metrics = "results/laptop/toy/metrics.parquet"
    assert toy.contents(metrics) == built_toy.contents(metrics)


def test_resume_waits_for_jobs_that_outlive_the_head(toy):
    started = toy.path / "started"
    head = toy.start("snakemake", "--cores", "1", "--", "all", TOY_STARTED=str(started), TOY_SECONDS="6")
    wait_for(started)
    head.kill()  # the head alone: its job goes on
    head.wait()
    begin = time.monotonic()
    said = toy.run("python", "-m", "seedbed", "wait").stdout
    assert "still runs a job here" in said
    assert time.monotonic() - begin > 1
    assert list((toy.path / "results/laptop/toy/jobs").rglob("*.parquet"))
