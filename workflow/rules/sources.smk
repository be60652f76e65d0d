"""Fetch a source of data or models once, for all papers that use it."""


rule download:
    output:
        MANIFEST,
    log:
        log_file("sources/download/{source}"),
    benchmark:
        step_benchmark("sources/download/{source}")
    localrule: True  # a compute node may have no network
    threads: 1
    resources:
        **limits(),
    params:
        source=lambda w: SOURCES[w.source].model_dump(mode="json"),
        missing_client=lambda w: missing_client(SOURCES[w.source]),
        code=code("sources/download.py"),
    script:
        "../../scripts/sources/download.py"


# Every source that the configuration lets us fetch: what `make mirror` copies.
rule downloads:
    input:
        [MANIFEST.format(source=source) for source in SOURCES if reachable(source)],
    log:
        log_file("sources/downloads"),
    localrule: True
    resources:
        **limits(),
