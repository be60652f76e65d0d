"""Full batches are full-graph training; gradients are derivatives; ridge and eigenvalue forms give the iterations."""

import numpy as np
import pytest

from seedbed.core.graphs.generate import stochastic_block_model
from seedbed.gnn_batching.hits import iterations_to, moving_average, targets, value_at
from seedbed.gnn_batching.one_layer import OneLayer, Split, _sampled, batches, full_inputs, losses_and_errors, train


@pytest.fixture(scope="module")
def graph():
    made = stochastic_block_model(300, 3, 12, 0.6, 4, 1.0, np.random.default_rng(0))
    object.__setattr__(made, "node_features", made.node_features.astype(np.float64))
    return made


def model_for(graph, rates=(0.1, 0.2), seed=0):
    return OneLayer.initial(4, 3, rates, [np.random.default_rng(seed)], np.float64)


def test_gradients_are_derivatives(graph):
    model, nodes = model_for(graph), np.arange(20)
    inputs, labels = full_inputs(graph)[nodes][None], graph.node_labels[nodes][None]
    _, gradient = model.gradient(inputs, labels)
    for place in [(0, 0, 0, 1, 3), (0, 1, 1, 2, 5), (0, 1, 0, 0, 8)]:
        losses = []
        for step in (1e-6, -1e-6):
            weights = model.weights.copy()
            weights[place] += step
            moved = OneLayer(weights, model.rates)
            losses.append(losses_and_errors(moved.outputs(inputs), labels)[0][place[:3]])
        assert (losses[0] - losses[1]) / 2e-6 == pytest.approx(gradient[place], abs=1e-7)


def test_a_large_fan_out_gives_the_gradient_of_the_full_graph(graph):
    model, rng = model_for(graph), np.random.default_rng(0)
    nodes, full = np.arange(300)[None], full_inputs(graph)
    sampled = _sampled(graph, full, nodes, int(graph.degrees.max()), [rng])
    labels = graph.node_labels[nodes]
    assert np.abs(model.gradient(sampled, labels)[1] - model.gradient(full[nodes], labels)[1]).max() < 1e-10


def test_disjoint_batches_average_to_the_full_gradient(graph):
    model, full = model_for(graph), full_inputs(graph)
    order = batches(300, 50, 6, np.random.default_rng(0))
    assert sorted(order.ravel()) == list(range(300))
    parts = [model.gradient(full[part][None], graph.node_labels[part][None])[1] for part in order]
    whole = model.gradient(full[None], graph.node_labels[None])[1]
    assert np.abs(np.mean(parts, 0) - whole).max() < 1e-10


def test_a_batch_size_that_leaves_a_rest_is_refused():
    with pytest.raises(ValueError, match="batch_size=7"):
        batches(300, 7, 3, np.random.default_rng(0))


def run(graph, b, fan_out, seeds=2, n_iter=20):
    streams = [np.random.default_rng(seed) for seed in range(seeds)]
    splits = [Split.draw(300, 128, 64, 100, np.random.default_rng(9 + seed)) for seed in range(seeds)]
    return train(graph, splits, streams, b, fan_out, rates=[0.1], n_iter=n_iter, check=2, evaluate=4)


def test_full_graph_training_is_the_same_by_batches_of_all_and_by_gradient_descent(graph):
    curves = run(graph, 128, 1000)
    assert curves.full[..., :-1] == pytest.approx(curves.batch[..., ::2], abs=1e-10)
    assert (np.diff(curves.full[:, 0]) < 0).all()
    assert not curves.dead.any()


def test_a_seed_does_not_depend_on_the_others(graph):
    assert run(graph, 16, 3, seeds=1).batch[0] == pytest.approx(run(graph, 16, 3, seeds=3).batch[0], abs=1e-12)


def test_iterations_of_gradient_descent_follow_from_the_smallest_eigenvalue():
    eigenvalues, rate = np.array([0.05, 1.0]), 0.5
    excess = ((1 - rate * eigenvalues) ** (2 * np.arange(400)[:, None])).sum(1)
    found, censored = iterations_to(excess[None], np.array([1e-3]))
    assert not censored[0]
    assert found[0] == pytest.approx(np.log(1e3) / (2 * rate * 0.05), rel=0.05)


def test_a_run_that_does_not_arrive_is_censored_at_its_end():
    first, censored = iterations_to(np.array([[5.0, 3, 2], [5, 4, 4]]), np.array([3.0, 3.0]), every=5)
    assert first.tolist() == [5, 10]
    assert censored.tolist() == [False, True]


def test_targets_and_values_at_them():
    loss = np.array([10.0, 6, 2])
    assert targets(loss, 0.25) == 8
    assert value_at(loss, np.array([0.0, 1, 2]), np.array(4.0)) == 1.5
    assert np.isnan(value_at(loss, loss, np.array(1.0)))
    assert moving_average(np.array([1.0, 0.0])).tolist() == [1.0, 0.9]


def test_a_step_goes_down_the_gradient_by_each_rate(graph):
    model, nodes = model_for(graph, rates=(0.1, 0.3)), np.arange(30)
    inputs, labels = full_inputs(graph)[nodes][None], graph.node_labels[nodes][None]
    before, gradient = model.weights.copy(), model.gradient(inputs, labels)[1]
    model.step(inputs, labels)
    for rate, size in enumerate((0.1, 0.3)):
        assert model.weights[:, :, rate] == pytest.approx(before[:, :, rate] - size * gradient[:, :, rate], abs=1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("rate", "last"), [(10, 1 / 3), (1e200, np.nan)])
def test_a_model_without_outputs_or_numbers_is_recorded_as_dead(graph, rate, last):
    split = Split.draw(300, 128, 64, 100, np.random.default_rng(9))
    options = {"rates": [0.1, rate], "n_iter": 20, "check": 20, "evaluate": 20}
    curves = train(graph, [split], [np.random.default_rng(0)], 16, 1000, **options)
    assert curves.dead[0, 1].tolist() == [False, True]
    assert curves.full[0, 1, 1, -1] == pytest.approx(last, nan_ok=True)  # a third: all outputs are 0


def test_validation_and_test_nodes_are_told_apart(graph):
    curves = run(graph, 128, 1000, seeds=1)
    split = Split.draw(300, 128, 64, 100, np.random.default_rng(9))
    start = OneLayer.initial(4, 3, [0.1], [np.random.default_rng(0).spawn(3)[0]], np.float64)
    for nodes, found in ((split.val, curves.val_accuracy), (split.test, curves.test_accuracy)):
        z = start.outputs(full_inputs(graph)[nodes][None])[0, 0, 0]
        assert found[0, 0, 0, 0] == (z.argmax(0) == graph.node_labels[nodes]).mean()
