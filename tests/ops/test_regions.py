"""Pooling of regions, a simple operator of compiled functions (SMP-41)."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
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
