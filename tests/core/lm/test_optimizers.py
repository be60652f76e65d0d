import pytest
import torch

from seedbed.core.lm.optimizers import Adam, clip, decay_factors
from seedbed.core.lm.parameters import Layout, put, stack
from seedbed.core.lm.schedules import WSD

BETAS, EPS, STEPS = (0.9, 0.95), 1e-8, 30
SCHEDULE = WSD(3e-3, warmup=5, total=STEPS, cooldown=10)


def gradients(layout):
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(1, layout.size, generator=generator) for _ in range(STEPS)]


def optimised(model, optimizer, weight_decay, peak=SCHEDULE.peak):
    """Parameters (P,) after `STEPS` updates with made-up gradients."""
    layout, parameters = Layout(model), stack([model])
    adam, moments = Adam(layout, BETAS, EPS, "cpu"), (torch.zeros_like(parameters), torch.zeros_like(parameters))
    for step, gradient in enumerate(gradients(layout)):
        lr = SCHEDULE(step) * peak / SCHEDULE.peak
        adam.update(parameters, gradient, moments, step, [lr], [decay_factors(optimizer, lr, peak, weight_decay)])
    return parameters[0]


def with_torch(model, weight_decay_of):
    """The same with `torch.optim.AdamW`; ``weight_decay_of`` maps (name, parameter, step) to the decay of that step."""
    layout = Layout(model)
    groups = [{"params": [parameter], "name": name} for name, parameter in model.named_parameters()]
    adamw = torch.optim.AdamW(groups, betas=BETAS, eps=EPS)
    for step, gradient in enumerate(gradients(layout)):
        values = layout.named(gradient)
        for group in adamw.param_groups:
            group["lr"] = SCHEDULE(step)
            group["weight_decay"] = weight_decay_of(group["name"], group["params"][0], step)
            group["params"][0].grad = values[group["name"]][0]
        adamw.step()
    return stack([model])[0]


def test_adamw_is_that_of_torch_with_gains_left_alone(model):
    ours = optimised(model(), "adamw", 0.1)
    torch.testing.assert_close(
        ours, with_torch(model(), lambda name, p, step: 0.1 if p.ndim == 2 else 0.0), rtol=1e-6, atol=1e-7
    )


def test_decoupled_decay_of_peak_times_lambda_is_adamw(model):
    torch.testing.assert_close(
        optimised(model(), "adamw_decoupled", 3e-3 * 0.1), optimised(model(), "adamw", 0.1), rtol=1e-6, atol=1e-7
    )


def test_decoupled_decay_does_not_depend_on_the_peak(model):
    """Without gradients only the decay is left: the same for all peaks, and not for `adamw`."""

    def decayed(optimizer, peak):
        factor = 1.0
        for step in range(STEPS):
            factor *= 1 - decay_factors(optimizer, SCHEDULE(step) * peak / SCHEDULE.peak, peak, 0.01)[0]
        return factor

    assert decayed("adamw_decoupled", 1e-3) == pytest.approx(decayed("adamw_decoupled", 1e-2), rel=1e-12)
    assert decayed("adamw", 1e-3) != pytest.approx(decayed("adamw", 1e-2), rel=1e-6)


def test_adamc_scales_the_decay_of_normalised_layers_by_the_schedule(model):
    def weight_decay(name, parameter, step):
        if parameter.ndim < 2:
            return 0.0
        return 0.1 * (SCHEDULE(step) / SCHEDULE.peak if "layers" in name else 1.0)

    torch.testing.assert_close(
        optimised(model(), "adamc", 0.1), with_torch(model(), weight_decay), rtol=1e-6, atol=1e-7
    )


@pytest.mark.parametrize("tied", [False, True])
def test_the_layout_knows_which_parameters_decay(model, tied):
    model = model(tied=tied)
    layout = Layout(model)
    for name, parameter in model.named_parameters():
        assert layout.decayed[layout.slices[name]].all() == (parameter.ndim == 2)
        assert layout.normalised[layout.slices[name]].all() == ("proj" in name)
    assert layout.size == model.num_parameters()


def test_clipping_bounds_the_norm_of_each_row_and_returns_what_it_was():
    gradient = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    torch.testing.assert_close(clip(gradient, 1.0), torch.tensor([5.0, 0.5]))
    torch.testing.assert_close(gradient, torch.tensor([[0.6, 0.8], [0.3, 0.4]]), rtol=1e-5, atol=1e-6)


def test_parameters_come_back_as_they_were_stacked(model):
    models = [model(seed=1), model(seed=2)]
    matrix = stack(models)
    targets = [model(seed=3), model(seed=4)]
    put(matrix, targets)
    assert torch.equal(stack(targets), matrix)
    assert not torch.equal(matrix[0], matrix[1])
    matrix.zero_()
    assert stack(targets).abs().sum() > 0
