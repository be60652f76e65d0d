"""Cards: what a paper claims, with numbers, and how each claim is decided (``seeds/<paper>.yaml``).

A card in short::

    title: "SMOTE and Mirrors"
    links: {arxiv: "2510.15083"}
    rows:                                     # named selections of the metrics table (see `filters`)
      recon: {experiment: attack, method: recon_smote, metric: recall}
      precise: {like: recon, metric: precision}
    claims:
      C6:
        statement: ReconSMOTE never invents a record and recovers most of them
        setting: paper                        # paper, reduced or proxy
        where: Table 4
        unit: seed                            # what is resampled; all else is averaged inside it
        each: dataset                         # must hold for each; or `any: dataset`, with `enough: 2` for at least two
        published: {ecoli: 0.445, abalone: 0.62}
        checks:
        - {measure: {mean: recon}, is: {within: {ecoli: 0.12, abalone: 0.05}}}
        - {measure: {min: precise}, decide: every, is: {at_least: 1}}
      C10: {statement: Works on larger data, setting: paper, where: Table 5, not_tested: budget}

Keys of a check: ``measure`` (see `measure`), ``is`` and ``contradicted`` (regions, see `filters`; ``contradicted`` is
all outside ``is`` by default, or ``never``), ``decide`` (``interval``, ``every`` or ``share``), ``holds`` (with
``share``: the region in which a unit counts), ``pooled``, ``across``, ``where``, ``published``, ``label``.
"""

from __future__ import annotations

import datetime
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PlainSerializer, PlainValidator, field_validator

from seedbed.core.claims.filters import Region, Selection, region, selection
from seedbed.core.claims.measure import Measure, parse_measure
from seedbed.core.config import Scale
from seedbed.core.errors import ConfigError
from seedbed.core.validation import Strict, nearest, read_yaml, validate

_plain = PlainSerializer(lambda value: value if isinstance(value, str | None) else asdict(value))
_Measure = Annotated[Measure, PlainValidator(parse_measure), _plain]
_Region = Annotated[Region, PlainValidator(region), _plain]
_OtherRegion = Annotated[
    Region | Literal["never"], PlainValidator(lambda data: data if data == "never" else region(data)), _plain
]
_Selection = Annotated[
    Selection,
    PlainValidator(selection),
    PlainSerializer(lambda rows: {column: [asdict(one) for one in all_of] for column, all_of in rows.items()}),
]
Published = float | str | dict[str, float]


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


class Check(Strict):
    """One thing that must hold for the claim to hold."""

    measure: _Measure
    is_: _Region = Field(alias="is", description="where the measure must lie")
    contradicted: _OtherRegion | None = Field(None, description="where it contradicts the claim, or `never`")
    decide: Literal["interval", "every", "share"] = "interval"
    holds: _Region | None = Field(None, description="with `decide: share`: where a unit counts as one that holds")
    pooled: bool = Field(False, description="computed over all units at once, with a jackknife over units")
    across: Literal["dataset"] | None = Field(None, description="`dataset`: over all data sets at once, no average")
    where: _Selection | None = Field(None, description="further conditions on all rows of the check")
    published: Published | None = Field(None, description="the paper's value, where it is not the claim's")
    label: str | None = Field(None, description="the measure in words")


class Requires(Strict):
    """The configuration that a claim needs; elsewhere it is not tested."""

    scale: list[Scale] | None = None
    sources: list[Literal["registries", "web"]] | None = None

    _lists = field_validator("scale", "sources", mode="before")(_as_list)


class Claim(Strict):
    """A claim of the paper and the checks that decide it."""

    statement: str
    setting: Literal["paper", "reduced", "proxy"]
    where: str | None = Field(None, description="where the paper says so")
    unit: list[str] = Field([], description="columns whose values are the units")
    each: list[str] = Field([], description="columns: the checks must hold for each of their values")
    any: list[str] = Field([], description="columns: the checks must hold for `enough` of their values")
    enough: int = Field(1, ge=1, description="with `any`: for how many values the checks must hold")
    published: Published | None = None
    metric: str | None = Field(None, description="what is measured, in words")
    notes: str | None = Field(None, description="why the verdict came out as it did")
    not_tested: str | None = Field(None, min_length=1, description="why the claim is not tested")
    requires: Requires | None = None
    checks: list[Check] = Field([])

    _lists = field_validator("unit", "each", "any", mode="before")(_as_list)

    @property
    def by(self) -> list[str]:
        """Columns that make groups."""
        return self.each or self.any

    def published_for(self, check: Check) -> Published | None:
        """What the paper published for ``check``.

        A claim's value belongs to those of its checks that say ``within``; if none does, to all of them.
        """
        if check.published is not None:
            return check.published
        compared = [one for one in self.checks if one.is_.within is not None and one.published is None]
        return self.published if check in compared or not compared else None


class Amendment(Strict):
    """A change of a check after the first run."""

    date: datetime.date
    check: str = Field(description="claim and number of the check, such as C6/1")
    old: str
    new: str
    why: str


class Card(Strict):
    """The card of a paper."""

    paper: str
    title: str
    summary: str | None = None
    venue: str | None = None
    links: dict[str, str] = Field({})
    reconstructed: list[str] = Field([], description="what the paper leaves open and we filled in")
    rows: dict[str, _Selection] = Field({}, description="named selections of the metrics table")
    claims: dict[str, Claim]
    figures: dict[str, str] = Field({}, description="file name without suffix -> caption")
    amendments: list[Amendment] = Field([])


def load_card(path: Path | str) -> Card:
    """The card at ``path``; `ConfigError` lists its faults, one a line: file, key, value, what is allowed."""
    from seedbed.core.claims.audit import faults

    path = Path(path)
    data = read_yaml(path)
    if "paper" in data:
        raise ConfigError(f"{path}: unknown key 'paper': the file's name is the paper")
    data["rows"] = _resolved(data.get("rows", {}), path)
    card = validate(Card, {"paper": path.stem, **data}, path)
    found = faults(card)
    if found:
        raise ConfigError("\n".join(f"{path}: {fault}" for fault in found))
    return card


def _resolved(rows: Any, path: Path) -> Any:
    """Selections with ``like: other`` filled up from the selection of that name."""
    if not isinstance(rows, dict):
        return rows
    return {name: _filled(name, rows, path, ()) for name in rows}


def _filled(name: str, rows: dict[str, Any], path: Path, above: tuple[str, ...]) -> Any:
    columns = rows[name]
    if not isinstance(columns, dict) or "like" not in columns:
        return columns
    model = columns["like"]
    if model not in rows or model in (*above, name):
        allowed = nearest(str(model), set(rows) - {*above, name})
        raise ConfigError(f"{path}: rows.{name}.like: {model!r} is no other selection: {allowed}")
    own = {key: value for key, value in columns.items() if key != "like"}
    return {**_filled(model, rows, path, (*above, name)), **own}
