# Entry points. `make all` needs Python 3.11 or later and nothing else; it makes its environment in .venv.
PYTHON ?= python3
SCALE ?= laptop
# CORES=4 MEMORY=3000 make all: so many cores (default: all), jobs of so many MB at once (default: as many as there are cores).
# SNAKEMAKE_PROFILE=profiles/slurm make all: on a cluster.
CORES ?=
MEMORY ?=
export PATH := $(CURDIR)/.venv/bin:$(PATH)
# uv does not read pip's setting for a folder of local wheels (a CPU build of torch, for instance).
UV := UV_FIND_LINKS="$${UV_FIND_LINKS:-$$PIP_FIND_LINKS}" VIRTUAL_ENV=$(CURDIR)/.venv .venv/bin/uv -q
PAPERS := $(basename $(notdir $(wildcard seeds/*.yaml)))
RUN = snakemake $(if $(SNAKEMAKE_PROFILE),,--logger rich) $(if $(CORES),--cores $(CORES)) $(if $(MEMORY),--resources mem_mb=$(MEMORY)) --config scale=$(SCALE)

.PHONY: help setup all smoke test lint format restore resume mirror lock
.DEFAULT_GOAL := help

help:              ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## */\t/' | column -t -s "$$(printf '\t')"

setup: .venv/ready  ## make the environment from requirements.lock

# The lock lists what torch's CPU build needs; where torch comes as its CUDA release, the check finds that more is needed.
.venv/ready: requirements.lock pyproject.toml
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	.venv/bin/python -m pip install -q --disable-pip-version-check uv==0.13.9
	$(UV) pip install --compile-bytecode --no-deps -r requirements.lock
	$(UV) pip check 2>/dev/null || $(UV) pip install --compile-bytecode -r requirements.lock
	$(UV) pip install --no-deps -e .
	touch $@

all: setup         ## run everything at laptop scale, print the verdicts and where the report is
	$(RUN) -- all
	@python -m seedbed verdicts $(SCALE)

smoke: SCALE := smoke
smoke: all         ## a first look: every paper in seconds; its verdicts are not results

test: setup        ## all tests
	python -m pytest -n 2 --dist loadscope

lint: .venv-lint/ready  ## style of Python and of the rules
	.venv-lint/bin/ruff check .
	.venv-lint/bin/ruff format --check .
	.venv-lint/bin/snakefmt --check Snakefile workflow

format: .venv-lint/ready  ## rewrite to that style
	.venv-lint/bin/ruff check --fix .
	.venv-lint/bin/ruff format .
	.venv-lint/bin/snakefmt Snakefile workflow

.venv-lint/ready:
	$(PYTHON) -m venv .venv-lint
	.venv-lint/bin/pip install -q --disable-pip-version-check ruff==0.17.6 snakefmt==2.1.0
	touch $@

restore: setup     ## after a clone: fetch the artifacts from the DVC remote instead of computing them
	@dvc pull || { echo "No artifacts from the DVC remote. git has the tables (results/laptop); 'make all' computes the rest."; exit 1; }
	python -m seedbed digests
	@dvc status -q $(PAPERS) || { echo "The artifacts are not those of this code, so they count for nothing:"; dvc status $(PAPERS); exit 1; }
	snakemake --touch --forceall --cores 1 --config scale=laptop -- all
	$(MAKE) all SCALE=laptop

resume: setup      ## after a kill: wait for jobs that still run, unlock, go on
	python -m seedbed wait
	$(RUN) --unlock -- all
	$(MAKE) all SCALE=$(SCALE)

mirror: setup      ## fill the folder MIRROR with every source, for machines without network (WEB=1: also those of no registry)
	@test -n "$(MIRROR)" || { echo "make mirror MIRROR=<folder>"; exit 1; }
	$(RUN) $(if $(WEB),sources=web) -- downloads
	mkdir -p "$(MIRROR)" && cp -R data/raw/. "$(MIRROR)"
	@echo "Now on the other machine: 'mirror: $(MIRROR)' in config/config.yaml, or --config mirror=$(MIRROR)"

lock: setup        ## compile requirements.in into requirements.lock
	$(UV) pip compile --python-version 3.11 --no-header --upgrade-package torch requirements.in -o requirements.lock
	sed -i 's/^torch==\([0-9.]*\)+cpu/torch==\1/' requirements.lock
