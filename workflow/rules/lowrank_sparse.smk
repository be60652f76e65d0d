"""CAP, low rank plus sparse: train the byte model, compress it and SmolLM2 with CAP and with its rivals, race the parts."""

_PAPER = "lowrank_sparse"
_CONFIG = PAPER_CONFIG[_PAPER]
_TRAINED = [
    f"{RESULTS}/{_PAPER}/models/bytelm/{file}"
    for file in ("config.json", "model.safetensors")
]
_CAP = ["cap", "choices", "iterations", "lambdas", "policy", "calibration"]
_PLANTED = ["planted", "limits"]
JOBS[_PAPER] = (
    [
        ("compress", model, method)
        for model, methods in _CONFIG.compress.datasets.items()
        for method in methods
    ]
    + [
        (name, model, method)
        for name in _CAP
        for experiment in [getattr(_CONFIG, name)]
        for model in experiment.datasets
        for method in experiment.methods
    ]
    + [("thresholds", model, "independent") for model in _CONFIG.thresholds.datasets]
    + [("sensitivity", model, "alone") for model in _CONFIG.sensitivity.datasets]
    + [(name, "planted", "robust_pca") for name in _PLANTED]
    + [("speed", "planted", "race")]
)


def _texts(corpus, tokenizer):
    """Split -> its tokens; for a model of the hub, whose tokenizer comes with it, its documents."""
    if tokenizer == "own":
        documents = data("lm", f"{corpus}/documents.parquet")
        return {"calibration": documents, "validation": documents}
    files = token_files(corpus, tokenizer)
    return {split: files[split] for split in ("calibration", "validation")}


def _problem(w):
    """Files of a model and of its texts."""
    model = _CONFIG.models[w.dataset]
    files = {"trained": _TRAINED, "packaged": model_files(w.dataset), "hub": []}
    return {"model": files[model.kind]} | _texts(model.corpus, model.tokenizer)


def _problem_and_other_texts(w):
    """The same, and the calibration texts of other corpora that variants name."""
    variants = getattr(_CONFIG, w.experiment).methods[w.method].values()
    tokenizer = _CONFIG.models[w.dataset].tokenizer
    others = {variant.corpus for variant in variants if variant.corpus}
    return _problem(w) | {
        f"from_{corpus}": _texts(corpus, tokenizer)["calibration"] for corpus in others
    }


def _model(w):
    return _CONFIG.models[w.dataset].model_dump(mode="json")


rule lowrank_sparse_train:
    input:
        **token_files("kjv", "bytes"),
    output:
        _TRAINED,
    log:
        log_file("lowrank_sparse/train"),
    benchmark:
        step_benchmark("lowrank_sparse/train")
    priority: 2  # most jobs wait for it
    threads: step(_PAPER, "train").threads
    resources:
        **limits(_PAPER, "train"),
    params:
        settings=settings(_PAPER, "train"),
        folder=f"work/{SCALE}/{_PAPER}/{data_digest(settings(_PAPER, 'train'))}",
        device=CONFIG.device,
        code=code("lowrank_sparse/train.py"),
    script:
        "../../scripts/lowrank_sparse/train.py"


rule lowrank_sparse_compress:
    input:
        unpack(_problem),
    output:
        job(_PAPER),
    log:
        log_file("lowrank_sparse/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER)
    wildcard_constraints:
        experiment="compress",
    threads: step(_PAPER, "compress").threads
    resources:
        **limits(_PAPER, "compress"),
    params:
        settings=settings(_PAPER, "compress"),
        model=_model,
        device=CONFIG.device,
        code=lambda w: code(
            "lowrank_sparse/compress.py", f"seedbed.lowrank_sparse.{w.method}"
        ),
    script:
        "../../scripts/lowrank_sparse/compress.py"


rule lowrank_sparse_cap:
    input:
        unpack(_problem_and_other_texts),
    output:
        job(_PAPER),
    log:
        log_file("lowrank_sparse/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER)
    wildcard_constraints:
        experiment="|".join(_CAP),
    priority: 1  # the longest jobs start first
    threads: step(_PAPER, "cap").threads
    resources:
        **limits(_PAPER, "cap"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        model=_model,
        device=CONFIG.device,
        code=code("lowrank_sparse/cap.py"),
    script:
        "../../scripts/lowrank_sparse/cap.py"


rule lowrank_sparse_thresholds:
    input:
        unpack(_problem),
    output:
        job(_PAPER, "thresholds", "{dataset}", "independent"),
    log:
        log_file("lowrank_sparse/thresholds/{dataset}"),
    benchmark:
        job_benchmark(_PAPER, "thresholds", "{dataset}", "independent")
    threads: step(_PAPER, "thresholds").threads
    resources:
        **limits(_PAPER, "thresholds"),
    params:
        settings=settings(_PAPER, "thresholds"),
        model=_model,
        device=CONFIG.device,
        code=code("lowrank_sparse/thresholds.py"),
    script:
        "../../scripts/lowrank_sparse/thresholds.py"


rule lowrank_sparse_sensitivity:
    input:
        unpack(_problem),
    output:
        job(_PAPER, "sensitivity", "{dataset}", "alone"),
    log:
        log_file("lowrank_sparse/sensitivity/{dataset}"),
    benchmark:
        job_benchmark(_PAPER, "sensitivity", "{dataset}", "alone")
    threads: step(_PAPER, "sensitivity").threads
    resources:
        **limits(_PAPER, "sensitivity"),
    params:
        settings=settings(_PAPER, "sensitivity"),
        model=_model,
        device=CONFIG.device,
        code=code("lowrank_sparse/sensitivity.py"),
    script:
        "../../scripts/lowrank_sparse/sensitivity.py"


rule lowrank_sparse_planted:
    output:
        job(_PAPER, "{experiment}", "planted", "robust_pca"),
    log:
        log_file("lowrank_sparse/{experiment}/planted"),
    benchmark:
        job_benchmark(_PAPER, "{experiment}", "planted", "robust_pca")
    wildcard_constraints:
        experiment="|".join(_PLANTED),
    threads: step(_PAPER, "planted").threads
    resources:
        **limits(_PAPER, "planted"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        code=code("lowrank_sparse/planted.py"),
    script:
        "../../scripts/lowrank_sparse/planted.py"


rule lowrank_sparse_speed:
    output:
        job(_PAPER, "speed", "planted", "race"),
    log:
        log_file("lowrank_sparse/speed"),
    benchmark:
        job_benchmark(_PAPER, "speed", "planted", "race")
    threads: exclusive()
    resources:
        **limits(_PAPER, "speed"),
    params:
        settings=settings(_PAPER, "speed"),
        code=code("lowrank_sparse/speed.py"),
    script:
        "../../scripts/lowrank_sparse/speed.py"
