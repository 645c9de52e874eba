"""What people write who know JAX: forward passes that call the function, linear maps in traces,
loops that end by their test in a direction, orders of prefixes, callbacks of many examples."""

import functools

import numpy as np
import pytest

import nbgraph as ng

X = ng.array(np.random.default_rng(3).normal(size=4))


def close(found, wanted, tolerance=1e-9):
    np.testing.assert_allclose(np.asarray(found), np.asarray(wanted), tolerance, tolerance)


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("order", [1, 2])
def test_a_forward_pass_by_hand_may_call_the_function(jitted, order):
    @ng.custom_vjp
    def f(x, y):
        return ng.sin(x) * y

    f.defvjp(lambda x, y: (f(x, y), (x, y)), lambda kept, g: (g * f(*kept) * kept[1], g * kept[0]))
    slope = ng.grad(lambda x: f(x, X).sum())
    second = ng.jacobian(slope)
    x, y = X.asnumpy() * 2, X.asnumpy()
    if order == 1:
        close((ng.jit(slope) if jitted else slope)(X * 2), np.sin(x) * y * y)
    else:  # the pass back calls it, too
        close((ng.jit(second) if jitted else second)(X * 2), np.diag(np.sin(x) * y * y * y))


def test_a_forward_pass_that_calls_the_function_with_fixed_arguments():
    @functools.partial(ng.custom_vjp, nondiff_argnums=(1,))
    def power(x, n):
        return x**n

    power.defvjp(lambda x, n: (power(x, n), x), lambda n, x, g: (10 * g * x * n,))
    close(ng.vmap(ng.grad(lambda x: power(x, 3)))(X), 30 * X)


@pytest.mark.parametrize("outer", [lambda f: f, ng.jit])
def test_a_forward_pass_by_hand_may_end_by_a_test(outer):
    """A fixed point by a loop of unknown length, with the derivative of the implicit function."""

    def loop(b):
        def step(c):
            return ng.cos(c[0]) * 0.5 + b, c[0]

        start = ng.zeros_like(b), ng.ones_like(b)
        return ng.while_loop(lambda c: ng.max(ng.abs(c[0] - c[1])) > 1e-14, step, start)[0]

    def forward(b):
        z = loop(b)
        return z, z

    fixed_point = ng.custom_vjp(loop)
    fixed_point.defvjp(forward, lambda z, g: (g / (1 + 0.5 * ng.sin(z)),))
    slope = ng.grad(lambda b: fixed_point(b).sum())
    z = np.asarray(fixed_point(X))
    close(z, np.cos(z) * 0.5 + X.asnumpy())
    close(outer(slope)(X), 1 / (1 + 0.5 * np.sin(z)))
    with pytest.raises(ng.errors.DerivativeError, match="while_loop: its gradient needs"):
        outer(ng.grad(lambda b: slope(b).sum()))(X)


def test_derivatives_in_directions_argument_by_argument():
    @ng.custom_jvp
    def f(x, y, z):
        return x * y * z

    f.defjvps(lambda t, out, x, y, z: 2 * out * t, None, lambda t, out, x, y, z: x * y * t)
    found = ng.grad(lambda *args: f(*args).sum(), (0, 1, 2))(X, X + 1, X + 2)
    for slope, wanted in zip(found, (2 * X * (X + 1) * (X + 2), X * 0, X * (X + 1)), strict=True):
        close(slope, wanted)
    with pytest.raises(ng.errors.ArgumentError, match="use defjvp"):
        ng.custom_jvp(lambda x, n: x, nondiff_argnums=(1,)).defjvps(None)


@pytest.mark.parametrize("outer", [ng.vmap, ng.jit])
def test_linear_maps_of_arrays_are_traced_again(outer):
    units = ng.array(np.eye(4))
    given = units if outer is ng.vmap else X
    _, push = ng.linearize(lambda x: (ng.sin(x), x[0] * x), X)
    _, pull = ng.vjp(lambda x: ng.sin(x) * x[1], X)
    one, two = outer(push)(given)
    cosine, x = np.cos(X.asnumpy()), X.asnumpy()
    close(one, np.diag(cosine) if outer is ng.vmap else cosine * x)
    assert two.shape == given.shape
    (back,) = outer(pull)(given)
    rows = ng.jacrev(lambda x: ng.sin(x) * x[1])(X)
    close(back, rows if outer is ng.vmap else X @ rows)


