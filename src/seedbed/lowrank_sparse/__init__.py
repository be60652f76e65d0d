"""CAP: compression of language models by robust PCA and one budget for ranks and entries (Zhou et al., ICLR 2026).

Compress a model of `transformers` to half of its block weights::

    from seedbed.lowrank_sparse import Allocating, CandidatePool, CompressionTask, Decomposing, PolicyGradient
    from seedbed.lowrank_sparse import allocate, decompose

    task = CompressionTask(model)
    pool = CandidatePool(decompose(task.weights, Decomposing(), {}))
    found = allocate(pool, 0.5, Allocating(policy=PolicyGradient(n_iter=0)), None, rng)
    task.put({name: matrix.weight for name, matrix in pool.compressed(found.mask).items()})

``LowRankSparseLinear.of(pool, name, mask)`` is the layer in factors. Baselines: ``compress`` of the modules ``wanda``,
``sparsegpt``, ``oats``, ``owl``, ``alpha_pruning``, ``svd``, ``asvd``, ``losparse``, ``magnitude``,
``magnitude_global``.
"""

from seedbed.core.lazy import exports

__getattr__, __all__ = exports(
    __name__,
    {
        "Allocating": "cap",
        "CandidatePool": "candidates",
        "Compressed": "budget",
        "CompressionTask": "task",
        "Decomposing": "cap",
        "LowRankSparseLinear": "factors",
        "PolicyGradient": "policy_gradient",
        "RobustPCA": "robust_pca",
        "activation_rms": "task",
        "allocate": "cap",
        "decompose": "cap",
        "init_probabilities": "probabilities",
        "parameter_count": "budget",
        "project_budget": "projection",
        "reinforce": "policy_gradient",
        "select_topk": "selection",
        "wanda_mask": "wanda",
    },
)
