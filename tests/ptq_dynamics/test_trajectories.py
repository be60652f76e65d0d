"""What is trained, and that branches are what they say."""

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from seedbed.core.config import SCALES, load_paper_config
from seedbed.core.lm.optimizers import decay_factors
from seedbed.ptq_dynamics import training
from seedbed.ptq_dynamics.training import train_all
from seedbed.ptq_dynamics.trajectories import PLANS, checkpoints, ends_by_rate, new_models

MODEL = {"width": 8, "layers": 1, "heads": 2, "context": 8, "batch": 2, "micro_batch": None, "together": 1}
RECIPE = {"seeds": 2, "lr": "1e-2", "warmup": 2, "weight_decay": "0.1", "cooldown": 4}
COOLDOWN = {"trunk": [4, 8, 12], "ends": [8, 12], "adamc": [12], "lawa": {"k": 3, "every": 2, "steps": [12]}}
SWEEP = {"total": 12, "steps": [8], "lrs": ["3e-3"], "weight_decays": ["0.3"], "cosine": {"totals": [8, 12], "also": [10]}}  # fmt: skip
TOKENS = np.random.default_rng(0).integers(0, 16, 2000).astype(np.uint16)


def settings(scale, name):
    config = load_paper_config("ptq_dynamics", scale, Path(__file__).parents[2] / "config")
    return getattr(config, name).model_dump(mode="json")


def trained(plan, folder, **model):
    return train_all(plan, range(2), "toy", TOKENS, MODEL | model, 16, folder)


def test_all_cooldowns_have_one_length_and_end_at_zero():
    for name, experiment in (("cooldown", COOLDOWN), ("sweep", SWEEP)):
        for one in PLANS[name](RECIPE, experiment):
            rates = [one.schedule(step) for step in range(one.steps + 1)]
            if one.run == "trunk":
                assert rates[2:] == [1e-2] * (one.steps - 1)
            else:
                assert rates[-1] == pytest.approx(0, abs=1e-12) and rates[-2] > 0
            if one.run not in ("trunk", "cosine"):
                assert sum(rate < one.schedule.peak for rate in rates[2:]) == 4
            if one.branch:
                assert one.branch == ("trunk-1e-2-0.1-12", one.steps - 4)


def test_a_cooldown_is_the_run_trained_whole(tmp_path):
    trunk, cooldown, *_ = PLANS["cooldown"](RECIPE, COOLDOWN)
    kept, norms = trained([trunk, cooldown], tmp_path)
    whole, whole_norms = trained([replace(cooldown, branch=None)], tmp_path / "whole")
    assert torch.equal(kept[cooldown.key(8)], whole[cooldown.key(8)])
    assert np.array_equal(norms[cooldown], next(iter(whole_norms.values())))
    assert np.array_equal(norms[cooldown][:5], norms[trunk][:5])
    assert not np.array_equal(norms[cooldown][:7], norms[trunk][:7])


def test_seeds_differ_and_do_not_depend_on_how_many_are_trained_together(tmp_path):
    trunk = PLANS["cooldown"](RECIPE, COOLDOWN)[0]
    one, both = (trained([trunk], tmp_path / str(n), together=n)[0][trunk.key(12)] for n in (1, 2))
    assert one.shape == both.shape and torch.allclose(one, both, atol=1e-4)
    assert not torch.allclose(one[0], one[1], atol=1e-2)


def test_two_processes_train_what_one_does(tmp_path):
    plan = PLANS["cooldown"](RECIPE, COOLDOWN)
    (one, one_norms), (two, two_norms) = (
        train_all(plan, range(3), "toy", TOKENS, MODEL, 16, tmp_path / str(threads), threads=threads)
        for threads in (1, 2)
    )
    assert one.keys() == two.keys() and all(torch.equal(one[key], two[key]) for key in one)
    assert all(np.array_equal(one_norms[each], two_norms[each]) for each in plan)


def test_each_seed_has_data_of_its_own(tmp_path, monkeypatch):
    same = new_models(MODEL, 16, [0], "toy")
    monkeypatch.setattr(training, "new_models", lambda *_: copy.deepcopy(same))
    trunk = PLANS["cooldown"](RECIPE, COOLDOWN)[0]
    one, other = trained([trunk], tmp_path)[0][trunk.key(4)]
    assert not torch.equal(one, other)


def test_an_average_is_the_mean_of_its_window(tmp_path):
    plan = PLANS["cooldown"](RECIPE, COOLDOWN)
    kept, _ = trained(plan[:1], tmp_path)
    save_file(kept, tmp_path / "models.safetensors")
    found = {one.factors["run"]: one for one in checkpoints("cooldown", RECIPE, COOLDOWN)}["lawa"]
    expected = torch.stack([kept[plan[0].key(step)] for step in (8, 10, 12)]).mean(0)
    assert torch.equal(found.read(tmp_path / "models.safetensors"), expected)


def test_decoupled_decay_with_peak_times_lambda_is_the_usual_one():
    for one in PLANS["sweep"](RECIPE, SWEEP):
        if one.run == "weight_decay":
            for step in range(12):
                lr = one.schedule(step)
                found = decay_factors(one.optimizer, lr, one.schedule.peak, one.decay)
                assert found == pytest.approx(decay_factors("adamw", lr, one.schedule.peak, 0.3))


@pytest.mark.parametrize("scale", SCALES)
def test_every_checkpoint_is_kept_by_a_run_and_named_once(scale):
    recipe = settings(scale, "recipe")
    for name, plan in PLANS.items():
        experiment = settings(scale, name)
        kept = [one.key(step) for one in plan(recipe, experiment) for step in one.keep]
        found = list(checkpoints(name, recipe, experiment))
        assert len(kept) == len(set(kept))
        assert {key for one in found for key in one.keys} <= set(kept)
        named = [tuple(one.factors.values()) for one in found]
        assert len(named) == len(set(named))
    ends = ends_by_rate(recipe, settings(scale, "cooldown"), settings(scale, "sweep"))
    assert set(ends) == {recipe["lr"], *settings(scale, "sweep")["lrs"]}
