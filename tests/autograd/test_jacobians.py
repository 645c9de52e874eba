"""Jacobians, linear maps, derivatives by hand, recomputation, and structures as arguments."""

import dataclasses
import functools

import numpy as np
import pytest

import nbgraph as ng

RNG = np.random.default_rng(3)
A = ng.array(RNG.normal(size=(3, 4)))
X = ng.array(RNG.normal(size=4))
E = ng.errors


def close(found, wanted, tolerance=1e-9):
    np.testing.assert_allclose(
        found.asnumpy(), getattr(wanted, "asnumpy", lambda: wanted)(), tolerance, tolerance
    )


def differences(f, x, step=1e-6):
    """Central differences of an array with respect to each element of another."""
    base = x.asnumpy()
    rows = []
    for i in range(base.size):
        moved = np.zeros(base.size)
        moved[i] = step
        moved = moved.reshape(base.shape)
        rows.append(
            (f(ng.array(base + moved)).asnumpy() - f(ng.array(base - moved)).asnumpy()) / (2 * step)
        )
    shape = (*rows[0].shape, *base.shape)
    return np.stack(rows, axis=-1).reshape(shape)


FUNCTIONS = {
    "product": lambda x: A @ x,
    "elementwise": lambda x: ng.tanh(x) * x,
    "matrix": lambda x: ng.outer(x, ng.sin(x)),
    "number": lambda x: (x * x).sum(),
    "sorted": lambda x: ng.sort(x) ** 2,
    "loop": lambda x: ng.scan(lambda c, v: (ng.tanh(c + v), c * v), ng.sum(x), x)[1],
    "branch": lambda x: ng.cond(ng.sum(x) > 9, lambda x: x, lambda x: x**3, x),
    "complex": lambda x: ng.fft.fft(x) * (1 + 2j) + ng.fft.fft(x * x),
    "of a gradient": ng.grad(lambda x: (ng.sin(x) ** 3).sum()),
}


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("mode", ["jacobian", "jacrev", "jacfwd"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_jacobian_is_that_of_differences(name, mode, jitted):
    f = FUNCTIONS[name]
    jac = getattr(ng, mode)(f)
    close((ng.jit(jac) if jitted else jac)(X), differences(f, X), 1e-7)


Z = ng.array([1 + 2j, 3 - 1j], "complex128")


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("mode", ["jacrev", "jacfwd"])
def test_complex_derivatives_of_complex_arguments_are_asked_for(mode, jitted):
    mode = getattr(ng, mode)
    compiled = ng.jit if jitted else lambda f: f
    close(compiled(mode(lambda z: z * z, holomorphic=True))(Z), np.diag(2 * Z.asnumpy()))
    for f in (ng.conj, lambda z: z * z, lambda z: {"a": ng.abs(z), "b": z}):
        with pytest.raises(E.ArgumentError, match=r"jac...: a complex argument .*holomorphic=True"):
            compiled(mode(f))(Z)
    with pytest.raises(E.ArgumentError, match=r"hessian: .*give these as two arguments$"):
        ng.hessian(lambda z: (ng.abs(z) ** 2).sum())(Z)


def test_real_results_of_complex_arguments():
    """By rows du/dx - i du/dy, as a gradient is; by columns half of that would be lost."""
    close(ng.jacrev(ng.abs)(Z), np.diag(np.conj(Z.asnumpy()) / np.abs(Z.asnumpy())))
    with pytest.raises(E.ArgumentError, match="jacfwd: a complex argument"):
        ng.jacfwd(ng.abs)(Z)


def test_jacobians_of_structures_and_several_arguments():
    def f(p, y):
        return {"a": p["w"] @ y, "b": (p["w"].sum() * y,)}

    w, y = ng.array(RNG.normal(size=(2, 4))), X
    for mode in (ng.jacrev, ng.jacfwd):
        found = mode(f, (0, 1))({"w": w}, y)
        assert found["a"][0]["w"].shape == (2, 2, 4) and found["b"][0][0]["w"].shape == (4, 2, 4)
        close(found["a"][1], w)
        close(found["b"][0][1], np.eye(4) * float(w.sum()))
        (slope, aux) = mode(lambda x: (x * x, {"twice": x * 2}), has_aux=True)(X)
        close(slope, np.diag(2 * X.asnumpy()))
        close(aux["twice"], X * 2)


def test_second_derivatives_are_jacobians_of_gradients():
    def f(x):
        return (ng.sin(x) * x[::-1]).sum()

    wanted = ng.hessian(f)(X)
    for outer in (ng.jacrev, ng.jacfwd):
        close(outer(ng.grad(f))(X), wanted)
        close(outer(ng.jacrev(f))(X), wanted)
    v = ng.array(RNG.normal(size=4))
    for product in (ng.hvp, ng.jit(ng.hvp)):
        close(product(f, (X,), (v,)), wanted @ v)
    a, b = ng.hvp(lambda x, y: (x * x * y).sum(), (X, X), (v, v))
    close(a, 4 * X * v)
    close(b, 2 * X * v)


def _known(x):
    """The Hessian of `x0 x1^2 + x2^3 x0`, by hand."""
    a, b, c = x.tolist()
    return [[0, 2 * b, 3 * c * c], [2 * b, 2 * a, 0], [3 * c * c, 0, 6 * c * a]]


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("branches", [False, True])
def test_a_hessian_is_exact(branches, jitted):
    """In one pass, or an element at a time where the function cannot be traced."""

    def f(x):
        if branches and x.sum() < 0:
            return x.sum()
        return x[0] * x[1] ** 2 + x[2] ** 3 * x[0], {"twice": 2 * x}

    x = ng.array([1.0, 2.0, -0.5])
    second = ng.hessian(f, has_aux=True)
    if branches and jitted:
        with pytest.raises(ng.errors.ArgumentError):
            ng.jit(second)(x)
        return
    found, aux = (ng.jit(second) if jitted else second)(x)
    close(found, _known(x))
    close(aux["twice"], 2 * x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: ng.linalg.det(x.reshape(2, 2)) ** 2,
        lambda x: ng.scan(lambda c, a: (ng.tanh(c * a) + a, None), 1.0, x)[0],
        lambda x: ng.cond(x[0] > 0, lambda x: (x**3).sum(), lambda x: x.sum() ** 2, x),
        lambda x: ng.log(ng.softmax(x)).sum() + ng.logsumexp(x * x),
        lambda x: ng.sort(x * x)[1:].sum() * x[2] + x[ng.array([0, 0, 3])].sum() ** 2,
        lambda x: ng.vmap(lambda a: a**2 * x[1])(x).sum(),
        lambda x: ng.while_loop(lambda v: v < 50, lambda v: v * x[1] + x[0], 3.0, max_iterations=9),
    ],
)
def test_hessians_agree_with_differences_of_gradients(f):
    x = np.array([0.9, 2.1, -0.7, 1.3])
    slope, step = ng.jit(ng.grad(f)), 1e-5
    rows = [
        (slope(ng.array(x + e)) - slope(ng.array(x - e))).asnumpy() / (2 * step)
        for e in step * np.eye(4)
    ]
    np.testing.assert_allclose(ng.hessian(f)(ng.array(x)), rows, rtol=1e-5, atol=1e-5)


def test_third_derivatives_by_a_hessian_of_a_gradient():
    found = ng.jacobian(ng.hessian(lambda x: (x**4).sum()))(X)
    assert found.shape == (4, 4, 4)
    close(found[1, 1], [0.0, 24 * float(X[1]), 0.0, 0.0])


def test_a_gradient_of_a_jacobian():
    def norm(x):
        return (ng.jacrev(lambda x: ng.tanh(A @ x))(x) ** 2).sum()

    close(ng.grad(norm)(X), differences(norm, X), 1e-6)


@pytest.mark.parametrize("jitted", [False, True])
def test_a_linear_map_is_the_derivative_in_a_direction(jitted):
    def f(x, y):
        return ng.tanh(A @ x) * y, x.sum()

    y, t, s = (ng.array(RNG.normal(size=n)) for n in (3, 4, 3))

    def both(x, y, t, s):
        out, push = ng.linearize(f, x, y)
        return out, push(t, s), push(2 * t, s * 0)

    out, first, second = (ng.jit(both) if jitted else both)(X, y, t, s)
    wanted, slopes = ng.jvp(f, (X, y), (t, s))
    for a, b in zip((*out, *first), (*wanted, *slopes), strict=True):
        close(a, b)
    for a, b in zip(second, ng.jvp(f, (X, y), (2 * t, s * 0))[1], strict=True):
        close(a, b)


def test_aux_beside_linear_maps():
    f = lambda x: (x * x, {"n": x.sum()})  # noqa: E731
    out, pull, aux = ng.vjp(f, X, has_aux=True)
    close(pull(out)[0], 2 * X**3)
    close(aux["n"], X.sum())
    out, slope, aux = ng.jvp(f, (X,), (X,), has_aux=True)
    close(slope, 2 * X * X)
    out, push, aux = ng.linearize(f, X, has_aux=True)
    close(push(X), 2 * X * X)
    with pytest.raises(E.ArgumentError, match="return \\(value, other\\)"):
        ng.vjp(lambda x: x, X, has_aux=True)


def test_gradients_by_the_names_of_arguments():
    def f(x, *, w, b=2.0):
        return (x * w).sum() + b * b

    close(ng.grad(f, argnames="w")(X, w=X), X)
    found = ng.grad(f, argnames=("b", "w"))(X, w=X)
    assert float(found["b"]) == 4
    value, slope = ng.value_and_grad(f, argnames="x")(X, w=X)
    close(slope, X)
    (value, aux), slope = ng.value_and_grad(lambda x: (x * x, 5), has_aux=True, argnames="x")(3.0)
    assert (float(value), aux, float(slope)) == (9, 5, 6)
    slope, aux = ng.grad(lambda x: (x * x, 5), has_aux=True, argnames="x")(3.0)
    assert (aux, float(slope)) == (5, 6)
    with pytest.raises(E.ArgumentError, match="names among x, w, b"):
        ng.grad(f, argnames="v")


# by hand ----------------------------------------------------------------------------------------


def clipped():
    @ng.custom_vjp
    def f(x, p):
        return {"y": ng.exp(x) * p[0]}

    def fwd(x, p):
        y = ng.exp(x)
        return {"y": y * p[0]}, (y, p)

    def bwd(kept, g):
        y, p = kept
        return g["y"] * y * 10, (None if p is None else ((g["y"] * y).sum() * 100,))

    f.defvjp(fwd, bwd)
    return f


@pytest.mark.parametrize("jitted", [False, True])
def test_a_pass_back_by_hand(jitted):
    f = clipped()
    total = lambda x, p: f(x, (p,))["y"].sum()  # noqa: E731
    slopes = ng.grad(total, (0, 1))
    p = ng.array(2.0, dtype="float64")
    a, b = (ng.jit(slopes) if jitted else slopes)(X, p)
    close(a, 10 * ng.exp(X))
    close(b, 100 * ng.exp(X).sum())
    close(f(X, (p,))["y"], 2 * ng.exp(X))
    close(ng.vmap(ng.grad(total), (0, None))(X.reshape(2, 2), p), 10 * ng.exp(X).reshape(2, 2))
    bent = ng.grad(lambda x: ng.grad(total)(x, p).sum())
    close((ng.jit(bent) if jitted else bent)(X), 10 * ng.exp(X))
    close(
        ng.grad(lambda x: ng.scan(lambda c, v: (c + f(v, (p,))["y"], None), 0.0, x)[0])(X),
        10 * ng.exp(X),
    )


def test_a_derivative_in_a_direction_by_hand():
    @ng.custom_jvp
    def safe(x):
        return ng.sqrt(x)

    @safe.defjvp
    def _(primals, tangents):
        (x,), (t,) = primals, tangents
        return safe(x), ng.where(x > 0, t / (2 * ng.sqrt(ng.maximum(x, 1e-300))), 0.0)

    x = ng.array([0.0, 4.0], dtype="float64")
    close(ng.grad(lambda x: safe(x).sum())(x), [0, 0.25])
    close(ng.jit(ng.jvp)(safe, (x,), (ng.ones(2, dtype="float64"),))[1], [0, 0.25])
    close(ng.jacrev(safe)(x), np.diag([0, 0.25]))


def test_arguments_that_are_no_arrays_and_errors_of_derivatives_by_hand():
    @functools.partial(ng.custom_vjp, nondiff_argnums=(0,))
    def scaled(n, x):
        return x * n

    with pytest.raises(E.ArgumentError, match="call defvjp"):
        scaled(3, X)
    scaled.defvjp(lambda n, x: (x * n, None), lambda n, _, g: (g * n * n,))
    close(ng.grad(lambda x: scaled(3, x).sum())(X), 9 * ng.ones(4))
    scaled.defvjp(lambda n, x: x, lambda n, _, g: (g,))
    with pytest.raises(E.ArgumentError, match="fwd returned a .*; return a pair"):
        scaled(3, X)
    scaled.defvjp(lambda n, x: (x, None), lambda n, _, g: g)
    with pytest.raises(E.ArgumentError, match="return a tuple with a cotangent for each of 1"):
        ng.grad(lambda x: scaled(3, x).sum())(X)


# recomputation ----------------------------------------------------------------------------------


def test_a_function_that_is_computed_again_has_the_same_derivatives_and_keeps_its_arguments_alone():
    def f(x):
        for _ in range(4):
            x = ng.sin(x) * 2
        return x

    total = lambda f: lambda x: f(x).sum()  # noqa: E731
    again = ng.checkpoint(f)
    for change in (lambda g: g, ng.jit):
        close(change(ng.grad(total(again)))(X), ng.grad(total(f))(X))
    bent = lambda f: ng.grad(lambda x: (ng.grad(total(f))(x) ** 2).sum())  # noqa: E731
    close(bent(again)(X), bent(f)(X))
    names = [n.op.__name__ for n in ng.jit(ng.grad(total(again))).graph(X).nodes if n.op]
    assert "sin" not in names and names.count("cond") == 1  # the pass back alone, with its own

    def long(f, x):
        return ng.scan(lambda c, v: (f(c) + v, None), ng.zeros(4, dtype="float64"), x)[0].sum()

    xs = ng.array(RNG.normal(size=(5, 4)))
    close(ng.grad(functools.partial(long, again))(xs), ng.grad(functools.partial(long, f))(xs))
    assert ng.checkpoint(X).shape == X.shape  # arrays as ever


def test_a_function_with_a_state_is_not_computed_again():
    norm = ng.nn.BatchNorm(3)
    total = ng.checkpoint(lambda x: norm(x).sum())
    assert total(ng.ones((2, 3))).item() == pytest.approx(6, abs=1e-4)  # it predicts: no state
    refused = pytest.raises(E.ArgumentError, match=r"checkpoint: .*batch_stat.*h = ng.checkpoint")
    with ng.autograd.record(), refused:
        total(ng.ones((2, 3)))


# without values ---------------------------------------------------------------------------------


def test_shapes_without_values():
    S = ng.transforms.ShapeDtypeStruct
    found = ng.eval_shape(
        lambda x, n, *, b: {"y": (x @ b) * n, "n": n}, S((2, 3), "float32"), 7, b=ng.ones(3)
    )
    assert found == {"y": S((2,), "float32"), "n": 7}
    with pytest.raises(E.ShapeError):
        ng.eval_shape(lambda x: x @ x, S((2, 3), "float32"))


def test_a_function_of_numpy_arrays_in_a_graph():
    def host(x, y):
        assert type(x) is np.ndarray
        return np.sort(x)[::-1] * y, x.sum()

    shapes = X, ng.zeros((), dtype="float64")
    f = lambda x: ng.pure_callback(host, shapes, x, 2.0)  # noqa: E731
    for g in (f, ng.jit(f)):
        a, b = g(X)
        close(a, np.sort(X.asnumpy())[::-1] * 2)
        close(b, X.sum())
    close(ng.vmap(f)(X.reshape(2, 2).broadcast_to((2, 2)).reshape(1, 4))[1], [float(X.sum())])
    with pytest.raises(E.DerivativeError):
        ng.grad(lambda x: f(x)[1])(X)
    with pytest.raises(E.ShapeError, match="result_shape_dtypes says"):
        ng.pure_callback(lambda x: x[:1], X, X).asnumpy()
    with pytest.raises(E.ArgumentError, match="another structure"):
        ng.pure_callback(lambda x: (x, x), X, X).asnumpy()


def test_a_structure_as_one_vector():
    tree = {"w": ng.ones((2, 2)), "b": (ng.zeros(3, dtype="float64"), 5.0)}
    flat, unravel = ng.ravel_pytree(tree)
    assert flat.shape == (8,) and flat.dtype == np.float64
    again = unravel(flat + 1)
    assert again["w"].dtype == np.float32 and again["b"][1].shape == ()
    close(again["b"][0], np.ones(3))
    found = ng.jit(ng.grad(lambda v: (unravel(v)["w"] ** 2).sum()))(flat)
    close(found, [2, 2, 2, 2, 0, 0, 0, 0])
    with pytest.raises(E.ShapeError, match=r"expected \(8,\)"):
        unravel(ng.ones(3))


@dataclasses.dataclass(frozen=True)
class Layer:
    w: object
    inner: object
    kind: str = dataclasses.field(default="tanh", metadata={"static": True})

    def __call__(self, x):
        return getattr(ng, self.kind)(x * self.w + self.inner["b"])


def test_dataclasses_are_structures_whose_static_fields_are_no_values():
    layer = Layer(X, {"b": ng.ones(4, dtype="float64")})
    total = lambda layer, x: layer(x).sum()  # noqa: E731
    wanted = ng.grad(lambda w, b: ng.tanh(X * w + b).sum(), (0, 1))(layer.w, layer.inner["b"])
    for f in (ng.grad(total), ng.jit(ng.grad(total))):
        found = f(layer, X)
        assert type(found) is Layer and found.kind == "tanh"
        close(found.w, wanted[0])
        close(found.inner["b"], wanted[1])
    jitted = ng.jit(total)
    jitted(layer, X)
    other = dataclasses.replace(layer, kind="sin")
    close(jitted(other, X), ng.sin(X * X + 1).sum())
    assert jitted.cache_size == 2
    close(ng.vmap(lambda l, x: l(x), (None, 0))(layer, ng.stack([X, X]))[1], layer(X))


def test_arguments_of_jit_that_are_fixed_by_their_places():
    f = ng.jit(lambda n, x, how: getattr(ng, how)(x) * n, static_argnums=(0, -1))
    close(f(3, X, "sin"), 3 * ng.sin(X))
    close(f(2, X, "cos"), 2 * ng.cos(X))
    assert f.cache_size == 2
    with pytest.raises(E.ArgumentError, match="static_argnums=4, but <lambda> has 1 argument"):
        ng.jit(lambda x: x, static_argnums=4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ng.hvp(lambda x: x.sum(), X, (X,)), "primals is an NDArray; give a tuple"),
        (lambda: ng.hvp(lambda x: x.sum(), (X,), (X, X)), "tangents has the structure|cotangents"),
        (lambda: ng.jacrev(lambda x: x > 0)(X), "gives bool, which has no derivative"),
        (lambda: ng.jacfwd(lambda x: x)(ng.ones(2, dtype="int32")), "no derivative"),
        (lambda: ng.jacrev(lambda x: x, 1)(X), "1 positional argument"),
        (lambda: ng.linearize(lambda x: x, X)[1](X[:2]), "shape"),
        (lambda: ng.pure_callback(3, X, X), "int is not a function"),
        (lambda: ng.custom_vjp(3), "int is not a function"),
    ],
)
def test_errors_say_what_is_wrong(call, words):
    with pytest.raises((E.ArgumentError, E.ShapeError), match=words):
        call()
