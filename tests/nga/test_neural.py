"""Neural graduated assignment: what holds whatever it learns."""

import numpy as np
import pytest
import torch
from labelled import random_graph, relabelled

from seedbed.core.graphs.graph import Graph
from seedbed.nga.adam import ClippedAdam
from seedbed.nga.association import association_common_graph
from seedbed.nga.common_subgraph import common_edges
from seedbed.nga.exact import maximum_common_edges
from seedbed.nga.neural import NeuralGraduatedAssignment, Settings, epochs_to, search, solve, temperature_signs
from seedbed.nga.theory import objective_change, product_step_error, random_scores, variance_identity_error

SHORT = {"epochs": 12, "learning_rate": 0.02, "samples": 3, "n_iter": 10, "dimension": 8}


def pairs(count, seed=0):
    generator = np.random.default_rng(seed)
    sizes = generator.integers(5, 11, size=(count, 2))
    kinds = range(2, 2 + count)
    return [
        (random_graph(generator, int(a), 0.4, node_kinds=k), random_graph(generator, int(b), 0.4, node_kinds=k))
        for (a, b), k in zip(sizes, kinds, strict=True)
    ]


def streams(count):
    return np.random.default_rng(7).spawn(count)


@pytest.mark.parametrize("variant", ["scalar_beta", "scalar", "fixed_beta", "acg_gnn"])
def test_maps_are_common_subgraphs_of_at_most_the_optimum(variant):
    chosen = pairs(4)
    for pair, found in zip(chosen, solve(chosen, streams(4), variant=variant, **SHORT), strict=True):
        assert len(common_edges(*pair, found.mapping)) <= maximum_common_edges(association_common_graph(*pair)).lower


def test_a_pair_does_not_see_the_others_of_its_batch():
    chosen = pairs(5)
    together = search(chosen, streams(5), Settings(**SHORT))
    for number in (0, 3):
        (alone,) = search([chosen[number]], [streams(5)[number]], Settings(**SHORT))
        assert alone.objective == pytest.approx(together[number].objective, rel=1e-3)
        assert alone.betas == pytest.approx(together[number].betas, abs=1e-3)


def test_the_same_streams_give_the_same_result():
    first, second = (search(pairs(2), streams(2), Settings(**SHORT)) for _ in range(2))
    assert all((a.objective == b.objective).all() for a, b in zip(first, second, strict=True))


def test_a_graph_is_mapped_to_its_own_copy():
    graph = random_graph(np.random.default_rng(5), 9, 0.35, node_kinds=4)
    copy = relabelled(graph, np.random.default_rng(6).permutation(9))
    (found,) = solve([(graph, copy)], streams(1), **SHORT | {"epochs": 40})
    assert len(common_edges(graph, copy, found.mapping)) == graph.n_edges


def test_a_node_without_a_partner_stays_unmatched():
    first = Graph.from_edges(3, [(0, 1), (1, 2)], node_labels=[0, 0, 9])
    second = Graph.from_edges(4, [(0, 1), (1, 2), (2, 3)], node_labels=[0, 0, 0, 0])
    network = NeuralGraduatedAssignment([(first, second)], Settings(**SHORT), streams(1))
    assignments = network.assignments()
    assert np.isfinite(assignments.detach().numpy()).all()
    assert assignments[0, :, 2].abs().max() == 0
    (found,) = solve([(first, second)], streams(1), **SHORT)
    assert found.mapping[2] == -1
    assert len(common_edges(first, second, found.mapping)) == 1


def test_the_objective_of_a_map_is_twice_its_edges():
    chosen = pairs(3)
    network = NeuralGraduatedAssignment(chosen, Settings(**SHORT), streams(3))
    assignments = np.zeros((3, 1, *network.batch.shape), dtype=np.float32)
    counts = []
    for number, graph in enumerate(network.batch.graphs):
        targets = np.random.default_rng(number).permutation(graph.shape[1])[: graph.shape[0]]
        assignments[number, 0, np.arange(len(targets)), targets] = 1
        counts.append(graph.count_edges(targets))
    soft = network.batch.objective(torch.from_numpy(assignments) * network.batch.mask)
    assert soft[:, 0].tolist() == [2 * count for count in counts]


