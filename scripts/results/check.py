"""Decide the claims of a paper from its metrics, by the rules of its card.

Input: metrics.parquet. Outputs: claims.csv (one row a claim), checks.csv (one row a check), summary.json (for DVC).
"""

import json

from seedbed.core.claims.card import load_card
from seedbed.core.claims.engine import check_claims, summary
from seedbed.core.files import write_whole
from seedbed.core.job import run
from seedbed.core.tables import read_table, read_unavailable


def main(snakemake):
    card = load_card(f"seeds/{snakemake.params.paper}.yaml")
    metrics = read_table(snakemake.input[0])
    claims, checks = check_claims(card, metrics, snakemake.params.config, read_unavailable(snakemake.input[0]))
    write_whole(snakemake.output.claims, claims.to_csv(index=False))
    write_whole(snakemake.output.checks, checks.to_csv(index=False))
    write_whole(snakemake.output.summary, json.dumps(summary(claims), indent=1) + "\n")


run(main, snakemake)
