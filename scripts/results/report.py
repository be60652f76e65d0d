"""Build the report of all papers.

Inputs: each paper's claims.csv, checks.csv, costs.csv and figures. Outputs: report.html, claims.csv, claims.md.
"""

from pathlib import Path

from seedbed.core.claims.card import load_card
from seedbed.core.claims.holm import holm_summary
from seedbed.core.files import write_whole
from seedbed.core.job import run
from seedbed.core.report.build import all_claims, load_results, markdown, render
from seedbed.core.report.environment import environment


def main(snakemake):
    folder = Path(snakemake.output.html).parent
    cards = {paper: load_card(f"seeds/{paper}.yaml") for paper in snakemake.params.papers}
    papers = [load_results(paper, card, folder / paper) for paper, card in cards.items()]
    claims = all_claims(papers)
    write_whole(snakemake.output.csv, claims.to_csv(index=False))
    write_whole(snakemake.output.md, markdown(claims))
    write_whole(snakemake.output.html, render(papers, snakemake.config["scale"], environment(), holm_summary(papers)))


run(main, snakemake)
