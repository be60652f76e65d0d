import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from seedbed.core.tables import read_unavailable

JOB = """
import sys, subprocess, logging
from types import SimpleNamespace
from seedbed.core.job import run
from seedbed.core.errors import SeedbedError, Unavailable
def main(snakemake):
    print("printed")
    logging.getLogger("library").info("logged")
    subprocess.run(["echo", "from a child"])
    {body}
run(main, SimpleNamespace(log=[sys.argv[1]], output=[sys.argv[2]], wildcards=SimpleNamespace(dataset="ecoli")))
"""


def run_job(tmp_path, body):
    log, output = tmp_path / "logs" / "job.log", tmp_path / "out.parquet"
    command = [sys.executable, "-c", JOB.format(body=body), str(log), str(output)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == ""
    return SimpleNamespace(code=done.returncode, stderr=done.stderr, log=log.read_text(), output=output)


def test_everything_that_a_job_says_is_in_its_log(tmp_path):
    job = run_job(tmp_path, "pass")
    assert job.code == 0
    for line in ("printed", "library logged", "from a child", "done in"):
        assert line in job.log


def test_a_crash_leaves_its_traceback_in_the_log(tmp_path):
    job = run_job(tmp_path, "1 / 0")
    assert job.code == 1
    assert "ZeroDivisionError" in job.log and "Traceback" in job.log


def test_an_error_meant_for_people_comes_without_traceback(tmp_path):
    job = run_job(tmp_path, "raise SeedbedError('the table is torn')")
    assert job.code == 1
    assert "error: the table is torn" in job.log and "Traceback" not in job.log


def test_what_cannot_be_had_becomes_an_empty_table_with_the_reason(tmp_path):
    job = run_job(tmp_path, "raise Unavailable('npm is not installed')")
    assert job.code == 0
    assert read_unavailable(job.output) == {"ecoli": "npm is not installed"}


@pytest.mark.parametrize(
    "script", sorted(Path(__file__).parents[2].glob("scripts/**/*.py")), ids=lambda path: path.name
)
def test_every_script_runs_as_a_job_and_opens_with_a_docstring(script):
    text = script.read_text()
    assert text.startswith('"""')
    assert text.rstrip().endswith("run(main, snakemake)")
