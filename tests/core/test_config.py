from pathlib import Path

import pytest
import yaml

from seedbed.core.config import SCALES, deep_merge, find_papers, load_config, load_paper_config
from seedbed.core.errors import ConfigError

ROOT = Path(__file__).parents[2]
PAPERS = find_papers(ROOT / "seeds")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"scale": "laptob"}, ["scale", "'laptob'", "'smoke', 'laptop' or 'cluster'"]),
        ({"scal": "smoke"}, ["'scal'", "did you mean 'scale'?"]),
        ({"papers": ["smote_privcy"]}, ["papers", "'smote_privcy'", "did you mean 'smote_privacy'?"]),
        ({"device": "gpu"}, ["device", "'gpu'", "'cpu' or 'cuda'"]),
        ({"sources": "hub"}, ["sources", "'hub'", "'registries' or 'web'"]),
    ],
)
def test_a_bad_value_is_one_line_with_file_key_value_and_what_is_allowed(values, told):
    with pytest.raises(ConfigError) as error:
        load_config(values, ["smote_privacy"], "config/config.yaml")
    (line,) = str(error.value).splitlines()
    assert line.startswith("config/config.yaml: ")
    for part in told:
        assert part in line


def test_the_shipped_configuration_is_valid():
    values = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    assert load_config(values, PAPERS).scale == "laptop"


def test_one_paper_may_be_named_without_a_list():
    assert load_config({"papers": "smote_privacy"}, ["smote_privacy"]).papers == ["smote_privacy"]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_a_valid_configuration_at_every_scale(paper, scale):
    assert load_paper_config(paper, scale, ROOT / "config").resources


def test_deep_merge_merges_mappings_and_replaces_everything_else():
    base = {"a": {"x": 1, "y": [1, 2]}, "b": 3}
    assert deep_merge(base, {"a": {"y": [9]}, "c": 4}) == {"a": {"x": 1, "y": [9]}, "b": 3, "c": 4}
    assert base == {"a": {"x": 1, "y": [1, 2]}, "b": 3}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("laptop", "attack", "seeds", 0), "laptop.attack.seeds: 0 is not allowed"),
        (("defaults", "attack", "seads", 3), "did you mean 'seeds'?"),
        (("laptob", "attack", "seeds", 3), "did you mean 'laptop'?"),
    ],
)
def test_a_fault_in_a_papers_file_names_its_block(tmp_path, change, told):
    block, experiment, key, value = change
    content = yaml.safe_load((ROOT / "config/smote_privacy.yaml").read_text())
    content.setdefault(block, {}).setdefault(experiment, {})[key] = value
    (tmp_path / "smote_privacy.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(ConfigError) as error:
        load_paper_config("smote_privacy", "laptop", tmp_path)
    (line,) = str(error.value).splitlines()
    assert line.startswith(f"{tmp_path / 'smote_privacy.yaml'}: ")
    assert told in line


def test_a_missing_and_a_broken_file_are_named(tmp_path):
    with pytest.raises(ConfigError, match=r"smote_privacy\.yaml: no such file"):
        load_paper_config("smote_privacy", "laptop", tmp_path)
    (tmp_path / "smote_privacy.yaml").write_text("defaults: {a: [1\n")
    with pytest.raises(ConfigError, match=r"line 2, column 1: not valid YAML"):
        load_paper_config("smote_privacy", "laptop", tmp_path)
