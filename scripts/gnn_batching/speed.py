"""Race the sampler against two plain ones, and training steps of several batch sizes and fan-outs against each other.

Input: the graph; metrics of `grid` on it, for the iterations to an accuracy. Output: metrics, all depending on the
clock: how many times as fast the sampler is; target nodes a second and seconds to the accuracy, over the middle cell.
"""

import pyarrow.compute as pc
import pyarrow.parquet as pq

from seedbed.core.graphs.load import read_graph
from seedbed.core.graphs.neighbours import sample_neighbours
from seedbed.core.job import run
from seedbed.core.metrics import Metrics
from seedbed.core.race import race
from seedbed.core.random import rng
from seedbed.gnn_batching.one_layer import Split, train
from seedbed.gnn_batching.plain_samplers import loop_sample, scipy_sample


def main(snakemake):
    settings, grid = snakemake.params.settings, snakemake.params.grid
    graph, dataset = read_graph(snakemake.input.graph), settings["dataset"]
    split = Split.draw(
        graph.n_nodes, *(grid[name] for name in ("n_train", "n_val", "n_test")), rng(0, "split", dataset)
    )
    b, fan_out = settings["batch_size"], settings["fan_out"]
    adjacency, stream = graph.to_scipy(), rng(0, "speed", dataset)
    iterations = iterations_to_accuracy(snakemake.input.trained)
    metrics = Metrics("speed", dataset, "race")
    for seed in range(settings["repeats"]):
        nodes = stream.permutation(graph.n_nodes)[:b]
        peers = {
            "ours": lambda nodes=nodes: sample_neighbours(graph, nodes, fan_out, stream.random((b, fan_out))),
            "scipy": lambda nodes=nodes: scipy_sample(adjacency, nodes, fan_out, stream),
            "loop": lambda nodes=nodes: loop_sample(graph, nodes, fan_out, stream),
        }
        seconds = race(peers, {"ours": 5, "scipy": 5, "loop": 2})
        for peer in ("scipy", "loop"):
            metrics.add(seed, {"sampler_speedup": seconds[peer] / seconds["ours"]}, timing=True, peer=peer)
        race_training(graph, split, grid, settings, seed, iterations, metrics)
    metrics.write(snakemake.output[0])


def iterations_to_accuracy(path):
    """(seed, batch size, fan-out) -> iterations of cross-entropy to the accuracy, at the best of the rates."""
    table = pq.read_table(path)
    wanted = {"metric": "iterations", "criterion": "accuracy", "rate": "best", "loss": "ce"}
    for column, value in wanted.items():
        table = table.filter(pc.equal(table[column], value))
    rows = table.select(["seed", "batch_size", "fan_out", "value"]).to_pylist()
    return {(row["seed"], row["batch_size"], row["fan_out"]): row["value"] for row in rows}


def race_training(graph, split, grid, settings, seed, iterations, metrics):
    """The lines of the grid through its middle, and its full-graph corner, against the middle."""
    n_iter, sizes, fan_outs = settings["n_iter"], grid["batch_sizes"], grid["fan_outs"]
    middle, corner = (sizes[len(sizes) // 2], settings["fan_out"]), (sizes[-1], fan_outs[-1])
    cells = [(b, middle[1]) for b in sizes] + [(middle[0], fan_out) for fan_out in fan_outs] + [corner]
    cells = list(dict.fromkeys(cells))
    options = {"rates": grid["rates"], "n_iter": n_iter, "check": n_iter, "evaluate": n_iter}
    peers = {
        cell: lambda cell=cell: train(graph, [split], [rng(0, "speed", settings["dataset"])], *cell, **options)
        for cell in cells
    }
    seconds = {cell: lap / n_iter for cell, lap in race(peers, dict.fromkeys(cells, 2)).items()}  # of an iteration
    times = {cell: seconds[cell] * iterations[seed, *cell] for cell in cells}
    for cell in cells:
        values = {
            "throughput": (cell[0] / seconds[cell]) / (middle[0] / seconds[middle]),
            "time_to_accuracy": times[cell] / times[middle],
        }
        metrics.add(seed, values, timing=True, batch_size=cell[0], fan_out=cell[1])


run(main, snakemake)
