"""Measure how far the sampled structure of training nodes lies from the full structure, by batch size and fan-out.

Input: the graph. Output: metrics with the factors `fan_out` (sums of discrepancies, distance over all training nodes)
and `batch_size` (distance over the training nodes that the first iterations see).
"""

from seedbed.core.graphs.load import read_graph
from seedbed.core.graphs.neighbours import sample_neighbours
from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.random import rng
from seedbed.gnn_batching.one_layer import Split, full_inputs
from seedbed.gnn_batching.structure import feature_discrepancy, row_discrepancy, squared_distances, structure_distance


def main(snakemake):
    settings, grid, dataset = snakemake.params.settings, snakemake.params.grid, snakemake.wildcards.dataset
    graph = read_graph(snakemake.input[0])
    x, y, d = graph.node_features, graph.node_labels, graph.node_features.shape[1]
    means = full_inputs(graph)[:, d : 2 * d]
    metrics = Metrics("structure", dataset, "transport")
    sizes = [grid[name] for name in ("n_train", "n_val", "n_test")]
    for seed in range(settings["seeds"]):
        split = Split.draw(graph.n_nodes, *sizes, rng(seed, "split", dataset))
        test = split.test[: settings["n_test"]]
        penalty = squared_distances(means[split.train], means[test]).max()
        streams = rng(seed, "structure", dataset).spawn(len(grid["fan_outs"]))
        for fan_out, stream in zip(grid["fan_outs"], streams, strict=True):
            sums = {
                "row_discrepancy": row_discrepancy(graph.degrees, fan_out)[split.train].sum(),
                "feature_discrepancy": feature_discrepancy(graph, fan_out)[split.train].sum(),
            }
            metrics.add(seed, sums, fan_out=fan_out)
            if fan_out >= graph.degrees.max():
                sampled = means[split.train]
            else:
                uniforms = stream.random((len(split.train), fan_out))
                sampled = sample_neighbours(graph, split.train, fan_out, uniforms).mean(x)
            known = {}  # the rows seen depend on the batch size only until they are all
            for batch_size in grid["batch_sizes"]:
                seen = min(settings["iterations"] * batch_size, len(split.train))
                if seen not in known:
                    labels = y[split.train[:seen]], y[test]
                    known[seen] = structure_distance(sampled[:seen], means[test], *labels, penalty)
                metrics.add(seed, {"distance": known[seen]}, fan_out=fan_out, batch_size=batch_size)
    metrics.write(snakemake.output[0])


run(main, snakemake)
