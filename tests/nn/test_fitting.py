"""`fit` against a reference in NumPy, interrupted and resumed."""

import re
import signal
import threading
from contextlib import nullcontext

import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, DivergenceError, FormatError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5)).astype("float32")
Y = (X[:, :3] + 0.3 * RNG.normal(size=(60, 3))).argmax(1)


@pytest.fixture(autouse=True)
def interrupts_are_heard():
    """A test run in the background of a shell ignores Ctrl-C, and so would fit."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def made(dropout=0.0):
    ng.random.seed(3)
    parts = [nn.Dropout(dropout)] if dropout else []
    return nn.Sequential(nn.Dense(7, ng.tanh, in_features=5), *parts, nn.Dense(3, in_features=7))


def trained(net, epochs=4, data=None, **options):
    optimizer = options.pop("optimizer", lambda m: ng.optim.Adam(m, 0.02))
    data = nn.Batches(X, Y, batch_size=16, seed=5) if data is None else data
    options = {"loss": ng.cross_entropy, "progress": False, **options}
    found = nn.fit(net, data, optimizer=optimizer, epochs=epochs, **options)
    return found, {name: array.asnumpy() for name, array in net.parameters().items()}


class Interrupting:
    """Batches that send Ctrl-C with one of them."""

    def __init__(self, at):
        self.inner, self.at, self.given = nn.Batches(X, Y, batch_size=16, seed=5), at, 0

    def __iter__(self):
        for batch in self.inner:
            if self.given == self.at:
                signal.raise_signal(signal.SIGINT)
            self.given += 1
            yield batch

    def __len__(self):
        return len(self.inner)

    def state_dict(self):
        return self.inner.state_dict()

    def load_state_dict(self, state):
        self.inner.load_state_dict(state)


def by_numpy(net, steps, rate):
    """Losses and weights of a network of two layers, by formulas written out."""
    w1, b1, w2, b2 = [a.asnumpy().astype("float64") for a in net.parameters().values()]
    batches = nn.Batches(X, Y, batch_size=16, seed=5)
    losses = []
    while len(losses) < steps:
        for x, y in batches:
            hidden = np.tanh(x @ w1.T + b1)
            scores = hidden @ w2.T + b2
            shares = np.exp(scores - scores.max(1, keepdims=True))
            shares /= shares.sum(1, keepdims=True)
            rows = np.arange(len(y))
            losses.append(-np.log(shares[rows, y]).mean())
            shares[rows, y] -= 1
            slope = shares / len(y)
            inner = (slope @ w2) * (1 - hidden * hidden)
            w2 -= rate * slope.T @ hidden
            b2 -= rate * slope.sum(0)
            w1 -= rate * inner.T @ x
            b1 -= rate * inner.sum(0)
    return losses, dict(zip(net.parameters(), [w1, b1, w2, b2]))


@pytest.mark.parametrize("compiled", [True, False])
def test_the_curve_is_that_of_numpy_step_by_step(compiled):
    """Training curves equal to a NumPy reference, step by step: the loss of each."""
    net = made()
    losses, expected = by_numpy(net, 40, 0.3)

    class OneByOne(nn.Batches):
        """Each pass gives the next batch: an epoch is a step."""

        def __iter__(self):
            self.rest = getattr(self, "rest", None) or list(super().__iter__())
            yield self.rest.pop(0)

    history, weights = trained(
        net, 40, OneByOne(X, Y, batch_size=16, seed=5), compiled=compiled,
        optimizer=lambda m: ng.optim.SGD(m, 0.3), metrics=[ng.cross_entropy],
    )  # fmt: skip
    assert history["cross_entropy"] == history["loss"]
    found = history["loss"]
    np.testing.assert_allclose(found, losses, rtol=2e-5)
    for name, array in expected.items():
        np.testing.assert_allclose(weights[name], array, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["threaded", "naive"])
def test_an_epoch_counts_samples_and_engines_agree(kind):
    ng.engine.set(kind)
    try:
        net = made()
        history, _ = trained(net, 2, optimizer=lambda m: ng.optim.SGD(m, 0.3))
    finally:
        ng.engine.set("threaded")
    losses, _ = by_numpy(made(), 8, 0.3)
    sizes = np.array([16, 16, 16, 12])
    expected = (np.reshape(losses, (2, 4)) * sizes).sum(1) / 60
    np.testing.assert_allclose(history["loss"], expected, rtol=2e-5)


@pytest.mark.parametrize("at", [0, 2, 3, 6])
def test_an_interrupted_training_resumes_with_the_same_bits(tmp_path, at):
    """NB-03: Ctrl-C in training loses nothing; data order, random draws, optimizer, metrics."""
    options = {"metrics": [nn.metrics.accuracy], "validation": (X, Y)}
    whole, expected = trained(made(0.3), **options)
    path = tmp_path / "training"
    first, _ = trained(made(0.3), data=Interrupting(at), checkpoint=path, **options)
    assert first.stopped and len(first) == at // 4
    ng.random.seed(99)
    for _ in range(5):
        ng.random.uniform(size=3)
    second, weights = trained(nn.Sequential(*made(0.3).layers), checkpoint=path, **options)
    assert not second.stopped and second.rows == whole.rows
    for name, array in expected.items():
        np.testing.assert_array_equal(weights[name], array, err_msg=name)


def test_anomaly_mode_blames_the_batch_whose_data_hold_nan():
    x = np.where(np.arange(60)[:, None] == 3, np.nan, X).astype("float32")
    with (
        ng.config(anomaly=1),
        pytest.raises(DivergenceError, match=r"input 0 .* holds nan at") as it,
    ):
        nn.fit(made(), (x, Y), loss="cross_entropy", optimizer="sgd", epochs=1, progress=False)
    assert isinstance(it.value.__cause__, FloatingPointError)


def test_an_interrupted_training_says_so(capsys):
    trained(made(), data=Interrupting(6))
    text = "fit: interrupted after 1 of 4 epochs; the model keeps what it has learned"
    assert capsys.readouterr().err.strip() == text
    trained(made())
    assert capsys.readouterr().err == ""


def test_in_a_notebook_an_interrupted_training_raises_after_it_has_saved(tmp_path, monkeypatch):
    shell = InteractiveShell.instance()
    monkeypatch.setattr(shell, "kernel", object(), raising=False)
    path = tmp_path / "training"
    try:
        with pytest.raises(KeyboardInterrupt, match="after 1 of 4 epochs") as caught:
            trained(made(), data=Interrupting(6), checkpoint=path)
    finally:
        InteractiveShell.clear_instance()
    assert path.exists() and len(caught.value.history) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [nn.metrics.accuracy]),
        ([nn.metrics.accuracy], []),
        ([nn.metrics.accuracy], [ng.cross_entropy, nn.metrics.accuracy]),
    ],
)
def test_a_training_goes_on_with_other_metrics(tmp_path, before, after):
    """NB-03: weights do not depend on what is measured; an epoch under way says what it lacks."""
    whole, expected = trained(made(0.3), metrics=[ng.cross_entropy, nn.metrics.accuracy])
    path = tmp_path / "training"
    trained(made(0.3), data=Interrupting(6), checkpoint=path, metrics=before)  # amid the second
    with pytest.warns(UserWarning, match=r"amid an epoch with other metrics \(new: "):
        trained(made(0.3), data=Interrupting(0), checkpoint=path, metrics=after)  # and once more
    names = [["loss", *[f.__name__ for f in each]] for each in (before, after)]
    both = [name for name in names[1] if name in names[0]]
    again = pytest.warns(UserWarning) if both != names[1] else nullcontext()
    with again:
        later, weights = trained(made(0.3), checkpoint=path, metrics=after)
    for name, array in expected.items():
        np.testing.assert_array_equal(weights[name], array, err_msg=name)
    for row, kept, full in zip(later, [names[0], both, *[names[1]] * 2], whole, strict=True):
        assert list(row) == kept
        assert row == {name: full[name] for name in kept}


def test_metrics_may_change_between_epochs_without_a_word(tmp_path):
    trained(made(), 1, checkpoint=tmp_path / "a")
    history, _ = trained(made(), 2, checkpoint=tmp_path / "a", metrics=[nn.metrics.accuracy])
    assert [list(row) for row in history] == [["loss"], ["loss", "accuracy"]]
    assert "nan" not in str(history) and str(history).splitlines()[1].split()[0] == "1"


@pytest.mark.parametrize("compiled", [False, True])
def test_a_scaled_loss_trains_the_same_and_bad_steps_are_skipped(compiled):
    """X-MAR-11: cost scaling; powers of two change no bits of float32."""
    options = {"epochs": 2, "compiled": compiled}
    plain, expected = trained(made(), optimizer=lambda m: ng.optim.Adam(m, 0.02), **options)
    scaler = ng.optim.LossScaler(1024.0, window=3)
    history, weights = trained(
        made(), optimizer=lambda m: ng.optim.Adam(m, 0.02, scaler=scaler), **options
    )
    np.testing.assert_allclose(history["loss"], plain["loss"], rtol=1e-6)
    for name, array in expected.items():
        np.testing.assert_allclose(weights[name], array, rtol=1e-4, atol=1e-5)
    assert scaler.value == 4096 and scaler.skipped == 0
    # gradients overflow at 2**127; at 2**87 their squares are beyond float32, they are not
    scaler = ng.optim.LossScaler(2.0**127, factor=2.0**40)
    _, weights = trained(
        made(), optimizer=lambda m: ng.optim.Adam(m, 0.02, scaler=scaler), **options,
        loss=lambda out, wanted: 256 * ng.cross_entropy(out, wanted),
    )  # fmt: skip
    assert scaler.skipped == 1 and scaler.value == 2.0**87
    assert all(np.isfinite(a).all() for a in weights.values())


def test_a_finished_training_is_not_repeated(tmp_path):
    net = made()
    history, weights = trained(net, 2, checkpoint=tmp_path / "a")
    again, same = trained(made(), 2, checkpoint=tmp_path / "a")
    assert again.rows == history.rows
    longer, _ = trained(made(), 3, checkpoint=tmp_path / "a")
    assert longer.rows[:2] == history.rows and len(longer) == 3
    for name, array in weights.items():
        np.testing.assert_array_equal(same[name], array)


def test_a_second_interrupt_is_raised_and_handlers_are_given_back():
    before = signal.getsignal(signal.SIGINT)

    class Twice(Interrupting):
        def __iter__(self):
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            yield from self.inner

    with pytest.raises(KeyboardInterrupt):
        trained(made(), data=Twice(0))
    assert signal.getsignal(signal.SIGINT) is before
    assert ng.ones(3).sum().item() == 3


def test_another_thread_trains_too():
    found = []
    thread = threading.Thread(target=lambda: found.append(trained(made(), 1)))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(
        found[0][1]["layers.0.weight"], trained(made(), 1)[1]["layers.0.weight"]
    )


def test_a_scalar_function_is_a_loss():
    """A loss that a user writes as a scalar function, element by element."""

    @ng.op
    def rounded(out, y):
        d = out - y
        return d * d / (1 + abs(d))

    x = np.linspace(-1, 1, 64, dtype="float32")[:, None]
    net = nn.Dense(1)
    history = nn.fit(
        net, nn.Batches(x, 3 * x + 1, batch_size=8), loss=rounded, epochs=60, progress=False,
        optimizer=lambda m: ng.optim.SGD(m, 0.3, momentum=0.5),
    )  # fmt: skip
    assert history["loss"][-1] < 1e-3
    np.testing.assert_allclose(net.weight.item(), 3, atol=0.05)


def test_what_cannot_be_trained_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="tuple of inputs and a target"):
        trained(made(), data=[(X,)])
    with pytest.raises(ArgumentError, match="gave no batch"):
        trained(made(), data=[])
    ng.save(tmp_path / "a", {"w": ng.ones(1)})
    with pytest.raises(FormatError, match="not a checkpoint"):
        trained(made(), checkpoint=tmp_path / "a")


def diverging(place):
    """Data of 8 batches; NaN in one of them, at a place of the inputs or the targets."""
    x, y = np.ones((64, 3), "float32"), np.ones((64, 1), "float32")
    (x if place == "input" else y)[37, 0] = np.nan
    return ng.io.NDArrayIter(x, y, batch_size=8)


@pytest.mark.parametrize("place", ["input", "target"])
@pytest.mark.parametrize("options", [{}, {"accumulate": 3}, {"compiled": False}])
def test_a_loss_that_is_nan_ends_the_training_and_names_the_batch(tmp_path, place, options):
    path, model = tmp_path / "last.npz", ng.nn.Dense(1)
    options |= {"loss": "mse", "optimizer": "adam", "epochs": 2, "progress": False}
    with pytest.raises(ng.errors.DivergenceError, match="batch 5 of epoch 1/2 is NaN") as caught:
        ng.nn.fit(model, diverging(place), checkpoint=path, **options)
    assert re.search(rf"{place}.* holds nan at \(5, 0\)", str(caught.value))
    lost = [name for name, array in model.parameters().items() if np.isnan(array.asnumpy()).any()]
    harm = f"{len(lost)} of 2 parameters hold NaN by now, {lost[0]!r} among them" if lost else ""
    assert harm in str(caught.value) and bool(lost) == ("parameters" in str(caught.value))
    assert not path.exists()  # no checkpoint of NaN


def test_a_loss_that_overflows_is_blamed_on_the_rate():
    x = np.full((64, 1), 100.0, "float32")
    with pytest.raises(ng.errors.DivergenceError, match="its data are finite. Lower the learning"):
        ng.nn.fit(
            ng.nn.Dense(1), (x, x), loss="mse", optimizer=lambda m: ng.optim.SGD(m, 10.0),
            epochs=50, progress=False,
        )  # fmt: skip


def test_a_training_goes_on_with_nan_where_asked_for():
    options = {"loss": "mse", "optimizer": "adam", "progress": False}
    history = ng.nn.fit(ng.nn.Dense(1), diverging("input"), epochs=2, on_nan="continue", **options)
    assert len(history) == 2 and np.isnan(history["loss"]).all()
    with pytest.raises(ng.ArgumentError, match="on_nan='stop'; expected 'raise' or 'continue'"):
        ng.nn.fit(ng.nn.Dense(1), diverging("input"), epochs=1, on_nan="stop", **options)
