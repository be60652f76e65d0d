"""Paths, configuration, code digests and limits of jobs: the only place that knows them."""

from pathlib import Path

from snakemake.exceptions import WorkflowError

from seedbed.core.config import (
    SHARED,
    Limits,
    find_papers,
    load_config,
    load_paper_config,
)
from seedbed.core.digests import PACKAGE, code_digest, data_digest
from seedbed.core.errors import SeedbedError
from seedbed.core.sources import (
    HubSource,
    PackageSource,
    load_sources,
    missing_client,
)

ROOT = Path(workflow.basedir)
CARDS = ROOT / "seeds"
CONFIGS = ROOT / "config"
SCRIPTS = ROOT / "scripts"


def _load():
    """Everything that a person edits, checked before any job starts."""
    from seedbed.core.claims.card import load_card

    known = find_papers(CARDS)
    user = load_config(config, known, "config/config.yaml")
    papers = known if user.papers == "all" else sorted(set(user.papers))
    sources = load_sources(CONFIGS / "sources.yaml")
    cards = {paper: load_card(CARDS / f"{paper}.yaml") for paper in papers}
    return (
        user,
        papers,
        sources,
        cards,
        {
            name: load_paper_config(name, user.scale, CONFIGS)
            for name in [*papers, *SHARED]
        },
    )


try:
    CONFIG, PAPERS, SOURCES, CARD, PAPER_CONFIG = _load()
except SeedbedError as error:
    raise WorkflowError(str(error))

SCALE = CONFIG.scale
RESULTS = f"results/{SCALE}"
REPORT = f"{RESULTS}/report.html"
MANIFEST = "data/raw/{source}/source.json"
JOBS = {
    paper: [] for paper in PAPERS
}  # (experiment, dataset, method) of each job; a paper's rules file fills in its own


wildcard_constraints:
    source=r"[\w.-]+",
    experiment=r"\w+",
    dataset=r"\w+",
    method=r"\w+",


def data(paper, file):
    return f"data/{SCALE}/{paper}/{file}"


def job(paper, experiment="{experiment}", dataset="{dataset}", method="{method}"):
    """Output of one job: all seeds and parameter sets of a method on a data set."""
    return f"{RESULTS}/{paper}/jobs/{experiment}/{dataset}/{method}.parquet"


def job_benchmark(
    paper, experiment="{experiment}", dataset="{dataset}", method="{method}"
):
    return f"benchmarks/{SCALE}/{paper}/{experiment}/{dataset}/{method}.tsv"


def step_benchmark(name):
    return f"benchmarks/{SCALE}/{name}.tsv"


def log_file(name):
    return f"logs/{SCALE}/{name}.log"


def settings(paper, experiment):
    """The experiment's own part of `config/<paper>.yaml`, as plain data with sorted keys, for a rule's params."""
    return getattr(PAPER_CONFIG[paper], experiment).model_dump(mode="json")


def code(script, *modules):
    """Digest of a script, of the modules that it loads by name, and of all that these import from this project."""
    return code_digest(SCRIPTS / script, *modules)


def optional_module(name):
    """[name] if the project has this module, else []."""
    return (
        [name]
        if PACKAGE.joinpath(*name.split(".")[1:]).with_suffix(".py").is_file()
        else []
    )


def step(paper, name):
    """What one job of a step asks for (`resources` in `config/<paper>.yaml`)."""
    return PAPER_CONFIG[paper].resources.get(name, Limits())


def exclusive():
    """Threads of a job that measures time: all cores, so that it runs alone; on a cluster `alone` below sees to that."""
    return 1 if SCALE == "smoke" or workflow.non_local_exec else workflow.cores


def limits(paper=None, name=None, alone=False, mem_mb=None):
    """Memory, time and GPUs of a rule; the defaults for the light rules that all papers share.

    Another attempt (the profile's `retries`) asks for twice the memory and time of the last. `alone`: SLURM lends
    the whole node, for a job that measures time. `mem_mb`: wildcards to memory, where jobs of a rule differ.
    """
    asked = step(paper, name) if paper else Limits()
    needed = mem_mb or (lambda wildcards: asked.mem_mb)
    return {
        "mem_mb": lambda wildcards, attempt: needed(wildcards) * 2 ** (attempt - 1),
        "runtime": lambda wildcards, attempt: asked.runtime * 2 ** (attempt - 1),
        **({"gpu": asked.gpus} if asked.gpus else {}),
        **({"slurm_extra": "--exclusive"} if alone else {}),
    }


def reachable(source):
    """Whether the configuration lets this source be fetched: packages always, addresses with `sources: web`, the hub
    at cluster scale."""
    allowed = {PackageSource: True, HubSource: SCALE == "cluster"}
    return allowed.get(type(SOURCES[source]), CONFIG.sources == "web")
