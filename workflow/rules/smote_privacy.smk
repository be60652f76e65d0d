"""SMOTE and Mirrors: prepare the tables, attack oversampled ones, audit them the usual way, race the attacks."""

_PAPER = "smote_privacy"
_CONFIG = PAPER_CONFIG[_PAPER]
_TABLE = data(_PAPER, "{dataset}.parquet")


def _datasets(experiment):
    """Data sets of an experiment whose sources the configuration lets us fetch."""
    return [
        name for name in experiment.datasets if reachable(_CONFIG.datasets[name].source)
    ]


_ATTACKS = ["attack", "ratio", "neighbours", "noise"]
_DISTANCES = ["distance", "forest"]
_MEMBERSHIPS = ["membership_syn", "membership_clf"]
JOBS[_PAPER] = [
    (name, dataset, method)
    for name in [*_ATTACKS, *_DISTANCES, *_MEMBERSHIPS]
    for experiment in [getattr(_CONFIG, name)]
    for dataset in _datasets(experiment)
    for method in experiment.methods
] + [("speed", _CONFIG.speed.dataset, "race")]


rule smote_privacy_prepare:
    input:
        lambda w: MANIFEST.format(source=_CONFIG.datasets[w.dataset].source),
    output:
        _TABLE,
    log:
        log_file("smote_privacy/prepare/{dataset}"),
    benchmark:
        step_benchmark("smote_privacy/prepare/{dataset}")
    threads: step(_PAPER, "prepare").threads
    resources:
        **limits(_PAPER, "prepare"),
    params:
        file=lambda w: _CONFIG.datasets[w.dataset].file,
        code=code("smote_privacy/prepare.py"),
    script:
        "../../scripts/smote_privacy/prepare.py"


rule smote_privacy_attack:
    input:
        _TABLE,
    output:
        job(_PAPER),
    log:
        log_file("smote_privacy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER)
    wildcard_constraints:
        experiment="|".join(_ATTACKS),
    threads: step(_PAPER, "attack").threads
    resources:
        **limits(_PAPER, "attack"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        code=lambda w: code(
            "smote_privacy/attack.py", f"seedbed.smote_privacy.{w.method}"
        ),
    script:
        "../../scripts/smote_privacy/attack.py"


rule smote_privacy_distance:
    input:
        _TABLE,
    output:
        job(_PAPER),
    log:
        log_file("smote_privacy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER)
    wildcard_constraints:
        experiment="|".join(_DISTANCES),
    threads: step(_PAPER, "distance").threads
    resources:
        **limits(_PAPER, "distance"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        code=lambda w: code(
            "smote_privacy/distance.py", f"seedbed.smote_privacy.{w.method}"
        ),
    script:
        "../../scripts/smote_privacy/distance.py"


rule smote_privacy_membership:
    input:
        _TABLE,
    output:
        job(_PAPER),
    log:
        log_file("smote_privacy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_PAPER)
    wildcard_constraints:
        experiment="|".join(_MEMBERSHIPS),
    priority: 1  # the longest jobs start first
    threads: step(_PAPER, "membership").threads
    resources:
        **limits(_PAPER, "membership"),
    params:
        settings=lambda w: settings(_PAPER, w.experiment),
        code=code("smote_privacy/membership.py"),
    script:
        "../../scripts/smote_privacy/membership.py"


rule smote_privacy_speed:
    input:
        data(_PAPER, f"{_CONFIG.speed.dataset}.parquet"),
    output:
        job(_PAPER, "speed", _CONFIG.speed.dataset, "race"),
    log:
        log_file("smote_privacy/speed"),
    benchmark:
        job_benchmark(_PAPER, "speed", _CONFIG.speed.dataset, "race")
    threads: exclusive()
    resources:
        **limits(_PAPER, "speed", alone=True),
    params:
        settings=settings(_PAPER, "speed"),
        code=code("smote_privacy/speed.py"),
    script:
        "../../scripts/smote_privacy/speed.py"
