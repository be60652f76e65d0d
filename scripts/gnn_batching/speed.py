"""Race the sampler against two plain ones, and training steps of several batch sizes and fan-outs against each other.

Input: the graph. Output: metrics, all depending on the clock: how many times as fast the sampler is, and target nodes a
second over those of the sampler's batch size and fan-out.
"""

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
    graph, dataset = read_graph(snakemake.input[0]), settings["dataset"]
    split = Split.draw(
        graph.n_nodes, *(grid[name] for name in ("n_train", "n_val", "n_test")), rng(0, "split", dataset)
    )
    b, fan_out = settings["batch_size"], settings["fan_out"]
    adjacency, stream = graph.to_scipy(), rng(0, "speed", dataset)
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
        race_training(graph, split, grid, settings, seed, metrics)
    metrics.write(snakemake.output[0])


def race_training(graph, split, grid, settings, seed, metrics):
    """Target nodes a second on the lines of the grid through its middle, over those at the middle."""
    n_iter, sizes, fan_outs = settings["n_iter"], grid["batch_sizes"], grid["fan_outs"]
    middle = (sizes[len(sizes) // 2], settings["fan_out"])
    cells = dict.fromkeys([(b, middle[1]) for b in sizes] + [(middle[0], fan_out) for fan_out in fan_outs])
    options = {"rates": grid["rates"], "n_iter": n_iter, "check": n_iter, "evaluate": n_iter}
    peers = {
        cell: lambda cell=cell: train(graph, [split], [rng(0, "speed", settings["dataset"])], *cell, **options)
        for cell in cells
    }
    nodes = {cell: cell[0] / seconds for cell, seconds in race(peers, dict.fromkeys(cells, 2)).items()}
    for cell in cells:
        factors = {"batch_size": cell[0], "fan_out": cell[1]}
        metrics.add(seed, {"throughput": nodes[cell] / nodes[middle]}, timing=True, **factors)


run(main, snakemake)
