"""Two molecules side by side with their common bonds highlighted."""

from __future__ import annotations

from rdkit import Chem
from rdkit.Chem import rdDepictor
from rdkit.Chem.Draw import rdMolDraw2D

from seedbed.nga.common_part import CommonSubgraph, mces

COMMON = (0.90, 0.62, 0.0)  # orange of Okabe and Ito


def draw_common_part(
    first: Chem.Mol, second: Chem.Mol, common: CommonSubgraph | None = None, size: tuple[int, int] = (380, 300)
) -> str:
    """SVG of both molecules; ``common`` is found by `mces` where it is not given. ``size``: pixels of one molecule."""
    common = common or mces(first, second)
    molecules, atoms, bonds = [], [], []
    for molecule, names in ((first, {u: u for u in common.mapping}), (second, common.mapping)):
        drawn = Chem.Mol(molecule)
        rdDepictor.Compute2DCoords(drawn)
        molecules.append(drawn)
        atoms.append(sorted(names.values()))
        bonds.append([drawn.GetBondBetweenAtoms(names[u], names[v]).GetIdx() for u, v in common.edges])
    canvas = rdMolDraw2D.MolDraw2DSVG(2 * size[0], size[1], *size)
    canvas.drawOptions().setHighlightColour(COMMON)
    canvas.drawOptions().prepareMolsBeforeDrawing = False
    canvas.DrawMolecules(molecules, highlightAtoms=atoms, highlightBonds=bonds)
    canvas.FinishDrawing()
    return canvas.GetDrawingText()
