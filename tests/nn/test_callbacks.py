"""Callbacks of `fit`: when they are called, what they see, and what becomes of their errors."""

import csv
import io
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError
from nbgraph.io import NDArrayIter
from nbgraph.nn import callbacks
from nbgraph.nn.callbacks.callback import HOOKS
from nbgraph.nn.metrics import Meter

RNG = np.random.default_rng(2)
X = RNG.normal(size=(40, 5)).astype("float32")
Y = RNG.integers(0, 3, 40)


@pytest.fixture(autouse=True)
def interrupts_are_heard():
    """A test run in the background of a shell ignores Ctrl-C, and so would fit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def fitted(*given, epochs=3, optimizer=None, model=None, **options):
    """A history and the model, four batches of 10 an epoch."""
    ng.random.seed(3)
    if model is None:
        model = nn.Sequential(
            nn.Dense(7, ng.tanh, in_features=5), nn.Dropout(0.2), nn.Dense(3, in_features=7)
        )
    options = {"loss": ng.cross_entropy, "progress": False, **options}
    options.setdefault("data", nn.Batches(X, Y, batch_size=10, seed=5))
    made = optimizer or (lambda m: ng.optim.Adam(m, 0.02))
    history = nn.fit(
        model, options.pop("data"), optimizer=made, epochs=epochs, callbacks=list(given), **options
    )
    return history, model


def weights_of(model):
    return {name: array.asnumpy() for name, array in model.state_dict().items()}


def require_same(found, expected):
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


class Noted:
    """An object of no class of ours that notes its hooks."""

    def __init__(self, hooks=HOOKS):
        self.seen = []
        for hook in hooks:
            setattr(self, hook, self.noting(hook))

    def noting(self, hook):
        return lambda training: self.seen.append((hook, training.epoch, training.batch))


def at(hook, action, epoch=1, batch=None):
    """A callback that does something in one hook, once."""

    def run(training):
        if training.epoch == epoch and batch in (None, training.batch):
            action(training)

    return callbacks.LambdaCallback(**{hook: run})


def test_hooks_come_in_order():
    noted, some, ended = Noted(), Noted(["on_batch_end"]), []
    fitted(noted, some, lambda training: ended.append(training.logs["loss"]), epochs=2)
    expected = [("on_train_begin", 0, 0)]
    for epoch in range(2):
        expected.append(("on_epoch_begin", epoch, 0))
        for batch in range(4):
            expected += [("on_batch_begin", epoch, batch), ("on_batch_end", epoch, batch + 1)]
        expected.append(("on_epoch_end", epoch, 0))
    assert noted.seen == [*expected, ("on_train_end", 1, 0)]
    assert len(some.seen) == 8 and len(ended) == 2


def test_what_is_no_callback_is_refused():
    for wrong, text in ((3, "expected an object with some of on_train_begin"),
                        (callbacks.CSVLog, r"give an instance: CSVLog\(...\)")):  # fmt: skip
        with pytest.raises(ArgumentError, match=text):
            fitted(wrong)
    with pytest.raises(ArgumentError, match="LambdaCallback: on_epoch="):
        callbacks.LambdaCallback(on_epoch=print)


def test_values_are_waited_for_only_where_they_are_read(monkeypatch):
    reads = []
    get = Meter.get
    monkeypatch.setattr(Meter, "get", lambda self: reads.append(1) or get(self))
    fitted(Noted(), epochs=2)
    assert len(reads) == 2  # the rows of two epochs
    means = []

    def read(training):
        if training.batch == 3:
            means.append(training.logs["loss"])
            assert training.logs["loss"] == means[-1] and list(training.logs) == ["loss"]

    fitted(callbacks.LambdaCallback(on_batch_end=read, on_epoch_begin=lambda t: len(t.logs)))
    assert len(reads) == 2 + 3 + 3


def test_logs_are_means_of_the_epoch_so_far():
    found = []
    data = nn.Batches(X[:25], Y[:25], batch_size=10, shuffle=False)
    still = {"model": nn.Dense(3, in_features=5), "optimizer": lambda m: ng.optim.SGD(m, 0.0)}
    note = callbacks.LambdaCallback(on_batch_end=lambda t: found.append(t.logs["loss"]))
    fitted(note, epochs=1, data=data, **still)
    for loss, count in zip(found, (10, 20, 25), strict=True):
        whole = nn.evaluate(still["model"], (X[:count], Y[:count]), loss=ng.cross_entropy)
        np.testing.assert_allclose(loss, whole["loss"], rtol=1e-6)
    with pytest.raises(KeyError, match="'los'; there is loss"):
        fitted(at("on_epoch_end", lambda t: t.logs["los"]))


@pytest.mark.parametrize("hook", HOOKS[:-1])
def test_a_training_that_is_stopped_goes_on_with_the_same_bits(tmp_path, hook):
    whole, model = fitted()
    noted = Noted()
    epoch = 0 if hook == "on_train_begin" else 1
    batch = 2 if "batch" in hook else None
    stopping = at(hook, lambda t: t.stop("my rule"), epoch, batch)
    history, _ = fitted(stopping, noted, checkpoint=tmp_path / "a")
    assert history.stopped and history.reason == "my rule" and "stopped by my rule" in str(history)
    assert noted.seen[-1][0] == "on_train_end"
    assert len(history) == {"on_train_begin": 0, "on_epoch_end": 2}.get(hook, 1)
    again, other = fitted(checkpoint=tmp_path / "a")
    assert again.rows == whole.rows and not again.stopped
    require_same(weights_of(other), weights_of(model))


@pytest.mark.parametrize("hook", HOOKS)
def test_an_error_names_the_callback_and_nothing_is_lost(tmp_path, hook):
    def fail(training):
        raise OSError("no space left")

    whole, model = fitted()
    epoch = 0 if hook == "on_train_begin" else 2 if hook == "on_train_end" else 1
    failing = at(hook, fail, epoch, 2 if "batch" in hook else None)
    first, last = Noted(), Noted()
    with pytest.raises(OSError, match="no space left") as told:
        fitted(first, failing, last, checkpoint=tmp_path / "a")
    assert f"in the callback LambdaCallback, {hook}, epoch {epoch}" in told.value.__notes__[0]
    assert first.seen[-1][0] == "on_train_end"
    assert last.seen == [] if hook == "on_train_begin" else last.seen[-1][0] == "on_train_end"
    again, other = fitted(checkpoint=tmp_path / "a")
    assert again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


def test_an_error_at_the_end_does_not_hide_the_first():
    def fail(training):
        raise OSError("closing")

    with pytest.raises(ValueError, match="inside") as told:
        fitted(
            callbacks.LambdaCallback(on_train_end=fail),
            at("on_batch_end", lambda t: (_ for _ in ()).throw(ValueError("inside"))),
        )
    assert "besides, at the end: OSError: closing" in told.value.__notes__[-1]


def test_where_the_data_fail_the_training_goes_on(tmp_path):
    class Failing(nn.Batches):
        fails = True

        def next(self):
            if self.fails and self.state_dict()["epoch"] == 1 and len(seen) == 6:
                raise OSError("connection lost")
            seen.append(1)
            return super().next()

    seen = []
    whole, model = fitted()
    with pytest.raises(OSError, match="connection lost"):
        fitted(data=Failing(X, Y, batch_size=10, seed=5), checkpoint=tmp_path / "a")
    again, other = fitted(checkpoint=tmp_path / "a")
    assert again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


@pytest.mark.parametrize("batch", [1, 2, 3])
def test_gathered_gradients_are_part_of_a_checkpoint(tmp_path, batch):
    """Three batches a step: a stop may come amid them."""
    whole, model = fitted(accumulate=3)
    fitted(
        at("on_batch_end", lambda t: t.stop(), 1, batch), accumulate=3, checkpoint=tmp_path / "a"
    )
    again, other = fitted(accumulate=3, checkpoint=tmp_path / "a")
    assert again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


@pytest.mark.parametrize("batch", [1, 4, 5])
@pytest.mark.parametrize("handle", ["pad", "discard", "roll_over", "keep"])
def test_a_stop_may_come_at_any_batch_of_an_iterator(tmp_path, handle, batch):
    """45 samples in batches of 10: of the second epoch the fourth or the fifth is the last."""

    def trained(*given, **more):
        x, y = np.concatenate([X, X[:5]]), np.concatenate([Y, Y[:5]])
        data = NDArrayIter(x, y, 10, shuffle=True, seed=3, last_batch_handle=handle, prefetch=2)
        with data:
            return fitted(*given, data=data, metrics=["accuracy"], **more)

    whole, model = trained()
    trained(at("on_batch_end", lambda t: t.stop(), 1, batch), checkpoint=tmp_path / "a")
    again, other = trained(checkpoint=tmp_path / "a")
    assert again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


class Pair(nn.Module):
    """A layer whose statistics are written while it is trained, and one number out."""

    def __init__(self):
        self.norm, self.last = nn.BatchNorm(5), nn.Dense(1, in_features=5)

    def forward(self, x):
        return self.last(self.norm(x))


@pytest.mark.parametrize("accumulate", [1, 2])
def test_sums_of_all_kinds_are_part_of_a_checkpoint(tmp_path, accumulate):
    """Some metrics add up their sums, some keep them; statistics are written in either case."""
    yes = (Y[:, None] > 0).astype("float32")
    options = {"accumulate": accumulate, "loss": "mse", "metrics": ["mae", "auc", "r2", "f1"]}

    def trained(*given, **more):
        ng.random.seed(1)
        data = nn.Batches(X, yes, batch_size=10, seed=5)
        return fitted(*given, model=Pair(), data=data, **options, **more)

    whole, model = trained()
    trained(at("on_batch_end", lambda t: t.stop(), 1, 3), checkpoint=tmp_path / "new" / "a")
    again, other = trained(checkpoint=tmp_path / "new" / "a")
    assert again.rows == whole.rows and again.names == ["loss", *options["metrics"]]
    require_same(weights_of(other), weights_of(model))
    assert abs(weights_of(model)["norm.moving_mean"]).max() > 0


# files ------------------------------------------------------------------------------------------


def test_checkpoints_every_so_many_steps_and_the_newest_are_kept(tmp_path):
    whole, model = fitted()
    path = tmp_path / "run.npz"
    kept = callbacks.Checkpoint(path, epochs=None, steps=3, keep=2)
    fitted(kept, at("on_batch_end", lambda t: t.stop(), 2, 2))
    assert [file.name for file in kept.files()] == ["run-00000009.npz", "run-00000010.npz"]
    again, other = fitted(callbacks.Checkpoint(path, steps=3, keep=2))
    assert again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))
    assert [file.name for file in kept.files()] == ["run-00000010.npz", "run-00000012.npz"]
    kept.newest().unlink()
    older, other = fitted(callbacks.Checkpoint(path, steps=3, keep=2))
    assert older.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


def test_the_newest_of_several_checkpoints_is_taken(tmp_path):
    whole, model = fitted()
    often = callbacks.Checkpoint(tmp_path / "often", epochs=None, steps=1)
    fail = at("on_batch_end", lambda t: sys.exit(3), 1, 3)  # not rescued: as a crash
    with pytest.raises(SystemExit):
        fitted(often, fail, checkpoint=tmp_path / "a")
    batches = []
    again, other = fitted(
        often, callbacks.LambdaCallback(on_train_begin=lambda t: batches.append(t.batch)),
        checkpoint=tmp_path / "a",
    )  # fmt: skip
    assert batches == [2] and again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


KILLED = """
import os, pathlib, signal, sys
from tests.nn.test_callbacks import callbacks, fitted
replace = pathlib.Path.replace

