"""Fully connected layers against NumPy, in every world."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.request import kAddTo
from nbgraph.ops.define import operator_of

TOLERANCE = {"float32": 1e-4, "float64": 1e-12, "float16": 5e-2}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    ("x", "features", "flatten"),
    [((3, 5), 4, True), ((2, 3, 4, 5), 7, True), ((2, 3, 5), 1, False), ((600, 70), 1100, True)],
)
def test_values(x, features, flatten, dtype):
    """OPP-24: products with the transposed weights, with a bias and without, added or written."""
    rng = np.random.default_rng(0)
    lead = x[:1] if flatten else x[:-1]
    inputs = int(np.prod(x[len(lead) :]))
    x = rng.normal(size=x) / 4
    w, b = rng.normal(size=(features, inputs)), rng.normal(size=features)
    wanted = (x.reshape(-1, inputs) @ w.T + b).reshape(*lead, features)
    given = [v.astype(dtype) for v in (x, w, b)]
    found = ops.fully_connected(*given, flatten=flatten)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, wanted, atol=TOLERANCE[dtype])
    out = np.ones_like(found)
    op = operator_of(ops.fully_connected)
    op.run(given[:2], [out], [kAddTo], {"flatten": flatten})
    np.testing.assert_allclose(out, 1 + wanted - b, atol=TOLERANCE[dtype])


def test_every_world():
    """OPP-09: NumPy arrays, arrays and graphs agree; a training step is kernels alone."""
    rng = np.random.default_rng(1)
    x, w, b = (rng.normal(size=s).astype("float32") for s in ((6, 3, 4), (5, 12), (5,)))
    wanted = ops.fully_connected(x, w, b)
    with ng.config(compiler="numba"):
        np.testing.assert_array_equal(ops.fully_connected(x, w, b), wanted)
    arrays = {n: ng.array(v) for n, v in zip("xwb", (x, w, b))}
    for array in arrays.values():
        array.attach_grad()
    with ng.autograd.record():
        out = ng.fully_connected(*arrays.values())
        value = ng.sum(ng.tanh(out))
    np.testing.assert_array_equal(out.asnumpy(), wanted)
    value.backward()
    symbol = ng.sum(ng.tanh(ng.fully_connected(*map(ng.var, "xwb"))))
    exe = symbol.simple_bind(x=x.shape, w=w.shape, b=b.shape)
    exe.forward_backward(x=x, w=w, b=b)
    for name, array in arrays.items():
        own = exe.grad_dict[name].asnumpy()
        np.testing.assert_allclose(own, array.grad.asnumpy(), rtol=1e-4, atol=1e-5)
    steps = exe.plan().to_dict()["forward_backward"]
    assert all(step["does"].startswith("kernel") for step in steps)


def test_no_rows_and_no_inputs():
    """Nothing to multiply: no rows, or the bias alone."""
    assert ops.fully_connected(np.ones((0, 3)), np.ones((2, 3))).shape == (0, 2)
    found = ops.fully_connected(np.ones((2, 0)), np.ones((3, 0)), np.arange(3.0))
    np.testing.assert_array_equal(found, [[0, 1, 2]] * 2)


def test_bad_input():
    """OPP-04: the message names the operator and both shapes."""
    with pytest.raises(ShapeError, match=r"x has shape \(2, 3\) and weight \(4, 5\); .*, 3\)"):
        ops.fully_connected(np.ones((2, 3)), np.ones((4, 5)))
    with pytest.raises(ShapeError, match=r"bias has shape \(3,\); expected \(4,\)"):
        ops.fully_connected(np.ones((2, 5)), np.ones((4, 5)), np.ones(3))
    with pytest.raises(DTypeError, match="expected floats"):
        ops.fully_connected(np.ones((2, 5), "int32"), np.ones((4, 5)))
