"""Molecules as labelled graphs: elements as node labels, RDKit's bond types as edge labels (aromatic bonds are 12)."""

from __future__ import annotations

import numpy as np
from rdkit import Chem

from seedbed.core.graphs.graph import Graph

AROMATIC = int(Chem.BondType.AROMATIC)


def molecule_graph(molecule: Chem.Mol) -> Graph:
    """Heavy atoms and bonds of a molecule: atomic numbers and bond types are the labels."""
    bonds = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx(), int(bond.GetBondType())) for bond in molecule.GetBonds()]
    table = np.array(bonds, dtype=np.int64).reshape(-1, 3)
    elements = [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
    return Graph.from_edges(len(elements), table[:, :2], edge_labels=table[:, 2], node_labels=elements)


def graph_molecule(graph: Graph) -> Chem.Mol:
    """A molecule of these atoms and bonds, not sanitised: perceiving aromaticity again could change its labels."""
    molecule = Chem.RWMol()
    for element in graph.node_labels.tolist():
        molecule.AddAtom(Chem.Atom(element))
    for (u, v), label in zip(graph.edges.tolist(), graph.edge_labels[graph.is_forward].tolist(), strict=True):
        molecule.AddBond(u, v, Chem.BondType.values[label])
        if label == AROMATIC:
            molecule.GetBondBetweenAtoms(u, v).SetIsAromatic(True)
            molecule.GetAtomWithIdx(u).SetIsAromatic(True)
            molecule.GetAtomWithIdx(v).SetIsAromatic(True)
    for atom in molecule.GetAtoms():
        atom.SetNoImplicit(True)
    molecule = molecule.GetMol()
    molecule.UpdatePropertyCache(strict=False)
    Chem.FastFindRings(molecule)
    return molecule
