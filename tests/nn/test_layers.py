"""Layers of one operator."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError


@pytest.mark.parametrize("lead", [(), (4,), (2, 4)])
@pytest.mark.parametrize("bias", [False, True])
def test_dense_is_a_product_and_a_sum(lead, bias):
    net = nn.Dense(3, ng.tanh, bias=bias)
    x = np.random.default_rng(0).normal(size=(*lead, 5)).astype("float32")
    out = net(ng.array(x))
    expected = x @ net.weight.asnumpy().T
    if bias:
        net.bias[:] = [1, 2, 3]
        out, expected = net(ng.array(x)), expected + [1, 2, 3]
    np.testing.assert_allclose(out, np.tanh(expected), rtol=1e-5, atol=1e-6)
    assert len(net.parameters()) == 1 + bias


def test_weights_have_the_variance_that_glorot_and_bengio_give():
    ng.random.seed(0)
    weight = nn.Dense(300, in_features=500).weight.asnumpy()
    assert abs(weight.var() / (2 / 800) - 1) < 0.02
    assert abs(weight).max() <= np.float32(np.sqrt(6 / 800))


def test_embedding_gives_rows_and_takes_their_gradients():
    net = nn.Embedding(5, 2)
    with ng.autograd.record():
        out = net(ng.array([[1, 3], [1, 0]]))
    out.backward()
    np.testing.assert_array_equal(out, net.weight.asnumpy()[[[1, 3], [1, 0]]])
    assert net.weight.grad.tolist() == [[1, 1], [2, 2], [0, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize("index", [1, -4])
def test_a_row_of_padding_is_zero_and_stays(index):
    net = nn.Embedding(5, 2, padding_index=index)
    with ng.autograd.record():
        out = net(ng.array([[1, 3], [1, 0]]))
    out.backward()
    np.testing.assert_array_equal(out, net.weight.asnumpy()[[[1, 3], [1, 0]]])
    assert net.weight[1].tolist() == [0, 0]
    assert net.weight.grad.tolist() == [[1, 1], [0, 0], [0, 0], [1, 1], [0, 0]]


@pytest.mark.parametrize("compiled", [False, True])
def test_dropout_drops_in_training_alone(compiled):
    """OPR-02: training and prediction differ, as written and as one graph."""
    net = nn.Dropout(0.25).hybridize(compiled)
    x = ng.ones(4000)
    assert set(net(x).tolist()) == {1}
    with ng.autograd.train_mode():
        first, second = net(x).asnumpy(), net(x).asnumpy()
    assert abs((first == 0).mean() - 0.25) < 0.05
    assert (first != second).any()


def test_sequential_takes_functions_and_flattens():
    net = nn.Sequential(nn.Flatten(), ng.square)
    assert isinstance(net[:1], nn.Sequential)
    assert [*net[::-1].layers] == [net[1], net[0]]
    assert net[:-1](ng.ones((2, 3, 1))).shape == (2, 3)
    assert net(ng.ones((2, 3, 4)) * 2).tolist() == [[4] * 12] * 2
    assert len(net) == 2 and isinstance(net[1], nn.Function)
    with pytest.raises(ArgumentError, match="3 cannot be called"):
        nn.Sequential(nn.Flatten(), 3)


@pytest.mark.parametrize("units", [0, -1, 2.5, True])
def test_units_are_whole_numbers(units):
    with pytest.raises(ArgumentError, match="units="):
        nn.Dense(units)


@pytest.mark.parametrize("compiled", [False, True])
def test_dropout_of_channels_drops_whole_ones(compiled):
    net, x = nn.Dropout2d(0.25).hybridize(compiled), ng.ones((4, 500, 2, 3))
    assert set(net(x).ravel().tolist()) == {1}
    with ng.autograd.train_mode():
        out = net(x).asnumpy()
    assert (out == out[..., :1, :1]).all() and set(out.ravel()) == {0, np.float32(4 / 3)}
    assert abs((out == 0).mean() - 0.25) < 0.05
    with pytest.raises(ArgumentError, match="Dropout2d: p=2"):
        nn.Dropout2d(2)


def test_slopes_of_prelu_are_trained_one_for_each_channel():
    net, x = nn.PReLU(2), ng.array([[[-1.0, 2.0], [-3.0, -4.0]]])
    net.slope[:] = [0.5, 2]
    with ng.autograd.record():
        out = net(x)
    out.backward()
    assert out.tolist() == [[[-0.5, 2], [-6, -8]]] and net.slope.grad.tolist() == [-1, -7]


def test_upsampling_repeats_or_interpolates():
    x = np.random.default_rng(0).normal(size=(1, 2, 3, 2)).astype("float32")
    near = nn.Upsample(2)(ng.array(x))
    np.testing.assert_array_equal(near, x.repeat(2, 2).repeat(2, 3))
    assert nn.Upsample(3)(ng.ones((1, 2, 4))).shape == (1, 2, 12)
    across = nn.Upsample(2, mode="bilinear", align_corners=True)(ng.array(x))
    assert across.shape == near.shape
    np.testing.assert_allclose(across[:, :, ::5, ::3], x[:, :, [0, 2]], rtol=1e-5)
    with pytest.raises(ArgumentError, match="scale=0"):
        nn.Upsample(0)
    with pytest.raises(ArgumentError, match="mode='cubic'"):
        nn.Upsample(2, mode="cubic")
