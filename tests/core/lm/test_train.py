import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest
import torch

from seedbed.core.errors import SeedbedError
from seedbed.core.lm import checkpoints
from seedbed.core.lm.data_order import DataOrder
from seedbed.core.lm.distributed import spawn
from seedbed.core.lm.parameters import stack
from seedbed.core.lm.schedules import WSD, Cosine
from seedbed.core.lm.train import Run, Settings, train

SETTINGS = Settings(batch=4, context=16, checkpoint_every=5)
RUN = Run(WSD(1e-2, warmup=5), seed=1)


def equal(a, b):
    return all(torch.equal(x, y) for x, y in zip(vars(a).values(), vars(b).values(), strict=True))


def test_a_model_learns(model, text):
    made = model()
    state = train([made], text, [RUN], 150, SETTINGS)
    assert state.loss[:5].mean() > 4.5
    assert state.loss[-5:].mean() < 2.8
    assert torch.equal(stack([made]), state.parameters)
    assert not made.training


def test_the_loop_is_the_plain_one(model, text):
    """Against ten lines of plain PyTorch: same batches, torch's AdamW and clipping."""
    plain, run = model(), Run(Cosine(1e-2, total=20, warmup=3), seed=3, weight_decay=0.0)
    adamw = torch.optim.AdamW(plain.parameters(), betas=(0.9, 0.95), weight_decay=0.0)
    order = DataOrder(text, 4, 16, seed=3)
    for step in range(20):
        adamw.param_groups[0]["lr"] = run.schedule(step)
        batch = order(step)
        logits = plain(input_ids=batch[:, :-1]).logits
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten()).backward()
        torch.nn.utils.clip_grad_norm_(plain.parameters(), 1.0)
        adamw.step()
        adamw.zero_grad()
    state = train([model()], text, [run], 20, SETTINGS)
    torch.testing.assert_close(state.parameters, stack([plain]), rtol=1e-4, atol=1e-5)


def test_each_of_many_models_ends_as_it_would_alone(model, text):
    runs = [
        Run(WSD(1e-2, warmup=5), seed=1),
        Run(Cosine(3e-3, total=25), seed=2, weight_decay=0.3, optimizer="adamc"),
        Run(WSD(3e-2, total=25, cooldown=10), seed=2, weight_decay=1e-3, optimizer="adamw_decoupled"),
    ]
    together = train([model(seed) for seed in range(3)], text, runs, 25, SETTINGS)
    for number, run in enumerate(runs):
        alone = train([model(number)], text, [run], 25, SETTINGS)
        torch.testing.assert_close(together.parameters[number], alone.parameters[0], rtol=1e-3, atol=1e-4)
        torch.testing.assert_close(together.loss[:, number], alone.loss[:, 0], rtol=1e-4, atol=1e-4)


def test_micro_batches_change_nothing_but_rounding(model, text):
    whole = train([model()], text, [RUN], 10, SETTINGS)
    parts = train([model()], text, [RUN], 10, Settings(batch=4, context=16, micro_batch=3))
    torch.testing.assert_close(parts.parameters, whole.parameters, rtol=1e-4, atol=1e-5)


def test_bfloat16_stays_near(model, text):
    whole = train([model()], text, [RUN], 30, SETTINGS)
    half = train([model()], text, [RUN], 30, Settings(batch=4, context=16, bf16=True))
    torch.testing.assert_close(half.loss, whole.loss, rtol=0.05, atol=0.05)
    assert half.parameters.dtype == torch.float32 and not torch.equal(half.loss, whole.loss)


@pytest.mark.parametrize("members", [1, 2])
def test_a_run_that_is_stopped_goes_on_to_the_same_bits(model, text, tmp_path, members):
    models, runs = [model(seed) for seed in range(members)], [RUN] * members
    undisturbed = train([model(seed) for seed in range(members)], text, runs, 23, SETTINGS)
    train(models, text, runs, 12, SETTINGS, tmp_path)
    resumed = train([model(7) for _ in range(members)], text, runs, 23, SETTINGS, tmp_path)
    assert equal(resumed, undisturbed)
    assert len(resumed.loss) == len(resumed.gradient_norm) == 23


