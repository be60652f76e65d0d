import os
from pathlib import Path

import pytest

from seedbed.core import digests
from seedbed.core.digests import closure, code_digest, data_digest
from seedbed.core.errors import SeedbedError


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A small project: script -> a -> b; c is imported by nobody; d only inside a function of b."""
    folder = tmp_path / "seedbed"
    (folder / "core").mkdir(parents=True)
    files = {
        "__init__.py": "",
        "core/__init__.py": "from seedbed.core.lazy import exports\n__getattr__ = exports({'thing': 'c'})\n",
        "core/lazy.py": "def exports(names): return names\n",
        "core/a.py": "import seedbed.core.b\n\ndef f():\n    return seedbed.core.b.g()\n",
        "core/b.py": '"""Doc."""\n\ndef g(x=1):\n    """Doc."""\n    from seedbed.core import d\n    return d, x\n',
        "core/c.py": "thing = 1\n",
        "core/d.py": "value = 2\n",
        "core/template.html": "<p>hello</p>",
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (tmp_path / "script.py").write_text("from seedbed.core.a import f\n\nf()\n")
    monkeypatch.setattr(digests, "PACKAGE", folder)
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1_000_000))


def test_closure_follows_imports_in_functions_and_inits_but_not_lazy_exports(package):
    names = {path.name for path in closure(package.parent / "script.py")}
    assert names == {"script.py", "__init__.py", "lazy.py", "a.py", "b.py", "d.py", "template.html"}


@pytest.mark.parametrize(
    ("file", "old", "new", "changes"),
    [
        ("core/b.py", "x=1", "x=2", True),
        ("core/d.py", "value = 2", "value = 3", True),
        ("core/template.html", "hello", "goodbye", True),
        ("core/c.py", "thing = 1", "thing = 2", False),
        ("core/b.py", '"""Doc."""', '"""Other words."""', False),
        ("core/b.py", "return d, x", "return d, x  # why", False),
        ("core/b.py", "return d, x", "return (d,\n            x)", False),
    ],
)
def test_the_digest_changes_exactly_with_what_the_code_does(package, file, old, new, changes):
    script = package.parent / "script.py"
    before = code_digest(script)
    edit(package / file, old, new)
    assert (code_digest(script) != before) is changes


def test_a_module_named_by_a_rule_counts(package):
    script = package.parent / "script.py"
    before = code_digest(script, "seedbed.core.c")
    assert before != code_digest(script)
    edit(package / "core/c.py", "thing = 1", "thing = 2")
    assert code_digest(script, "seedbed.core.c") != before


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("from seedbed.core import thing\n", "thing is no module of the package seedbed.core"),
        ("from . import a\n", "relative import"),
        ("import seedbed.core.nothing\n", "no module seedbed.core.nothing"),
    ],
)
def test_imports_that_would_hide_code_are_refused(package, line, told):
    (package.parent / "script.py").write_text(line)
    with pytest.raises(SeedbedError, match=told):
        code_digest(package.parent / "script.py")


def test_data_digest_ignores_the_order_of_keys_and_nothing_else():
    assert data_digest({"a": 1, "b": [1, 2]}) == data_digest({"b": [1, 2], "a": 1})
    assert data_digest({"a": 1, "b": [1, 2]}) != data_digest({"a": 1, "b": [2, 1]})


def test_every_script_and_module_of_the_project_imports_modules_only():
    root = Path(__file__).parents[2]
    scripts = sorted((root / "scripts").rglob("*.py"))
    assert scripts
    for script in scripts:
        assert code_digest(script)
