"""Training dynamics and quantization: train runs, quantize and evaluate their checkpoints, look at curvature, race."""

_PAPER = "ptq_dynamics"
_CONFIG = PAPER_CONFIG[_PAPER]
_TRAINED = ["cooldown", "sweep"]
_MODELS = f"{RESULTS}/{_PAPER}/models/{{experiment}}/{{dataset}}.safetensors"
_SHARED = {name: settings(_PAPER, name) for name in ("model", "recipe")}
_EVALUATION = settings(_PAPER, "evaluation")


def _texts(w):
    return token_files(w.dataset, _CONFIG.model.tokenizer)


def _train_digest(experiment):
    """Digest of what decides the numbers of a training job."""
    decides = [settings(_PAPER, experiment), _SHARED, code("ptq_dynamics/train.py")]
    return data_digest(decides)


def _released_parts():
    """One job a model, checkpoint and bit width: (model, part)."""
    for model, released in _CONFIG.released.models.items():
        for checkpoint in released.checkpoints:
            for quantizer, widths in _CONFIG.released.quantizers.items():
                for bits in widths:
                    part = checkpoint.model_dump(mode="json")
                    yield model, part | {
                        "repository": released.repository,
                        "quantizer": quantizer,
                        "bits": bits,
                    }


_RELEASED = list(_released_parts())
_RELEASED_PARTS = {
    f"{part['quantizer']}.{number}-of-{len(_RELEASED)}": (model, part)
    for number, (model, part) in enumerate(_RELEASED, 1)
}

JOBS[_PAPER] = (
    [
        (name, dataset, method)
        for name in _TRAINED
        for experiment in [getattr(_CONFIG, name)]
        for dataset in experiment.datasets
        for method in ["train", *experiment.quantizers]
    ]
    + [
        ("equal_loss", dataset, method)
        for dataset in _CONFIG.sweep.datasets
        for method in _CONFIG.sweep.quantizers
    ]
    + [("geometry", dataset, "hessian") for dataset in _CONFIG.geometry.datasets]
    + [("speed", "random", "race")]
    + [("released", model, name) for name, (model, _) in _RELEASED_PARTS.items()]
)


rule ptq_dynamics_train:
    input:
        unpack(_texts),
    output:
        models=_MODELS,
        metrics=job(_PAPER, method="train"),
    log:
        log_file("ptq_dynamics/{experiment}/{dataset}/train"),
    benchmark:
        job_benchmark(_PAPER, method="train")
    wildcard_constraints:
        experiment="|".join(_TRAINED),
    priority: 1  # the longest jobs start first
    threads: step(_PAPER, "train").threads
    resources:
        **limits(_PAPER, "train"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        model=_SHARED["model"],
        recipe=_SHARED["recipe"],
        device=CONFIG.device,
        work=lambda w: f"work/{SCALE}/{_PAPER}/{w.dataset}-{_train_digest(w.experiment)}",
        code=code("ptq_dynamics/train.py"),
    script:
        "../../scripts/ptq_dynamics/train.py"


rule ptq_dynamics_quantize:
    input:
        unpack(_texts),
        models=_MODELS,
    output:
        job(_PAPER),
    log:
        log_file("ptq_dynamics/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER)
    wildcard_constraints:
        experiment="|".join(_TRAINED),
        method="rtn|gptq|awq",
    threads: step(_PAPER, "quantize").threads
    resources:
        **limits(_PAPER, "quantize"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        model=_SHARED["model"],
        recipe=_SHARED["recipe"],
        evaluation=_EVALUATION,
        device=CONFIG.device,
        code=lambda w: code(
            "ptq_dynamics/quantize.py", f"seedbed.ptq_dynamics.{w.method}"
        ),
    script:
        "../../scripts/ptq_dynamics/quantize.py"


rule ptq_dynamics_equal_loss:
    input:
        job(_PAPER, "cooldown"),
        job(_PAPER, "sweep"),
    output:
        job(_PAPER, "equal_loss"),
    log:
        log_file("ptq_dynamics/equal_loss/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER, "equal_loss")
    threads: 1
    resources:
        **limits(),
    params:
        steps=_CONFIG.sweep.steps,
        code=code("ptq_dynamics/equal_loss.py"),
    script:
        "../../scripts/ptq_dynamics/equal_loss.py"


rule ptq_dynamics_geometry:
    input:
        unpack(_texts),
        cooldown=_MODELS.replace("{experiment}", "cooldown"),
        sweep=_MODELS.replace("{experiment}", "sweep"),
    output:
        job(_PAPER, "geometry", method="hessian"),
    log:
        log_file("ptq_dynamics/geometry/{dataset}/hessian"),
    benchmark:
        job_benchmark(_PAPER, "geometry", method="hessian")
    threads: step(_PAPER, "geometry").threads
    resources:
        **limits(_PAPER, "geometry"),
    params:
        settings=settings(_PAPER, "geometry"),
        cooldown=settings(_PAPER, "cooldown"),
        sweep=settings(_PAPER, "sweep"),
        model=_SHARED["model"],
        recipe=_SHARED["recipe"],
        evaluation=_EVALUATION,
        device=CONFIG.device,
        code=code("ptq_dynamics/geometry.py", "seedbed.ptq_dynamics.gptq"),
    script:
        "../../scripts/ptq_dynamics/geometry.py"


rule ptq_dynamics_speed:
    output:
        job(_PAPER, "speed", "random", "race"),
    log:
        log_file("ptq_dynamics/speed"),
    benchmark:
        job_benchmark(_PAPER, "speed", "random", "race")
    threads: exclusive()
    resources:
        **limits(_PAPER, "speed"),
    params:
        settings=settings(_PAPER, "speed"),
        code=code("ptq_dynamics/speed.py"),
    script:
        "../../scripts/ptq_dynamics/speed.py"


rule ptq_dynamics_released:
    input:
        data("lm", f"{_CONFIG.released.corpus}/documents.parquet"),
    output:
        job(_PAPER, "released"),
    log:
        log_file("ptq_dynamics/released/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER, "released")
    wildcard_constraints:
        method=r"\w+\.\d+-of-\d+",
    threads: step(_PAPER, "released").threads
    resources:
        **limits(_PAPER, "released"),
    params:
        settings=lambda w: {
            key: value
            for key, value in settings(_PAPER, "released").items()
            if key not in ("models", "quantizers")
        },
        part=lambda w: _RELEASED_PARTS[w.method][1],
        device=CONFIG.device,
        code=lambda w: code(
            "ptq_dynamics/released.py",
            f"seedbed.ptq_dynamics.{_RELEASED_PARTS[w.method][1]['quantizer']}",
        ),
    script:
        "../../scripts/ptq_dynamics/released.py"
