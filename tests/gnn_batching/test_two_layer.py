"""Blocks that keep all neighbours give the outputs of the full graph; networks side by side do not touch each other."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.gnn_batching.one_layer import Curves, Split
from seedbed.gnn_batching.two_layer import GraphSAGE, full_inputs, losses, sampled_inputs, train

GRAPH = stochastic_block_model(300, 3, 8, 0.6, 4, 1.0, np.random.default_rng(0))
SPLIT = Split.draw(300, 128, 64, 100, np.random.default_rng(9))


def network(models=2):
    return GraphSAGE(4, 8, 3, models, np.random.default_rng(0))


def test_blocks_of_all_neighbours_give_the_outputs_of_the_full_graph():
    model, nodes = network(), np.array([5, 17, 90])
    exact = model(full_inputs(GRAPH)(nodes))
    everything = (100, 100)
    assert torch.allclose(exact, model(sampled_inputs(GRAPH, nodes, everything, np.random.default_rng(0))), atol=1e-5)
    for fewer in ((2, 100), (100, 2)):
        sampled = model(sampled_inputs(GRAPH, nodes, fewer, np.random.default_rng(0)))
        assert not torch.allclose(exact, sampled, atol=1e-2)


def test_outputs_are_those_of_a_dense_network():
    model, x = network(1), torch.from_numpy(GRAPH.node_features)
    mean = torch.from_numpy((GRAPH.to_scipy().toarray() / np.maximum(GRAPH.degrees, 1)[:, None]).astype(np.float32))
    h = torch.cat([x, mean @ x], 1) @ model.first[0]
    h = torch.relu(functional.layer_norm(h, (8,)))
    dense = torch.cat([h, mean @ h], 1) @ model.second[0]
    assert torch.allclose(model(full_inputs(GRAPH)(np.arange(300)))[0], dense, atol=1e-5)


def test_each_loss_moves_its_own_network():
    model, nodes = network(), np.arange(20)
    labels = torch.from_numpy(GRAPH.node_labels[nodes])
    losses(model(full_inputs(GRAPH)(nodes)), labels)[0].backward()
    assert model.first.grad[0].abs().max() > 0
    assert model.first.grad[1].abs().max() == 0


def test_losses_are_those_of_the_theory():
    z, labels = torch.randn(2, 6, 3, generator=torch.Generator().manual_seed(0)), torch.tensor([0, 1, 2, 0, 0, 1])
    ce, mse = losses(z, labels).tolist()
    assert ce == pytest.approx(-z[0].log_softmax(1)[range(6), labels].mean().item(), rel=1e-5)
    assert mse == pytest.approx(functional.mse_loss(z[1].clamp(min=0), torch.eye(3)[labels]).item(), rel=1e-5)


def run(b, fan_out, seed=0):
    options = {"hidden": 8, "rate": 0.1, "n_iter": 12, "check": 3}
    return train(GRAPH, SPLIT, np.random.default_rng(seed), b, fan_out, **options)


def test_full_graph_training_sees_the_loss_of_all_training_nodes():
    curves = run(128, 1000)
    assert curves.full[..., :-1] == pytest.approx(curves.batch[..., ::3], abs=1e-5)
    assert curves.full.shape == (1, 2, 1, 5)
    assert (np.diff(curves.full[0, 0, 0]) < 0).all()


def test_curves_of_seeds_are_joined_in_their_order():
    first, second = run(16, 2, 0), run(16, 2, 1)
    joined = Curves.joined([first, second])
    assert joined.batch.shape == (2, 2, 1, 12)
    assert (joined.full[1] == second.full[0]).all() and (joined.full[0] == first.full[0]).all()
    assert (run(16, 2, 1).batch == second.batch).all()


def test_evaluations_are_of_their_own_nodes():
    curves = run(64, 3)
    start = GraphSAGE(4, 8, 3, 2, np.random.default_rng(0).spawn(3)[0])
    with torch.no_grad():
        outputs = {name: start(full_inputs(GRAPH)(getattr(SPLIT, name))) for name in ("train", "val", "test")}
    labels = {name: torch.from_numpy(GRAPH.node_labels[getattr(SPLIT, name)]) for name in outputs}
    for name, found in (("val", curves.val_accuracy), ("test", curves.test_accuracy)):
        expected = (outputs[name].argmax(2) == labels[name]).double().mean(1).numpy()
        assert found[0, :, 0, 0] == pytest.approx(expected)
    for name, found in (("train", curves.full), ("test", curves.test_loss)):
        assert found[0, :, 0, 0] == pytest.approx(losses(outputs[name], labels[name]).numpy(), rel=1e-5)
