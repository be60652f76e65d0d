"""What the DVC stage of a paper rests on, as one digest, so that DVC and Snakemake agree on what a change means."""

from __future__ import annotations

from pathlib import Path

from seedbed.core.claims.card import load_card
from seedbed.core.config import SHARED, find_papers, load_config, load_paper_config
from seedbed.core.digests import PACKAGE, code_digest, data_digest
from seedbed.core.validation import read_yaml

PROSE = {
    **dict.fromkeys(("title", "summary", "venue", "links", "reconstructed", "amendments"), True),
    "claims": {"__all__": {"statement", "where", "notes"}},
}  # what the report shows and no result rests on


def stage_digests(root: Path) -> dict[str, str]:
    """Paper or shared part -> digest of its code closure, rules, card, configuration at laptop scale, and the lock."""
    papers = find_papers(root / "seeds")
    sources = load_config(read_yaml(root / "config" / "config.yaml"), papers).sources
    lock = "".join(line for line in (root / "requirements.lock").read_text().splitlines(True) if "#" not in line)
    parts = {paper: _paper(root, paper) for paper in papers} | {name: _shared(root, name) for name in SHARED}
    return {name: data_digest([part, sources, lock]) for name, part in parts.items()}


def _paper(root: Path, paper: str) -> dict[str, object]:
    scripts = [path for folder in (paper, "results") for path in sorted((root / "scripts" / folder).glob("*.py"))]
    modules = [f"seedbed.{paper}.{path.stem}" for path in sorted((PACKAGE / paper).glob("[!_]*.py"))]
    config = load_paper_config(paper, "laptop", root / "config")
    return {
        "code": code_digest(*scripts, *modules),
        "rules": [_rules(root / "workflow" / "rules" / f"{name}.smk") for name in ("common", paper, "results")],
        "card": load_card(root / "seeds" / f"{paper}.yaml").model_dump(mode="json", exclude=PROSE),
        "config": config.model_dump(mode="json", exclude={"resources"}),
    }


def _shared(root: Path, name: str) -> dict[str, object]:
    config = load_paper_config(name, "laptop", root / "config")
    return {
        "code": code_digest(*sorted((root / "scripts" / name).glob("*.py"))),
        "rules": [_rules(root / "workflow" / "rules" / f"{file}.smk") for file in ("common", name)],
        "config": config.model_dump(mode="json", exclude={"resources"}),
    }


def _rules(path: Path) -> str:
    lines = path.read_text().splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
