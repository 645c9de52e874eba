"""Pools against loops over places in NumPy, in every world."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout_of
from nbgraph.operator.request import kAddTo
from nbgraph.ops.define import operator_of


def cases(count, seed=0):
    """Random windows and data with equal values, of one to three axes."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        axes = k % 3 + 1
        window = tuple(int(n) for n in rng.integers(1, 5, axes))
        if k % 5 == 0:
            window = (*window[:-1], 11)  # too wide to be part of a kernel's text
        how = {
            "window": window,
            "stride": tuple(int(n) for n in rng.integers(1, 6, axes)),
            "pad": tuple(int(rng.integers(0, min(n, 4))) for n in window),
            "ceil": bool(k % 2),
        }
        space = [n + int(rng.integers(0, 8)) for n in window]
        yield how, rng.integers(-4, 5, size=(2, 3, *space)).astype("float64")


def loops(x, how, counted):
    """The definition of both: the cells of each window that lie in the data."""
    window, step, pad = how["window"], how["stride"], how["pad"]
    places = []
    for n, k, s, p in zip(x.shape[2:], window, step, pad):
        starts = np.arange(-p, n + p, s)
        inside = starts < n if how["ceil"] else starts + k <= n + p
        # the first window that reaches beyond the pad is the last one
        beyond = starts[starts + k >= n + p]
        places.append([a for a in starts[inside] if not beyond.size or a <= beyond[0]])
    peaks = np.zeros((*x.shape[:2], *map(len, places)))
    means = np.zeros_like(peaks)
    for at in np.ndindex(*peaks.shape[2:]):
        first = [own[a] for own, a in zip(places, at)]
        cells = tuple(slice(max(a, 0), a + k) for a, k in zip(first, window))
        own = x[(slice(None), slice(None), *cells)].reshape(*x.shape[:2], -1)
        ends = [min(a + k, n + p) - a for a, k, n, p in zip(first, window, x.shape[2:], pad)]
        peaks[(..., *at)] = own.max(axis=-1)
        means[(..., *at)] = own.sum(axis=-1) / (np.prod(ends) if counted else own.shape[-1])
    return peaks, means


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_values(dtype):
    """OPP-24: one to three axes, steps, pads and both conventions, by the definition."""
    for k, (how, x) in enumerate(cases(15)):
        peaks, means = loops(x, how, bool(k % 2))
        found = ops.max_pooling(x.astype(dtype), **how)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, peaks)
        found = ops.avg_pooling(x.astype(dtype), counted=bool(k % 2), **how)
        np.testing.assert_allclose(found, means, atol=2e-2 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("window", [(2, 2), (3, 2), (2, 3), (3, 3)])
def test_last_places_of_tiled_lines(window):
    """OPP-24: where windows tile lines, one that reaches beyond the last line holds no cells of
    the next channel."""
    x = np.random.default_rng(3).normal(size=(2, 3, 7, 6)).astype("float32")
    for stride in (2, 3):
        for rows in (5, 6, 7):
            data = np.ascontiguousarray(x[:, :, :rows])
            how = {"window": window, "stride": (stride, stride), "pad": (0, 0), "ceil": True}
            peaks, _ = loops(data, how, counted=False)
            np.testing.assert_array_equal(ops.max_pooling(data, **how), peaks)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_kernels_agree_with_the_specification(dtype):
    """Each kernel, added to what is there, against NumPy's loops; ties go to the first cell, and
    windows may have gaps."""
    rng = np.random.default_rng(1)
    for how, x in cases(30, seed=1):
        x = x.astype(dtype)
        each = zip(x.shape[2:], how["window"], how["pad"])
        gap = {"dilation": tuple(2 if 2 * k - 1 <= n + 2 * p else 1 for n, k, p in each)}
        y, means = ops.max_pooling(x, **how, **gap), ops.avg_pooling(x, **how)
        h, g, v = (rng.normal(size=s).astype(dtype) for s in (means.shape, y.shape, x.shape))
        for name, given, more in [
            ("max_pooling", (x,), gap),
            ("max_pooling_gradient", (g, x, y), gap),
            ("max_pooling_pick", (v, x, y), gap),
            ("avg_pooling", (x,), {"counted": False}),
            ("avg_pooling_gradient", (h,), {"counted": True, "size": x.shape[2:]}),
        ]:
            op = operator_of(getattr(ops, name))
            judge = op.naive(*given, **how, **more)
            made = np.ones_like(judge)
            op.run(given, [made], [kAddTo], {**how, **more})
            arrays = [layout_of(v) for v in given], [layout_of(made)]
            assert lowered(op, *arrays, ["write"], {**how, **more}) is not None
            scale = 1e-5 if dtype == "float32" else 1e-13
            np.testing.assert_allclose(made, 1 + judge, atol=scale, err_msg=name)


def test_a_maximum_passes_nan_on_and_its_gradient_is_found_again():
    """OPR-15: the gradient reads x and the result; each place gives its gradient to one cell."""
    x = np.array([[[1.0, np.nan, 5.0, 5.0, -np.inf, -np.inf]]])
    y = ops.max_pooling(x, 2)
    np.testing.assert_array_equal(y, [[[np.nan, 5, -np.inf]]])
    found = ops.max_pooling_gradient([[[1.0, 2.0, 3.0]]], x, y, 2)
    np.testing.assert_array_equal(found, [[[0, 1, 2, 0, 3, 0]]])


def test_every_world_and_both_compilers_give_the_same_bits():
    """X-NDA-04: NumPy arrays, arrays, graphs and the other compiler; gradients in a plan without
    Python."""
    x = np.random.default_rng(2).normal(size=(2, 3, 9, 8)).astype("float32")
    for function in (ng.max_pooling, ng.avg_pooling):
        how = {"window": 3, "stride": 2, "pad": 1}
        wanted = function(x, **how)
        with ng.config(compiler="numba"):
            np.testing.assert_array_equal(function(x, **how), wanted)
        with ng.config(compiler="python"):
            np.testing.assert_allclose(function(x, **how), wanted, rtol=1e-5)
        array = ng.array(x)
        array.attach_grad()
        with ng.autograd.record():
            out = function(array, **how)
            value = ng.sum(out * out)
        np.testing.assert_array_equal(out.asnumpy(), wanted)
        value.backward()
        symbol = function(ng.var("x"), **how)
        exe = ng.sum(symbol * symbol).simple_bind(x=x.shape)
        exe.forward_backward(x=x)
        own = exe.grad_dict["x"].asnumpy()
        np.testing.assert_allclose(own, array.grad.asnumpy(), rtol=1e-6)
        steps = exe.plan().to_dict()["forward_backward"]
        assert all(step["does"].startswith("kernel") for step in steps)


BAD = [
    (((1, 2), 2, {}), ShapeError, r"max_pooling: x has shape \(1, 2\)"),
    (((1, 2, 5), 6, {}), ShapeError, "does not fit into space"),
    (((1, 2, 5), 2, {"pad": 2}), ShapeError, "a pad has to be smaller than the window"),
    (((1, 2, 5), 0, {}), ArgumentError, "window=0; expected whole numbers from 1 on"),
    (((1, 2, 5, 5), (2,), {}), ArgumentError, "has 1 number"),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD)
def test_bad_input(given, error, message):
    """OPP-04: what does not fit is said at the call."""
    shape, window, how = given
    with pytest.raises(error, match=message):
        ops.max_pooling(np.ones(shape), window, **how)


def test_bad_dtypes_and_shapes_of_gradients():
    """OPP-04: integers and gradients of another shape are refused."""
    with pytest.raises(DTypeError, match="expected floats: use astype"):
        ops.avg_pooling(np.ones((1, 1, 3), "int64"), 2)
    with pytest.raises(ShapeError, match="avg_pooling_gradient: out_grad has shape"):
        ops.avg_pooling_gradient(np.ones((1, 1, 3)), 2, size=(4,))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("kernel", "stride"), [(2, 2), (3, 3), (2, 4), ((3, 2), 2), ((2, 3), (1, 3))]
)
@pytest.mark.parametrize("size", [(24, 24), (7, 12), (5, 24), (6, 140_000)])
def test_windows_that_tile_lines(dtype, kernel, stride, size):
    """OPR-12: many lines at once, with NaN and zeros of both signs; also lines longer than the
    room that is there for them."""
    x = np.random.default_rng(0).normal(size=(1, 2, *size)).astype(dtype)
    x[0, 0, 0, 1], x[0, 1, 1] = np.nan, -0.0
    found = ops.max_pooling(x, kernel, stride=stride)
    pairs = [v if isinstance(v, tuple) else (v, v) for v in (kernel, stride)]
    wide = np.lib.stride_tricks.sliding_window_view(x, pairs[0], axis=(2, 3))
    wanted = wide[:, :, :: pairs[1][0], :: pairs[1][1]].max(axis=(-2, -1))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(("cells", "window", "stride"), [(3, 4, 4), (1, 3, 3), (2, 3, 2)])
def test_a_window_larger_than_the_data_touches_it(cells, window, stride):
    """With `ceil` it has a place, as in PyTorch."""
    x = np.random.default_rng(4).normal(size=(2, 3, cells))
    for array in (x, ng.array(x)):
        most = ops.max_pooling(array, window, stride=stride, ceil=True)
        mean = ops.avg_pooling(array, window, stride=stride, ceil=True)
        np.testing.assert_array_equal(np.asarray(most), x.max(-1, keepdims=True))
        np.testing.assert_allclose(np.asarray(mean), x.mean(-1, keepdims=True), rtol=1e-12)
    with pytest.raises(ShapeError, match="smaller window"):
        ops.max_pooling(x, window, stride=stride)
