"""What still runs in a folder: processes, and SLURM's jobs as a stand-in for `squeue` lists them."""

import os
import subprocess
import sys

import pytest

from seedbed.core.errors import SeedbedError
from seedbed.core.orphans import orphans, wait


@pytest.fixture
def squeue(tmp_path, monkeypatch):
    """Put a `squeue` that runs the given shell script first on the path."""

    def install(script):
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "squeue").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "squeue").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    return install


@pytest.fixture
def checkout(tmp_path):
    """A folder in which SLURM was used."""
    (tmp_path / "checkout/logs/slurm").mkdir(parents=True)
    return tmp_path / "checkout"


def test_a_process_of_snakemake_is_seen_in_its_own_folder_only(tmp_path):
    (tmp_path / "snakemake").write_text("import time; time.sleep(60)")
    running = subprocess.Popen([sys.executable, tmp_path / "snakemake"], cwd=tmp_path)
    try:
        assert orphans(tmp_path) == {f"process {running.pid}": f"kill {running.pid}"}
        assert orphans(tmp_path.parent) == {}
    finally:
        running.kill()
        running.wait()
    assert orphans(tmp_path) == {}


def test_slurm_jobs_of_this_folder_are_seen_and_no_others(squeue, checkout):
    squeue(f"echo '7 RUNNING {checkout}'; echo '8 PENDING {checkout}'; echo '9 RUNNING /somewhere/else'")
    assert orphans(checkout) == {"SLURM job 7 (running)": "scancel 7", "SLURM job 8 (pending)": "scancel 8"}


def test_wait_ends_when_the_queue_is_empty(squeue, checkout, capsys):
    squeue(f"test -e {checkout}/asked || echo '7 RUNNING {checkout}'; touch {checkout}/asked")
    wait(checkout, poll_seconds=0.01)
    assert capsys.readouterr().out.count("waiting for SLURM job 7 (running), which still runs a job here") == 1


def test_a_queue_that_cannot_be_read_is_an_error_where_slurm_was_used(squeue, checkout, tmp_path):
    squeue("echo no controller >&2; exit 1")
    with pytest.raises(SeedbedError, match="squeue cannot say .* still run: no controller"):
        orphans(checkout)
    assert orphans(tmp_path) == {}


def test_a_missing_squeue_is_an_error_where_slurm_was_used(checkout, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SeedbedError, match="squeue cannot say"):
        orphans(checkout)
