"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path | str) -> Iterator[Path]:
    """Temporary path beside ``path`` that is renamed to it when the block ends without an error."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_whole(path: Path | str, content: str | bytes) -> None:
    """Write ``content`` to ``path``, whole or not at all."""
    with whole(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)
