import math
import re
import shutil
import subprocess
from types import SimpleNamespace

import pandas as pd
import pytest

from seedbed.core.report.build import PaperResults, all_claims, markdown, render
from seedbed.core.report.environment import environment
from seedbed.core.report.intervals import HEIGHT, WIDTH, Strip, draw, number

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NAN = math.nan
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50"><circle cx="50" cy="25" r="20" fill="#0072B2"/></svg>'
)


def row(claim, verdict, setting="paper", **values):
    base = {
        "paper": "made_up", "claim": claim, "statement": f"Statement <{claim}>", "setting": setting, "metric": "mean recall",
        "published": 0.8, "measured": 0.85, "low": 0.8, "high": 0.9, "n": 10, "unit": "seed",
        "rule": "mean recall at least 0.7", "verdict": verdict, "reason": NAN,
    }  # fmt: skip
    return base | values


@pytest.fixture
def paper():
    rows = [
        row("C1", "reproduced"),
        row("C2", "contradicted", "reduced", reason="the interval lies below 0.7"),
        row("C3", "inconclusive", "proxy", published="faster", low=NAN, high=NAN),
        row("C4", "not tested", measured=NAN, low=NAN, high=NAN, n=NAN, unit=NAN, reason="needs sources: web"),
    ]
    claims = pd.DataFrame(rows)
    checks = claims.assign(check=claims.claim + "/1", group=NAN, p=0.01)
    card = SimpleNamespace(
        title="A made-up paper",
        summary="It claims four things.",
        links={"arxiv": "2510.15083", "code": "github.com/example/example"},
        claims={name: SimpleNamespace(where="Table 1", notes="A note.") for name in claims.claim},
        figures={"recall": "Recall of the attack."},
        reconstructed=["a formula"],
        amendments=[],
    )
    costs = pd.DataFrame({"experiment": ["a", "a", "b"], "dataset": "d", "method": "m", "seconds": [1.0, 2, 60], "cpu_seconds": [1.0, 2, 100], "max_rss_mb": [100.0, 300, 200]})  # fmt: skip
    return PaperResults("made_up", card, claims, checks, costs, {"recall": SVG})


@pytest.fixture
def page(paper):
    return render([paper], "laptop", {"commit": "abc", "Python": "3.11"}, "1 of 1 verdicts survives.")


def test_the_page_shows_every_claim_with_its_verdict_and_escapes_text(page):
    for name, verdict in [("C1", "reproduced"), ("C2", "contradicted"), ("C3", "inconclusive"), ("C4", "not tested")]:
        article = re.search(
            rf'<article class="claim" data-verdict="([^"]+)" id="made_up-{name}">(.*?)</article>', page, re.S
        )
        assert article.group(1) == verdict
        assert f"Statement &lt;{name}&gt;" in article.group(2)
    assert "<C1>" not in page


def test_the_page_needs_no_network(page):
    loads = re.findall(r'<(?:link|script|img|iframe)[^>]*(?:href|src)="([^"]*)"', page)
    assert loads and all(address.startswith("data:") for address in loads)
    assert "@import" not in page and "url(" not in page


def test_published_shares_an_axis_only_where_the_setting_is_the_papers(page):
    articles = dict(re.findall(r'id="made_up-(C\d)">(.*?)</article>', page, re.S))
    assert 'class="published"' in articles["C1"]
    assert 'class="published"' not in articles["C2"]


def test_what_is_missing_is_a_dash(page):
    assert "nan" not in re.sub(r"<style>.*?</style>|<script>.*?</script>|data:[^\"]*", "", page, flags=re.S)


def test_a_smoke_report_says_that_its_verdicts_are_not_results(paper):
    assert "Its verdicts are not results" in render([paper], "smoke", {}, "")


def test_costs_are_summed_over_an_experiment(paper):
    costs = paper.cost_of_experiments().set_index("experiment")
    assert costs.loc["a"].to_dict() == {"jobs": 2, "seconds": 3, "cpu_seconds": 3, "max_rss_mb": 300}


def test_markdown_has_a_row_for_each_claim(paper):
    lines = markdown(all_claims([paper])).splitlines()
    assert len(lines) == 2 + 4
    assert "| made_up | C1 |" in lines[2] and "| 0.8 to 0.9 | 10 seed | paper | reproduced |" in lines[2]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.8456, "0.846"),
        (1234.5, "1234"),
        (-0.5, "−0.5"),
        (1e-10, "1.00e−10"),
        (2.5e7, "2.50e7"),
        (NAN, "–"),
        (None, "–"),
    ],
)
def test_numbers_have_three_digits(value, text):
    assert number(value) == text


def test_a_strip_is_drawn_to_scale():
    svg = draw(Strip(measured=0.5, low=0.0, high=1.0, published=0.25, region=(0.0, math.inf)))
    x1, x2 = map(float, re.search(r'class="interval" x1="([\d.]+)" x2="([\d.]+)"', svg).groups())
    middle = float(re.search(r'class="measured" cx="([\d.]+)"', svg).group(1))
    published = float(re.search(r'class="published" d="M([\d.]+)', svg).group(1))
    assert middle == pytest.approx((x1 + x2) / 2, abs=0.2)
    assert published == pytest.approx(x1 + (x2 - x1) / 4, abs=0.2)
    assert 0 <= x1 < x2 <= WIDTH and f'viewBox="0 0 {WIDTH} {HEIGHT}"' in svg
    left, width = map(float, re.search(r'class="region" x="([\d.]+)" y="4" width="([\d.]+)"', svg).groups())
    assert left == pytest.approx(x1, abs=0.1) and left + width == pytest.approx(WIDTH, abs=0.2)


def test_nothing_measured_is_nothing_drawn():
    assert draw(Strip(measured=NAN)) == ""


def test_the_environment_names_commit_machine_and_versions():
    told = environment()
    assert {"commit", "machine", "Python", "torch"} <= set(told) and all(told.values())


@pytest.mark.skipif(BROWSER is None, reason="no Chromium on this machine")
def test_a_browser_shows_the_page_and_its_filter_works(page, tmp_path):
    choose = """<script>document.getElementById("filter-verdict").value = "contradicted";
        document.getElementById("filter-verdict").dispatchEvent(new Event("change"));</script></body>"""
    (tmp_path / "report.html").write_text(page.replace("</body>", choose))
    command = [
        BROWSER,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--disable-background-networking",
    ]
    command += ["--disable-component-update", "--disable-sync", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    dom = subprocess.run(
        [*command, f"file://{tmp_path / 'report.html'}"], capture_output=True, text=True, timeout=90
    ).stdout
    assert "1 of 4 claims" in dom
    assert re.search(r'data-verdict="contradicted" id="made_up-C2">', dom)
    assert re.search(r'data-verdict="reproduced" id="made_up-C1" hidden', dom)
