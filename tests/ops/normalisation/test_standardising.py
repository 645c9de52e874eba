"""Layer norm and its kin against NumPy's formula, in every world."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, ShapeError


def layer(x, axis, eps):
    mean = x.mean(axis=axis, keepdims=True)
    return (x - mean) / np.sqrt(x.var(axis=axis, keepdims=True) + eps)


def rms(x, axis, eps):
    return x / np.sqrt((x * x).mean(axis=axis, keepdims=True) + eps)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("axis", [-1, 0, (1, 2), (0, 2), None])
def test_values(axis, dtype):
    """MFU: layerNorm and rmsNorm over any axes, with weights that broadcast."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 20, 33)).astype(dtype) + np.dtype(dtype).type(1)
    gamma, beta = rng.normal(size=33).astype(dtype), rng.normal(size=(20, 1)).astype(dtype)
    wide, scale = x.astype("float64"), {"float16": 2e-2, "float32": 2e-5, "float64": 1e-12}[dtype]
    found = ops.layer_norm(x, gamma, beta, axis, eps=0.1)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, layer(wide, axis, 0.1) * gamma + beta, atol=scale)
    found = ops.rms_norm(x, gamma, axis, eps=0.1)
    np.testing.assert_allclose(found, rms(wide, axis, 0.1) * gamma, atol=scale)
    np.testing.assert_allclose(ops.layer_norm(x, axis=axis), layer(wide, axis, 1e-5), atol=scale)


def test_groups():
    """Groups of channels, and each channel alone, with one weight a channel."""
    rng = np.random.default_rng(1)
    x, gamma, beta = rng.normal(size=(2, 6, 4, 5)), rng.normal(size=6), rng.normal(size=6)
    weights = gamma.reshape(6, 1, 1), beta.reshape(6, 1, 1)
    rows = layer(x.reshape(2, 3, 40), -1, 1e-5).reshape(x.shape)
    np.testing.assert_allclose(ops.group_norm(x, 3, gamma, beta), rows * weights[0] + weights[1])
    alone = layer(x, (2, 3), 1e-5) * weights[0]
    np.testing.assert_allclose(ops.instance_norm(x, gamma), alone)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_every_world(name):
    """Arrays and graphs give NumPy's bits; a training step is kernels alone."""
    rng = np.random.default_rng(2)
    given = {"x": (7, 40), "gamma": (40,), "beta": (40,)}
    given = {n: rng.normal(size=s).astype("float32") for n, s in given.items()}
    if name == "rms_norm":
        del given["beta"]
    function = getattr(ng, name)
    wanted = function(*given.values())
    with ng.config(compiler="python"):
        np.testing.assert_allclose(function(*given.values()), wanted, atol=1e-5)
    arrays = {n: ng.array(v) for n, v in given.items()}
    for array in arrays.values():
        array.attach_grad()
    with ng.autograd.record():
        out = function(*arrays.values())
        ng.sum(ng.tanh(out)).backward()
    np.testing.assert_array_equal(out.asnumpy(), wanted)
    loss = ng.sum(ng.tanh(function(*(ng.var(n, shape=v.shape) for n, v in given.items()))))
    exe = loss.simple_bind()
    exe.forward_backward(**given)
    for n, array in arrays.items():
        own = exe.grad_dict[n].asnumpy()
        np.testing.assert_allclose(own, array.grad.asnumpy(), rtol=1e-4, atol=1e-5)
    steps = exe.plan().to_dict()["forward_backward"]
    assert all(step["does"].startswith("kernel") for step in steps), exe.plan()


def test_bad_input():
    """OPP-04: weights that would make x larger, groups and eps that make no sense."""
    with pytest.raises(ShapeError, match=r"they have to broadcast to the shape of x, \(3,\)"):
        ops.layer_norm(np.ones(3), np.ones((2, 3)))
    with pytest.raises(ShapeError, match="group_norm: x has shape .* for groups=2"):
        ops.group_norm(np.ones((1, 3, 2)), 2)
    with pytest.raises(ArgumentError, match="eps=-1; expected a number from 0 on"):
        ops.rms_norm(np.ones(3), eps=-1)
