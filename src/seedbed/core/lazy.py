"""Lazy exports of a package, so that importing one module of it does not import the others (PEP 562)."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def exports(package: str, names: dict[str, str]) -> tuple[Callable[[str], Any], list[str]]:
    """Return ``(__getattr__, __all__)`` for a package whose public ``names`` map each name to its module.

    A static import in ``__init__`` would put every module into the import closure of every script, and one edit
    would rerun all jobs of a paper (see `seedbed.core.digests`).
    """

    def __getattr__(name: str) -> Any:
        if name in names:
            return getattr(importlib.import_module(f"{package}.{names[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}; it exports {', '.join(sorted(names))}")

    return __getattr__, sorted(names)
