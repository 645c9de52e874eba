"""Batch norm against NumPy: moving averages as auxiliary states, modes, gradients, graphs."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, DTypeError, ShapeError


def formula(x, mean, variance, gamma, beta, eps=1e-5):
    shape = (-1, *(1,) * (x.ndim - 2))
    mean, variance, gamma, beta = (np.reshape(v, shape) for v in (mean, variance, gamma, beta))
    return (x - mean) / np.sqrt(variance + eps) * gamma + beta


def moments(x):
    axes = (0, *range(2, x.ndim))
    return x.mean(axis=axes), x.var(axis=axes)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("shape", [(8, 3), (4, 5, 7), (2, 3, 40, 41), (2, 1, 3, 2, 2)])
def test_values(shape, dtype):
    """MFU: mean 0 and variance 1 over a batch, for any number of axes; differences from the mean
    are taken first, so that a large mean costs no digits."""
    rng = np.random.default_rng(0)
    x = (rng.normal(size=shape) + (100 if dtype != "float16" else 1)).astype(dtype)
    gamma, beta = (rng.normal(size=shape[1]).astype(dtype) for _ in range(2))
    wide = x.astype("float64")
    found = ops.batch_norm(x, gamma, beta)
    assert found.dtype == dtype
    scale = {"float16": 3e-2, "float32": 2e-3, "float64": 1e-9}[dtype]
    np.testing.assert_allclose(found, formula(wide, *moments(wide), gamma, beta), atol=scale)
    variance = ops.channel_moments(x)[1]
    np.testing.assert_allclose(
        variance, moments(wide)[1], rtol=2e-3 if dtype == "float16" else 1e-5
    )


def test_moving_averages():
    """OPR-12: states are written in training alone, whether by arrays, NumPy or a graph, and used
    otherwise; the variance is divided by n - 1."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(6, 3, 5)).astype("float32")
    mean, variance = np.zeros(3, "float32"), np.ones(3, "float32")
    batch = moments(x)
    moved = 0.3 * batch[0], 0.7 + 0.3 * batch[1] * 30 / 29
    states = [ng.array(mean), ng.array(variance)]
    how = {"momentum": 0.3}
    still = ng.batch_norm(ng.array(x), None, None, *states, **how).asnumpy()
    np.testing.assert_allclose(still, formula(x, mean, variance, 1, 0), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(states[0].asnumpy(), mean)
    with ng.autograd.train_mode():
        out = ng.batch_norm(ng.array(x), None, None, *states, **how).asnumpy()
        ops.batch_norm(x, None, None, mean, variance, **how)
    np.testing.assert_allclose(out, formula(x, *batch, 1, 0), rtol=1e-4, atol=1e-5)
    for state, own, wanted in zip(states, (mean, variance), moved):
        np.testing.assert_allclose(state.asnumpy(), wanted, rtol=1e-5)
        np.testing.assert_allclose(own, wanted, rtol=1e-5)


def test_a_frozen_layer_trains_without_moving():
    """OPR-12: `frozen` uses the moving averages in training, and leaves them, NumPy's too."""
    states = [ng.array([1.0, 2.0]), ng.array([4.0, 9.0])]
    x = ng.array(np.ones((2, 2, 1), "float32"))
    x.attach_grad()
    with ng.autograd.record():
        other = x[0, :, 0] * states[0]  # reads an average, which is not written
        out = ng.batch_norm(x, None, None, *states, frozen=True, eps=0)
        (ng.sum(out) + 0 * ng.sum(other)).backward()
        own = ng.batch_norm(x, None, None, *(s.asnumpy() for s in states), frozen=True, eps=0)
    np.testing.assert_allclose(x.grad.asnumpy()[0, :, 0], [1 / 2, 1 / 3])
    np.testing.assert_array_equal(states[0].asnumpy(), [1, 2])
    np.testing.assert_array_equal(own.asnumpy(), out.asnumpy())


@pytest.mark.parametrize("frozen", [False, True])
def test_moving_averages_take_nothing_of_an_infinite_value(frozen):
    """OPR-12: where they are used, a gradient does not depend on the values of the batch."""
    x = ng.array([[1.0, 2.0], [-np.inf, 4.0]])
    x.attach_grad()
    with ng.autograd.record(train_mode=frozen):
        out = ng.batch_norm(x, None, None, ng.zeros(2), ng.ones(2), frozen=frozen, eps=0)
    out.backward()
    assert x.grad.asnumpy().ravel()[[0, 1, 3]].tolist() == [1, 1, 1]
    assert x.grad[1, 0] == 1 or not frozen


def test_a_graph_has_states():
    """OPR-12: in a graph the moving averages are auxiliary states, whose shapes follow from x; its
    gradients are those of the tape."""
    rng = np.random.default_rng(2)
    x, gamma, beta = (rng.normal(size=s).astype("float32") for s in ((4, 3, 6), (3,), (3,)))
    names = ["x", "gamma", "beta", "mean", "variance"]
    shapes = [None] * 5
    variables = [ng.var(n, shape=s) for n, s in zip(names, shapes)]
    loss = ng.sum(ng.tanh(ng.batch_norm(*variables)))
    assert loss.list_auxiliary_states() == ["mean", "variance"]
    exe = loss.simple_bind(x=x.shape)
    exe.aux_dict["variance"][:] = 1
    given = {"x": x, "gamma": gamma, "beta": beta}
    exe.forward_backward(**given)
    arrays = {n: ng.array(v) for n, v in given.items()}
    states = ng.zeros(3), ng.ones(3)
    for array in arrays.values():
        array.attach_grad()
    with ng.autograd.record():
        ng.sum(ng.tanh(ng.batch_norm(*arrays.values(), *states))).backward()
    for name, array in arrays.items():
        own = exe.grad_dict[name].asnumpy()
        np.testing.assert_allclose(own, array.grad.asnumpy(), rtol=1e-3, atol=1e-4)
    for name, state in zip(("mean", "variance"), states):
        np.testing.assert_allclose(exe.aux_dict[name].asnumpy(), state.asnumpy(), rtol=1e-6)
    before = exe.aux_dict["mean"].asnumpy()
    exe.forward(is_train=False, **given)
    np.testing.assert_array_equal(exe.aux_dict["mean"].asnumpy(), before)


SHAPES = [(3, 4, 1500), (7, 600), (5, 3, 4, 4)]  # 600 channels are three strips


@pytest.mark.parametrize("shape", SHAPES)
def test_both_compilers_give_the_same_bits(shape):
    """The kernels' texts have two compilers."""
    rng = np.random.default_rng(3)
    x, g = (rng.normal(size=shape).astype("float32") for _ in range(2))
    gamma, beta = (rng.normal(size=shape[1]).astype("float32") for _ in range(2))
    moments = ops.channel_moments(x)
    calls = [
        lambda: ops.channel_moments(x),
        lambda: ops.channel_sums(g, x),
        lambda: ops.batch_standard(x, *moments, gamma, beta),
        lambda: bound(x, gamma, beta).forward(is_train=True)[0].asnumpy(),  # noqa: PLW0108
    ]
    for call in calls:
        wanted = call()
        with ng.config(compiler="numba"):
            np.testing.assert_array_equal(call(), wanted)


def bound(x, gamma, beta, **how):
    """An executor of batch norm whose moving averages are 0.5 and 2."""
    names = ("x", "gamma", "beta", "mean", "variance")
    dtype = x.dtype
    variables = [ng.var(name, dtype=dtype) for name in names]
    exe = ng.batch_norm(*variables, **how).simple_bind(x=x.shape)
    for name, value in zip(names, (x, gamma, beta)):
        exe.arg_dict[name][:] = value
    exe.aux_dict["mean"][:] = 0.5
    exe.aux_dict["variance"][:] = 2
    return exe


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [*SHAPES, (1, 2)])
@pytest.mark.parametrize("frozen", [False, True])
def test_the_kernel_of_a_graph_does_what_arrays_do(shape, dtype, frozen):
    """OPR-12: in a graph the statistics are a kernel, told at each run whether it trains."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=shape).astype(dtype)
    gamma, beta = (rng.normal(size=shape[1]).astype(dtype) for _ in range(2))
    how = {"momentum": 0.3, "frozen": frozen}
    exe = bound(x, gamma, beta, **how)
    states = np.full(shape[1], 0.5, dtype), np.full(shape[1], 2, dtype)
    bound_states = [exe.aux_dict["mean"], exe.aux_dict["variance"]]
    for trains in (False, True, True, False):
        (found,) = exe.forward(is_train=trains)
        with ng.autograd.train_mode() if trains else ng.autograd.predict_mode():
            wanted = ops.batch_norm(x, gamma, beta, *states, **how)
        np.testing.assert_array_equal(found.asnumpy(), wanted)
        for state, own in zip(bound_states, states):
            np.testing.assert_allclose(state.asnumpy(), own, rtol=4 * np.finfo(dtype).eps)
    rows = [row for each in exe.plan().by_program.values() for row in each]
    assert rows and all(row.does.startswith("kernel") for row in rows)


def test_bad_input():
    """OPP-04: what does not fit is said at the call."""
    with pytest.raises(ShapeError, match="channel_moments: x is float64"):
        ops.batch_norm(np.ones(3))
    with pytest.raises(DTypeError, match="expected floats of shape"):
        ops.batch_norm(np.ones((3, 2), "int64"))
    with pytest.raises(ShapeError, match=r"moving_mean is float64\[3\]; expected floats of shape"):
        ops.batch_norm(np.ones((3, 2)), None, None, np.ones(3), np.ones(2))
    with pytest.raises(ArgumentError, match="give both, or none"):
        ops.batch_norm(np.ones((3, 2)), None, None, np.ones(2))
    with pytest.raises(ArgumentError, match="an NDArray"):
        with ng.autograd.train_mode():
            ng.batch_norm(ng.ones((3, 2)), None, None, np.ones(2), np.ones(2))
    with pytest.raises(ShapeError, match="channels without elements"):
        ops.batch_norm(np.ones((0, 2)))