def killing(path, target):  # the seventh file is written, and not in its place yet
    if pathlib.Path(target).name == "run-00000007.npz":
        os.kill(os.getpid(), signal.SIGKILL)
    return replace(path, target)

pathlib.Path.replace = killing
fitted(callbacks.Checkpoint(sys.argv[1], epochs=None, steps=1, keep=2), metrics=["accuracy"])
"""


def test_a_killed_training_goes_on_with_the_same_bits(tmp_path):
    """SIGKILL while a checkpoint is written: the one before is whole."""
    whole, model = fitted(metrics=["accuracy"])
    kept = callbacks.Checkpoint(tmp_path / "run.npz", steps=1, keep=2)
    run = [sys.executable, "-c", KILLED, str(kept.path)]
    assert subprocess.run(run, check=False, timeout=300).returncode == -signal.SIGKILL
    assert kept.newest().name == "run-00000006.npz"
    begun = []
    note = callbacks.LambdaCallback(on_train_begin=lambda t: begun.append((t.epoch, t.batch)))
    again, other = fitted(kept, note, metrics=["accuracy"])
    assert begun == [(1, 2)] and again.rows == whole.rows
    require_same(weights_of(other), weights_of(model))


def test_numbers_of_checkpoints_are_positive(tmp_path):
    for name in ("epochs", "steps", "keep"):
        with pytest.raises(ArgumentError, match=f"Checkpoint: {name}=0"):
            callbacks.Checkpoint(tmp_path / "a", **{name: 0})


def test_the_history_is_written_as_csv(tmp_path):
    path = tmp_path / "run.csv"
    log = callbacks.CSVLog(path)
    fitted(log, epochs=1, checkpoint=tmp_path / "a")
    history, _ = fitted(log, checkpoint=tmp_path / "a", metrics=["accuracy", "confusion"])
    with path.open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in rows] == history["loss"]
    assert list(rows[0]) == ["epoch", "loss", "accuracy"] and rows[0]["accuracy"] == ""
    assert len(history["confusion"][1]) == 3


def test_events_for_tensorboard(tmp_path):
    pytest.importorskip("tensorboardX")
    from tensorboardX.proto import event_pb2

    fitted(
        callbacks.TensorBoard(tmp_path, every=2), epochs=2, validation=(X, Y),
        metrics=["confusion"], optimizer=lambda m: ng.optim.SGD(m, lambda n: 0.5 / (n + 1)),
    )  # fmt: skip
    (file,) = tmp_path.iterdir()
    data, place, found = file.read_bytes(), 0, []
    while place < len(data):
        size = int.from_bytes(data[place : place + 8], "little")
        event = event_pb2.Event.FromString(data[place + 12 : place + 12 + size])
        found += [(value.tag, event.step, value.simple_value) for value in event.summary.value]
        place += size + 16
    assert [step for tag, step, _ in found if tag == "loss/batch"] == [2, 4, 6, 8]
    assert {tag for tag, *_ in found} == {"loss/batch", "loss/train", "loss/validation", "rate"}
    rates = [value for tag, _, value in found if tag == "rate"]
    np.testing.assert_allclose(rates, [0.1, 0.5 / 9], rtol=1e-6)


def test_without_a_package_for_events_the_extra_is_named(monkeypatch, tmp_path):
    for name in ("tensorboardX", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ArgumentError, match=r"install nbgraph\[tensorboard\]"):
        callbacks.TensorBoard(tmp_path)


def test_curves_are_drawn_while_the_training_runs(monkeypatch, tmp_path):
    path = tmp_path / "curves.svg"
    drawn = []
    fitted(callbacks.LivePlot(path), lambda t: drawn.append(path.read_text()), metrics="confusion")
    assert len(set(drawn)) == 3 and all(text.startswith("<svg") for text in drawn)

    class Handle:
        def update(self, history):
            shown.append(len(history))

    shown = []
    display = types.ModuleType("IPython.display")
    display.display = lambda history, display_id: shown.append(len(history)) or Handle()
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    fitted(callbacks.LivePlot())
    assert shown == [1, 2, 3]


def test_the_speed_is_that_of_samples(monkeypatch):
    clock = iter(range(100))
    time = types.SimpleNamespace(perf_counter=lambda: float(next(clock)))
    monkeypatch.setattr("nbgraph.nn.callbacks.logs.time", time)
    file = io.StringIO()
    meter = callbacks.Speedometer(2, file=file)
    fitted(meter, epochs=2, metrics=["accuracy"])
    lines = file.getvalue().splitlines()
    assert len(lines) == 4 and meter.speed == 20.0
    assert lines[0].startswith("epoch 1/2, batch 2/4: 20 samples/s, loss ")
    assert ", accuracy " in lines[0]
    with pytest.raises(ArgumentError, match="every=0"):
        callbacks.Speedometer(0)


# what goes by a value ---------------------------------------------------------------------------


def scripted(values):
    """A metric of validation with these values, epoch by epoch: added before other callbacks."""

    def change(training):
        training.history.rows[-1]["score"] = values[training.epoch]

    return change


SCORES = [5.0, 4.0, 4.5, 3.0, 3.5, float("nan"), 3.2, 2.0]


@pytest.mark.parametrize("restore", [True, False])
def test_early_stopping_gives_back_the_best_weights(restore):
    kept = []
    early = callbacks.EarlyStopping("score", patience=3, restore_best=restore)
    note = callbacks.LambdaCallback(on_epoch_end=lambda t: kept.append(weights_of(t.model)))
    history, model = fitted(scripted(SCORES), early, note, epochs=8)
    assert len(history) == 7 and early.best_epoch == 3 and early.monitor.best == 3.0
    assert history.reason == "EarlyStopping: score has not improved for 3 epochs"
    require_same(weights_of(model), kept[3 if restore else 6])


def test_the_best_weights_are_given_back_at_the_last_epoch_too():
    kept = []
    early = callbacks.EarlyStopping("score", patience=9, mode="max")
    history, model = fitted(scripted(SCORES[:3]), early, lambda t: kept.append(weights_of(t.model)))
    assert not history.stopped
    require_same(weights_of(model), kept[0])


@pytest.mark.parametrize("until", [2, 4, 7])
def test_early_stopping_goes_on_where_it_was(tmp_path, until):
    def early():
        return callbacks.EarlyStopping("score", patience=3)

    whole, model = fitted(scripted(SCORES), early(), epochs=8)
    fitted(scripted(SCORES), early(), epochs=until, checkpoint=tmp_path / "a")
    again, other = fitted(scripted(SCORES), early(), epochs=8, checkpoint=tmp_path / "a")
    assert again["loss"] == whole["loss"] and again.reason == whole.reason
    require_same(weights_of(other), weights_of(model))
    finished, same = fitted(scripted(SCORES), early(), epochs=8, checkpoint=tmp_path / "a")
    assert len(finished) == 7
    require_same(weights_of(same), weights_of(model))


def test_an_interrupt_gives_no_weights_back(tmp_path):
    early = callbacks.EarlyStopping("score", patience=9)
    stop = at("on_batch_end", lambda t: signal.raise_signal(signal.SIGINT), 2, 4)
    history, model = fitted(scripted([1.0, 2.0, 3.0]), early, stop)
    assert history.reason == "an interrupt" and early.best_epoch == 0
    plain, expected = fitted(at("on_batch_end", lambda t: t.stop(), 2, 4))
    require_same(weights_of(model), weights_of(expected))


def test_what_is_watched_must_be_there():
    with pytest.raises(ArgumentError, match="monitor='val_loss'; .* loss: give fit validation"):
        fitted(callbacks.EarlyStopping())
    with pytest.raises(ArgumentError, match="mode='best'; expected 'auto', 'min' or 'max'"):
        callbacks.EarlyStopping(mode="best")
    with pytest.raises(ArgumentError, match="factor=2"):
        callbacks.ReduceLROnPlateau(factor=2)
    with pytest.raises(ArgumentError, match="schedule=0.1; expected a function"):
        callbacks.LearningRate(0.1)


PLATEAU = [5.0, 4.0, 4.0, 4.0, 4.0, 4.0, 3.0, 4.0]  # no better from the third on


@pytest.mark.parametrize(
    ("options", "rates"),
    [
        ({"patience": 2}, [1, 1, 1, 0.5, 0.5, 0.25, 0.25, 0.25]),
        ({"patience": 2, "cooldown": 1}, [1, 1, 1, 0.5, 0.5, 0.5, 0.5, 0.5]),
        ({"patience": 1, "min_lr": 0.2}, [1, 1, 0.5, 0.25, 0.2, 0.2, 0.2, 0.2]),
    ],
)
@pytest.mark.parametrize("scheduled", [False, True])
def test_the_rate_falls_where_nothing_improves(tmp_path, options, rates, scheduled):
    def trained(epochs, found):
        plateau = callbacks.ReduceLROnPlateau("score", factor=0.5, **options)
        lr = (lambda n: 1.0) if scheduled else 1.0
        fitted(
            scripted(PLATEAU), plateau, lambda t: found.append(t.optimizer.rate), epochs=epochs,
            optimizer=lambda m: ng.optim.SGD(m, lr), checkpoint=tmp_path / "a",
        )  # fmt: skip

    found = []
    trained(4, found)
    trained(8, found)  # goes on from the checkpoint
    np.testing.assert_allclose(found, rates)


def test_a_rate_for_each_epoch():
    found = []
    halving = callbacks.LearningRate(ng.optim.schedules.exponential(0.4, 0.5))
    fitted(halving, lambda t: found.append(t.optimizer.rate))
    assert found == [0.4, 0.2, 0.1]
