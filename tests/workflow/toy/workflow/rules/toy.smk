"""A toy paper: its jobs read one file and draw random numbers."""

JOBS["toy"] = [
    ("main", dataset, method)
    for dataset in PAPER_CONFIG["toy"].main.datasets
    for method in PAPER_CONFIG["toy"].main.methods
]


rule toy_prepare:
    input:
        MANIFEST.format(source="toy-table"),
    output:
        data("toy", "{dataset}.parquet"),
    log:
        log_file("toy/prepare/{dataset}"),
    benchmark:
        step_benchmark("toy/prepare/{dataset}")
    threads: 1
    resources:
        **limits(),
    params:
        code=code("toy/prepare.py"),
    script:
        "../../scripts/toy/prepare.py"


rule toy_measure:
    input:
        data("toy", "{dataset}.parquet"),
    output:
        job("toy"),
    log:
        log_file("toy/{experiment}/{dataset}/{method}"),
    benchmark:
        job_benchmark("toy")
    wildcard_constraints:
        experiment="main",
    threads: step("toy", "measure").threads
    resources:
        **limits("toy", "measure"),
    params:
        settings=lambda w: settings("toy", w.experiment),
        code=lambda w: code("toy/measure.py", f"seedbed.toy.{w.method}"),
    script:
        "../../scripts/toy/measure.py"
