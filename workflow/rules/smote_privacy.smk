"""SMOTE and Mirrors: prepare the tables, attack oversampled ones, audit them the usual way, race the attacks."""

_SMOTE = "smote_privacy"
_SMOTE_CONFIG = PAPER_CONFIG[_SMOTE]
_SMOTE_TABLE = data(_SMOTE, "{dataset}.parquet")


def _smote_datasets(experiment):
    """Data sets of an experiment whose sources the configuration lets us fetch."""
    return [
        name
        for name in experiment.datasets
        if reachable(_SMOTE_CONFIG.datasets[name].source)
    ]


_ATTACKS = ["attack", "ratio", "neighbours", "noise"]
_DISTANCES = ["distance", "forest"]
_MEMBERSHIPS = ["membership_syn", "membership_clf"]
JOBS[_SMOTE] = [
    (name, dataset, method)
    for name in [*_ATTACKS, *_DISTANCES, *_MEMBERSHIPS]
    for experiment in [getattr(_SMOTE_CONFIG, name)]
    for dataset in _smote_datasets(experiment)
    for method in experiment.methods
] + [("speed", _SMOTE_CONFIG.speed.dataset, "race")]


rule smote_privacy_prepare:
    input:
        lambda w: MANIFEST.format(source=_SMOTE_CONFIG.datasets[w.dataset].source),
    output:
        _SMOTE_TABLE,
    log:
        log_file("smote_privacy/prepare/{dataset}"),
    benchmark:
        step_benchmark("smote_privacy/prepare/{dataset}")
    threads: step(_SMOTE, "prepare").threads
    resources:
        **limits(_SMOTE, "prepare"),
    params:
        file=lambda w: _SMOTE_CONFIG.datasets[w.dataset].file,
        code=code("smote_privacy/prepare.py"),
    script:
        "../../scripts/smote_privacy/prepare.py"


rule smote_privacy_attack:
    input:
        _SMOTE_TABLE,
    output:
        job(_SMOTE),
    log:
        log_file("smote_privacy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_SMOTE)
    wildcard_constraints:
        experiment="|".join(_ATTACKS),
    threads: step(_SMOTE, "attack").threads
    resources:
        **limits(_SMOTE, "attack"),
    params:
        settings=lambda w: settings(_SMOTE, w.experiment),
        code=lambda w: code(
            "smote_privacy/attack.py", f"seedbed.smote_privacy.{w.method}"
        ),
    script:
        "../../scripts/smote_privacy/attack.py"


rule smote_privacy_distance:
    input:
        _SMOTE_TABLE,
    output:
        job(_SMOTE),
    log:
        log_file("smote_privacy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_SMOTE)
    wildcard_constraints:
        experiment="|".join(_DISTANCES),
    threads: step(_SMOTE, "distance").threads
    resources:
        **limits(_SMOTE, "distance"),
    params:
        settings=lambda w: settings(_SMOTE, w.experiment),
        code=lambda w: code(
            "smote_privacy/distance.py", f"seedbed.smote_privacy.{w.method}"
        ),
    script:
        "../../scripts/smote_privacy/distance.py"


rule smote_privacy_membership:
    input:
        _SMOTE_TABLE,
    output:
        job(_SMOTE),
    log:
        log_file("smote_privacy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark(_SMOTE)
    wildcard_constraints:
        experiment="|".join(_MEMBERSHIPS),
    priority: 1  # the longest jobs start first
    threads: step(_SMOTE, "membership").threads
    resources:
        **limits(_SMOTE, "membership"),
    params:
        settings=lambda w: settings(_SMOTE, w.experiment),
        code=code("smote_privacy/membership.py"),
    script:
        "../../scripts/smote_privacy/membership.py"


rule smote_privacy_speed:
    input:
        data(_SMOTE, f"{_SMOTE_CONFIG.speed.dataset}.parquet"),
    output:
        job(_SMOTE, "speed", _SMOTE_CONFIG.speed.dataset, "race"),
    log:
        log_file("smote_privacy/speed"),
    benchmark:
        job_benchmark(_SMOTE, "speed", _SMOTE_CONFIG.speed.dataset, "race")
    threads: exclusive()
    resources:
        **limits(_SMOTE, "speed", alone=True),
    params:
        settings=settings(_SMOTE, "speed"),
        code=code("smote_privacy/speed.py"),
    script:
        "../../scripts/smote_privacy/speed.py"
