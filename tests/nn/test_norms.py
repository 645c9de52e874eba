"""Norms as modules, against NumPy."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn

X = np.random.default_rng(0).normal(2, 3, size=(6, 4, 5)).astype("float32")


def standard(x, axis):
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-5)


@pytest.mark.parametrize("compiled", [False, True])
def test_rows_have_mean_0_and_variance_1(compiled):
    net = nn.LayerNorm().prepare(ng.array(X)).hybridize(compiled)
    net.gamma[:], net.beta[:] = np.arange(5), 7
    expected = standard(X, -1) * np.arange(5) + 7
    np.testing.assert_allclose(net(ng.array(X)), expected, rtol=1e-4, atol=1e-4)
    rms = nn.RMSNorm(5).hybridize(compiled)(ng.array(X))
    expected = X / np.sqrt((X * X).mean(-1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(rms, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("groups", [1, 2, 4])
def test_groups_of_channels_have_mean_0_and_variance_1(groups, compiled):
    net = nn.GroupNorm(groups).prepare(ng.array(X)).hybridize(compiled)
    net.gamma[:], net.beta[:] = np.arange(4) + 1, 7
    rows = standard(X.reshape(6, groups, -1), -1).reshape(X.shape)
    expected = rows * (np.arange(4) + 1)[:, None] + 7
    np.testing.assert_allclose(net(ng.array(X)), expected, rtol=1e-4, atol=1e-4)
    assert list(net.parameters()) == ["gamma", "beta"]


@pytest.mark.parametrize("compiled", [False, True])
def test_each_channel_of_a_sample_has_mean_0_and_variance_1(compiled):
    net = nn.InstanceNorm().prepare(ng.array(X)).hybridize(compiled)
    net.gamma[:], net.beta[:] = np.arange(4) + 1, 7
    expected = standard(X, -1) * (np.arange(4) + 1)[:, None] + 7
    np.testing.assert_allclose(net(ng.array(X)), expected, rtol=1e-4, atol=1e-4)


def test_groups_divide_channels():
    with pytest.raises(ng.ArgumentError, match="groups=0"):
        nn.GroupNorm(0)
    with pytest.raises(ng.errors.ShapeError, match="groups that divide channels"):
        nn.GroupNorm(3)(ng.array(X))


@pytest.mark.parametrize("compiled", [False, True])
def test_batches_move_the_averages_in_training_alone(compiled):
    """Moving averages: written in training, used in prediction, saved and not trained."""
    net = nn.BatchNorm(momentum=0.5).prepare(ng.array(X)).hybridize(compiled)
    np.testing.assert_allclose(net(ng.array(X)), X, rtol=1e-4)
    mean, variance = np.zeros(4), np.ones(4)
    for step in range(3):
        with ng.autograd.record():
            out = net(ng.array(X + step))
        out.sum().item()
        mean += 0.5 * ((X + step).mean((0, 2)) - mean)
        variance += 0.5 * (X.var((0, 2), ddof=1) - variance)
        np.testing.assert_allclose(out, standard(X, (0, 2)), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(net.moving_mean, mean, rtol=1e-4)
    np.testing.assert_allclose(net.moving_variance, variance, rtol=1e-4)
    expected = (X - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5)
    np.testing.assert_allclose(net(ng.array(X)), expected, rtol=1e-3, atol=1e-4)
    assert list(net.parameters()) == ["gamma", "beta"]
    assert list(net.statistics()) == ["moving_mean", "moving_variance"]


@pytest.mark.parametrize("compiled", [False, True])
def test_fit_moves_the_averages(compiled):
    net = nn.Sequential(nn.BatchNorm(4), nn.Flatten(), nn.Dense(1))
    data = nn.Batches(X, X[:, 0, :1], batch_size=6)
    nn.fit(
        net, data, loss=nn.metrics.mse, optimizer=lambda m: ng.optim.SGD(m, 0.0), epochs=2,
        validation=data, progress=False, compiled=compiled,
    )  # fmt: skip
    expected = X.mean((0, 2)) * (1 - 0.9**2)
    np.testing.assert_allclose(net[0].moving_mean, expected, rtol=1e-4)
