"""Jobs that go on after their Snakemake was killed: two writers for one file would be the end of it, so wait."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import psutil

from seedbed.core.errors import SeedbedError

SLURM_LOGS = "logs/slurm"  # `slurm-logdir` of profiles/slurm


def orphans(folder: Path) -> dict[str, str]:
    """What still works in ``folder``: name -> how to end it.

    Processes of Snakemake, or of a job that it started, whose working directory is ``folder``; and, where SLURM was
    used in it, the user's SLURM jobs of this folder that wait or run.
    """
    folder = folder.resolve()
    processes = (process for process in psutil.process_iter() if _works_here(process, folder))
    return {f"process {process.pid}": f"kill {process.pid}" for process in processes} | _slurm_jobs(folder)


def wait(folder: Path, poll_seconds: float = 1.0) -> None:
    """Return when nothing of this folder runs any more, and say what is waited for.

    Raises
    ------
    SeedbedError
        SLURM was used in this folder and its queue cannot be read: going on could mean two writers for one file.
    """
    told: set[str] = set()
    while running := orphans(folder):
        for name in running.keys() - told:
            print(f"waiting for {name}, which still runs a job here; to end it: {running[name]}", flush=True)
        told |= running.keys()
        time.sleep(poll_seconds)


def _works_here(process: psutil.Process, folder: Path) -> bool:
    try:
        command = process.cmdline()
        ours = any("/snakemake" in word or ".snakemake/scripts" in word or word == "snakemake" for word in command)
        return ours and Path(process.cwd()) == folder
    except (psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
        return False


def _slurm_jobs(folder: Path) -> dict[str, str]:
    if not (folder / SLURM_LOGS).is_dir():
        return {}
    try:
        command = ["squeue", "--me", "--noheader", "--format=%A %T %Z"]
        queue = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        reason = getattr(error, "stderr", None) or error
        raise SeedbedError(f"squeue cannot say which SLURM jobs of this folder still run: {reason}") from None
    rows = [line.split(maxsplit=2) for line in queue.splitlines()]
    return {
        f"SLURM job {job} ({state.lower()})": f"scancel {job}"
        for job, state, where in rows
        if Path(where).resolve() == folder
    }
