"""A new reduction is one function of a row: every world, gradients and GPU kernels come with it."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator import registry
from tests import worlds

AXES = (0, -1, (0, 2), None)
X = np.random.default_rng(3).normal(size=(4, 6, 5)).astype("float32")


@ng.row_op(name="sum_of_squares_here")
def sum_of_squares(x):
    """The sum of squares of a row."""
    return (x * x).sum()


@ng.row_op(name="log_mean_exp_here")
def log_mean_exp(x, *, temperature=1.0):
    """The logarithm of the mean of exponentials of a row."""
    top = x.max()
    return top + temperature * np.log(np.exp((x - top) / temperature).mean())


def softmax(x, axis):
    weight = np.exp(x - x.max(axis, keepdims=True))
    return weight / weight.sum(axis, keepdims=True)


# the operator, its values and its slopes by NumPy
REDUCTIONS = {
    "sum_of_squares_here": (
        sum_of_squares,
        lambda x, axis: np.square(x).sum(axis),
        lambda x, axis: 2 * x,
    ),
    "log_mean_exp_here": (log_mean_exp, lambda x, axis: np.log(np.exp(x).mean(axis)), softmax),
}


@pytest.fixture(params=REDUCTIONS)
def new(request):
    op, values, slopes = REDUCTIONS[request.param]
    registry.register(op, request.param)
    assert getattr(ng.nd, request.param)(ng.array(X)).shape == X.shape[:-1]
    yield registry.find(request.param), values, slopes
    registry.remove(request.param)


@pytest.mark.parametrize("axis", AXES)
def test_every_world_has_its_kernels(new, axis):
    op, values, _ = new

    def f(x):
        return op(x, axis=axis)

    wanted = f(X)
    np.testing.assert_allclose(wanted, values(X.astype(float), axis), rtol=1e-5)
    for world in worlds.WORLDS:
        assert worlds.bits(world(f, X)) == worlds.bits(wanted), world
    assert not worlds.functions(worlds.bind(f, X))
    np.testing.assert_allclose(worlds.gpu(f, X).asnumpy(), wanted, rtol=1e-5)


@pytest.mark.parametrize("axis", AXES)
def test_its_gradient_comes_with_it(new, axis):
    """On the tape and in a bound graph, and once more: slopes of slopes."""
    op, _, slopes = new
    wanted = slopes(X.astype(float), axis)
    loss = ng.sum(op(ng.var("x"), axis=axis))
    executor = loss.simple_bind(x=X.shape)
    executor.arg_dict["x"][:] = X
    executor.forward_backward()
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), wanted, rtol=1e-4, atol=1e-6)
    grad = ng.grad(lambda x: ng.sum(op(x, axis=axis)))
    np.testing.assert_allclose(grad(ng.array(X)).asnumpy(), wanted, rtol=1e-4, atol=1e-6)
    twice = ng.grad(lambda x: ng.sum(grad(x) * x))(ng.array(X)).asnumpy()
    step = 1e-5
    exact = X.astype(float)
    moved = [slopes(exact * (1 + s), axis) * exact for s in (step, -step)]
    along = (moved[0] - moved[1]).sum() / (2 * step)
    np.testing.assert_allclose((twice * X).sum(), (wanted * X).sum() + along, rtol=1e-3)


def test_integers_keepdims_and_parameters(new):
    op, values, _ = new
    whole = np.arange(12).reshape(3, 4)
    found = op(whole, axis=1, keepdims=True)
    assert (found.dtype, found.shape) == (np.float64, (3, 1))
    np.testing.assert_allclose(found[:, 0], values(whole.astype(float), 1))
    hot = log_mean_exp(X, axis=0, temperature=2.0)
    np.testing.assert_allclose(hot, 2 * np.log(np.exp(X / 2).mean(0)), rtol=1e-5)
