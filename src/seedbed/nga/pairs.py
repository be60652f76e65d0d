"""Pairs of molecule graphs: read from public collections, drawn by size, kept as one table."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rdkit import Chem, rdBase

from seedbed.core.errors import Unavailable
from seedbed.core.graphs.graph import Graph
from seedbed.core.graphs.molecules import molecule_graph
from seedbed.core.tables import read_unavailable, write_table

# Symbols of the node labels 0, 1, … of the TU data sets (their label_readme files).
_AIDS = "C O N Cl F S Se P Na I Co Br Li Si Mg Cu As B Pt Ru K Pd Au Te W Rh Zn Bi Pb Ge Sb Sn Ga Hg Ho Tl Ni Tb"
_MUTAG = "C N O F I Cl Br"
_TU_ELEMENTS = {"AIDS": _AIDS.split(), "MUTAG": _MUTAG.split()}
_TU_BONDS = {"AIDS": (1, 2, 3), "MUTAG": (12, 1, 2, 3)}

Range = tuple[int, int]


@dataclass(frozen=True)
class Molecule:
    """A graph, and the SMILES that it came from ("" where there was none)."""

    graph: Graph
    smiles: str


@dataclass(frozen=True)
class Pairs:
    """Pairs of molecules; ``query`` numbers the pairs that share their first molecule."""

    first: list[Molecule]
    second: list[Molecule]
    query: list[int]

    @property
    def graphs(self) -> list[tuple[Graph, Graph]]:
        """The pairs of graphs."""
        return [(a.graph, b.graph) for a, b in zip(self.first, self.second, strict=True)]


def read_molecules(raw: bytes, file: str, sizes: Sequence[Range], rows: int | None = None) -> list[Molecule]:
    """Molecules of one file (.csv, .smi, .sdf, or a zip of the TU form) in their order there, each once.

    Only those whose heavy atoms lie in one of ``sizes`` (ranges, ends included), of the first ``rows``. Molecules of
    several fragments, and those that RDKit cannot read, are left out; equal InChIKeys count as one.
    """
    name = Path(file)
    if name.suffix == ".zip":
        return [molecule for molecule in _read_tu(raw, name.stem) if _fits(molecule.graph.n_nodes, sizes)]
    kept: dict[str, Molecule] = {}
    with rdBase.BlockLogs():
        for molecule in islice(_read_rdkit(raw, name.suffix), rows):
            if molecule is not None and _fits(molecule.GetNumAtoms(), sizes) and len(Chem.GetMolFrags(molecule)) == 1:
                key = Chem.MolToInchiKey(molecule)
                kept.setdefault(key, Molecule(molecule_graph(molecule), Chem.MolToSmiles(molecule, canonical=False)))
    return list(kept.values())


def _fits(atoms: int, sizes: Sequence[Range]) -> bool:
    return any(low <= atoms <= high for low, high in sizes)


def draw_pairs(
    molecules: Sequence[Molecule], sizes: Sequence[Range], count: int, generator: np.random.Generator
) -> Pairs:
    """``count`` pairs of different molecules from each range of heavy atoms; no molecule is drawn twice."""
    first, second = [], []
    for low, high in sizes:
        fitting = [molecule for molecule in molecules if low <= molecule.graph.n_nodes <= high]
        if len(fitting) < 2 * count:
            raise ValueError(f"{2 * count} molecules of {low} to {high} atoms are needed, there are {len(fitting)}")
        drawn = [fitting[i] for i in generator.permutation(len(fitting))[: 2 * count]]
        first += drawn[::2]
        second += drawn[1::2]
    return Pairs(first, second, list(range(len(first))))


def draw_queries(
    congeners: Sequence[Molecule],
    others: Sequence[Molecule],
    queries: int,
    candidates: int,
    generator: np.random.Generator,
) -> Pairs:
    """Queries from a series of congeners, each against ``candidates`` molecules: half of the series, half of others.

    Candidates are drawn anew for each query.
    """
    first, second, query = [], [], []
    for number, chosen in enumerate(generator.permutation(len(congeners))[:queries]):
        own = [i for i in generator.permutation(len(congeners)) if i != chosen][: candidates // 2]
        far = generator.permutation(len(others))[: candidates - len(own)]
        second += [congeners[i] for i in own] + [others[i] for i in far]
        first += [congeners[chosen]] * candidates
        query += [number] * candidates
    return Pairs(first, second, query)


def write_pairs(pairs: Pairs, path: Path | str) -> None:
    """One row a pair: labels, edges and SMILES of both molecules."""
    columns: dict[str, list] = {"query": pairs.query}
    for side, molecules in (("first", pairs.first), ("second", pairs.second)):
        graphs = [molecule.graph for molecule in molecules]
        columns[f"{side}_nodes"] = [graph.node_labels.tolist() for graph in graphs]
        columns[f"{side}_edges"] = [graph.edges.ravel().tolist() for graph in graphs]
        columns[f"{side}_bonds"] = [graph.edge_labels[graph.is_forward].tolist() for graph in graphs]
        columns[f"{side}_smiles"] = [molecule.smiles for molecule in molecules]
    write_table(pa.table(columns), path)


def read_pairs(path: Path | str) -> Pairs:
    """Pairs that `write_pairs` wrote; `Unavailable` if they could not be had."""
    reasons = read_unavailable(path)
    if reasons:
        raise Unavailable("; ".join(reasons.values()))
    rows = pq.read_table(path).to_pylist()
    first, second = (
        [
            Molecule(
                Graph.from_edges(
                    len(row[f"{side}_nodes"]),
                    np.array(row[f"{side}_edges"], dtype=np.int64).reshape(-1, 2),
                    edge_labels=row[f"{side}_bonds"],
                    node_labels=row[f"{side}_nodes"],
                ),
                row[f"{side}_smiles"],
            )
            for row in rows
        ]
        for side in ("first", "second")
    )
    return Pairs(first, second, [row["query"] for row in rows])


def _read_rdkit(raw: bytes, suffix: str) -> Iterator[Chem.Mol | None]:
    if suffix == ".sdf":
        yield from Chem.ForwardSDMolSupplier(io.BytesIO(raw))
    elif suffix == ".csv":
        for row in csv.DictReader(io.StringIO(raw.decode())):
            yield Chem.MolFromSmiles(row["smiles"])
    elif suffix == ".smi":
        for line in raw.decode().splitlines():
            yield Chem.MolFromSmiles(line.split("\t")[0])
    else:
        raise ValueError(f"{suffix!r} files hold no molecules that we read: allowed: .csv, .sdf, .smi, .zip")


def _read_tu(raw: bytes, name: str) -> Iterator[Molecule]:
    """TU text files: node numbers from 1 over all graphs; each edge is listed in both directions."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:

        def table(part: str) -> np.ndarray:
            return np.loadtxt(io.BytesIO(archive.read(f"{name}/{name}_{part}.txt")), delimiter=",", dtype=np.int64)

        owner, ends = table("graph_indicator") - 1, table("A") - 1
        nodes, bonds = table("node_labels"), table("edge_labels")
    number = Chem.GetPeriodicTable().GetAtomicNumber
    elements = np.array([number(symbol) for symbol in _TU_ELEMENTS[name]])[nodes]
    kinds = np.array(_TU_BONDS[name])[bonds]
    start = np.searchsorted(owner, np.arange(owner.max() + 2))
    forward = ends[:, 0] < ends[:, 1]
    ends, kinds = ends[forward], kinds[forward]
    for graph in range(owner.max() + 1):
        own = owner[ends[:, 0]] == graph
        here = slice(start[graph], start[graph + 1])
        edges = ends[own] - start[graph]
        yield Molecule(
            Graph.from_edges(here.stop - here.start, edges, edge_labels=kinds[own], node_labels=elements[here]), ""
        )
