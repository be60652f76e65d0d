"""Prove the maximum common edge subgraph of every pair of one data set, by mixed-integer programming.

Input: pairs. Outputs: maps and bounds; metrics: common edges, nodes of both molecules, whether the optimum is proven.
"""

from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.pool import work_off
from seedbed.nga.association import association_common_graph
from seedbed.nga.exact import maximum_common_edges
from seedbed.nga.optima import Reference, write_optima
from seedbed.nga.pairs import read_pairs


def main(snakemake):
    pairs = read_pairs(snakemake.input[0]).graphs

    def prove(pair):
        graph = association_common_graph(*pair)
        optimum = maximum_common_edges(graph, node_limit=snakemake.params.node_limit)
        return Reference(graph.mapping(optimum.targets), optimum.lower, optimum.upper)

    optima = work_off(prove, pairs, snakemake.threads)
    metrics = Metrics("optimum", snakemake.wildcards.dataset, "exact")
    for number, (pair, optimum) in enumerate(zip(pairs, optima, strict=True)):
        values = {"edges": optimum.lower, "proven": optimum.lower == optimum.upper}
        sizes = {"nodes_first": pair[0].n_nodes, "nodes_second": pair[1].n_nodes}
        metrics.add(0, values | sizes, pair=number)
    write_optima(optima, snakemake.output.optima)
    metrics.write(snakemake.output.metrics)


run(main, snakemake)
