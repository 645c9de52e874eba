"""ng.to_jax: values and gradients of operators and functions, within JAX's transformations."""

import math

import numpy as np
import pytest

import nbgraph as ng

jax = pytest.importorskip("jax")


@ng.op
def wave(x, y, *, s=2.0):
    return math.sin(x) * y + s * x * x


def pair(a, b):
    return ng.exp(a @ b), (a * 2.0).sum()


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def arrays(*shapes):
    rng = np.random.default_rng(0)
    return [jax.numpy.asarray(rng.uniform(size=shape)) for shape in shapes]


@pytest.mark.parametrize("f, shapes", [(wave, (5, 5)), (pair, ((3, 2), 2))])
def test_gradients_of_both_orders_agree_with_differences(f, shapes):
    from jax.test_util import check_grads

    check_grads(
        ng.to_jax(f), arrays(*shapes), order=2, modes=["rev"] if f is pair else ["fwd", "rev"]
    )


def test_values_are_those_of_jax_in_its_transformations():
    x, y = arrays(4, 4)
    function, known = ng.to_jax(wave), lambda x, y: jax.numpy.sin(x) * y + 2 * x * x
    np.testing.assert_allclose(function(x, y), known(x, y))
    np.testing.assert_allclose(jax.jit(function)(x, y), known(x, y))
    slope = jax.jit(jax.grad(lambda x: function(x, y).sum()))(x)
    np.testing.assert_allclose(slope, jax.numpy.cos(x) * y + 4 * x)
    each = jax.vmap(function, (0, None))(jax.numpy.stack([x, y]), y)
    np.testing.assert_allclose(each, known(jax.numpy.stack([x, y]), y))
    batched = jax.vmap(ng.to_jax(pair), (None, 0))(jax.numpy.ones((3, 2)), jax.numpy.ones((4, 2)))
    assert [b.shape for b in batched] == [(4, 3), (4,)]
    np.testing.assert_allclose(function(1.0, 2.0, s=0.0), 2 * math.sin(1))


def test_whole_numbers_have_no_gradient():
    (weight,) = arrays((3, 2))
    take = ng.to_jax(lambda w, i: ng.take(w, i, axis=0))
    slope = jax.grad(lambda w: take(w, jax.numpy.array([2, 0])).sum())(weight)
    np.testing.assert_allclose(slope, [[1, 1], [0, 0], [1, 1]])


def test_arrays_are_taken_as_arrays_and_traced_ones_say_what_to_do():
    x = jax.numpy.arange(3.0)
    np.testing.assert_allclose(wave(x, x), wave(np.arange(3.0), np.arange(3.0)))
    np.testing.assert_allclose(ng.array(x) * x, [0, 1, 4])
    with pytest.raises(ng.errors.ArgumentError, match="ng.to_jax"):
        jax.jit(ng.sum)(x)


def test_scalar_operators_have_forward_mode_and_third_orders():
    soft, known, x = ng.to_jax(ng.tanh), jax.numpy.tanh, jax.numpy.linspace(-1, 1, 3)
    ours, theirs = (jax.hessian(lambda v, f=f: f(v).sum())(x) for f in (soft, known))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    ours, theirs = (jax.grad(jax.grad(jax.grad(f)))(0.5) for f in (soft, known))
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)
    times, whole = ng.to_jax(ng.multiply), jax.numpy.arange(3)
    assert (
        jax.grad(lambda a: times(a, whole).sum())(jax.numpy.ones((2, 3))).tolist()
        == [[0, 1, 2]] * 2
    )
