"""Commands that the Makefile and DVC call: ``python -m seedbed verdicts | digests | wait``; run in a checkout."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from seedbed.core.errors import SeedbedError


def main() -> None:
    """Parse the command line and run one command."""
    parser = argparse.ArgumentParser(prog="seedbed", description=__doc__)
    commands = parser.add_subparsers(required=True)
    verdicts = commands.add_parser("verdicts", help="print the verdicts of the last run and where its report is")
    verdicts.add_argument("scale", nargs="?", default="laptop", choices=("smoke", "laptop", "cluster"))
    verdicts.set_defaults(run=lambda args: print_verdicts(args.scale))
    digests = commands.add_parser("digests", help="write what the DVC stage of each paper rests on")
    digests.set_defaults(run=lambda args: write_digests())
    wait = commands.add_parser("wait", help="wait for jobs that outlived a killed Snakemake in this folder")
    wait.set_defaults(run=lambda args: wait_for_orphans())
    args = parser.parse_args()
    try:
        args.run(args)
    except SeedbedError as error:
        sys.exit(f"error: {error}")


def print_verdicts(scale: str) -> None:
    """Print ``results/<scale>/claims.md`` and the path of the report."""
    folder = Path("results", scale)
    if not (folder / "claims.md").is_file():
        raise SeedbedError(f"{folder}/claims.md: no such file; run `make all` (or `make smoke`) first")
    print((folder / "claims.md").read_text())
    print(f"Report: {(folder / 'report.html').resolve()}")


def write_digests() -> None:
    """Write the digests of all papers to ``workflow/digests.yaml``."""
    from seedbed.core.files import write_whole
    from seedbed.core.stages import stage_digests

    lines = (f"{paper}: {digest}\n" for paper, digest in stage_digests(Path()).items())
    write_whole("workflow/digests.yaml", "".join(lines))


def wait_for_orphans() -> None:
    """Return when no Snakemake and none of its jobs runs in this folder."""
    from seedbed.core.orphans import wait

    wait(Path())


if __name__ == "__main__":
    main()
