import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from seedbed.core.errors import SeedbedError, Unavailable
from seedbed.core.files import whole, write_whole
from seedbed.core.metrics import Metrics, collect
from seedbed.core.tables import read_features, read_table, read_unavailable, write_features, write_table


def metrics(method="a", **factors):
    table = Metrics("attack", "ecoli", method)
    for seed in range(3):
        table.add(seed, {"recall": seed / 3, "precision": 1}, **factors)
    return table


def frame(table, tmp_path):
    table.write(tmp_path / "job.parquet")
    return read_table(tmp_path / "job.parquet")


def test_collect_keeps_values_exactly_and_orders_rows_whatever_the_order_of_jobs(tmp_path):
    a, b = frame(metrics("a", k=5), tmp_path), frame(metrics("b"), tmp_path)
    joined = collect([a, b])
    pd.testing.assert_frame_equal(joined, collect([b, a]))
    assert joined.query("method == 'a' and metric == 'recall'").value.tolist() == [0, 1 / 3, 2 / 3]
    assert joined.k.dtype == "Int64" and joined.query("method == 'b'").k.isna().all()


def test_equal_tables_are_equal_files(tmp_path):
    for name in ("one", "two"):
        joined = collect([frame(metrics(k=5, noise="1e-10"), tmp_path)])
        write_table(pa.Table.from_pandas(joined), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_row_measured_twice_is_named(tmp_path):
    table = frame(metrics(), tmp_path)
    with pytest.raises(SeedbedError, match=r"measured twice: .*'metric': 'recall'"):
        collect([table, table])


@pytest.mark.parametrize("factor", [0.5, None, True])
def test_factors_are_strings_or_integers(factor):
    with pytest.raises(TypeError, match="factor k="):
        metrics(k=factor)


def test_no_jobs_make_an_empty_table_with_the_schema():
    assert list(collect([]).columns) == ["experiment", "dataset", "method", "seed", "metric", "value", "timing"]


def test_a_table_that_could_not_be_had_says_why(tmp_path):
    write_table(pa.table({}), tmp_path / "t.parquet", {"ecoli": "npm is not installed"})
    with pytest.raises(Unavailable, match="npm is not installed"):
        read_features(tmp_path / "t.parquet")
    assert read_unavailable(tmp_path / "t.parquet") == {"ecoli": "npm is not installed"}
    assert read_table(tmp_path / "t.parquet").empty


def test_features_come_back_as_they_were(tmp_path):
    X, y = np.random.default_rng(0).normal(size=(7, 12)), np.arange(7) % 2
    write_features(X, y, tmp_path / "t.parquet")
    X_read, y_read = read_features(tmp_path / "t.parquet")
    assert (X_read == X).all() and (y_read == y).all()


def test_a_factor_may_belong_to_some_rows_of_a_job_only(tmp_path):
    table = metrics()
    table.add(0, {"seconds": 1.5}, n_rows=100)
    joined = collect([frame(table, tmp_path)])
    assert joined.n_rows.dropna().tolist() == [100] and joined.n_rows.dtype == "Int64"


def test_floats_keep_all_their_bits(tmp_path):
    values = np.random.default_rng(0).normal(size=100)
    table = Metrics("e", "d", "m")
    for seed, value in enumerate(values):
        table.add(seed, {"x": value})
    assert (frame(table, tmp_path).value.to_numpy() == values).all()


def test_a_file_is_whole_or_not_there(tmp_path):
    path = tmp_path / "out" / "file.txt"
    with pytest.raises(RuntimeError), whole(path) as part:
        part.write_text("half")
        raise RuntimeError
    assert list(path.parent.iterdir()) == []
    write_whole(path, "first")
    with pytest.raises(RuntimeError), whole(path) as part:
        part.write_text("half")
        raise RuntimeError
    assert path.read_text() == "first"
