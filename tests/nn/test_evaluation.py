"""`evaluate` and `predict` over uneven, padded and structured batches."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError
from nbgraph.io import NDArrayIter

RNG = np.random.default_rng(4)
X = RNG.normal(size=(43, 5)).astype("float32")
Y = RNG.integers(0, 3, 43)
NET = nn.Sequential(nn.Dense(4, ng.tanh), nn.Dropout(0.5), nn.Dense(3)).prepare(X)
OUT = NET(ng.array(X)).asnumpy()

DATA = {
    "arrays": lambda: (X, Y),
    "NDArrays": lambda: (ng.array(X), ng.array(Y)),
    "uneven": lambda: nn.Batches(X, Y, batch_size=10, shuffle=False),
    "padded": lambda: NDArrayIter(X, Y, batch_size=10),
    "tuples": lambda: [(X[:1], Y[:1]), (X[1:30], Y[1:30]), (X[30:], Y[30:])],
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", DATA)
def test_values_are_those_of_all_samples(name, compiled):
    found = nn.evaluate(
        NET, DATA[name](), loss=ng.cross_entropy, compiled=compiled,
        metrics=["accuracy", nn.metrics.F1("macro"), "confusion"],
    )  # fmt: skip
    assert abs(found["loss"] - ng.cross_entropy(OUT, Y)) < 1e-6
    assert found["accuracy"] == (OUT.argmax(1) == Y).mean()
    np.testing.assert_allclose(found["f1"], f1_score(Y, OUT.argmax(1), average="macro"))
    assert isinstance(found["confusion"], np.ndarray) and found["confusion"].sum() == 43


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", DATA)
def test_outputs_are_those_of_all_samples_in_order(name, compiled):
    found = nn.predict(NET, DATA[name](), labelled=True, compiled=compiled)
    assert isinstance(found, ng.NDArray)
    np.testing.assert_allclose(found.asnumpy(), OUT, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("data", [X, ng.array(X), (X,), NDArrayIter(X, batch_size=8)])
def test_inputs_alone_are_enough(data):
    np.testing.assert_allclose(nn.predict(NET, data).asnumpy(), OUT, rtol=1e-6, atol=1e-7)


def test_outputs_keep_their_structure():
    class Two(nn.Module):
        def forward(self, x, z):
            return {"sum": x + z, "parts": (x, [z * 2])}

    z = X[::-1].copy()
    found = nn.predict(Two(), (X, z))
    np.testing.assert_array_equal(found["sum"].asnumpy(), X + z)
    assert type(found["parts"]) is tuple and type(found["parts"][1]) is list
    np.testing.assert_array_equal(found["parts"][1][0].asnumpy(), z * 2)
    again = nn.predict(Two(), (X, z, Y), labelled=True)
    np.testing.assert_array_equal(again["sum"].asnumpy(), X + z)


def test_a_model_learns_its_shapes_from_the_data():
    assert nn.predict(nn.Dense(2), X).shape == (43, 2)
    assert nn.evaluate(nn.Dense(3), (X, Y), metrics="accuracy").keys() == {"accuracy"}


def test_what_was_trained_is_measured_alike():
    net = nn.Dense(3)
    history = nn.fit(
        net, (X, Y), loss=ng.cross_entropy, optimizer=ng.optim.SGD, epochs=1, progress=False,
        validation=NDArrayIter(X, Y, batch_size=10), metrics=["accuracy"],
    )  # fmt: skip
    found = nn.evaluate(net, (X, Y), loss=ng.cross_entropy, metrics=["accuracy"])
    assert history.last["val_accuracy"] == found["accuracy"]
    assert abs(history.last["val_loss"] - found["loss"]) < 1e-6


def test_a_bar_is_shown_where_it_is_asked_for(monkeypatch):
    seen = []

    def followed(batches, total, label, *, shown):
        seen.append((total, label, shown))
        yield from batches

    monkeypatch.setattr("nbgraph.nn.evaluation.followed", followed)
    nn.evaluate(NET, (X, Y), metrics="accuracy", progress=True)
    nn.predict(NET, X, progress=True)
    assert seen == [(2, "evaluate", True), (2, "predict", True)]


def test_nothing_to_measure_is_refused():
    with pytest.raises(ArgumentError, match="neither a loss nor metrics"):
        nn.evaluate(NET, (X, Y))
    with pytest.raises(ArgumentError, match="there was no batch"):
        nn.evaluate(NET, [], metrics="accuracy")
    with pytest.raises(ArgumentError, match="predict: the data gave no batch"):
        nn.predict(NET, [])