WHILE = {
    "one carry": (
        lambda x: ng.while_loop(lambda c: c < 100, lambda c: c * x, x),
        lambda x: 5 * x**4,
        3.0,
    ),
    "count and captured": (
        lambda x: ng.while_loop(lambda c: c[1] < 3, lambda c: (c[0] * c[0] * x, c[1] + 1), (x, 0))[
            0
        ],
        lambda x: 15 * x**14,
        1.1,
    ),
    "bounds that are arrays": (
        lambda x: ng.fori_loop(0, ng.array(3), lambda i, c: c * x, x) * x,
        lambda x: 5 * x**4,
        0.7,
    ),
    "one after another": (
        lambda x: ng.while_loop(
            lambda c: c < 50,
            lambda c: c * x,
            ng.while_loop(lambda c: c < 4, lambda c: c + x, x) * x,
        ),
        lambda x: 10 * x**4,
        2.0,
    ),
    "one in another": (
        lambda x: ng.while_loop(
            lambda c: c < 20, lambda c: ng.while_loop(lambda d: d < 3, lambda d: d * x, c) * x, x
        ),
        lambda x: 5 * x**4,
        2.0,
    ),
}


@pytest.mark.parametrize("name", WHILE)
def test_loops_that_end_by_their_test_have_derivatives_forward(name):
    f, slope, at = WHILE[name]
    x, t = ng.array(at, dtype="float64"), ng.array(2.0, dtype="float64")
    for run in (ng.jvp, ng.jit(ng.jvp)):
        value, found = run(f, (x,), (t,))
        close(value, f(x))
        close(found, 2 * slope(x))
    close(ng.linearize(f, x)[1](t), 2 * slope(x))
    close(ng.jacfwd(lambda v: ng.stack([f(v[0]), v[1]]))(ng.stack([x, t]))[0, 0], slope(x))
    with pytest.raises(ng.errors.DerivativeError, match=r"max_iterations=.*ng\.jvp"):
        ng.grad(f)(x)


def test_prefixes_from_the_end_have_the_later_part_first():
    """As jax.lax.associative_scan: of a function whose order counts."""
    a, b = ng.array([2.0, 3.0, 4.0]), ng.array([1.0, 5.0, 7.0])
    combine = lambda left, right: (left[0] * right[0], left[1] * right[0] + right[1])  # noqa: E731
    products, sums = ng.associative_scan(combine, (a, b), reverse=True)
    close(products, [24.0, 12.0, 4.0])
    close(sums, [(7.0 * 3 + 5) * 2 + 1, 7.0 * 3 + 5, 7.0])


@pytest.mark.parametrize("method", [None, "sequential", "expand_dims", "broadcast_all"])
def test_callbacks_of_many_examples(method):
    S = ng.transforms.ShapeDtypeStruct((), "float64")
    found = ng.vmap(lambda x: ng.pure_callback(np.sin, S, x, vmap_method=method) * 2)(X)
    close(found, 2 * np.sin(X.asnumpy()))
    with pytest.raises(ng.errors.ArgumentError, match="vmap_method='other'; expected "):
        ng.pure_callback(np.sin, S, X[0], vmap_method="other")


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("way", ["fwd", "bwd", "jvp", "f"])
def test_what_a_derivative_by_hand_refers_to_may_change(way, jitted):
    """As in a notebook, where a cell is run again."""
    scale = dict.fromkeys(("f", "fwd", "bwd", "jvp"), 2.0)
    decorate = ng.custom_jvp if way == "jvp" else ng.custom_vjp

    @decorate
    def f(x):
        return x * scale["f"]

    if way == "jvp":
        f.defjvp(lambda xs, ts: (f(*xs), ts[0] * scale["jvp"]))
    else:
        f.defvjp(lambda x: (f(x), scale["fwd"] * x), lambda kept, g: (g * kept * scale["bwd"],))
    run = f if way == "f" else ng.grad(lambda x: f(x).sum())
    run = ng.jit(run) if jitted else run
    before = np.asarray(run(X))
    scale[way] = 6.0
    close(run(X), 3 * before)
