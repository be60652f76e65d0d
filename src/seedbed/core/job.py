"""What every script does first: send all output to the rule's log, and keep to the threads of the job."""

from __future__ import annotations

import logging
import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from seedbed.core.errors import SeedbedError, Unavailable
from seedbed.core.pool import keep_freed_memory, one_thread


def run(main: Callable[[Any], None], snakemake: Any) -> None:
    """Run ``main(snakemake)`` as a job.

    Output, logging and tracebacks go to ``snakemake.log[0]``, at the level of file descriptors, so that what
    libraries and child processes print is there too. If a source cannot be had on this machine (`Unavailable`), every
    output becomes an empty table that carries the reason, and claims that need it are `not tested`.
    """
    _log_to(snakemake.log[0])
    one_thread()
    keep_freed_memory()
    started = time.monotonic()
    try:
        main(snakemake)
    except Unavailable as reason:
        logging.warning("not available on this machine: %s", reason)
        _write_unavailable(snakemake, str(reason))
    except SeedbedError as error:
        sys.exit(f"error: {error}")
    except Exception:
        traceback.print_exc()
        sys.exit(1)
    logging.info("done in %.1f s", time.monotonic() - started)


def _log_to(path: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
        os.dup2(log, stream.fileno())
    os.close(log)
    sys.stdout.reconfigure(line_buffering=True)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s", stream=sys.stderr, force=True)


def _write_unavailable(snakemake: Any, reason: str) -> None:
    import pyarrow as pa

    from seedbed.core.tables import write_table

    for path in snakemake.output:
        write_table(pa.table({}), path, {snakemake.wildcards.dataset: reason})
