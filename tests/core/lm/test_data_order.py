import numpy as np

from seedbed.core.lm.data_order import DataOrder


def test_an_epoch_sees_every_window_once():
    tokens = np.arange(1000, dtype=np.uint16)
    order = DataOrder(tokens, batch=7, context=10, seed=0)
    batches = [order(step) for step in range(order.windows // 7)]
    starts = np.concatenate([batch[:, 0] for batch in batches])
    assert len(set(starts)) == len(starts) == order.windows // 7 * 7
    assert len(set(starts % 10)) == 1
    assert all((batch[:, 1:] == batch[:, :-1] + 1).all() for batch in batches)


def test_a_batch_depends_on_seed_and_step_alone():
    tokens = np.arange(500, dtype=np.uint16)
    forwards, late = DataOrder(tokens, 7, 10, seed=0), DataOrder(tokens, 7, 10, seed=0)
    seen = [forwards(step) for step in range(20)]
    assert (late(19) == seen[19]).all() and (late(3) == seen[3]).all()
    assert (DataOrder(tokens, 7, 10, seed=1)(0) != seen[0]).any()
    assert len({int(batch[0, 0]) % 10 for batch in seen}) > 1, "the offset changes from epoch to epoch"