def test_what_a_search_reports_is_what_its_epochs_showed():
    generator, settings = np.random.default_rng(0), Settings(**SHORT | {"layers": 0})
    pair = random_graph(generator, 14, 0.3), random_graph(generator, 16, 0.3)
    (found,) = search([pair], streams(1), settings)
    network = NeuralGraduatedAssignment([pair], settings, streams(1))
    epochs = list(network.train())
    assert [epoch.targets is None for epoch in epochs] == [True] * 6 + [False] * 6
    counts = np.array([network.batch.graphs[0].count_edges(epoch.targets[0]) for epoch in epochs[6:]])
    assert counts[-1].max() < counts.max() > counts[:, 0].max() > counts[:, 0].min()  # they can be told apart
    assert len(common_edges(*pair, found.mapping)) == counts.max()
    assert found.first_sample == counts[:, 0].max()
    assert (found.single, found.together) == (counts[-1].mean(), counts[-1].max())
    assert found.objective.tolist() == [epoch.objective[0].mean() / 2 for epoch in epochs]


def test_training_raises_the_objective():
    (found,) = search(pairs(1, seed=3), streams(1), Settings(**SHORT | {"epochs": 60}))
    assert found.objective[-5:].mean() > 1.2 * found.objective[:5].mean()


def test_an_unknown_variant_is_named():
    with pytest.raises(ValueError, match="variant 'x': allowed: scalar_beta"):
        NeuralGraduatedAssignment(pairs(1), Settings(variant="x"), streams(1))


def test_signs_and_epochs():
    betas = np.concatenate([np.full((11, 1), 0.1), np.full((5, 1), -0.1)])
    assert temperature_signs(betas) == {"negative_beta": 1.0, "sign_change": 1.0}
    assert temperature_signs(-betas[1:]) == {"negative_beta": 0.0, "sign_change": 1.0}  # the first epochs do not count
    assert temperature_signs(-betas[:5], settled=2) == {"negative_beta": 1.0, "sign_change": 0.0}
    assert epochs_to(np.array([1.0, 2.0, 3.0]), 2) == 2
    assert epochs_to(np.array([1.0, 2.0, 3.0]), 4) == 4


def test_identities_of_the_temperature():
    graph = association_common_graph(*pairs(1, seed=4)[0])
    generator = np.random.default_rng(0)
    scores = random_scores(graph, generator)
    assert 0 <= variance_identity_error(graph, scores) < 1e-6
    assert max(product_step_error(d, generator) for d in (1, 8, 32)) < 1e-12
    assert objective_change(graph, scores, 0.01) > 0 > objective_change(graph, scores, -0.01)


def test_the_control_moves_temperatures_faster_and_nothing_else():
    moved = {}
    for rate in (1.0, 32.0):
        network = NeuralGraduatedAssignment(pairs(1), Settings(**SHORT, temperature_rate=rate), streams(1))
        before = {name: weight.detach().clone() for name, weight in network.weights.items()}
        next(epochs := network.train())
        next(epochs)  # Adam's first step is its rate, whatever the gradient
        moved[rate] = {name: (network.weights[name] - before[name]).abs().max().item() for name in before}
    assert moved[32.0]["W1"] == pytest.approx(32 * moved[1.0]["W1"], rel=1e-3)
    assert moved[1.0]["W1"] == pytest.approx(SHORT["learning_rate"], rel=1e-3)
    assert moved[32.0]["node_self_0"] == moved[1.0]["node_self_0"]


def test_adam_is_that_of_torch_on_each_problem():
    generator = torch.Generator().manual_seed(0)
    start, target = torch.randn(2, 3, 4, 2, generator=generator)
    other = torch.ones(3, 2)

    def loss(weight, goal):
        return 5 * ((weight - goal) ** 4).sum()

    ours = [start.clone().requires_grad_(), other.clone().requires_grad_()]
    optimizer = ClippedAdam(ours, [0.05, 0.1], clip=1.0)
    for _ in range(20):
        optimizer.step(loss(ours[0], target))
    assert (ours[1] == 1).all()  # the loss does not depend on it
    for problem in range(3):
        weight = start[problem].clone().requires_grad_()
        reference = torch.optim.Adam([weight], lr=0.05)
        for _ in range(20):
            reference.zero_grad()
            loss(weight, target[problem]).backward()
            torch.nn.utils.clip_grad_norm_([weight], 1.0)
            reference.step()
        assert ours[0][problem].detach().numpy() == pytest.approx(weight.detach().numpy(), abs=1e-5)
