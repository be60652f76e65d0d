"""gnn_batching: make graphs, train on the cross of batch size and fan-out (one layer, two), measure structure, race."""

_GNN = "gnn_batching"
_GNN_CONFIG = PAPER_CONFIG[_GNN]
_GNN_GRAPH = data(_GNN, "{dataset}.npz")


def _gnn_datasets(experiment):
    """Graphs of an experiment whose sources the configuration lets us fetch."""
    names = getattr(_GNN_CONFIG, experiment).datasets
    sources = {name: _GNN_CONFIG.graphs[name].source for name in names}
    return [name for name in names if sources[name] is None or reachable(sources[name])]


def _gnn_manifest(wildcards):
    """Manifest of a graph's source, if it has one."""
    source = _GNN_CONFIG.graphs[wildcards.dataset].source
    return [] if source is None else MANIFEST.format(source=source)


JOBS[_GNN] = [
    *[
        (name, dataset, "sage")
        for name in ("grid", "degree")
        for dataset in _gnn_datasets(name)
    ],
    *[("two_layer", dataset, "sage") for dataset in _gnn_datasets("two_layer")],
    *[("structure", dataset, "transport") for dataset in _gnn_datasets("structure")],
    ("speed", _GNN_CONFIG.speed.dataset, "race"),
]


rule gnn_batching_prepare:
    input:
        _gnn_manifest,
    output:
        _GNN_GRAPH,
    log:
        log_file("gnn_batching/prepare/{dataset}"),
    benchmark:
        step_benchmark("gnn_batching/prepare/{dataset}")
    threads: step(_GNN, "prepare").threads
    resources:
        **limits(_GNN, "prepare"),
    params:
        recipe=lambda w: _GNN_CONFIG.graphs[w.dataset].model_dump(mode="json"),
        code=code("gnn_batching/prepare.py"),
    script:
        "../../scripts/gnn_batching/prepare.py"


rule gnn_batching_train:
    input:
        _GNN_GRAPH,
    output:
        job(_GNN, method="sage"),
    log:
        log_file("gnn_batching/{experiment}/{dataset}/sage"),
    benchmark:
        job_benchmark(_GNN, method="sage")
    wildcard_constraints:
        experiment="grid|degree",
    threads: step(_GNN, "train").threads
    resources:
        **limits(_GNN, "train"),
    params:
        settings=lambda w: settings(_GNN, w.experiment),
        code=code("gnn_batching/train.py"),
    script:
        "../../scripts/gnn_batching/train.py"


rule gnn_batching_train_deep:
    input:
        _GNN_GRAPH,
    output:
        job(_GNN, "two_layer", method="sage"),
    log:
        log_file("gnn_batching/two_layer/{dataset}"),
    benchmark:
        job_benchmark(_GNN, "two_layer", method="sage")
    threads: step(_GNN, "train_deep").threads
    resources:
        **limits(_GNN, "train_deep"),
    params:
        settings=settings(_GNN, "two_layer"),
        code=code("gnn_batching/train_deep.py"),
    script:
        "../../scripts/gnn_batching/train_deep.py"


rule gnn_batching_structure:
    input:
        _GNN_GRAPH,
    output:
        job(_GNN, "structure", method="transport"),
    log:
        log_file("gnn_batching/structure/{dataset}"),
    benchmark:
        job_benchmark(_GNN, "structure", method="transport")
    threads: step(_GNN, "structure").threads
    resources:
        **limits(_GNN, "structure"),
    params:
        settings=settings(_GNN, "structure"),
        grid=settings(_GNN, "grid"),
        code=code("gnn_batching/structure.py"),
    script:
        "../../scripts/gnn_batching/structure.py"


rule gnn_batching_speed:
    input:
        graph=data(_GNN, f"{_GNN_CONFIG.speed.dataset}.npz"),
        trained=job(_GNN, "grid", _GNN_CONFIG.speed.dataset, "sage"),
    output:
        job(_GNN, "speed", _GNN_CONFIG.speed.dataset, "race"),
    log:
        log_file("gnn_batching/speed"),
    benchmark:
        job_benchmark(_GNN, "speed", _GNN_CONFIG.speed.dataset, "race")
    threads: exclusive()
    resources:
        **limits(_GNN, "speed", alone=True),
    params:
        settings=settings(_GNN, "speed"),
        grid=settings(_GNN, "grid"),
        code=code("gnn_batching/speed.py"),
    script:
        "../../scripts/gnn_batching/speed.py"
