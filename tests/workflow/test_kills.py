"""SIGKILL at random moments, then `make resume`: nothing is lost, and results are those of an undisturbed run.

`KILL_ROUNDS=20 pytest -s tests/workflow/test_kills.py` for more rounds, and a line about each.
"""

import http.server
import os
import random
import signal
import subprocess
import threading
import time

import psutil
import pytest
from conftest import Project

pytestmark = pytest.mark.workflow
ROUNDS = int(os.environ.get("KILL_ROUNDS", "4"))
SECONDS = 5.5  # what an undisturbed run takes on an idle machine, its jobs asleep for a second each


def jobs_of(head: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """Scripts that ``head`` has started and that still run."""
    children = psutil.Process(head.pid).children(recursive=True)
    return [child for child in children if any(".snakemake/scripts" in word for word in child.cmdline())]


def kill(victim: str, head: subprocess.Popen[bytes], chance: random.Random) -> str:
    """Kill a job, the head alone, or the head with all that it started; say what was killed."""
    if head.poll() is not None:
        return "nothing: the run had ended"
    running = sorted(jobs_of(head), key=lambda process: process.pid)
    if victim == "job" and running:
        chance.choice(running).kill()
        head.wait()
        return "a job"
    if victim == "everything":
        os.killpg(head.pid, signal.SIGKILL)
    head.kill()
    head.wait()
    return f"{'everything' if victim == 'everything' else 'the head'}, {len(running)} jobs running"


def files(project: Project) -> dict[str, bytes]:
    """All data and results but what depends on the clock."""
    found = project.contents("data/**/*") | project.contents("results/**/*")
    return {name: content for name, content in found.items() if not name.endswith(("costs.csv", "report.html"))}


@pytest.mark.parametrize("number", range(ROUNDS))
def test_after_a_kill_at_a_random_moment_resume_ends_as_an_undisturbed_run(toy, built_toy, number):
    chance = random.Random(number)
    victim = ("job", "head", "everything")[number % 3]
    moment = chance.uniform(1, SECONDS)
    head = toy.start("snakemake", "--cores", "2", "--", "all", TOY_SECONDS="1")
    time.sleep(moment)
    killed = kill(victim, head, chance)
    before = files(toy)
    toy.make("resume")
    print(
        f"\nround {number}: after {moment:.1f} s killed {killed}; {len(before)} of {len(files(toy))} files were there"
    )
    assert files(toy) == files(built_toy)


class HalfAFile(http.server.BaseHTTPRequestHandler):
    """Sends half of the file and then nothing more, until `whole` is set."""

    whole = False
    asked = threading.Event()
    content = b""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(self.content)))
        self.end_headers()
        self.wfile.write(self.content[: None if self.whole else len(self.content) // 2])
        self.wfile.flush()
        self.asked.set()
        if not self.whole:
            time.sleep(60)

    def log_message(self, *args):
        pass


def test_a_download_that_is_killed_leaves_nothing_behind_and_starts_clean(toy, built_toy):
    HalfAFile.content = (toy.path / "mirror/toy-table/numbers.txt").read_bytes()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HalfAFile)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    toy.edit("config/sources.yaml", "https://example.invalid", f"http://127.0.0.1:{server.server_port}")
    toy.edit("config/config.yaml", "mirror: mirror", "mirror: null")
    toy.edit("config/config.yaml", "sources: registries", "sources: web")
    head = toy.start("snakemake", "--cores", "2", "--", "all")
    assert HalfAFile.asked.wait(60)
    os.killpg(head.pid, signal.SIGKILL)
    head.wait()
    assert not list((toy.path / "data/raw").rglob("numbers.txt")), "half a file under the name of the whole"
    HalfAFile.whole = True
    toy.make("resume")
    server.shutdown()
    metrics = "results/laptop/toy/metrics.parquet"
    assert toy.contents(metrics) == built_toy.contents(metrics)
    left = {path.name for path in (toy.path / "data/raw/toy-table").iterdir()}
    assert left == {"numbers.txt", "source.json"}
