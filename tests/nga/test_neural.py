"""Neural graduated assignment: what holds whatever it learns."""

import numpy as np
import pytest
from labelled import random_graph, relabelled

from seedbed.core.graphs.graph import Graph
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
    import torch

    soft = network.batch.objective(torch.from_numpy(assignments) * network.batch.mask)
    assert soft[:, 0].tolist() == [2 * count for count in counts]


def test_training_raises_the_objective():
    (found,) = search(pairs(1, seed=3), streams(1), Settings(**SHORT | {"epochs": 60}))
    assert found.objective[-5:].mean() > 1.2 * found.objective[:5].mean()


def test_an_unknown_variant_is_named():
    with pytest.raises(ValueError, match="variant 'x': allowed: scalar_beta"):
        NeuralGraduatedAssignment(pairs(1), Settings(variant="x"), streams(1))


def test_signs_and_epochs():
    betas = np.concatenate([np.full((11, 1), 0.1), np.full((5, 1), -0.1)])
    assert temperature_signs(betas) == {"negative_beta": 1.0, "sign_change": 1.0}
    assert temperature_signs(-betas[:5], settled=2) == {"negative_beta": 1.0, "sign_change": 0.0}
    assert epochs_to(np.array([1.0, 2.0, 3.0]), 2) == 2
    assert epochs_to(np.array([1.0, 2.0, 3.0]), 4) == 4


def test_identities_of_the_temperature():
    graph = association_common_graph(*pairs(1, seed=4)[0])
    generator = np.random.default_rng(0)
    scores = random_scores(graph, generator)
    assert variance_identity_error(graph, scores) < 1e-6
    assert max(product_step_error(d, generator) for d in (1, 8, 32)) < 1e-12
    assert objective_change(graph, scores, 0.01) > 0 > objective_change(graph, scores, -0.01)
