"""Convolutions and pools as modules, against loops over NumPy arrays."""

import itertools

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import nn
from nbgraph.errors import ArgumentError, ShapeError

LAYERS = {1: (nn.Conv1d, nn.ConvTranspose1d), 2: (nn.Conv2d, nn.ConvTranspose2d)}
LAYERS[3] = (nn.Conv3d, nn.ConvTranspose3d)
HOW = [{}, {"stride": 2}, {"pad": 1}, {"dilation": 2}, {"stride": 2, "pad": 1, "groups": 2}]


def convolved(x, weight, stride=1, pad=0, dilation=1, groups=1):
    """By its definition, place by place."""
    axes = x.ndim - 2
    x = np.pad(x, [(0, 0), (0, 0)] + [(pad, pad)] * axes)
    reach = [dilation * (k - 1) + 1 for k in weight.shape[2:]]
    outs = [(n - r) // stride + 1 for n, r in zip(x.shape[2:], reach)]
    out = np.zeros((len(x), len(weight), *outs))
    per, own = x.shape[1] // groups, len(weight) // groups
    for at in itertools.product(*map(range, outs)):
        cells = tuple(slice(a * stride, a * stride + r, dilation) for a, r in zip(at, reach))
        for f in range(len(weight)):
            first = f // own * per
            part = x[(slice(None), slice(first, first + per), *cells)]
            out[(slice(None), f, *at)] = (part * weight[f]).reshape(len(x), -1).sum(1)
    return out


@pytest.mark.parametrize("how", HOW, ids=str)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_convolution_and_its_transpose(axes, how):
    """A transpose turns the products of a convolution around: <a * x, y> = <x, a' * y>."""
    rng = np.random.default_rng(axes)
    forward, back = (kind(4, 3, **how, bias=False) for kind in LAYERS[axes])
    x = rng.normal(size=(2, 4, *[7] * axes)).astype("float32")
    out = forward(ng.array(x))
    np.testing.assert_allclose(
        out, convolved(x, forward.weight.asnumpy(), **how), rtol=1e-4, atol=1e-4
    )
    back.weight = forward.weight
    y = rng.normal(size=out.shape).astype("float32")
    turned = back(ng.array(y)).asnumpy()
    fitting = x[tuple(map(slice, turned.shape))] if turned.shape != x.shape else x
    if fitting is x:
        np.testing.assert_allclose((out.asnumpy() * y).sum(), (x * turned).sum(), rtol=1e-3)
    else:
        assert turned.shape[:2] == x.shape[:2]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_transpose_with_an_output_pad(axes):
    """It gives the larger of the extents from which a convolution makes the same number."""
    rng = np.random.default_rng(axes)
    forward, back = LAYERS[axes]
    how = {"stride": 2, "pad": 1, "bias": False}
    forward, back = forward(4, 3, **how), back(4, 3, **how, output_pad=1)
    x, y = (rng.normal(size=(2, 4, *[n] * axes)).astype("float32") for n in (8, 4))
    out = forward(ng.array(x))
    back.weight = forward.weight
    turned = back(ng.array(y)).asnumpy()
    assert turned.shape == x.shape and out.shape == y.shape
    np.testing.assert_allclose((out.asnumpy() * y).sum(), (x * turned).sum(), rtol=1e-3)
    with pytest.raises(ShapeError, match="output_pad=2 beside stride=2; expected less than"):
        type(back)(4, 3, stride=2, output_pad=2)


def test_bias_and_activation_and_gradients():
    net = nn.Conv2d(3, 2, ng.tanh)
    x = ng.array(np.random.default_rng(0).normal(size=(2, 2, 4, 4)).astype("float32"))
    net(x)
    net.bias[:] = [1, 2, 3]
    expected = convolved(x.asnumpy(), net.weight.asnumpy()) + np.reshape([1, 2, 3], (3, 1, 1))
    with ng.autograd.record():
        out = net(x)
    out.backward()
    np.testing.assert_allclose(out, np.tanh(expected), rtol=1e-4, atol=1e-5)
    slope = (1 - np.tanh(expected) ** 2).sum(axis=(0, 2, 3))
    np.testing.assert_allclose(net.bias.grad, slope, rtol=1e-3, atol=1e-4)
    assert net.weight.grad.shape == (3, 2, 2, 2)
    assert repr(net) == "Conv2d(3, 2 x 2, tanh)"


def test_pools():
    x = np.random.default_rng(0).normal(size=(2, 3, 4, 6)).astype("float32")
    cut = x.reshape(2, 3, 2, 2, 3, 2)
    np.testing.assert_array_equal(nn.MaxPool(2)(ng.array(x)), cut.max((3, 5)))
    np.testing.assert_allclose(nn.AvgPool(2)(ng.array(x)), cut.mean((3, 5)), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(nn.GlobalPool()(ng.array(x)), x.mean((2, 3)), rtol=1e-4, atol=1e-6)
    np.testing.assert_array_equal(nn.GlobalPool(largest=True)(ng.array(x)), x.max((2, 3)))


def test_errors_of_shapes_and_windows():
    with pytest.raises(ShapeError, match="expected a whole number, or 2 of them"):
        nn.Conv2d(3, (2, 2, 2))
    with pytest.raises(ArgumentError, match="Conv2d: window=True; expected whole numbers from 1"):
        nn.Conv2d(3, True)
    with pytest.raises(ArgumentError, match="MaxPool: window=2.5 is not a whole number"):
        nn.MaxPool(2.5)
    assert nn.Conv2d(3, np.int64(2)).window == nn.Conv2d(3, [2, 2]).window == (2, 2)
    with pytest.raises(ShapeError, match="1 axes of space"):
        nn.Conv1d(3, 2)(ng.ones((1, 2, 4, 4)))
    with pytest.raises(ShapeError, match=r"leaves a space of \(-1,\); give a smaller pad"):
        nn.ConvTranspose1d(3, 1, pad=2)(ng.ones((1, 2, 3)))
    net = nn.Conv1d(3, 2, in_channels=2)
    with pytest.raises(ShapeError, match=r"weight has shape \(3, 2, 2\)"):
        net(ng.ones((1, 5, 4)))
