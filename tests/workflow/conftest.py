"""Projects to run Snakemake and DVC in: copies of this one, whole or with a toy paper in place of the real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOY = Path(__file__).parent / "toy"
CODE = (
    "Snakefile",
    "Makefile",
    "dvc.yaml",
    "pyproject.toml",
    "requirements.lock",
    "workflow",
    "scripts",
    "src",
    "config",
    "seeds",
    "profiles",
)


@dataclass
class Project:
    """A checkout in a temporary folder."""

    path: Path
    env: dict[str, str] = field(default_factory=dict)

    def run(self, *command: str, check: bool = True, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment in the checkout; standard error is joined to the output."""
        done = subprocess.run(
            command,
            cwd=self.path,
            env=self.environment(**env),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if check and done.returncode:
            raise AssertionError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
        return done

    def start(self, *command: str, **env: str) -> subprocess.Popen[bytes]:
        """Start a command in a process group of its own."""
        return subprocess.Popen(
            command,
            cwd=self.path,
            env=self.environment(**env),
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def environment(self, **env: str) -> dict[str, str]:
        binaries = str(Path(sys.executable).parent)
        return {
            **os.environ,
            "PATH": f"{binaries}:{os.environ['PATH']}",
            "PYTHONPATH": str(self.path / "src"),
            **self.env,
            **env,
        }

    def snakemake(self, *targets: str, config: tuple[str, ...] = (), check: bool = True, **env: str) -> str:
        """Output of ``snakemake --cores 2 [--config …] -- targets`` (default: all)."""
        settings = ["--config", *config] if config else []
        return self.run("snakemake", "--cores", "2", *settings, "--", *(targets or ("all",)), check=check, **env).stdout

    def make(self, target: str, **env: str) -> str:
        """Output of ``make target``, in the environment of the tests."""
        here = self.path / ".venv"
        if not here.exists():
            here.mkdir()
            for entry in Path(sys.prefix).iterdir():
                (here / entry.name).symlink_to(entry)
            (here / "ready").unlink(missing_ok=True)
        (here / "ready").touch()
        return self.run("make", target, **env).stdout

    def reruns(self, *targets: str, config: tuple[str, ...] = ()) -> set[str]:
        """Output files that a dry run would make anew."""
        settings = ["--config", *config] if config else []
        text = self.run("snakemake", "--cores", "2", "-n", *settings, "--", *(targets or ("all",))).stdout
        lines = [line.split(":", 1)[1] for line in text.splitlines() if line.startswith("    output:")]
        return {name.strip() for line in lines for name in line.split(",")}

    def read(self, name: str) -> str:
        return (self.path / name).read_text()

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace ``old``, which must be there, by ``new`` in a file."""
        text = self.read(name)
        assert old in text, f"{name} has no {old!r}"
        (self.path / name).write_text(text.replace(old, new))

    def contents(self, pattern: str) -> dict[str, bytes]:
        """Relative name -> bytes of the files that match."""
        return {
            str(path.relative_to(self.path)): path.read_bytes()
            for path in sorted(self.path.glob(pattern))
            if path.is_file()
        }


def copy_project(path: Path) -> Project:
    """The code of this checkout, without its data and results, in the folder ``path``."""
    for name in CODE:
        source = ROOT / name
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "digests.yaml")
            shutil.copytree(source, path / name, ignore=ignored)
        else:
            path.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, path / name)
    return Project(path)


def copy_toy_project(path: Path) -> Project:
    """This checkout with the toy paper in place of all real ones."""
    project = copy_project(path)
    for card in (path / "seeds").glob("*.yaml"):
        card.unlink()
    shutil.copytree(TOY, path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    project.edit("config/config.yaml", "mirror: null", "mirror: mirror")
    return project


@pytest.fixture
def toy(tmp_path: Path) -> Project:
    """A fresh checkout with the toy paper."""
    return copy_toy_project(tmp_path / "toy")


@pytest.fixture(scope="session")
def built_toy(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The toy checkout after `snakemake all`; tests that change it take `copy_of_built_toy`."""
    project = copy_toy_project(tmp_path_factory.mktemp("built") / "toy")
    project.snakemake()
    return project


@pytest.fixture
def copy_of_built_toy(built_toy: Project, tmp_path: Path) -> Project:
    """A copy of the built toy checkout, with its time stamps and Snakemake's memory."""
    shutil.copytree(built_toy.path, tmp_path / "toy", symlinks=True)
    return Project(tmp_path / "toy")
