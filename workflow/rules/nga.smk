"""nga: draw pairs of molecules, prove their optima, run all solvers, vary the network, rank, check identities, race."""

_NGA = "nga"
_NGA_CONFIG = PAPER_CONFIG[_NGA]
_NGA_PAIRS = data(_NGA, "{dataset}.parquet")
_NGA_OPTIMA = data(_NGA, "{dataset}.optima.parquet")
_NGA_SPEED = _NGA_CONFIG.speed


def _nga_datasets(names):
    """Those of some data sets whose sources the configuration lets us fetch."""
    return [name for name in names if reachable(_NGA_CONFIG.datasets[name].source)]


def _nga_options(wildcards):
    """Options of one solver."""
    return _NGA_CONFIG.options.get(wildcards.method, {})


JOBS[_NGA] = [
    *[
        ("solve", dataset, method)
        for dataset in _nga_datasets(_NGA_CONFIG.solve.datasets)
        for method in _NGA_CONFIG.solve.methods
    ],
    *[
        ("optimum", dataset, "exact")
        for dataset in [
            *_nga_datasets(_NGA_CONFIG.solve.datasets),
            _NGA_CONFIG.retrieval.dataset,
        ]
    ],
    *[
        ("ablation", dataset, "neural")
        for dataset in _nga_datasets(_NGA_CONFIG.ablation.datasets)
    ],
    ("theory", _NGA_CONFIG.theory.dataset, "identities"),
    *[
        ("retrieval", _NGA_CONFIG.retrieval.dataset, method)
        for method in _NGA_CONFIG.retrieval.methods
    ],
    ("speed", _NGA_SPEED.anytime, "anytime"),
    ("speed", _NGA_SPEED.scaling, "scaling"),
    ("speed", _NGA_SPEED.batch, "batch"),
]


rule nga_prepare:
    input:
        lambda w: MANIFEST.format(source=_NGA_CONFIG.datasets[w.dataset].source),
    output:
        _NGA_PAIRS,
    log:
        log_file("nga/prepare/{dataset}"),
    benchmark:
        step_benchmark("nga/prepare/{dataset}")
    threads: step(_NGA, "prepare").threads
    resources:
        **limits(_NGA, "prepare"),
    params:
        settings=lambda w: _NGA_CONFIG.datasets[w.dataset].model_dump(mode="json"),
        code=code("nga/prepare.py"),
    script:
        "../../scripts/nga/prepare.py"


rule nga_optimum:
    input:
        _NGA_PAIRS,
    output:
        optima=_NGA_OPTIMA,
        metrics=job(_NGA, "optimum", method="exact"),
    log:
        log_file("nga/optimum/{dataset}"),
    benchmark:
        job_benchmark(_NGA, "optimum", method="exact")
    priority: 1  # all solvers wait for it
    threads: step(_NGA, "optimum").threads
    resources:
        **limits(_NGA, "optimum"),
    params:
        node_limit=_NGA_CONFIG.solve.node_limit,
        code=code("nga/optimum.py"),
    script:
        "../../scripts/nga/optimum.py"


rule nga_solve:
    input:
        pairs=_NGA_PAIRS,
        optima=_NGA_OPTIMA,
    output:
        job(_NGA, "solve"),
    log:
        log_file("nga/solve/{dataset}/{method}"),
    benchmark:
        job_benchmark(_NGA, "solve")
    threads: step(_NGA, "solve").threads
    resources:
        **limits(_NGA, "solve"),
    params:
        options=_nga_options,
        seeds=lambda w: _NGA_CONFIG.solve.seeds.get(w.method, 1),
        code=lambda w: code("nga/solve.py", f"seedbed.nga.{w.method}"),
    script:
        "../../scripts/nga/solve.py"


rule nga_ablation:
    input:
        pairs=_NGA_PAIRS,
        optima=_NGA_OPTIMA,
    output:
        job(_NGA, "ablation", method="neural"),
    log:
        log_file("nga/ablation/{dataset}"),
    benchmark:
        job_benchmark(_NGA, "ablation", method="neural")
    priority: 1  # the longest job
    threads: step(_NGA, "ablation").threads
    resources:
        **limits(_NGA, "ablation"),
    params:
        arms=_NGA_CONFIG.ablation.arms,
        seeds=_NGA_CONFIG.ablation.seeds,
        options=_NGA_CONFIG.options["neural"],
        code=code("nga/ablation.py"),
    script:
        "../../scripts/nga/ablation.py"


rule nga_theory:
    input:
        _NGA_PAIRS,
    output:
        job(_NGA, "theory", method="identities"),
    log:
        log_file("nga/theory/{dataset}"),
    benchmark:
        job_benchmark(_NGA, "theory", method="identities")
    threads: step(_NGA, "theory").threads
    resources:
        **limits(_NGA, "theory"),
    params:
        settings=settings(_NGA, "theory"),
        code=code("nga/theory.py"),
    script:
        "../../scripts/nga/theory.py"


rule nga_retrieval:
    input:
        pairs=_NGA_PAIRS,
        optima=_NGA_OPTIMA,
    output:
        job(_NGA, "retrieval"),
    log:
        log_file("nga/retrieval/{dataset}/{method}"),
    benchmark:
        job_benchmark(_NGA, "retrieval")
    threads: step(_NGA, "retrieval").threads
    resources:
        **limits(_NGA, "retrieval"),
    params:
        settings=settings(_NGA, "retrieval"),
        options=_nga_options,
        code=lambda w: code(
            "nga/retrieval.py",
            *optional_module(f"seedbed.nga.{w.method}"),
        ),
    script:
        "../../scripts/nga/retrieval.py"


rule nga_anytime:
    input:
        pairs=data(_NGA, f"{_NGA_SPEED.anytime}.parquet"),
        optima=data(_NGA, f"{_NGA_SPEED.anytime}.optima.parquet"),
    output:
        job(_NGA, "speed", _NGA_SPEED.anytime, "anytime"),
    log:
        log_file("nga/anytime"),
    benchmark:
        job_benchmark(_NGA, "speed", _NGA_SPEED.anytime, "anytime")
    threads: exclusive()
    resources:
        **limits(_NGA, "speed", alone=True),
    params:
        settings=settings(_NGA, "speed"),
        options=_NGA_CONFIG.options,
        code=code("nga/anytime.py"),
    script:
        "../../scripts/nga/anytime.py"


rule nga_scaling:
    input:
        data(_NGA, f"{_NGA_SPEED.scaling}.parquet"),
    output:
        job(_NGA, "speed", _NGA_SPEED.scaling, "scaling"),
    log:
        log_file("nga/scaling"),
    benchmark:
        job_benchmark(_NGA, "speed", _NGA_SPEED.scaling, "scaling")
    threads: exclusive()
    resources:
        **limits(_NGA, "speed", alone=True),
    params:
        settings=settings(_NGA, "speed"),
        options=_NGA_CONFIG.options,
        code=code("nga/scaling.py"),
    script:
        "../../scripts/nga/scaling.py"


rule nga_batch:
    input:
        data(_NGA, f"{_NGA_SPEED.batch}.parquet"),
    output:
        job(_NGA, "speed", _NGA_SPEED.batch, "batch"),
    log:
        log_file("nga/batch"),
    benchmark:
        job_benchmark(_NGA, "speed", _NGA_SPEED.batch, "batch")
    threads: exclusive()
    resources:
        **limits(_NGA, "speed", alone=True),
    params:
        settings=settings(_NGA, "speed"),
        options=_NGA_CONFIG.options["neural"],
        code=code("nga/batch.py"),
    script:
        "../../scripts/nga/batch.py"
