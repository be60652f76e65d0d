"""schedpred: classes of instances, then one machine, identical and related machines: adversaries, samples, searches."""

_SCHEDPRED = "schedpred"
_SCHEDPRED_CONFIG = PAPER_CONFIG[_SCHEDPRED]
_SCHEDPRED_WORST = (
    f"{RESULTS}/{_SCHEDPRED}/jobs/{{experiment}}/{{dataset}}/{{method}}.worst.json"
)


_IDENTICAL = [
    "identical_game",
    "identical_robust",
    "identical_small",
    "identical_large",
    "identical_search",
]
_RELATED = ["related_game", "related_growth", "related_random", "related_search"]


def _schedpred_jobs(dataset, experiments):
    """(experiment, dataset, method) of each policy of some experiments."""
    return [
        (experiment, dataset, method)
        for experiment in experiments
        for method in getattr(_SCHEDPRED_CONFIG, experiment).methods
    ]


def _parameters(wildcards):
    """Parameter sets of a single-machine policy."""
    return _SCHEDPRED_CONFIG.policies[wildcards.method]


JOBS[_SCHEDPRED] = [
    *_schedpred_jobs("single", ["search", "game", "random", "absolute_error", "speed"]),
    ("partition", "single", "definition"),
    ("extreme", "single", "spjf"),
    *_schedpred_jobs("identical", _IDENTICAL),
    *_schedpred_jobs("related", _RELATED),
]


rule schedpred_partition:
    output:
        job(_SCHEDPRED, "partition", "single", "definition"),
    log:
        log_file("schedpred/partition"),
    benchmark:
        job_benchmark(_SCHEDPRED, "partition", "single", "definition")
    threads: step(_SCHEDPRED, "partition").threads
    resources:
        **limits(_SCHEDPRED, "partition"),
    params:
        settings=settings(_SCHEDPRED, "partition"),
        code=code("schedpred/partition.py"),
    script:
        "../../scripts/schedpred/partition.py"


rule schedpred_absolute_error:
    output:
        job(_SCHEDPRED, "absolute_error", "single"),
    log:
        log_file("schedpred/absolute_error/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, "absolute_error", "single")
    threads: step(_SCHEDPRED, "absolute_error").threads
    resources:
        **limits(_SCHEDPRED, "absolute_error"),
    params:
        settings=settings(_SCHEDPRED, "absolute_error"),
        policies=_parameters,
        code=lambda w: code(
            "schedpred/absolute_error.py", f"seedbed.schedpred.{w.method}"
        ),
    script:
        "../../scripts/schedpred/absolute_error.py"


rule schedpred_game:
    output:
        metrics=job(_SCHEDPRED, "game", "single"),
        worst=_SCHEDPRED_WORST.format(
            experiment="game", dataset="single", method="{method}"
        ),
    log:
        log_file("schedpred/game/single/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, "game", "single")
    threads: step(_SCHEDPRED, "game").threads
    resources:
        **limits(_SCHEDPRED, "game"),
    params:
        settings=settings(_SCHEDPRED, "game"),
        policies=_parameters,
        code=lambda w: code("schedpred/game.py", f"seedbed.schedpred.{w.method}"),
    script:
        "../../scripts/schedpred/game.py"


rule schedpred_sample:
    output:
        metrics=job(_SCHEDPRED, "random", "single"),
        worst=_SCHEDPRED_WORST.format(
            experiment="random", dataset="single", method="{method}"
        ),
    log:
        log_file("schedpred/random/single/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, "random", "single")
    threads: step(_SCHEDPRED, "sample").threads
    resources:
        **limits(_SCHEDPRED, "sample"),
    params:
        settings=settings(_SCHEDPRED, "random"),
        policies=_parameters,
        code=lambda w: code("schedpred/sample.py", f"seedbed.schedpred.{w.method}"),
    script:
        "../../scripts/schedpred/sample.py"


rule schedpred_search:
    output:
        metrics=job(_SCHEDPRED, "search", "single"),
        worst=_SCHEDPRED_WORST.format(
            experiment="search", dataset="single", method="{method}"
        ),
    log:
        log_file("schedpred/search/single/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, "search", "single")
    threads: step(_SCHEDPRED, "search").threads
    resources:
        **limits(_SCHEDPRED, "search"),
    params:
        settings=settings(_SCHEDPRED, "search"),
        policies=_parameters,
        code=lambda w: code("schedpred/search.py", f"seedbed.schedpred.{w.method}"),
    script:
        "../../scripts/schedpred/search.py"


rule schedpred_extreme:
    output:
        job(_SCHEDPRED, "extreme", "single", "spjf"),
    log:
        log_file("schedpred/extreme"),
    benchmark:
        job_benchmark(_SCHEDPRED, "extreme", "single", "spjf")
    threads: step(_SCHEDPRED, "extreme").threads
    resources:
        **limits(_SCHEDPRED, "extreme"),
    params:
        settings=settings(_SCHEDPRED, "extreme"),
        code=code("schedpred/extreme.py"),
    script:
        "../../scripts/schedpred/extreme.py"


rule schedpred_speed:
    output:
        job(_SCHEDPRED, "speed", "single"),
    log:
        log_file("schedpred/speed/single/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, "speed", "single")
    threads: exclusive()
    resources:
        **limits(_SCHEDPRED, "speed", alone=True),
    params:
        settings=settings(_SCHEDPRED, "speed"),
        policies=_parameters,
        code=lambda w: code("schedpred/speed.py", f"seedbed.schedpred.{w.method}"),
    script:
        "../../scripts/schedpred/speed.py"


rule schedpred_identical:
    output:
        metrics=job(_SCHEDPRED, dataset="identical"),
        worst=_SCHEDPRED_WORST.format(
            experiment="{experiment}", dataset="identical", method="{method}"
        ),
    log:
        log_file("schedpred/{experiment}/identical/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, dataset="identical")
    wildcard_constraints:
        experiment="|".join(_IDENTICAL),
    threads: step(_SCHEDPRED, "identical").threads
    resources:
        **limits(_SCHEDPRED, "identical"),
    params:
        settings=lambda w: settings(_SCHEDPRED, w.experiment),
        code=code("schedpred/identical.py"),
    script:
        "../../scripts/schedpred/identical.py"


rule schedpred_related:
    output:
        metrics=job(_SCHEDPRED, dataset="related"),
        worst=_SCHEDPRED_WORST.format(
            experiment="{experiment}", dataset="related", method="{method}"
        ),
    log:
        log_file("schedpred/{experiment}/related/{method}"),
    benchmark:
        job_benchmark(_SCHEDPRED, dataset="related")
    wildcard_constraints:
        experiment="|".join(_RELATED),
    threads: step(_SCHEDPRED, "related").threads
    resources:
        **limits(_SCHEDPRED, "related"),
    params:
        settings=lambda w: settings(_SCHEDPRED, w.experiment),
        code=code("schedpred/related.py"),
    script:
        "../../scripts/schedpred/related.py"
