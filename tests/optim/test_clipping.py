"""Gradients within bounds: by value, by the norm of all."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError

RNG = np.random.default_rng(0)
GRADS = {
    "wide": RNG.normal(size=(40, 50)).astype("float32"),
    "double": RNG.normal(size=700),
    "half": RNG.normal(size=(3, 4)).astype("float16"),
    "one": np.float32(2.0),
    "none": np.zeros((0, 2), "float32"),
}


def lifted():
    return {k: ng.array(v) for k, v in GRADS.items()}


def norm_of(arrays):
    return math.sqrt(sum(float((np.asarray(a, "float64") ** 2).sum()) for a in arrays))


def test_the_norm_of_all_arrays(engine):
    """X-MAR-11: one norm of arrays of all shapes and dtypes."""
    found = ng.optim.global_norm(lifted())
    assert found.shape == () and found.dtype == np.float64
    np.testing.assert_allclose(found.item(), norm_of(GRADS.values()), rtol=1e-6)


@pytest.mark.parametrize("limit", [0.5, 1e6])
def test_clip_by_norm(limit, engine):
    """X-MAR-11: all gradients by one factor, 1 where the norm is within the limit."""
    grads = lifted()
    whole = norm_of(GRADS.values())
    found = ng.optim.clip_by_norm(grads, limit)
    np.testing.assert_allclose(found.item(), whole, rtol=1e-6)
    factor = min(1.0, limit / (whole + 1e-6))
    for k, v in grads.items():
        rtol = 2e-3 if v.dtype == np.float16 else 1e-6
        np.testing.assert_allclose(v.asnumpy(), GRADS[k] * factor, rtol=rtol)


def test_clip_by_value_keeps_nan(engine):
    """X-MAR-11: elements within a bound; NaN stays, infinity does not."""
    x = ng.array([1.0, -3.0, math.inf, math.nan, 0.25])
    ng.optim.clip_by_value([x], 0.5)
    np.testing.assert_array_equal(x.asnumpy(), np.float32([0.5, -0.5, 0.5, np.nan, 0.25]))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_norm_that_is_not_finite_shows(bad):
    """X-MAR-11: without a scaler nothing hides a gradient that is not finite."""
    w = ng.ones(3)
    opt = ng.optim.SGD({"w": w}, clip_norm=1.0)
    opt.step({"w": ng.array([1.0, bad, 1.0])})
    assert math.isnan(float(w[1]))


def test_an_optimizer_clips_as_the_functions_do():
    """X-MAR-11: clip_norm and clip_value within a step give what clipping before it gives."""
    start, grad = RNG.normal(size=(2, 300)).astype("float32")
    for options, clip in (
        ({"clip_norm": 0.7}, lambda g: ng.optim.clip_by_norm(g, 0.7)),
        ({"clip_value": 0.2}, lambda g: ng.optim.clip_by_value(g, 0.2)),
    ):
        a, b, g = ng.array(start), ng.array(start), ng.array(grad)
        ng.optim.SGD({"w": a}, 0.1, **options).step({"w": g})
        np.testing.assert_array_equal(g.asnumpy(), grad)  # a step leaves gradients alone
        clip([g])
        ng.optim.SGD({"w": b}, 0.1).step({"w": g})
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)


def test_gradients_of_any_size_in_a_limit():
    """X-MAR-11: rescale comes before the norm is looked at."""
    w = ng.zeros(2)
    opt = ng.optim.SGD({"w": w}, 1.0, rescale=0.1, clip_norm=10.0)
    opt.step({"w": ng.array([30.0, 40.0])})  # a norm of 50, of 5 with the factor
    np.testing.assert_allclose(w.asnumpy(), [-3.0, -4.0], rtol=1e-6)


@pytest.mark.parametrize(
    ("error", "match", "call"),
    [
        (ArgumentError, "clip_by_norm: limit=0", lambda: ng.optim.clip_by_norm([ng.ones(2)], 0)),
        (ArgumentError, "clip_by_value: bound=-1",
         lambda: ng.optim.clip_by_value([ng.ones(2)], -1)),
        (ArgumentError, "global_norm: no gradients", lambda: ng.optim.global_norm([None])),
        (ArgumentError, "global_norm: grads is an NDArray",
         lambda: ng.optim.global_norm(ng.ones(2))),
        (DTypeError, "clip_by_norm: .* '0' has dtype int64",
         lambda: ng.optim.clip_by_norm([ng.arange(2)], 1.0)),
    ],
)  # fmt: skip
def test_what_clipping_refuses(error, match, call):
    """X-MAR-11: bounds above 0, arrays that are floating."""
    with pytest.raises(error, match=match):
        call()
