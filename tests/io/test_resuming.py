"""After SIGKILL a program goes on with the same bits, and fit does after an interrupt."""

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.io import NDArrayIter
from tests.io import resuming

BATCHES = 60


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills")
def test_a_program_that_is_killed_goes_on_with_the_same_bits(tmp_path, full):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    whole.mkdir(), killed.mkdir()
    resuming.main(whole, BATCHES)
    log, rng = killed / "log.txt", random.Random(5)
    kills = 12 if full else 2
    for at in sorted(rng.sample(range(1, BATCHES - 1), kills)):
        child = subprocess.Popen([sys.executable, "-m", "tests.io.resuming", killed, str(BATCHES)])
        deadline = time.monotonic() + 120
        while not log.exists() or log.read_text().count("\n") < at:
            assert child.poll() is None and time.monotonic() < deadline
            time.sleep(0.001)
        time.sleep(rng.random() * 0.003)
        child.kill()
        child.wait()
    resuming.main(killed, BATCHES)
    assert log.read_text() == (whole / "log.txt").read_text()


X = np.random.default_rng(0).normal(size=(50, 4)).astype("float32")
Y = (X @ np.array([1.0, -2.0, 0.5, 3.0], "float32"))[:, None]


def trained(it, epochs=4, **options):
    net = nn.Dense(1, in_features=4)
    net.weight[:] = 0.1
    net.bias[:] = 0
    history = nn.fit(
        net, it, loss=nn.metrics.mse, optimizer=lambda m: ng.optim.Adam(m, 0.05), epochs=epochs,
        progress=False, **options,
    )  # fmt: skip
    return history, net.weight.asnumpy()


class Pressed(NDArrayIter):
    """Sends Ctrl-C with one of its batches."""

    at = 9

    def next(self):
        self.at -= 1
        if self.at == 0:
            signal.raise_signal(signal.SIGINT)
        return super().next()


@pytest.mark.parametrize("handle", ["roll_over", "pad"])
def test_a_training_keeps_the_cursor_of_its_data(tmp_path, handle):
    def made(kind=NDArrayIter):
        return kind(X, Y, 8, True, handle, seed=2, prefetch=2)

    expected, weight = trained(made())
    path = tmp_path / "checkpoint"
    history, _ = trained(made(Pressed), checkpoint=path)
    assert history.stopped and len(history) == 1
    again = made()
    history, found = trained(again, checkpoint=path)
    np.testing.assert_array_equal(found, weight)
    assert history["loss"] == expected["loss"]
    assert again.epoch == 3 and not again._meter.batches > 3 * 7  # none was passed over


def test_samples_that_fill_a_batch_do_not_count():
    padded, weight = trained(NDArrayIter(X, Y, 16, True, "pad", seed=2))
    kept, expected = trained(NDArrayIter(X, Y, 16, True, "keep", seed=2))
    np.testing.assert_array_equal(weight, expected)
    assert padded["loss"] == kept["loss"]


def test_steps_take_batches():
    """A compiled step takes the arrays of a batch, or all of it as one argument."""
    batch = next(NDArrayIter(X, Y, 8))
    expected = ((X[:8].sum(1, keepdims=True) - Y[:8]) ** 2).mean()
    step = ng.jit(lambda x, y: ((x.sum(1, keepdims=True) - y) ** 2).mean())
    whole = ng.jit(lambda b: ((b[0].sum(1, keepdims=True) - b[1]) ** 2).mean())
    np.testing.assert_allclose([step(*batch), whole(batch)], expected, rtol=1e-5)
