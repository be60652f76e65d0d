"""Digests of code: what a script imports from this project, statically, without comments and docstrings.

Snakemake sees neither imported modules nor content, so every rule carries such a digest among its params: an edit
reruns exactly the jobs whose code it changes, and a comment reruns none.
"""

from __future__ import annotations

import ast
import hashlib
import json
from functools import cache
from pathlib import Path

import seedbed
from seedbed.core.errors import SeedbedError

PACKAGE = Path(seedbed.__file__).parent
PACKAGE_DATA = (".html", ".css", ".js")  # what lies beside a module and is read by it: templates


def data_digest(data: object) -> str:
    """Digest of plain data; the order of keys does not count."""
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def code_digest(*starts: Path | str) -> str:
    """Digest of the import closure of ``starts``: paths of scripts, or names of modules such as ``seedbed.core.pool``.

    Raises
    ------
    SeedbedError
        If a file imports a name from a package that is no module of it: lazy exports hide what they load, so project
        code imports modules.
    """
    files = closure(*starts)
    lines = [f"{_name(path)} {_file_digest(path, path.stat().st_mtime_ns)}" for path in files]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def closure(*starts: Path | str) -> set[Path]:
    """Files that running or importing ``starts`` can load from this project, ``starts`` included."""
    waiting = [path for start in starts for path in (_module_files(start) if _is_module(start) else [Path(start)])]
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += _imports(path, path.stat().st_mtime_ns)
    return found


def _is_module(start: Path | str) -> bool:
    return isinstance(start, str) and start.split(".")[0] == seedbed.__name__


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name


def _module_files(module: str) -> list[Path]:
    """Files that importing ``module`` runs: its own, and the ``__init__`` of each package above it."""
    parts = module.split(".")[1:]
    files = [PACKAGE.joinpath(*parts[:depth], "__init__.py") for depth in range(len(parts))]
    own = PACKAGE.joinpath(*parts)
    files.append(own / "__init__.py" if own.is_dir() else own.with_suffix(".py"))
    files += [path for path in files[-1].parent.iterdir() if path.suffix in PACKAGE_DATA]
    for path in files:
        if not path.is_file():
            raise SeedbedError(f"no module {module} (looked for {path})")
    return files


@cache
def _imports(path: Path, mtime_ns: int) -> list[Path]:
    modules = [] if path.suffix in PACKAGE_DATA else _imported_modules(path)
    return [file for module in modules for file in _module_files(module)]


def _imported_modules(path: Path) -> list[str]:
    modules = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            raise SeedbedError(f"{path}:{node.lineno}: relative import; write the module's full name")
        elif isinstance(node, ast.ImportFrom) and _is_module(node.module or ""):
            modules += [_imported_from(node.module, alias.name, f"{path}:{node.lineno}") for alias in node.names]
    return [module for module in modules if _is_module(module)]


def _imported_from(module: str, name: str, place: str) -> str:
    folder = PACKAGE.joinpath(*module.split(".")[1:])
    if not folder.is_dir():
        return module
    if (folder / name).is_dir() or (folder / f"{name}.py").is_file():
        return f"{module}.{name}"
    raise SeedbedError(f"{place}: {name} is no module of the package {module}; import it from its module")


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes(), filename=str(path))


@cache
def _file_digest(path: Path, mtime_ns: int) -> str:
    content = path.read_bytes() if path.suffix in PACKAGE_DATA else _canonical(_tree(path)).encode()
    return hashlib.sha256(content).hexdigest()


def _canonical(node: object) -> str:
    """Text of a syntax tree without positions, docstrings and empty fields, the same for all versions of Python."""
    if isinstance(node, ast.AST):
        fields = [(name, value) for name, value in ast.iter_fields(node) if name not in ("kind", "type_comment")]
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            fields = [(name, _without_docstring(value) if name == "body" else value) for name, value in fields]
        inner = ",".join(f"{name}={_canonical(value)}" for name, value in fields if value not in (None, []))
        return f"{type(node).__name__}({inner})"
    if isinstance(node, list):
        return f"[{','.join(map(_canonical, node))}]"
    return repr(node)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    value = body[0].value if body and isinstance(body[0], ast.Expr) else None
    return body[1:] if isinstance(value, ast.Constant) and isinstance(value.value, str) else body