def test_a_branch_equals_the_trunk_until_its_cooldown_and_leaves_the_trunk_alone(model, text, tmp_path):
    trunk = train([model()], text, [RUN], 20, SETTINGS, tmp_path, keep=[10])
    start = checkpoints.read(checkpoints.checkpoint(tmp_path, 10))
    cooled = Run(WSD(1e-2, warmup=5, total=30, cooldown=10), seed=1)
    before = start.copy()
    branch = train([model()], text, [cooled], 20, SETTINGS, start=start)
    assert equal(branch, trunk)
    assert equal(start, before)
    assert not equal(
        train([model()], text, [cooled], 25, SETTINGS, start=start),
        train([model()], text, [RUN], 25, SETTINGS, start=start),
    )


def test_kept_states_stay_and_others_go(model, text, tmp_path):
    train([model()], text, [RUN], 33, SETTINGS, tmp_path, keep=[7, 10])
    assert [path.stem for path in sorted(tmp_path.iterdir())] == [f"step-{n:08d}" for n in (7, 10, 30, 33)]


def test_a_broken_checkpoint_is_passed_over(model, text, tmp_path, caplog):
    undisturbed = train([model()], text, [RUN], 23, SETTINGS)
    for spoil in (
        lambda content: content[: len(content) // 2],
        lambda content: content[:-9] + b"123456789",
        lambda content: b"",
    ):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        train([model()], text, [RUN], 15, SETTINGS, folder)
        newest = checkpoints.checkpoint(folder, 15)
        newest.write_bytes(spoil(newest.read_bytes()))
        caplog.clear()
        assert checkpoints.latest(folder, None, 23).step == 10
        assert "step-00000015" in caplog.text and "the one before" in caplog.text
        assert equal(train([model()], text, [RUN], 23, SETTINGS, folder), undisturbed)


def test_checkpoints_of_another_run_are_refused(model, text, tmp_path):
    train([model()], text, [RUN], 10, SETTINGS, tmp_path)
    with pytest.raises(SeedbedError, match="belongs to another run"):
        train([model()], text, [Run(WSD(2e-2, warmup=5), seed=1)], 20, SETTINGS, tmp_path)


KILLED = """
    import sys, numpy as np
    from pathlib import Path
    from seedbed.core.lm.models import llama
    from seedbed.core.lm.schedules import WSD
    from seedbed.core.lm.train import Run, Settings, train
    from seedbed.core.pool import one_thread
    one_thread()
    text = np.load(sys.argv[1])
    model = llama(vocab_size=128, width=16, layers=1, heads=2, context=16, seed=0)
    train([model], text, [Run(WSD(1e-2, warmup=5), seed=1)], int(sys.argv[3]), Settings(4, 16, checkpoint_every=5), Path(sys.argv[2]))
"""


def test_a_run_that_is_killed_goes_on_to_the_same_bits(model, text, tmp_path):
    np.save(tmp_path / "text.npy", text)
    folder, steps = tmp_path / "run", 100_000
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(tmp_path / "text.npy"), str(folder)]
    process = subprocess.Popen([*command, str(steps)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not checkpoints.checkpoint(folder, 20).exists() and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    reached = max(int(path.stem.split("-")[1]) for path in folder.glob("step-*.safetensors"))
    assert 20 <= reached < steps
    resumed = train([model(9)], text, [RUN], reached + 8, SETTINGS, folder)
    assert equal(resumed, train([model()], text, [RUN], reached + 8, SETTINGS))


def train_in_a_group(text, folder):
    from seedbed.core.lm.models import llama

    torch.set_num_threads(1)
    made = llama(vocab_size=128, width=16, layers=1, heads=2, context=16, seed=0)
    train([made], text, [RUN], 10, SETTINGS, folder)


def test_two_processes_compute_what_one_does(model, text, tmp_path):
    spawn(train_in_a_group, (text, tmp_path), 2, "cpu")
    together = checkpoints.read(checkpoints.checkpoint(tmp_path, 10))
    alone = train([model()], text, [RUN], 10, SETTINGS)
    torch.testing.assert_close(together.parameters, alone.parameters, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(together.loss, alone.loss, rtol=1e-4, atol=1e-5)


def test_wrong_calls_are_errors(model, text):
    with pytest.raises(ValueError, match="2 models and 1 runs"):
        train([model(), model()], text, [RUN], 1, SETTINGS)
    with pytest.raises(ValueError, match="folder"):
        train([model()], text, [RUN], 1, SETTINGS, keep=[1])
    with pytest.raises(SeedbedError, match="too few"):
        train([model()], text[:20], [RUN], 1, SETTINGS)
