"""Builds the report from the tables and figures of the papers."""

from __future__ import annotations

import base64
import math
from dataclasses import dataclass
from pathlib import Path

import jinja2
import pandas as pd

from seedbed.core.claims.card import Card
from seedbed.core.report.intervals import Strip, draw, number

VERDICTS = {"reproduced": "✓", "inconclusive": "?", "contradicted": "✗", "not tested": "–"}
SETTINGS = {
    "paper": "the paper's data and models",
    "reduced": "its data or models, smaller",
    "proxy": "a stand-in for its data or models",
}


@dataclass(frozen=True)
class PaperResults:
    """What the report shows of one paper."""

    slug: str
    card: Card
    claims: pd.DataFrame  # one row a claim, the columns of claims.csv
    checks: pd.DataFrame  # one row a check and group, the columns of checks.csv
    costs: pd.DataFrame  # one row a job: experiment, dataset, method, seconds, cpu_seconds, max_rss_mb
    figures: dict[str, str]  # name -> SVG

    def count(self, verdict: str) -> int:
        """Number of claims with this verdict."""
        return int((self.claims.verdict == verdict).sum())

    def settings(self, verdict: str) -> str:
        """How the claims with this verdict split over settings, in words."""
        counts = self.claims[self.claims.verdict == verdict].setting.value_counts()
        return ", ".join(f"{counts[setting]} {setting}" for setting in SETTINGS if setting in counts)

    def cost_of_experiments(self) -> pd.DataFrame:
        """Jobs, seconds and peak memory, summed over each experiment."""
        grouped = self.costs.groupby("experiment", sort=True)
        return grouped.agg(
            jobs=("seconds", "size"),
            seconds=("seconds", "sum"),
            cpu_seconds=("cpu_seconds", "sum"),
            max_rss_mb=("max_rss_mb", "max"),
        ).reset_index()


def load_results(slug: str, card: Card, folder: Path) -> PaperResults:
    """Read what the rules of a paper wrote into ``results/<scale>/<paper>``."""
    figures = {name: (folder / "figures" / f"{name}.svg").read_text() for name in card.figures}
    claims, checks, costs = (pd.read_csv(folder / f"{name}.csv") for name in ("claims", "checks", "costs"))
    checks["region"] = [_region(card, row) for row in checks.itertuples()]
    decided = ["claim", "rule", "measured"]
    claims = claims.merge(checks.drop_duplicates(decided)[[*decided, "region"]], on=decided, how="left")
    return PaperResults(slug, card, claims, checks, costs, figures)


def _region(card: Card, row) -> tuple[float, float]:
    """Where the rule of a row of checks.csv wants the measured value."""
    check = card.claims[row.claim].checks[int(row.check.rsplit("/", 1)[1]) - 1]
    if check.is_.within is not None and pd.isna(row.published):
        return (-math.inf, math.inf)
    wanted = check.is_.range(pd.to_numeric(row.published, errors="coerce"), row.group)
    return (wanted.low, wanted.high)


def render(papers: list[PaperResults], scale: str, environment: dict[str, str], holm: str) -> str:
    """The report as one HTML page that needs no network.

    Parameters
    ----------
    papers : list of PaperResults
    scale : str
        ``smoke`` adds a warning: its verdicts are not results.
    environment : dict
        Label -> value of where the results come from.
    holm : str
        Sentence that says how many verdicts survive the correction over all claims.
    """
    loader = jinja2.FileSystemLoader(Path(__file__).parent)
    templates = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    templates.filters |= {"number": number, "value": _value, "strip": _strip, "embedded": _embedded, "time": _duration}
    return templates.get_template("report.html").render(
        papers=papers, scale=scale, environment=environment, holm=holm, verdicts=VERDICTS, settings=SETTINGS
    )


def all_claims(papers: list[PaperResults]) -> pd.DataFrame:
    """The claims of all papers in one table."""
    return pd.concat([paper.claims for paper in papers], ignore_index=True)


def markdown(claims: pd.DataFrame) -> str:
    """Claims as a Markdown table, for a terminal and for git."""
    header = ["paper", "claim", "statement", "published", "measured", "95 % interval", "n", "setting", "verdict"]
    rows = [
        [row.paper, row.claim, row.statement, _value(row.published), number(row.measured), _interval(row), _count(row)]
        + [row.setting, row.verdict]
        for row in claims.itertuples()
    ]
    lines = [header, ["---"] * len(header), *rows]
    return "".join(f"| {' | '.join(str(cell).replace('|', '/') for cell in line)} |\n" for line in lines)


def _interval(row) -> str:
    return "–" if pd.isna(row.low) else f"{number(row.low)} to {number(row.high)}"


def _count(row) -> str:
    return "–" if pd.isna(row.n) else f"{int(row.n)} {'' if pd.isna(row.unit) else row.unit}".strip()


def _value(published: object) -> str:
    """A published value, which may be a number or words."""
    if pd.isna(published):
        return "–"
    try:
        return number(float(published))
    except ValueError:
        return str(published)


def _strip(row) -> jinja2.utils.markupsafe.Markup:
    """Drawing of a row of claims.csv or checks.csv; the published value only where it may share the axis."""
    published = pd.to_numeric(row.published, errors="coerce") if row.setting == "paper" else None
    region = row.region if isinstance(getattr(row, "region", None), tuple) else None
    return jinja2.utils.markupsafe.Markup(draw(Strip(row.measured, row.low, row.high, published, region)))


def _embedded(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(float(seconds)), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
