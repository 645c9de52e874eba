"""Reductions of the elements where a mask holds, from an initial value on: as NumPy's."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import DTypeError, ShapeError

M = np.random.default_rng(0).standard_normal((3, 4)).astype("float32")
MASK = M > 0
ARRAYS = {"float32": M, "int64": np.round(5 * M).astype("int64"), "bool": M > 0.3}
OPTIONS = [
    {"where": MASK},
    {"where": MASK[0], "axis": 0},
    {"where": MASK[:, :1], "axis": (0, 1), "keepdims": True},
    {"initial": 2, "axis": 1},
    {"initial": 1.5, "where": MASK, "axis": 0},
]
CALLS = [
    (name, options)
    for name in ("sum", "prod", "max", "min", "mean", "any", "all")
    for options in OPTIONS
    if "initial" not in options or name in ("sum", "prod", "max", "min")
]


def completed(name, options):
    return {"initial": 0, **options} if name in ("max", "min") else options


def masked_by(array, options):
    return {key: array(value) if key == "where" else value for key, value in options.items()}


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value encountered")
@pytest.mark.parametrize("dtype", ARRAYS)
@pytest.mark.parametrize("name, options", CALLS)
def test_values_and_dtypes_are_numpys(name, options, dtype):
    x, options = ARRAYS[dtype], completed(name, options)
    expected = getattr(np, name)(x, **options)
    reduce = getattr(ng, name)
    for found in (
        reduce(x, **options),
        reduce(ng.array(x, dtype=dtype), **options),
        reduce(ng.array(x, dtype=dtype), **masked_by(ng.array, options)),
        getattr(np, name)(ng.array(x, dtype=dtype), **options),
    ):
        values = np.asarray(found)
        assert (values.dtype, values.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(values, expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean"])
@pytest.mark.parametrize("shape", [None, (3, 4)])
def test_graphs_and_gradients(name, shape):
    options = {} if name == "mean" else {"initial": 0.5}
    reduce = getattr(ng, name)
    x, mask = ng.array(M), ng.array(MASK)
    x.attach_grad()
    with ng.autograd.record():
        out = reduce(x, 0, where=mask, **options)
    out.backward()
    graph = reduce(ng.var("x", shape=shape), 0, where=ng.var("m", dtype="bool"), **options)
    bound = graph.simple_bind(x=(3, 4), m=(3, 4))
    (found,) = bound.forward(is_train=True, x=x, m=mask)
    bound.backward(ng.ones(4))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(out))
    np.testing.assert_allclose(bound.grad_dict["x"].asnumpy(), x.grad.asnumpy(), rtol=1e-6)
    assert not x.grad.asnumpy()[~MASK].any()


@pytest.mark.parametrize(
    "error, call, words",
    [
        (ShapeError, lambda x: ng.max(x, where=MASK), "max: where= needs initial="),
        (DTypeError, lambda x: ng.sum(x, where=[1, 0, 1, 1]), "sum: where has dtype int64; give"),
        (ShapeError, lambda x: ng.any(x, where=np.ones((2, 4), bool)), "any: where of shape"),
        (
            ShapeError,
            lambda x: ng.sum(x[0], where=MASK),
            r"does not broadcast to x of shape \(4,\)",
        ),
        (ShapeError, lambda x: ng.prod(x, initial=[1, 2]), "prod: initial has shape"),
    ],
)
@pytest.mark.parametrize("array", [np.asarray, ng.array])
def test_what_does_not_fit_is_refused_at_the_call(array, error, call, words):
    with pytest.raises(error, match=words):
        call(array(M))
