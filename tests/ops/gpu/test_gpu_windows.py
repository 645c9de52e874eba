"""Convolutions, pools and norms on a GPU against the host: every axis count, stride, pad, gap and
group, each dtype, by columns and products as well as by a thread an element."""

import itertools
from unittest.mock import patch

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.ops.gpu import windows
from tests.array.gpu import GPU

TOLERANCE = {"float32": 1e-4, "float64": 1e-10, "float16": 2e-2, "bfloat16": 6e-2}
HOW = [{}, {"stride": 2, "pad": 1}, {"pad": 2, "dilation": 2}, {"stride": 3}]
CONVOLVED = list(itertools.product((1, 2, 3), ((1, 3, 4), (2, 2, 2), (4, 1, 1)), HOW, (1, 3)))
EVERYDAY = 3  # of these for each dtype and way
POOLED = [
    (2, {}),
    (3, {"stride": 2, "pad": 1, "ceil": True}),
    (3, {"stride": 1, "pad": 1}),
    (2, {"stride": 3, "ceil": True}),
]


def agree(function, arrays, dtype, states=()):
    """Results and gradients on both devices; `states` are written."""
    found = []
    for device in (ng.cpu(), GPU):
        held = [ng.array(a, device=device).astype(dtype) for a in arrays]
        own = [ng.array(a, device=device).astype("float32") for a in states]
        for a in held:
            a.attach_grad()
        with ng.autograd.record():
            y = function(*held, *own)
        slope = np.random.default_rng(1).normal(size=y.shape)
        y.backward(ng.array(slope, device=device).astype(dtype))
        assert y.device == device
        found.append([a.astype("float64").asnumpy() for a in (y, *(x.grad for x in held), *own)])
    for a, b in zip(*found, strict=True):
        scale = max(1, np.abs(a[np.isfinite(a)]).max(initial=0))
        np.testing.assert_allclose(b, a, rtol=0, atol=TOLERANCE[dtype] * scale)


def chosen(cases, seed, full):
    if full:
        return cases
    order = np.random.default_rng(seed).permutation(len(cases))
    return [cases[k] for k in order[:EVERYDAY]]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("way", ["threads", "columns"])
def test_convolutions(way, dtype, full):
    """MTE-03: forward, and by data, weights and bias."""
    seed = sum(map(ord, way + dtype))
    rng = np.random.default_rng(seed)
    limits = {"FEW": 0, "THIN": 0} if way == "columns" else {"FEW": 1 << 30}
    with patch.multiple(windows, **limits):
        for axes, (groups, channels, features), how, window in chosen(CONVOLVED, seed, full):
            x = rng.normal(size=(3, groups * channels, *range(7, 7 + axes)))
            w = rng.normal(size=(groups * features, channels, *[window] * axes))
            b = rng.normal(size=groups * features)

            def convolved(x, w, b, groups=groups, how=how):
                return ng.convolution(x, w, b, groups=groups, **how)

            agree(convolved, [x, w, b], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_columns_of_many_images_are_made_in_parts(dtype):
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=s) for s in ((7, 3, 9, 9), (4, 3, 3, 3), (4,))]
    with patch.multiple(windows, MOST_COLUMNS=20000, FEW=0, THIN=0):
        agree(lambda x, w, b: ng.convolution(x, w, b, pad=1), arrays, dtype)
        agree(lambda x, w: ng.ops.convolution_data(x, w, size=(9, 9), pad=1),
              [rng.normal(size=(7, 4, 9, 9)), arrays[1]], dtype)  # fmt: skip


def test_operands_of_several_dtypes_and_none():
    """What is wider counts; no images and no channels are nothing, and zeros."""
    x, w = ng.ones((2, 3, 5), device=GPU), ng.ones((4, 3, 2), dtype="float64", device=GPU)
    y = ng.convolution(x, w)
    assert y.dtype == "float64" and (y.asnumpy() == 6).all()
    assert ng.convolution(x[:0], w).shape == (0, 4, 4)
    empty = ng.convolution(ng.ones((2, 0, 5), device=GPU), ng.ones((4, 0, 2), device=GPU))
    assert not empty.asnumpy().any() and empty.shape == (2, 4, 4)
    made = ng.Deconvolution(x, ng.ones((3, 2, 2), device=GPU), kernel=(2,), num_filter=2)
    np.testing.assert_array_equal(made.asnumpy()[0, 0], [3, 6, 6, 6, 6, 3])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_pools(axes, dtype, full):
    """Equal values and NaN: the first cell gave the maximum."""
    rng = np.random.default_rng(axes)
    for window, how in POOLED if full else POOLED[axes - 1 :: 2]:
        x = rng.integers(-3, 3, (2, 3, *range(7, 7 + axes))).astype(float)
        agree(lambda x, w=window, h=how: ng.avg_pooling(x, w, counted=False, **h), [x], dtype)
        agree(lambda x, w=window, h=how: ng.avg_pooling(x, w, **h), [x], dtype)
        x.ravel()[5] = np.nan
        agree(lambda x, w=window, h=how: ng.max_pooling(x, w, **h), [x], dtype)
    agree(lambda x: ng.max_pooling(x, 2, stride=1, dilation=2), [x], dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [(6, 5), (3, 4, 5, 6), (9, 2, 700)])
def test_norms(shape, dtype):
    """OPR-12: statistics of the batch, and states that move towards them."""
    rng = np.random.default_rng(0)
    x, gamma, beta = rng.normal(size=shape), rng.uniform(1, 2, shape[1]), rng.normal(size=shape[1])
    states = [rng.normal(size=shape[1]), rng.uniform(1, 2, shape[1])]

    def normed(x, gamma, beta, mean, variance):
        return ng.batch_norm(x, gamma, beta, mean, variance, momentum=0.3)

    agree(normed, [x, gamma, beta], dtype, states)
    agree(lambda *v: ng.instance_norm(*v) if len(shape) > 2 else v[0], [x, gamma, beta], dtype)
    agree(ng.layer_norm, [x, rng.normal(size=shape[-1]), rng.normal(size=shape[-1])], dtype)


def test_states_in_pieces_move_too():
    """A view of every second number is written where it lies."""
    whole = ng.zeros((3, 2), device=GPU)
    mean, variance = whole[:, 0], ng.ones(3, device=GPU)
    with ng.autograd.record():
        ng.batch_norm(ng.ones((4, 3), device=GPU) * 2, None, None, mean, variance, momentum=0.5)
    np.testing.assert_array_equal(whole.asnumpy(), [[1, 0]] * 3)
