"""Pooling of regions, a simple operator of compiled functions on both devices (SMP-41)."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from tests.array.gpu import GPU
from tests.operator.simple.judge import gradients


def nearest(value):
    """Halves away from zero, as C rounds."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))


def bins(data, roi, pooled, scale):
    """The cells of every bin of one region, in plain Python."""
    left, top, right, bottom = (nearest(float(v) * scale) for v in roi[1:])
    sizes = (max(bottom - top + 1, 1), max(right - left + 1, 1))
    starts, limits = (top, left), data.shape[2:]
    for at in np.ndindex(*pooled):
        cut = []
        for start, size, count, i, limit in zip(starts, sizes, pooled, at, limits):
            first = start + math.floor(i * size / count)
            last = start + math.ceil((i + 1) * size / count)
            cut.append(slice(min(max(first, 0), limit), min(max(last, 0), limit)))
        yield at, tuple(cut)


def reference(data, rois, out_grad, pooled, scale):
    out = np.zeros((len(rois), data.shape[1], *pooled), data.dtype)
    grad = np.zeros_like(data)
    for i, roi in enumerate(rois):
        for (y, x), cut in bins(data, roi, pooled, scale):
            for c in range(data.shape[1]):
                cells = data[int(roi[0]), c][cut]
                if cells.size:
                    out[i, c, y, x] = cells.max()
                    at = np.unravel_index(cells.argmax(), cells.shape)
                    grad[int(roi[0]), c][cut][at] += out_grad[i, c, y, x]
    return out, grad


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(5))
def test_against_numpy(dtype, seed):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(2, 3, rng.integers(1, 9), rng.integers(1, 9))).astype(dtype)
    count = 4 if seed else 0
    corners = rng.integers(-4, 20, size=(count, 4))
    rois = np.concatenate([rng.integers(0, 2, size=(count, 1)), corners], axis=1).astype(dtype)
    pooled, scale = tuple(int(n) for n in rng.integers(1, 5, 2)), float(rng.choice([1.0, 0.5]))
    g = rng.normal(size=(count, 3, *pooled)).astype(dtype)
    want, want_grad = reference(data, rois, g, pooled, scale)
    given = {"pooled_size": pooled, "spatial_scale": scale}
    np.testing.assert_array_equal(ng.roi_pooling(data, rois, **given), want)
    found = gradients(ng.roi_pooling, [data, rois], g, **given)
    np.testing.assert_allclose(found[0], want_grad, rtol=1e-5, atol=1e-6)
    assert not found[1].any()


def on(device, data, rois, g, request, given):
    """The bins and the gradient of the data there, by request."""
    x = ng.array(data, device=device)
    x.attach_grad(grad_req=request)
    for _ in range(2):
        with ng.autograd.record():
            y = ng.roi_pooling(x, ng.array(rois, device=device), **given)
        y.backward(ng.array(g, device=device))
    return y.asnumpy(), x.grad.asnumpy()


@pytest.mark.parametrize("request_", ["write", "add"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("count", [0, 6])
def test_a_gpu_has_the_bits_of_the_host(dtype, request_, count):
    """SMP-41: bins that overlap, are empty or cut off; no regions; ties; NaN."""
    rng = np.random.default_rng(count)
    data = rng.integers(-3, 4, size=(2, 3, 7, 9)).astype(dtype)
    data[0, 1, 2, 3] = np.nan
    corners = rng.integers(-4, 20, size=(count, 4))
    rois = np.concatenate([rng.integers(0, 2, size=(count, 1)), corners], axis=1).astype(dtype)
    given = {"pooled_size": (3, 2), "spatial_scale": 0.5}
    g = rng.normal(size=(count, 3, 3, 2)).astype(dtype)
    found, wanted = (on(d, data, rois, g, request_, given) for d in (GPU, ng.cpu()))
    np.testing.assert_array_equal(found[0], wanted[0])
    np.testing.assert_array_equal(found[1], wanted[1])
    assert found[1].any() == (count > 0)


def test_in_a_graph_on_a_gpu():
    """SMP-41: bound, with both gradients asked for; regions have none."""
    data, rois = ng.var("data"), ng.var("rois")
    pooled = ng.roi_pooling(data * 2, rois, pooled_size=(2, 2))
    bound = pooled.simple_bind(ctx=GPU, data=(1, 1, 4, 4), rois=(1, 5))
    cells = np.arange(16.0, dtype="f4").reshape(1, 1, 4, 4)
    bound.arg_dict["data"][:] = ng.array(cells, device=GPU)
    bound.arg_dict["rois"][:] = ng.array(np.float32([[0, 0, 0, 3, 3]]), device=GPU)
    assert bound.forward(is_train=True)[0].asnumpy().ravel().tolist() == [10, 14, 26, 30]
    bound.backward(ng.ones((1, 1, 2, 2), device=GPU))
    assert bound.grad_dict["data"].asnumpy().ravel().nonzero()[0].tolist() == [5, 7, 13, 15]
    assert not bound.grad_dict["rois"].asnumpy().any()


def test_an_image_that_is_not_there_is_seen_on_a_gpu():
    data = ng.ones((1, 1, 2, 2), device=GPU)
    rois = ng.array(np.float32([[1, 0, 0, 1, 1], [0, 0, 0, 1, 1]]), device=GPU)
    found = ng.roi_pooling(data, rois, pooled_size=(1, 1)).asnumpy().ravel()
    assert np.isnan(found[0]) and found[1] == 1


def test_requests():
    """OPR-10: the gradient is added to what is there, the rest is left alone."""
    data, rois = np.ones((1, 1, 2, 2)), np.array([[0.0, 0, 0, 1, 1]])
    op = ng.roi_pooling
    given = op.normalise({"pooled_size": "(1, 1)"})
    out = np.full((1, 1, 1, 1), 5.0)
    op.run([data, rois], [out], [ng.kAddTo], given)
    assert out.item() == 6.0
    specs = tuple((a.shape, a.dtype.name) for a in (data, rois))
    grad = np.full(data.shape, 10.0)
    backward = op.backward((True, False))
    backward.run([out, data, rois], [grad], [ng.kAddTo], {**given, "_specs": specs})
    assert grad.ravel().tolist() == [16, 10, 10, 10]


def test_bad_input_is_named():
    data, rois = np.ones((1, 1, 2, 2)), np.zeros((1, 5))
    with pytest.raises(ShapeError, match=r"roi_pooling: data\(2, 2\) and rois\(1, 5\); expected"):
        ng.roi_pooling(data[0, 0], rois, pooled_size=(1, 1))
    with pytest.raises(ShapeError, match=r"rois\(1, 4\)"):
        ng.roi_pooling(data, rois[:, :4], pooled_size=(1, 1))
    with pytest.raises(ArgumentError, match="roi_pooling: the parameter 'pooled_size' is missing"):
        ng.roi_pooling(data, rois)
    with pytest.raises(ArgumentError, match="expected 1 or more"):
        ng.roi_pooling(data, rois, pooled_size=(0, 1))
    with pytest.raises(DTypeError, match="data has dtype float16"):
        ng.roi_pooling(data.astype("float16"), rois, pooled_size=(1, 1))
    with pytest.raises(IndexError, match="image .* is not in data"):
        ng.roi_pooling(data, rois + [1, 0, 0, 0, 0], pooled_size=(1, 1))
