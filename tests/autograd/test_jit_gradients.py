"""Derivatives of and within jit functions: the tape's, and graphs of graphs (X-SYM-07)."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import autograd
from nbgraph.errors import ArgumentError, DerivativeError
from tests.engine.conftest import engine

__all__ = ["engine"]

X = np.array([0.3, -0.7, 2.0])


def arrays(*shapes, seed=0, dtype="float64"):
    rng = np.random.default_rng(seed)
    return [ng.array(rng.normal(size=s).astype(dtype)) for s in shapes]


def close(found, expected, rtol=1e-12):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, (list, tuple)):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            close(a, b, rtol)
        return
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=rtol, atol=rtol)


def net(x, w, b):
    """Broadcasting, a product, views, several uses, a branch, an output that reads its output."""
    h = ng.tanh(x @ w + b)
    h = ng.where(h > 0, h * h, ng.exp(h))
    return (h[:, 1:] * h[:, :1] / (1 + h[:, :1] ** 2)).mean() + (b * b).sum()


def cubes(x):
    return (x * x * x).sum()


NET = [(4, 3), (3, 5), (5,)]


def test_recorded_as_one_operator():
    """X-SYM-07: within record() a call is one node, whose gradients are those of the function."""
    grads = []
    for f in (net, ng.jit(net)):
        given = arrays(*NET)
        for array in given:
            array.attach_grad()
        with autograd.record():
            value = f(*given) * 2
        if f is not net:
            assert value._node.inputs[0][0].op.__name__ == "jit of net"
        value.backward()
        grads.append([value, *[array.grad for array in given]])
    close(grads[1], grads[0])


def test_only_what_is_tracked_is_differentiated():
    x, w, b = arrays(*NET)
    w.attach_grad()
    jitted = ng.jit(net)
    with autograd.record():
        value = jitted(x, w, b)
    value.backward()
    close(w.grad, ng.grad(net, 1)(x, w, b))
    with autograd.record():
        assert jitted(x, x[0, 0] * 0 + arrays((3, 5))[0], b)._node is None


def test_captured_arrays_have_gradients():
    x, w, b = arrays(*NET)
    w.attach_grad()
    b.attach_grad("add")
    f = ng.jit(lambda x: net(x, w, b))
    for _ in range(2):
        with autograd.record():
            value = f(x)
        value.backward()
    expected = ng.grad(net, (1, 2))(x, w, b)
    close(w.grad, expected[0])
    close(b.grad, expected[1] * 2)


def test_an_array_given_twice():
    (x,) = arrays((3,))
    f = ng.jit(lambda a, b: (a * ng.sin(b) * x).sum())
    close(ng.grad(lambda y: f(y, y))(x), ng.grad(lambda y: (y * ng.sin(y) * x).sum())(x))
    x.attach_grad()
    with autograd.record():
        value = f(x, x)
    value.backward()
    close(x.grad, ng.grad(lambda y: (y * ng.sin(y) * y).sum())(x))


def test_several_results_of_which_some_are_used():
    f = lambda x, y: (ng.sin(x) * y, ng.exp(x), (x > 0), x + y)
    jitted = ng.jit(f)
    x, y = arrays((3,), (3,))
    for chosen in [(0,), (1,), (3,), (0, 3), (0, 1, 3)]:
        one = lambda g, x, y, chosen=chosen: sum(g(x, y)[k].sum() for k in chosen)
        close(ng.grad(lambda x, y: one(jitted, x, y), (0, 1))(x, y),
              ng.grad(lambda x, y: one(f, x, y), (0, 1))(x, y))  # fmt: skip


def test_head_gradients_and_retained_graphs():
    x, w, b = arrays(*NET)
    x.attach_grad()
    f = ng.jit(lambda x: ng.tanh(x @ w))
    with autograd.record():
        y = f(x)
    seed = ng.array(np.arange(20.0).reshape(4, 5))
    y.backward(seed, retain_graph=True)
    first = x.grad.copy()
    y.backward(seed)
    close(x.grad, first)
    with pytest.raises(autograd.TapeError, match="freed"):
        y.backward(seed)


def test_what_was_overwritten_is_noticed():
    (x,) = arrays((3,))
    x.attach_grad()
    with autograd.record():
        y = x * 1
        z = ng.jit(ng.sin)(y)
    y += 1
    with pytest.raises(autograd.TapeError, match="written in place"):
        z.backward(ng.ones_like(z))


@pytest.mark.parametrize("times", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_higher_orders_through_the_tape(times):
    """X-SYM-11: the backward graph is recorded, and differentiated in turn."""

    def derivative(f):
        for _ in range(times):
            f = lambda x, g=f: (ng.grad(g)(x) * ng.cos(x)).sum()
        return f

    f = lambda x: (ng.exp(ng.sin(x)) / (1 + x * x)).sum()
    jitted = ng.jit(f)
    inner = lambda x: jitted(x) * 1  # a plain function: each derivative is the tape's
    (x,) = arrays((4,))
    close(derivative(inner)(x), derivative(f)(x), rtol=1e-10)


def test_hessian_and_products():
    f, (x,) = (lambda x: (ng.tanh(x) * x[0] * x).sum()), arrays((3,))
    jitted = ng.jit(f)
    close(ng.hessian(jitted)(x), ng.hessian(f)(x))
    close(ng.jit(ng.hessian(f))(x), ng.hessian(f)(x))
    product = lambda f: lambda x: ng.jvp(ng.grad(f), (x,), (ng.sin(x),))
    close(product(jitted)(x), product(f)(x))
    close(ng.jit(product(f))(x), product(f)(x))


def test_values_and_gradients_as_one_program():
    """X-SYM-07: ng.value_and_grad(ng.jit(f)) and ng.jit(ng.value_and_grad(f)) are one program."""
    given = arrays(*NET)
    plain = ng.value_and_grad(net, argnums=(0, 2))
    outside = ng.value_and_grad(ng.jit(net), argnums=(0, 2))
    inside = ng.jit(ng.value_and_grad(net, argnums=(0, 2)))
    assert type(outside) is type(inside)
    close(outside(*given), plain(*given))
    close(inside(*given), plain(*given))
    assert outside.graph(*given).heads == inside.graph(*given).heads
    close(ng.grad(ng.jit(net))(*given), ng.grad(net)(*given))


def test_structures_auxiliary_results_and_numbers():
    def f(p, x, power=2):
        y = (p["w"] * x) ** power
        return y.sum() + p["b"] * p["b"], {"y": y, "n": 3}

    p, (w, x) = {"b": 2.0}, arrays((3,), (3,))
    p["w"] = w
    plain = ng.value_and_grad(f, has_aux=True)
    for made in (ng.value_and_grad(ng.jit(f), has_aux=True), ng.jit(plain)):
        (value, aux), slopes = made(p, x, power=3)
        (expected, known), gradients = plain(p, x, power=3)
        close([value, aux["y"]], [expected, known["y"]])
        assert aux["n"] == 3
        close(slopes, gradients, rtol=1e-6)
    cube = ng.grad(ng.jit(lambda x: x**3))
    assert [cube(v).item() for v in (1.0, 2.0, 3.0)] == [3.0, 12.0, 27.0]
    assert cube.cache_size == 1  # floats that are differentiated are arrays


def test_derivatives_nest_within_a_trace():
    (x,) = arrays((3,))
    pairs = [
        ng.grad(lambda y: ng.grad(cubes)(y).sum()),
        lambda x: ng.grad(lambda y: (x * ng.grad(lambda z: (y * z * z).sum())(x)).sum())(x),
        ng.grad(lambda y: (y * ng.stop_gradient(ng.grad(cubes)(y))).sum()),
    ]
    for f in pairs:
        close(ng.jit(f)(x), f(x))
    confusion = lambda x: x * ng.grad(lambda y: x + y)(1.0)
    assert ng.jit(ng.grad(confusion))(1.0).item() == 1.0


def test_linear_maps_within_a_trace():
    x, w, b = arrays(*NET)

    def pulled(x, w):
        out, pull = ng.vjp(lambda x, w: (ng.tanh(x @ w), x * 2), x, w)
        return out, pull((out[0], ng.ones_like(x))), pull((b + out[0], x))

    close(ng.jit(pulled)(x, w), pulled(x, w))
    forward = lambda x, w: ng.jvp(lambda x, w: {"y": ng.tanh(x @ w)}, (x, w), (x * 2, w))
    close(ng.jit(forward)(x, w), forward(x, w))


def test_derivatives_by_captured_arrays_and_objects():
    class Layer:
        def __init__(self, w):
            self.w = w

        def parameters(self):
            return {"w": self.w}

        def __call__(self, x):
            return ng.tanh(x @ self.w).sum()

    x, w, _ = arrays(*NET)
    layer = Layer(w)
    plain = ng.value_and_grad(lambda m, x: m(x) * 2)
    jitted = ng.jit(plain)
    close(jitted(layer, x), plain(layer, x))
    layer.w = w * 2  # replaced: the function is traced again
    close(jitted(layer, x), plain(layer, x))
    layer.w -= 1.0  # written in place: read at the call
    close(jitted(layer, x), plain(layer, x))
    closed = lambda: ng.grad(lambda v: (v * w).sum())(w)
    close(ng.jit(closed)(), closed())


def test_derivatives_of_symbols_by_hand():
    x = ng.var("x", shape=(3,), dtype="float64")
    value, slope = ng.value_and_grad(cubes)(x)
    np.testing.assert_allclose(slope.eval(x=ng.array(X))[0].asnumpy(), 3 * X**2)
    np.testing.assert_allclose(value.eval(x=ng.array(X))[0].asnumpy(), (X**3).sum())
    second = ng.grad(lambda y: ng.grad(cubes)(y).sum())(x)
    np.testing.assert_allclose(second.eval(x=ng.array(X))[0].asnumpy(), 6 * X)
    with pytest.raises(ArgumentError, match="dtype int64"):
        ng.grad(cubes)(ng.var("n", shape=(3,), dtype="int64"))


def test_pause_and_record_within_a_trace():
    def f(x):
        with autograd.pause():
            constant = ng.sin(x)
        with autograd.pause(), autograd.record():
            flows = ng.cos(x)
        return (x * constant + flows).sum()

    (x,) = arrays((3,))
    close(ng.grad(ng.jit(f))(x), ng.grad(f)(x))
    close(ng.jit(ng.grad(f))(x), ng.grad(f)(x))
    assert ng.jit(autograd.is_recording)() is False
    with autograd.record():
        assert ng.jit(autograd.is_recording)() is True


def test_what_has_no_derivative_says_so_in_the_backward_pass():
    x = ng.array(X)
    x.attach_grad()

    def compute(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get() * 2)

    ng.register_simple_op("jit_without_gradient").set_function("cpu", compute)
    f = ng.jit(lambda x: ng.jit_without_gradient(x).sum())
    with autograd.record():
        y = f(x)
    np.testing.assert_allclose(y.asnumpy(), 2 * X.sum())
    with pytest.raises(DerivativeError, match="jit_without_gradient"):
        y.backward()


def test_training_on_every_engine(engine):
    """Updates in place between calls: the same numbers as without jit, up to the order of sums."""
    found = []
    for make in (lambda f: f, ng.jit):
        x, *weights = arrays(*NET, seed=2)
        step = make(ng.value_and_grad(lambda weights, x: net(x, *weights)))
        losses = []
        for _ in range(5):
            loss, slopes = step(weights, x)
            for w, slope in zip(weights, slopes, strict=True):
                w -= 0.1 * slope
            losses.append(loss)
        found.append([*losses, *weights])
    close(found[1], found[0], rtol=1e-11)


class Swish(autograd.Function):
    """A gradient by hand, which differs from the derivative: so it can be told who was asked."""

    def forward(self, x, scale, y):
        inner = ng.sigmoid(x * scale)
        self.save_for_backward(x, inner)
        self.scale = scale
        return x * inner, inner + y

    def backward(self, d_out, d_inner):
        x, inner = self.saved_tensors
        return d_out * inner * self.scale * 10 + x, None, d_inner * 3


def test_gradients_by_hand_within_a_trace():
    """Functions with a backward pass of their own are part of the graph."""

    def f(x, y):
        out, inner = Swish()(x, 2.0, y)
        return (out * out).sum() + (inner * x).sum()

    x, y = arrays((3,), (3,))
    expected = ng.grad(f, (0, 1))(x, y)
    close(ng.jit(ng.grad(f, (0, 1)))(x, y), expected)
    close(ng.grad(lambda x, y: ng.jit(f)(x, y) * 1, (0, 1))(x, y), expected)
    one = ng.grad(ng.jit(lambda x: Swish()(x, 1.0, x)[0].sum()))
    close(one(x), ng.grad(lambda x: Swish()(x, 1.0, x)[0].sum())(x))


# random programs --------------------------------------------------------------------------------

UNARY = [ng.tanh, ng.sin, ng.exp, ng.abs, ng.relu, lambda x: x.T if x.ndim < 2 else x.T.T]
BINARY = [ng.add, ng.multiply, ng.subtract, ng.maximum, lambda a, b: ng.where(a > b, a, b * 0.5)]


def random_program(seed):
    """A program over x(3, 4), w(4,) and a captured array; sums only at the end."""
    captured = ng.array(np.random.default_rng(seed).normal(size=(3, 1)))

    def run(x, w):
        rng = np.random.default_rng(seed)
        values = [ng.tanh(x), w, captured]
        for _ in range(rng.integers(3, 9)):
            a, b = (values[i] for i in rng.integers(len(values), size=2))
            if rng.random() < 0.4:
                made = ng.tanh(UNARY[rng.integers(len(UNARY))](a))
            elif rng.random() < 0.2:
                made = ng.stop_gradient(a) * float(rng.normal())
            else:
                made = ng.tanh(BINARY[rng.integers(len(BINARY))](a, b))
            if rng.random() < 0.2:
                made = made + 0.5
                made *= 0.5
            values.append(made)
        return [v + x for v in values[-3:]]

    return run, captured


@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed, full):
    """Values bit for bit, gradients of both ways up to the order of sums."""
    for number in range(seed * 100, seed * 100 + (50 if full else 1)):
        f, captured = random_program(number)
        x, w = arrays((3, 4), (4,), seed=number)
        jitted = ng.jit(f)
        for found, expected in zip(jitted(x, w), f(x, w), strict=True):
            assert found.asnumpy().tobytes() == expected.asnumpy().tobytes()
        total = lambda g: lambda x, w: sum(v.sum() for v in g(x, w))
        expected = ng.grad(total(f), (0, 1))(x, w)
        close(ng.grad(total(jitted), (0, 1))(x, w), expected, rtol=1e-10)
        close(ng.jit(ng.grad(total(f), (0, 1)))(x, w), expected, rtol=1e-10)
        captured += 1
        for found, expected in zip(jitted(x, w), f(x, w), strict=True):
            assert found.asnumpy().tobytes() == expected.asnumpy().tobytes()
