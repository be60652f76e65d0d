"""Molecules as graphs, RASCAL on them, pairs as tables, rankings, and the call for third parties."""

import io
import zipfile
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdRascalMCES

from seedbed.core.graphs.molecules import graph_molecule, molecule_graph
from seedbed.nga import CommonSubgraph, draw_common_part, mces
from seedbed.nga.association import association_common_graph
from seedbed.nga.common_subgraph import common_edges
from seedbed.nga.config import VariantExperiment
from seedbed.nga.exact import maximum_common_edges
from seedbed.nga.optima import Reference, accuracy, read_optima, score, write_optima
from seedbed.nga.pairs import draw_pairs, draw_queries, read_molecules, read_pairs, write_pairs
from seedbed.nga.rascal import rascal
from seedbed.nga.retrieval import ranking, regressed, tanimoto

SMILES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "CC(=O)Nc1ccc(O)cc1",
    "CN1C=NC2=C1C(=O)N(C(=O)N2C)C",
    "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
    "c1ccc2[nH]ccc2c1",
    "CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O",
]
TABLE = ("smiles\n" + "\n".join([*SMILES, "OC(=O)c1ccccc1OC(C)=O", "CCO.Cl", "not a molecule"])).encode()


def test_a_molecule_comes_back_from_its_graph():
    for smiles in SMILES:
        graph = molecule_graph(Chem.MolFromSmiles(smiles))
        again = molecule_graph(graph_molecule(graph))
        assert (again.edges == graph.edges).all()
        assert (again.edge_labels == graph.edge_labels).all()
        assert (again.node_labels == graph.node_labels).all()


def test_rascal_finds_the_proven_optimum():
    graphs = [molecule_graph(Chem.MolFromSmiles(smiles)) for smiles in SMILES]
    for first in graphs[:3]:
        for second in graphs[3:]:
            mapping, timed_out = rascal(first, second, seconds=20)
            assert not timed_out
            optimum = maximum_common_edges(association_common_graph(first, second))
            assert len(common_edges(first, second, mapping)) == optimum.lower


def test_a_clique_that_is_no_map_of_atoms_keeps_the_first_of_two(monkeypatch):
    answer = SimpleNamespace(atomMatches=lambda: [(0, 0), (1, 0), (2, 1)], timedOut=True)
    monkeypatch.setattr(rdRascalMCES, "FindMCES", lambda *_: [answer])
    graph = molecule_graph(Chem.MolFromSmiles("CCC"))
    mapping, timed_out = rascal(graph, graph, seconds=1)
    assert mapping.tolist() == [0, -1, 1]
    assert timed_out


def test_rascal_with_its_own_options_leaves_unlike_pairs_unanswered():
    first, second = (molecule_graph(Chem.MolFromSmiles(smiles)) for smiles in (SMILES[0], SMILES[2]))
    mapping, _ = rascal(first, second, seconds=20, defaults=True)
    assert (mapping == -1).all()


def test_files_are_read_once_each(tmp_path):
    molecules = read_molecules(TABLE, "x.csv", [(1, 100)])
    assert [molecule.graph.n_nodes for molecule in molecules] == [13, 11, 14, 15, 9, 23]
    assert len(read_molecules(TABLE, "x.csv", [(1, 100)], rows=2)) == 2
    assert [molecule.graph.n_nodes for molecule in read_molecules(TABLE, "x.csv", [(9, 11)])] == [11, 9]
    with pytest.raises(ValueError, match=r"'\.mol2' files hold no molecules"):
        read_molecules(b"", "x.mol2", [(1, 100)])
    pairs = draw_pairs(molecules, [(9, 23)], 3, np.random.default_rng(0))
    drawn = [molecule.smiles for molecule in [*pairs.first, *pairs.second]]
    assert len(set(drawn)) == 6
    write_pairs(pairs, tmp_path / "pairs.parquet")
    again = read_pairs(tmp_path / "pairs.parquet")
    assert again.query == [0, 1, 2]
    assert [a.smiles for a in again.first] == [a.smiles for a in pairs.first]
    assert (again.graphs[1][1].edge_labels == pairs.graphs[1][1].edge_labels).all()
    with pytest.raises(ValueError, match="8 molecules of 9 to 23 atoms are needed, there are 6"):
        draw_pairs(molecules, [(9, 23)], 4, np.random.default_rng(0))


def test_a_query_is_never_its_own_candidate():
    molecules = read_molecules(TABLE, "x.csv", [(1, 100)])
    pairs = draw_queries(molecules[:4], molecules[4:], 3, 4, np.random.default_rng(0))
    assert pairs.query == [0] * 4 + [1] * 4 + [2] * 4
    assert all(a.smiles != b.smiles for a, b in zip(pairs.first, pairs.second, strict=True))


