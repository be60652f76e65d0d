"""The tail that all papers share: collect the jobs' metrics, check the claims, plot, report."""


def card_digest(paper):
    """Digest of a card's content; comments do not count."""
    return data_digest(CARD[paper].model_dump(mode="json"))


for paper in PAPERS:

    rule:
        name:
            f"{paper}_collect"
        input:
            [job(paper, *which) for which in JOBS[paper]],
        output:
            metrics=f"{RESULTS}/{paper}/metrics.parquet",
            costs=f"{RESULTS}/{paper}/costs.csv",
        log:
            log_file(f"{paper}/collect"),
        benchmark:
            step_benchmark(f"{paper}/collect")
        localrule: True
        threads: 1
        resources:
            **limits(),
        params:
            jobs=JOBS[paper],
            benchmarks=[job_benchmark(paper, *which) for which in JOBS[paper]],
            code=code("results/collect.py"),
        script:
            "../../scripts/results/collect.py"

    rule:
        name:
            f"{paper}_check"
        input:
            f"{RESULTS}/{paper}/metrics.parquet",
        output:
            claims=f"{RESULTS}/{paper}/claims.csv",
            checks=f"{RESULTS}/{paper}/checks.csv",
            summary=f"{RESULTS}/{paper}/summary.json",
        log:
            log_file(f"{paper}/check"),
        benchmark:
            step_benchmark(f"{paper}/check")
        localrule: True
        threads: 1
        resources:
            **limits(),
        params:
            paper=paper,
            card=card_digest(paper),
            config=CONFIG.model_dump(mode="json", include={"scale", "sources"}),
            code=code(
                "results/check.py", *optional_module(f"seedbed.{paper}.statistics")
            ),
        script:
            "../../scripts/results/check.py"

    rule:
        name:
            f"{paper}_plot"
        input:
            f"{RESULTS}/{paper}/metrics.parquet",
        output:
            [
                f"{RESULTS}/{paper}/figures/{figure}.svg"
                for figure in CARD[paper].figures
            ],
        log:
            log_file(f"{paper}/plot"),
        benchmark:
            step_benchmark(f"{paper}/plot")
        localrule: True
        threads: 1
        resources:
            **limits(),
        params:
            paper=paper,
            code=code("results/plot.py", f"seedbed.{paper}.figures"),
        script:
            "../../scripts/results/plot.py"

    rule:
        name:
            paper
        input:
            # In a clone git has the tables but not the metrics: asking for these too makes it compute them.
            getattr(rules, f"{paper}_collect").output,
            getattr(rules, f"{paper}_check").output,
            getattr(rules, f"{paper}_plot").output,
        log:
            log_file(paper),
        localrule: True
        resources:
            **limits(),


rule report:
    input:
        [getattr(rules, paper).input for paper in PAPERS],
    output:
        html=REPORT,
        csv=f"{RESULTS}/claims.csv",
        md=f"{RESULTS}/claims.md",
    log:
        log_file("report"),
    benchmark:
        step_benchmark("report")
    localrule: True
    threads: 1
    resources:
        **limits(),
    params:
        papers=PAPERS,
        cards=[card_digest(paper) for paper in PAPERS],
        code=code("results/report.py"),
    script:
        "../../scripts/results/report.py"
