# Seedbed re-measures the headline claims of papers. Each paper is a card in seeds/, a config in config/, a DAG in
# workflow/rules/ and a package in src/seedbed/; papers are found by their cards.
#
#     snakemake all                                 every paper, at the scale of config/config.yaml
#     snakemake smote_privacy                       one paper
#     snakemake --config scale=smoke -- all         a first look


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/sources.smk"
include: "workflow/rules/lm.smk"


for paper in PAPERS:

    include: f"workflow/rules/{paper}.smk"


include: "workflow/rules/results.smk"


rule all:
    default_target: True
    input:
        REPORT,
    log:
        log_file("all"),
    localrule: True
    resources:
        **limits(),
