"""Neural Graduated Assignment for Maximum Common Edge Subgraphs (Ying, Ruan, Chen, Wang, Yu, ICLR 2026).

Two graphs, `networkx` or RDKit, their largest common part::

    from rdkit import Chem
    from seedbed.nga import draw_common_part, mces

    aspirin, paracetamol = Chem.MolFromSmiles("CC(=O)Oc1ccccc1C(=O)O"), Chem.MolFromSmiles("CC(=O)Nc1ccc(O)cc1")
    common = mces(aspirin, paracetamol)                       # atoms to atoms, the bonds, and what no map can exceed
    print(common.size, common.mapping, common.proven)
    print(mces(aspirin, paracetamol, method="exact").proven)   # True: by mixed-integer programming
    open("common.svg", "w").write(draw_common_part(aspirin, paracetamol))
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "AssociationGraph": "association",
        "CommonSubgraph": "common_part",
        "NeuralGraduatedAssignment": "neural",
        "Settings": "neural",
        "association_common_graph": "association",
        "common_edges": "common_subgraph",
        "draw_common_part": "drawing",
        "johnson_similarity": "common_subgraph",
        "maximum_common_edges": "exact",
        "mces": "common_part",
    },
)
