"""CAP, low rank plus sparse: train the byte model, compress it and SmolLM2 with CAP and with its rivals, race the parts."""

_LOWRANK = "lowrank_sparse"
_LOWRANK_CONFIG = PAPER_CONFIG[_LOWRANK]
_LOWRANK_TRAINED = [
    f"{RESULTS}/{_LOWRANK}/models/bytelm/{file}"
    for file in ("config.json", "model.safetensors")
]
_LOWRANK_CAP = ["cap", "choices", "iterations", "lambdas", "policy", "calibration"]
_LOWRANK_PLANTED = ["planted", "limits"]
JOBS[_LOWRANK] = (
    [
        ("compress", model, method)
        for model, methods in _LOWRANK_CONFIG.compress.datasets.items()
        for method in methods
    ]
    + [
        (name, model, method)
        for name in _LOWRANK_CAP
        for experiment in [getattr(_LOWRANK_CONFIG, name)]
        for model in experiment.datasets
        for method in experiment.methods
    ]
    + [
        ("thresholds", model, "independent")
        for model in _LOWRANK_CONFIG.thresholds.datasets
    ]
    + [
        ("sensitivity", model, "alone")
        for model in _LOWRANK_CONFIG.sensitivity.datasets
    ]
    + [(name, "planted", "robust_pca") for name in _LOWRANK_PLANTED]
    + [("speed", "planted", "race")]
)


def _lowrank_texts(corpus, tokenizer):
    """Split -> its tokens; for a model of the hub, whose tokenizer comes with it, its documents."""
    if tokenizer == "own":
        documents = data("lm", f"{corpus}/documents.parquet")
        return {"calibration": documents, "validation": documents}
    files = token_files(corpus, tokenizer)
    return {split: files[split] for split in ("calibration", "validation")}


def _lowrank_problem(w):
    """Files of a model and of its texts."""
    model = _LOWRANK_CONFIG.models[w.dataset]
    files = {"trained": _LOWRANK_TRAINED, "packaged": model_files(w.dataset), "hub": []}
    return {"model": files[model.kind]} | _lowrank_texts(model.corpus, model.tokenizer)


def _lowrank_problem_and_other_texts(w):
    """The same, and the calibration texts of other corpora that variants name."""
    variants = getattr(_LOWRANK_CONFIG, w.experiment).methods[w.method].values()
    tokenizer = _LOWRANK_CONFIG.models[w.dataset].tokenizer
    others = {variant.corpus for variant in variants if variant.corpus}
    return _lowrank_problem(w) | {
        f"from_{corpus}": _lowrank_texts(corpus, tokenizer)["calibration"]
        for corpus in others
    }


def _lowrank_model(w):
    return _LOWRANK_CONFIG.models[w.dataset].model_dump(mode="json", exclude={"mem_mb"})


def _lowrank_limits(name):
    """A model may need more memory than most jobs of a step do."""
    asked, models = step(_LOWRANK, name).mem_mb, _LOWRANK_CONFIG.models
    return limits(_LOWRANK, name, mem_mb=lambda w: max(asked, models[w.dataset].mem_mb))


rule lowrank_sparse_train:
    input:
        **token_files("kjv", "bytes"),
    output:
        _LOWRANK_TRAINED,
    log:
        log_file("lowrank_sparse/train"),
    benchmark:
        step_benchmark("lowrank_sparse/train")
    priority: 2  # most jobs wait for it
    threads: step(_LOWRANK, "train").threads
    resources:
        **limits(_LOWRANK, "train"),
    params:
        settings=settings(_LOWRANK, "train"),
        folder=f"work/{SCALE}/{_LOWRANK}/{data_digest(settings(_LOWRANK, 'train'))}",
        device=CONFIG.device,
        code=code("lowrank_sparse/train.py"),
    script:
        "../../scripts/lowrank_sparse/train.py"


