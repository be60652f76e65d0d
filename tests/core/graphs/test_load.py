"""Each file format is read as its collection writes it, on tiny files made here."""

import gzip
import io
import sys
import zipfile
from types import ModuleType

import numpy as np
import pytest
import torch

from seedbed.core.graphs.load import ARCHIVES, MOLECULES, TABLES


def archive(**arrays):
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


def test_satimage_joins_its_two_files_and_numbers_its_classes():
    files = {"sat.trn": b"92 115 7\n84 102 3\n", "sat.tst": b"80 90 7\n81 91 3\n"}
    rows, labels = TABLES["satimage"](files.__getitem__)
    assert rows.tolist() == [[92, 115], [84, 102], [80, 90], [81, 91]]
    assert labels.tolist() == [1, 0, 1, 0]


def test_letter_has_no_header():
    rows, labels = TABLES["letter"]({"letter.dat": b"2,4,Z\n4,7,A\n"}.__getitem__)
    assert rows.tolist() == [[2, 4], [4, 7]]
    assert labels.tolist() == [1, 0]


def test_shuttle_has_a_header_and_negative_readings():
    content = b"@relation shuttle-2_vs_5\n@attribute A1 integer[27,126]\n@data\n85,-4,negative\n106, 2, positive\n"
    rows, labels = TABLES["shuttle"]({"shuttle-2_vs_5.dat": content}.__getitem__)
    assert rows.tolist() == [[85, -4], [106, 2]]
    assert labels.tolist() == [0, 1]


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return gzip.compress(head + array.tobytes())


def test_fashion_mnist_is_a_row_an_image():
    images, labels = np.arange(12, dtype=np.uint8).reshape(3, 2, 2), np.array([9, 0, 3], np.uint8)
    files = {"t10k-images-idx3-ubyte.gz": idx(images), "t10k-labels-idx1-ubyte.gz": idx(labels)}
    rows, found = TABLES["fashion_mnist"](files.__getitem__)
    assert rows.tolist() == images.reshape(3, 4).tolist()
    assert found.tolist() == [9, 0, 3]
    files["t10k-images-idx3-ubyte.gz"] = gzip.compress(b"\x00\x00\x0dxx")
    with pytest.raises(ValueError, match="found 00 00 0d"):
        TABLES["fashion_mnist"](files.__getitem__)


@pytest.mark.parametrize("name", ["tolokers.npz", "actor.npz"])
def test_heterophilous_graphs_lose_loops_and_repeats(name):
    edges = np.array([[0, 1], [1, 0], [2, 2], [1, 2]])
    graph = ARCHIVES[name](archive(node_features=np.eye(3), node_labels=np.array([5, 5, 9]), edges=edges))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.node_labels.tolist() == [0, 0, 1]
    assert graph.node_features.mean(0) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", ["cora.npz", "citeseer.npz"])
def test_the_benchmark_stores_directed_edges_and_sparse_features(name):
    content = archive(
        adj_data=np.ones(2), adj_indices=np.array([1, 0]), adj_indptr=np.array([0, 1, 1, 2]), adj_shape=np.array([3, 3]),
        attr_data=np.ones(2), attr_indices=np.array([0, 1]), attr_indptr=np.array([0, 1, 2, 2]),
        attr_shape=np.array([3, 2]), labels=np.array([0, 1, 1]),
    )  # fmt: skip
    graph = ARCHIVES[name](content)
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    assert graph.node_features.argmax(0).tolist() == [0, 1]


@pytest.fixture
def pickled_graph(monkeypatch):
    """A graph as PyGOD has it: torch_geometric's two classes under their own names, pickled and zipped."""
    classes = {}
    for package in ("torch_geometric", "torch_geometric.data"):
        monkeypatch.setitem(sys.modules, package, ModuleType(package))
    for module, name in (("torch_geometric.data.data", "Data"), ("torch_geometric.data.storage", "GlobalStorage")):
        stub = ModuleType(module)
        classes[name] = type(name, (), {"__module__": module})
        setattr(stub, name, classes[name])
        monkeypatch.setitem(sys.modules, module, stub)
    data, store = classes["Data"](), classes["GlobalStorage"]()
    edges = torch.tensor([[0, 1, 1], [1, 0, 2]])
    store._mapping = {"x": torch.eye(3), "edge_index": edges, "y": torch.tensor([0.0, 1, 2])}
    data._store = store
    return data


def zipped(value):
    torch_file, content = io.BytesIO(), io.BytesIO()
    torch.save(value, torch_file)
    with zipfile.ZipFile(content, "w") as made:
        made.writestr("graph.pt", torch_file.getvalue())
    return content.getvalue()


@pytest.mark.parametrize("name", ["reddit.pt.zip", "inj_amazon.pt.zip", "books.pt.zip"])
def test_anomaly_graphs_are_read_without_torch_geometric(name, pickled_graph, monkeypatch):
    content = zipped(pickled_graph)
    for module in ("torch_geometric.data.data", "torch_geometric.data.storage"):
        monkeypatch.delitem(sys.modules, module)
    graph = ARCHIVES[name](content)
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.node_labels.tolist() == [0, 1, 1]


class Foreign:
    """A class that no graph file should hold."""


def test_a_graph_file_with_another_class_is_refused(pickled_graph):
    pickled_graph._store._mapping["extra"] = Foreign()
    with pytest.raises(Exception, match="Weights only load failed"):
        ARCHIVES["books.pt.zip"](zipped(pickled_graph))


def test_molecules_have_elements_and_bonds_as_labels():
    (alcohol, ring) = MOLECULES["chembl_samples.csv"](b"smiles\nCCO\nnot a molecule\nc1ccccc1\n")
    assert alcohol.node_labels.tolist() == [6, 6, 8]
    assert alcohol.edge_labels[alcohol.is_forward].tolist() == [1, 1]
    assert ring.n_edges == 6 and set(ring.edge_labels.tolist()) == {12}
    (carbonyl,) = MOLECULES["first_5K.smi"](b"C=O\t17\n")
    assert carbonyl.edge_labels.tolist() == [2, 2]
