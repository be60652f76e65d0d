"""Training dynamics and quantization: train runs, quantize and evaluate their checkpoints, look at curvature, race."""

_PTQ = "ptq_dynamics"
_PTQ_CONFIG = PAPER_CONFIG[_PTQ]
_PTQ_TRAINED = ["cooldown", "sweep"]
_PTQ_MODELS = f"{RESULTS}/{_PTQ}/models/{{experiment}}/{{dataset}}.safetensors"
_PTQ_SHARED = {name: settings(_PTQ, name) for name in ("model", "recipe")}
_PTQ_EVALUATION = settings(_PTQ, "evaluation")


def _ptq_texts(w):
    return token_files(w.dataset, _PTQ_CONFIG.model.tokenizer)


def _ptq_train_digest(experiment):
    """Digest of what decides the numbers of a training job."""
    decides = [settings(_PTQ, experiment), _PTQ_SHARED, code("ptq_dynamics/train.py")]
    return data_digest(decides)


def _ptq_released_parts():
    """One job a model, checkpoint and bit width: (model, part)."""
    for model, released in _PTQ_CONFIG.released.models.items():
        for checkpoint in released.checkpoints:
            for quantizer, widths in _PTQ_CONFIG.released.quantizers.items():
                for bits in widths:
                    part = checkpoint.model_dump(mode="json")
                    yield model, part | {
                        "repository": released.repository,
                        "quantizer": quantizer,
                        "bits": bits,
                    }


_PTQ_RELEASED = list(_ptq_released_parts())
_PTQ_RELEASED_PARTS = {
    f"{part['quantizer']}.{number}-of-{len(_PTQ_RELEASED)}": (model, part)
    for number, (model, part) in enumerate(_PTQ_RELEASED, 1)
}

JOBS[_PTQ] = (
    [
        (name, dataset, method)
        for name in _PTQ_TRAINED
        for experiment in [getattr(_PTQ_CONFIG, name)]
        for dataset in experiment.datasets
        for method in ["train", *experiment.quantizers]
    ]
    + [
        ("equal_loss", dataset, method)
        for dataset in _PTQ_CONFIG.sweep.datasets
        for method in _PTQ_CONFIG.sweep.quantizers
    ]
    + [("geometry", dataset, "hessian") for dataset in _PTQ_CONFIG.geometry.datasets]
    + [("speed", "random", "race")]
    + [("released", model, name) for name, (model, _) in _PTQ_RELEASED_PARTS.items()]
)


rule ptq_dynamics_train:
    input:
        unpack(_ptq_texts),
    output:
        models=_PTQ_MODELS,
        metrics=job(_PTQ, method="train"),
    log:
        log_file("ptq_dynamics/{experiment}/{dataset}/train"),
    benchmark:
        job_benchmark(_PTQ, method="train")
    wildcard_constraints:
        experiment="|".join(_PTQ_TRAINED),
    priority: 1  # the longest jobs start first
    threads: step(_PTQ, "train").threads
    resources:
        **limits(_PTQ, "train"),
    params:
        settings=lambda w: settings(_PTQ, w.experiment),
        model=_PTQ_SHARED["model"],
        recipe=_PTQ_SHARED["recipe"],
        device=CONFIG.device,
        work=lambda w: f"work/{SCALE}/{_PTQ}/{w.dataset}-{_ptq_train_digest(w.experiment)}",
        code=code("ptq_dynamics/train.py"),
    script:
        "../../scripts/ptq_dynamics/train.py"


rule ptq_dynamics_quantize:
    input:
        unpack(_ptq_texts),
        models=_PTQ_MODELS,
    output:
        job(_PTQ),
    log:
        log_file("ptq_dynamics/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PTQ)
    wildcard_constraints:
        experiment="|".join(_PTQ_TRAINED),
        method="rtn|gptq|awq",
    threads: step(_PTQ, "quantize").threads
    resources:
        **limits(_PTQ, "quantize"),
    params:
        settings=lambda w: settings(_PTQ, w.experiment),
        model=_PTQ_SHARED["model"],
        recipe=_PTQ_SHARED["recipe"],
        evaluation=_PTQ_EVALUATION,
        device=CONFIG.device,
        code=lambda w: code(
            "ptq_dynamics/quantize.py", f"seedbed.ptq_dynamics.{w.method}"
        ),
    script:
        "../../scripts/ptq_dynamics/quantize.py"


rule ptq_dynamics_equal_loss:
    input:
        job(_PTQ, "cooldown"),
        job(_PTQ, "sweep"),
    output:
        job(_PTQ, "equal_loss"),
    log:
        log_file("ptq_dynamics/equal_loss/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PTQ, "equal_loss")
    threads: 1
    resources:
        **limits(),
    params:
        steps=_PTQ_CONFIG.sweep.steps,
        code=code("ptq_dynamics/equal_loss.py"),
    script:
        "../../scripts/ptq_dynamics/equal_loss.py"


rule ptq_dynamics_geometry:
    input:
        unpack(_ptq_texts),
        cooldown=_PTQ_MODELS.replace("{experiment}", "cooldown"),
        sweep=_PTQ_MODELS.replace("{experiment}", "sweep"),
    output:
        job(_PTQ, "geometry", method="hessian"),
    log:
        log_file("ptq_dynamics/geometry/{dataset}/hessian"),
    benchmark:
        job_benchmark(_PTQ, "geometry", method="hessian")
    threads: step(_PTQ, "geometry").threads
    resources:
        **limits(_PTQ, "geometry"),
    params:
        settings=settings(_PTQ, "geometry"),
        cooldown=settings(_PTQ, "cooldown"),
        sweep=settings(_PTQ, "sweep"),
        model=_PTQ_SHARED["model"],
        recipe=_PTQ_SHARED["recipe"],
        evaluation=_PTQ_EVALUATION,
        device=CONFIG.device,
        code=code("ptq_dynamics/geometry.py", "seedbed.ptq_dynamics.gptq"),
    script:
        "../../scripts/ptq_dynamics/geometry.py"


rule ptq_dynamics_speed:
    output:
        job(_PTQ, "speed", "random", "race"),
    log:
        log_file("ptq_dynamics/speed"),
    benchmark:
        job_benchmark(_PTQ, "speed", "random", "race")
    threads: exclusive()
    resources:
        **limits(_PTQ, "speed", alone=True),
    params:
        settings=settings(_PTQ, "speed"),
        code=code("ptq_dynamics/speed.py"),
    script:
        "../../scripts/ptq_dynamics/speed.py"


rule ptq_dynamics_released:
    input:
        data("lm", f"{_PTQ_CONFIG.released.corpus}/documents.parquet"),
    output:
        job(_PTQ, "released"),
    log:
        log_file("ptq_dynamics/released/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PTQ, "released")
    wildcard_constraints:
        method=r"\w+\.\d+-of-\d+",
    threads: step(_PTQ, "released").threads
    resources:
        **limits(_PTQ, "released"),
    params:
        settings=lambda w: {
            key: value
            for key, value in settings(_PTQ, "released").items()
            if key not in ("models", "quantizers")
        },
        part=lambda w: _PTQ_RELEASED_PARTS[w.method][1],
        device=CONFIG.device,
        code=lambda w: code(
            "ptq_dynamics/released.py",
            f"seedbed.ptq_dynamics.{_PTQ_RELEASED_PARTS[w.method][1]['quantizer']}",
        ),
    script:
        "../../scripts/ptq_dynamics/released.py"
