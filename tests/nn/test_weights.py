"""`fit` with weights of classes and samples, and with gradients gathered over batches."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError
from nbgraph.io import DataBatch, DataDesc, DataIter

RNG = np.random.default_rng(1)
X = RNG.normal(size=(22, 5)).astype("float32")
Y = RNG.integers(0, 3, 22)
W = RNG.integers(1, 5, 22).astype("float32")


def net():
    ng.random.seed(3)
    return nn.Sequential(nn.Dense(7, ng.tanh, in_features=5), nn.Dense(3, in_features=7))


def weights_after(data, epochs=1, optimizer=None, **options):
    model = net()
    options = {"loss": ng.cross_entropy, "progress": False, **options}
    history = nn.fit(
        model,
        data,
        epochs=epochs,
        optimizer=optimizer or (lambda m: ng.optim.SGD(m, 0.5)),
        **options,
    )
    return history, {name: a.asnumpy() for name, a in model.parameters().items()}


def require_close(found, expected):
    for name, array in expected.items():
        np.testing.assert_allclose(found[name], array, rtol=2e-4, atol=2e-6, err_msg=name)


def batches(size, *arrays):
    return nn.Batches(*(arrays or (X, Y)), batch_size=size, shuffle=False)


@pytest.mark.parametrize("compiled", [True, False])
def test_gathered_gradients_take_the_step_of_the_whole_batch(compiled):
    """22 samples: batches of 4, the last of 2; steps of 12 and, at the epoch's end, of 10."""
    whole, expected = weights_after(batches(12), 2, compiled=compiled)
    found, weights = weights_after(batches(4), 2, accumulate=3, compiled=compiled)
    require_close(weights, expected)
    np.testing.assert_allclose(found["loss"], whole["loss"], rtol=1e-5)


def test_steps_are_counted_as_steps_of_the_optimizer():
    seen = []
    options = {"optimizer": lambda m: ng.optim.SGD(m, lambda n: seen.append(n) or 0.1)}
    weights_after(batches(4), 2, accumulate=3, **options)
    assert max(seen) == 3
    with pytest.raises(ArgumentError, match="accumulate=0; expected a whole number from 1 on"):
        weights_after(batches(4), accumulate=0)


def test_a_scaled_loss_is_gathered_too():
    plain = weights_after(batches(4), 2, accumulate=3)[1]
    scaler = ng.optim.LossScaler(1024.0, window=1)
    made = {"optimizer": lambda m: ng.optim.SGD(m, 0.5, scaler=scaler)}
    require_close(weights_after(batches(4), 2, accumulate=3, **made)[1], plain)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_weight_counts_as_so_many_samples(compiled):
    """Whole weights: the training is that on data in which samples stand so many times."""
    times = np.repeat(np.arange(22), W.astype(int))
    options = {"metrics": ["accuracy", "f1"], "loss": ng.cross_entropy, "compiled": compiled}
    options["metrics"] = ["accuracy", nn.metrics.F1("macro"), ng.cross_entropy]
    repeated, expected = weights_after(batches(100, X[times], Y[times]), 3, **options)
    found, weights = weights_after(batches(100, X, Y, W), 3, sample_weight=True, **options)
    require_close(weights, expected)
    for name in repeated.names:
        np.testing.assert_allclose(found[name], repeated[name], rtol=1e-5)
    _, gathered = weights_after(batches(4, X, Y, W), 3, sample_weight=True, accumulate=6, **options)
    require_close(gathered, expected)


def test_weights_of_classes_are_those_of_samples_in_the_loss_alone():
    each = {0: 2.0, 2: 0.5}
    by_class, expected = weights_after(
        batches(8), 2, class_weight=each, metrics=["accuracy"], validation=(X, Y)
    )
    weight = np.array([each.get(y, 1.0) for y in Y], "float32")
    by_sample, weights = weights_after(
        batches(8, X, Y, weight), 2, sample_weight=True, metrics=["accuracy"],
        validation=(X, Y, weight),
    )  # fmt: skip
    require_close(weights, expected)
    np.testing.assert_allclose(by_class["val_loss"], by_sample["val_loss"], rtol=1e-5)
    plain = nn.evaluate(net(), (X, Y), metrics="accuracy")
    assert (
        nn.evaluate(net(), (X, Y), metrics="accuracy", class_weight=each, loss=ng.cross_entropy)[
            "accuracy"
        ]
        == plain["accuracy"]
    )


def test_ignored_labels_train_nothing():
    kept = np.arange(22) % 3 > 0
    loss = nn.metrics.Mean(ng.cross_entropy, ignore_label=-1)
    _, expected = weights_after(batches(100, X[kept], Y[kept]), 2)
    _, weights = weights_after(batches(100, X, np.where(kept, Y, -1)), 2, loss=loss)
    require_close(weights, expected)


class Named(DataIter):
    """Padded batches with a column of weights between the others."""

    def __init__(self, labels=("label", "importance")):
        super().__init__(batch_size=8)
        self.at = 0
        self.provide_data = [DataDesc("data", (8, 5)), DataDesc("importance", (8,))]
        self.provide_label = [DataDesc("label", (8,), "int64")]

    def next(self):
        if self.at >= 22:
            raise StopIteration
        rows = np.arange(self.at, self.at + 8)
        self.at += 8
        pad = max(0, self.at - 22)
        wrong = np.where(rows < 22, Y[rows % 22], 2)
        return DataBatch([X[rows % 22], W[rows % 22]], [wrong], pad=pad)

    def reset(self):
        self.at = 0


def test_a_named_column_is_the_weights_and_padding_does_not_count():
    options = {"metrics": ["accuracy", "confusion"], "validation": Named()}
    found, weights = weights_after(Named(), 2, sample_weight="importance", **options)
    options["validation"] = batches(8, X, Y, W)
    whole, expected = weights_after(batches(8, X, Y, W), 2, sample_weight=True, **options)
    require_close(weights, expected)
    assert [row.keys() for row in found] == [row.keys() for row in whole]
    np.testing.assert_allclose(found["val_loss"], whole["val_loss"], rtol=1e-6)
    assert found["confusion"] == whole["confusion"]
    assert np.sum(found["confusion"][0]) == W.sum()
    with pytest.raises(ArgumentError, match="'weights'; the data have the columns data,"):
        weights_after(Named(), sample_weight="weights")


def test_weights_that_cannot_be_taken_are_refused():
    def mean(out, target):
        return ng.mean(ng.cross_entropy(out, target))

    with pytest.raises(ArgumentError, match="loss: weights need a value for each sample"):
        weights_after(batches(8), class_weight=[1, 2, 3], loss=mean)
    with pytest.raises(ArgumentError, match="of 2; expected a tuple of inputs, a target and"):
        weights_after(batches(8), sample_weight=True)
    with pytest.raises(ArgumentError, match="loss=rmse is not a mean over samples"):
        weights_after(batches(8), loss=nn.metrics.rmse)
    with pytest.raises(ArgumentError, match="class_weight is given, and the loss has"):
        own = nn.metrics.Mean(ng.cross_entropy, class_weight=[1, 2, 3])
        weights_after(batches(8), class_weight=[1, 2, 3], loss=own)
