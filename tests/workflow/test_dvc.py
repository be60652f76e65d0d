"""DVC and Snakemake agree: what is restored is fresh, what changed is made anew, and never a stale result filed as fresh."""

import json
import shutil

import pytest
import yaml
from conftest import ROOT, Project, copy_toy_project

pytestmark = pytest.mark.workflow
METRICS = "results/laptop/toy/metrics.parquet"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A toy checkout in git, built by `dvc repro` and pushed to a remote in a folder."""
    folder = tmp_path_factory.mktemp("dvc")
    project = copy_toy_project(folder / "first")
    project.env = {
        "GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@example.org", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.org",
        "GIT_CONFIG_GLOBAL": "/dev/null",
    }  # fmt: skip
    shutil.copy(ROOT / ".gitignore", project.path / ".gitignore")
    shutil.copytree(ROOT / ".dvc", project.path / ".dvc", ignore=shutil.ignore_patterns("cache", "tmp", "config.local"))
    project.edit(".dvc/config", "../../seedbed-store", str(folder / "store"))
    project.run("git", "init", "-q", "-b", "main")
    project.run("dvc", "repro", "-q")
    commit(project, "built")
    project.run("dvc", "push", "-q")
    return project


def commit(project, message):
    project.run("git", "add", "-A")
    project.run("git", "commit", "-q", "-m", message)


def lock(project):
    stage = yaml.safe_load(project.read("dvc.lock"))["stages"]["toy"]
    return stage["params"]["workflow/digests.yaml"]["toy"], {out["path"]: out["md5"] for out in stage["outs"]}


@pytest.fixture
def clone(published, tmp_path):
    project = Project(tmp_path / "clone", published.env)
    published.run("git", "clone", "-q", str(published.path), str(project.path))
    return project


def restore(project):
    """The steps of `make restore`, without making an environment."""
    project.run("dvc", "pull", "-q")
    project.run("python", "-m", "seedbed", "digests")
    project.run("dvc", "status", "-q", "toy")
    project.run("snakemake", "--touch", "--forceall", "--cores", "1", "--config", "scale=laptop", "--", "all")
    project.snakemake(config=("scale=laptop",))


def test_git_has_the_small_tables_and_dvc_the_rest(published):
    tracked = published.run("git", "ls-files", "results", "data").stdout.split()
    assert "results/laptop/toy/claims.csv" in tracked and "results/laptop/toy/figures/errors.svg" in tracked
    assert not [name for name in tracked if name.endswith((".parquet", "report.html")) or name.startswith("data")]


def test_repro_with_nothing_changed_runs_nothing(published):
    assert "Running stage 'toy'" not in published.run("dvc", "repro").stdout


def test_a_clone_computes_what_git_has_only_the_tables_of(clone):
    assert {name for name in clone.reruns() if "/jobs/" in name} == {
        f"results/laptop/toy/jobs/main/numbers/{method}.parquet" for method in ("double", "halve")
    }


def test_after_a_clone_and_restore_there_is_nothing_to_do(clone, published):
    restore(clone)
    assert "Nothing to be done" in clone.snakemake()
    assert clone.contents(METRICS) == published.contents(METRICS)


def test_after_a_restore_one_changed_parameter_reruns_exactly_its_jobs(clone):
    restore(clone)
    clone.edit("src/seedbed/toy/halve.py", "x / 2", "x / 4")
    jobs = {name for name in clone.reruns() if "/jobs/" in name}
    assert jobs == {"results/laptop/toy/jobs/main/numbers/halve.parquet"}


def test_restore_refuses_artifacts_of_other_code(clone):
    clone.edit("src/seedbed/toy/halve.py", "x / 2", "x / 4")
    clone.run("dvc", "pull", "-q")
    clone.run("python", "-m", "seedbed", "digests")
    assert clone.run("dvc", "status", "-q", "toy", check=False).returncode == 1


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("config/toy.yaml", "offset: 3", "offset: 4", True),
        ("src/seedbed/toy/double.py", "2 * x", "3 * x", True),
        ("src/seedbed/toy/double.py", '"""Error of doubling."""', '"""Other words."""', False),
    ],
)
def test_repro_after_a_clone_makes_new_results_for_new_code_and_none_for_a_comment(clone, file, old, new, changes):
    """The trap: with outputs kept, Snakemake would find nothing to do and DVC would file the old table as new."""
    clone.run("dvc", "pull", "-q")
    digest, outs = lock(clone)
    clone.edit(file, old, new)
    clone.run("dvc", "repro", "-q")
    new_digest, new_outs = lock(clone)
    assert (new_digest != digest) is changes
    assert (new_outs[METRICS] != outs[METRICS]) is changes


def test_an_experiment_with_a_parameter_measures_it(clone):
    clone.run("dvc", "pull", "-q")
    before = json.loads(clone.read("results/laptop/toy/summary.json"))
    clone.run("dvc", "exp", "run", "-q", "-S", "config/toy.yaml:defaults.main.offset=13", "-n", "bigger")
    after = json.loads(clone.read("results/laptop/toy/summary.json"))
    assert after["T1"]["measured"] == pytest.approx(before["T1"]["measured"] + 10 - 1)
    shown = clone.run("dvc", "metrics", "diff", "--json").stdout
    assert "T1" in shown


def test_without_the_remote_restore_fails_and_says_so(clone):
    clone.edit(".dvc/config", "store", "nowhere")
    assert clone.run("dvc", "pull", "-q", check=False).returncode != 0