def test_the_text_form_of_tu_is_read():
    files = {
        "graph_indicator": "1\n1\n1\n2\n2\n",
        "A": "1, 2\n2, 1\n2, 3\n3, 2\n4, 5\n5, 4\n",
        "node_labels": "0\n1\n2\n0\n0\n",
        "edge_labels": "1\n1\n2\n2\n0\n0\n",
    }
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        for part, text in files.items():
            archive.writestr(f"MUTAG/MUTAG_{part}.txt", text)
    first, second = read_molecules(raw.getvalue(), "MUTAG/MUTAG.zip", [(1, 9)])
    assert first.graph.node_labels.tolist() == [6, 7, 8]
    assert first.graph.edges.tolist() == [[0, 1], [1, 2]]
    assert first.graph.edge_labels[first.graph.is_forward].tolist() == [1, 2]
    assert second.graph.edge_labels.tolist() == [12, 12]


def test_optima_and_scores(tmp_path):
    pair = tuple(molecule_graph(Chem.MolFromSmiles(smiles)) for smiles in ("CCO", "CCCO"))
    optimum = Reference(np.array([1, 2, 3]), 2, 2)
    write_optima([optimum], tmp_path / "o.parquet")
    (again,) = read_optima(tmp_path / "o.parquet")
    assert (again.mapping == optimum.mapping).all() and (again.lower, again.upper) == (2, 2)
    assert score(pair, np.array([1, 2, 3]), optimum) == {"accuracy": 100, "gap": 0, "solved": True}
    assert score(pair, np.array([1, 2, -1]), optimum) == {"accuracy": 50, "gap": 1, "solved": False}
    assert accuracy(2, Reference(np.array([]), 3, 4)) == 50  # of what no map exceeds, where there is no proof
    assert accuracy(0, Reference(np.array([]), 0, 0)) == 100
    with pytest.raises(ValueError, match="2 common edges found, 1 is the upper bound"):
        score(pair, np.array([1, 2, 3]), Reference(np.array([]), 1, 1))


def test_runs_without_a_default_are_refused():
    arms = {"default": {"epochs": 3}, "m0": {"layers": 0}}
    with pytest.raises(ValueError, match="seeds: no arm 'm1': allowed: default, m0"):
        VariantExperiment(datasets=[], arms=arms, seeds={"default": 1, "m1": 1})
    with pytest.raises(ValueError, match="seeds: default has 2 runs, another arm has more"):
        VariantExperiment(datasets=[], arms=arms, seeds={"default": 2, "m0": 3})


def test_rankings():
    true = np.array([0.9, 0.8, 0.3, 0.1])
    assert ranking(true, true, 0.5) == {
        "reciprocal_rank": 1,
        "average_precision": 1,
        "precision_at_10": 0.2,
        "precision_at_10_limit": 0.2,
    }
    reversed_ranking = ranking(-true, true, 0.5)
    assert reversed_ranking["reciprocal_rank"] == 1 / 4
    assert reversed_ranking["average_precision"] == pytest.approx((1 / 3 + 2 / 4) / 2)
    assert ranking(np.zeros(4), true, 0.5)["reciprocal_rank"] == 1 / 2.5  # ties share their mean rank
    assert "average_precision" not in ranking(true, true, 0.95)
    query = np.array([0, 0, 1, 1])
    assert regressed(2 * true - 1, true, query) == pytest.approx(true)
    assert tanimoto("CCO", "OCC") == 1


def test_mces_of_molecules():
    aspirin, paracetamol = (Chem.MolFromSmiles(smiles) for smiles in SMILES[:2])
    common = mces(aspirin, paracetamol)
    exact = mces(aspirin, paracetamol, method="exact")
    assert exact.proven and common.size == exact.size == 9
    for u, v in common.edges:
        image = paracetamol.GetBondBetweenAtoms(common.mapping[u], common.mapping[v])
        assert image.GetBondType() == aspirin.GetBondBetweenAtoms(u, v).GetBondType()
    drawing = draw_common_part(aspirin, paracetamol, exact)
    assert drawing.lstrip().startswith("<?xml") and "</svg>" in drawing


def test_mces_of_networkx_graphs_keeps_names_and_labels():
    first = nx.Graph([("a", "b"), ("b", "c"), ("c", "a")])
    second = nx.Graph([(1, 2), (2, 3), (3, 4)])
    nx.set_node_attributes(first, {"a": "x", "b": "y", "c": "x"}, "kind")
    nx.set_node_attributes(second, {1: "x", 2: "y", 3: "x", 4: "x"}, "kind")
    common = mces(first, second, "exact", node_label="kind")
    assert common.size == 2 and common.proven
    assert second.has_edge(common.mapping["a"], common.mapping["b"])
    assert isinstance(common, CommonSubgraph)
    assert mces(first, second, "tabu_search").size == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mces(nx.path_graph(2), Chem.MolFromSmiles("CC")), "two graphs of one kind"),
        (lambda: mces(nx.path_graph(2), nx.path_graph(2), "magic"), "method 'magic': allowed: neural_tabu"),
        (lambda: mces(nx.path_graph(2), nx.path_graph(2), node_label="kind"), "node 0 has no attribute 'kind'"),
        (lambda: mces(nx.path_graph(2), nx.path_graph(2), edge_label="kind"), "edge 0, 1 has no attribute 'kind'"),
    ],
)
def test_a_wrong_call_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
