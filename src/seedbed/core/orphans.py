"""Jobs that go on after their Snakemake was killed: two writers for one file would be the end of it, so wait."""

from __future__ import annotations

import time
from pathlib import Path

import psutil


def orphans(folder: Path) -> list[psutil.Process]:
    """Processes of Snakemake, or of a job that it started, whose working directory is ``folder``."""
    return [process for process in psutil.process_iter() if _works_here(process, folder.resolve())]


def wait(folder: Path, poll_seconds: float = 1.0) -> None:
    """Return when no such process is left, and say what is waited for."""
    told: set[int] = set()
    while running := orphans(folder):
        for process in running:
            if process.pid not in told:
                print(f"waiting for process {process.pid}, which still runs a job here", flush=True)
                told.add(process.pid)
        time.sleep(poll_seconds)


def _works_here(process: psutil.Process, folder: Path) -> bool:
    try:
        command = process.cmdline()
        ours = any("/snakemake" in word or ".snakemake/scripts" in word or word == "snakemake" for word in command)
        return ours and Path(process.cwd()) == folder
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False