rule lowrank_sparse_compress:
    input:
        unpack(_lowrank_problem),
    output:
        job(_LOWRANK),
    log:
        log_file("lowrank_sparse/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_LOWRANK)
    wildcard_constraints:
        experiment="compress",
    threads: step(_LOWRANK, "compress").threads
    resources:
        **_lowrank_limits("compress"),
    params:
        settings=settings(_LOWRANK, "compress"),
        model=_lowrank_model,
        device=CONFIG.device,
        code=lambda w: code(
            "lowrank_sparse/compress.py", f"seedbed.lowrank_sparse.{w.method}"
        ),
    script:
        "../../scripts/lowrank_sparse/compress.py"


rule lowrank_sparse_cap:
    input:
        unpack(_lowrank_problem_and_other_texts),
    output:
        job(_LOWRANK),
    log:
        log_file("lowrank_sparse/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_LOWRANK)
    wildcard_constraints:
        experiment="|".join(_LOWRANK_CAP),
    priority: 1  # the longest jobs start first
    threads: step(_LOWRANK, "cap").threads
    resources:
        **_lowrank_limits("cap"),
    params:
        settings=lambda w: settings(_LOWRANK, w.experiment),
        model=_lowrank_model,
        device=CONFIG.device,
        code=code("lowrank_sparse/cap.py"),
    script:
        "../../scripts/lowrank_sparse/cap.py"


rule lowrank_sparse_thresholds:
    input:
        unpack(_lowrank_problem),
    output:
        job(_LOWRANK, "thresholds", "{dataset}", "independent"),
    log:
        log_file("lowrank_sparse/thresholds/{dataset}"),
    benchmark:
        job_benchmark(_LOWRANK, "thresholds", "{dataset}", "independent")
    threads: step(_LOWRANK, "thresholds").threads
    resources:
        **_lowrank_limits("thresholds"),
    params:
        settings=settings(_LOWRANK, "thresholds"),
        model=_lowrank_model,
        device=CONFIG.device,
        code=code("lowrank_sparse/thresholds.py"),
    script:
        "../../scripts/lowrank_sparse/thresholds.py"


rule lowrank_sparse_sensitivity:
    input:
        unpack(_lowrank_problem),
    output:
        job(_LOWRANK, "sensitivity", "{dataset}", "alone"),
    log:
        log_file("lowrank_sparse/sensitivity/{dataset}"),
    benchmark:
        job_benchmark(_LOWRANK, "sensitivity", "{dataset}", "alone")
    threads: step(_LOWRANK, "sensitivity").threads
    resources:
        **_lowrank_limits("sensitivity"),
    params:
        settings=settings(_LOWRANK, "sensitivity"),
        model=_lowrank_model,
        device=CONFIG.device,
        code=code("lowrank_sparse/sensitivity.py"),
    script:
        "../../scripts/lowrank_sparse/sensitivity.py"


rule lowrank_sparse_planted:
    output:
        job(_LOWRANK, "{experiment}", "planted", "robust_pca"),
    log:
        log_file("lowrank_sparse/{experiment}/planted"),
    benchmark:
        job_benchmark(_LOWRANK, "{experiment}", "planted", "robust_pca")
    wildcard_constraints:
        experiment="|".join(_LOWRANK_PLANTED),
    threads: step(_LOWRANK, "planted").threads
    resources:
        **limits(_LOWRANK, "planted"),
    params:
        settings=lambda w: settings(_LOWRANK, w.experiment),
        code=code("lowrank_sparse/planted.py"),
    script:
        "../../scripts/lowrank_sparse/planted.py"


rule lowrank_sparse_speed:
    output:
        job(_LOWRANK, "speed", "planted", "race"),
    log:
        log_file("lowrank_sparse/speed"),
    benchmark:
        job_benchmark(_LOWRANK, "speed", "planted", "race")
    threads: exclusive()
    resources:
        **limits(_LOWRANK, "speed", alone=True),
    params:
        settings=settings(_LOWRANK, "speed"),
        code=code("lowrank_sparse/speed.py"),
    script:
        "../../scripts/lowrank_sparse/speed.py"
