import io
import sqlite3
import tarfile
import zipfile

import pytest

from seedbed.core.errors import SeedbedError
from seedbed.core.lm.corpora import check_disjoint, documents, read_documents, split, write_documents

TEXTS = [f"document {number} " + "word " * (number % 7) for number in range(200)]


def test_splits_share_no_document_and_have_their_share_of_bytes():
    parts = split(TEXTS, validation=0.1, calibration=0.2)
    size = {name: sum(map(len, texts)) for name, texts in parts.items()}
    total = sum(map(len, TEXTS))
    assert sorted(text for texts in parts.values() for text in texts) == sorted(TEXTS)
    assert size["validation"] / total == pytest.approx(0.1, abs=0.01)
    assert size["calibration"] / total == pytest.approx(0.2, abs=0.01)


def test_the_split_of_a_document_does_not_depend_on_the_order():
    parts, reversed_parts = split(TEXTS, 0.1, 0.1), split(TEXTS[::-1], 0.1, 0.1)
    assert {name: set(texts) for name, texts in parts.items()} == {
        name: set(texts) for name, texts in reversed_parts.items()
    }
    assert parts["train"] == [text for text in TEXTS if text in set(parts["train"])]


def test_a_shared_document_and_an_empty_split_are_found():
    with pytest.raises(SeedbedError, match="stands in train and in validation: 'b'"):
        check_disjoint({"train": ["a", "b"], "validation": ["b"], "calibration": ["c"]})
    with pytest.raises(SeedbedError, match="calibration: no document"):
        check_disjoint({"train": ["a"], "validation": ["b"], "calibration": []})


def bible():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE Bible (TestamentID, BookID, ChapterID, VerseID, Passage1, Passage2)")
    rows = [
        (1, 1, 2, 1, "2:1 Thus the heavens", ""),
        (2, 1, 1, 1, "1:1 The book", None),
        (1, 1, 1, 2, "1:2 And the earth  1:3 And God said", "Let there be"),
        (1, 1, 1, 1, "1:1 In the beginning", ""),
        (1, 1, 1, 9, "Jonah", ""),
    ]
    connection.executemany("INSERT INTO Bible VALUES (?, ?, ?, ?, ?, ?)", rows)
    return connection.serialize()


def wheel():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        for name, text in {
            "sympy/b.py": "b = 1\0\n",
            "sympy/a.py": "a = 1\n",
            "sympy/c/d.py": "a = 1\n",
            "sympy/e.py": "",
            "sympy/f.txt": "f",
            "other.py": "o",
        }.items():
            file.writestr(name, text)
    return content.getvalue()


def npm_archive():
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as file:
        for name in ("package/data/1791.txt", "package/data/1790.txt", "package/data/1790.json", "package/README.txt"):
            info = tarfile.TarInfo(name)
            info.size = len(name)
            file.addfile(info, io.BytesIO(name.encode()))
    return content.getvalue()


@pytest.mark.parametrize(
    ("corpus", "raw", "expected"),
    [
        ("kjv", bible, ["In the beginning\nAnd the earth And God said Let there be", "Thus the heavens", "The book"]),
        ("sympy", wheel, ["a = 1\n", "b = 1\n"]),
        ("sotu", npm_archive, ["package/data/1790.txt", "package/data/1791.txt"]),
    ],
)
def test_documents_come_out_of_their_source_in_order_and_once(corpus, raw, expected):
    assert documents(corpus, raw()) == expected
    assert documents(corpus, raw(), max_bytes=len(expected[0]) + 1) == expected[:1]


def test_documents_survive_their_table(tmp_path):
    parts = split(TEXTS, 0.1, 0.1)
    write_documents(parts, tmp_path / "documents.parquet")
    assert read_documents(tmp_path / "documents.parquet") == parts
