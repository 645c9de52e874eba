"""ng.grad, value_and_grad, vjp, jvp, hessian: structures, nesting, bad input (X-NDA-01)."""

from collections import OrderedDict, defaultdict
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, ShapeError

X = np.array([0.3, 0.7, 2.0])


class Pair(NamedTuple):
    weight: Any
    bias: Any


def cubes(x):
    return (x * x * x).sum()


class Scale:
    """An object that stands for its parameters, as modules do."""

    def __init__(self, *values):
        self.weight = ng.array(values)

    def __call__(self, x):
        return (self.weight * self.weight * x).sum()

    def parameters(self):
        return {"weight": self.weight}


def test_value_and_gradient():
    value, slope = ng.value_and_grad(cubes)(X)
    np.testing.assert_allclose(value.asnumpy(), (X**3).sum())
    np.testing.assert_allclose(slope.asnumpy(), 3 * X**2)
    assert isinstance(value, ng.NDArray)
    assert isinstance(slope, ng.NDArray)


def test_numbers_are_lifted():
    """A Python float has the default dtype, a NumPy number its own."""
    slope = ng.grad(lambda x: x * x)
    assert slope(3.0).dtype == np.float32
    assert slope(np.float64(3.0)).dtype == np.float64
    assert slope(3.0).shape == ()
    assert slope(3.0).item() == 6.0


def test_the_result_may_have_axes_of_one_element():
    assert ng.grad(lambda x: (x * x).reshape((1, 1)))(3.0).item() == 6.0


@st.composite
def structures(draw, depth=2):
    """Nested containers of floats."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.floats(-2, 2, width=32))
    parts = st.lists(structures(depth=depth - 1), min_size=1, max_size=3)
    kind = draw(st.sampled_from(["list", "tuple", "dict", "ordered", "default", "pair", "none"]))
    items = draw(parts)
    named = {f"k{i}": item for i, item in enumerate(items)}
    made = {
        "list": lambda: items,
        "tuple": lambda: tuple(items),
        "dict": lambda: named,
        "ordered": lambda: OrderedDict(named),
        "default": lambda: defaultdict(list, named),
        "pair": lambda: Pair(items[0], items[-1]),
        "none": lambda: [*items, None],
    }
    return made[kind]()


def values_of(structure):
    if structure is None:
        return []
    if isinstance(structure, dict):
        structure = list(structure.values())
    if isinstance(structure, (list, tuple)):
        return [v for part in structure for v in values_of(part)]
    return [structure]


def same_form(a, b):
    """The same containers, of the same classes."""
    if isinstance(a, dict):
        return type(a) is type(b) and a.keys() == b.keys() and all(same_form(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same_form, a, b))
    return (a is None) == (b is None)


@settings(max_examples=40)
@given(structures())
def test_gradients_have_the_structure_of_the_argument(structure):
    def squares(given_structure):
        assert same_form(structure, given_structure)
        return sum((v * v for v in values_of(given_structure)), start=ng.array(0.0))

    found = ng.grad(squares)(structure)
    assert same_form(structure, found)
    got = [g.item() for g in values_of(found)]
    np.testing.assert_allclose(got, [2 * v for v in values_of(structure)], rtol=1e-6)


def test_an_argument_that_is_not_used_has_a_gradient_of_zeros():
    found = ng.grad(lambda p: (p["a"] * 2).sum())({"a": np.ones(2), "b": np.ones((2, 1))})
    assert found["b"].shape == (2, 1)
    assert not found["b"].asnumpy().any()
    assert not ng.grad(lambda x: ng.ones(()))(X).asnumpy().any()


def test_argnums_and_keywords():
    def f(a, b, *, c, power=1):
        return (a * b**2 * c**power).sum()

    one = ng.grad(f, argnums=1)(X, X + 1, c=3.0)
    np.testing.assert_allclose(one.asnumpy(), 6 * X * (X + 1))
    both = ng.grad(f, argnums=(1, 0))(X, X + 1, c=3.0, power=2)
    assert isinstance(both, tuple)
    np.testing.assert_allclose(both[1].asnumpy(), 9 * (X + 1) ** 2)
    last = ng.grad(f, argnums=-1)(X, X + 1, c=1.0)
    np.testing.assert_allclose(last.asnumpy(), 2 * X * (X + 1))
    (single,) = ng.grad(f, argnums=(0,))(X, X, c=1.0)
    np.testing.assert_allclose(single.asnumpy(), X**2)


def test_other_results():
    (value, aux), slope = ng.value_and_grad(lambda x: (cubes(x), {"x": x * 2}), has_aux=True)(X)
    np.testing.assert_allclose(aux["x"].asnumpy(), 2 * X)
    np.testing.assert_allclose(slope.asnumpy(), 3 * X**2)
    assert value._node is None  # the tape ends with the call
    assert aux["x"]._node is None
    slope, aux = ng.grad(lambda x: (cubes(x), "text"), has_aux=True)(X)
    assert aux == "text"


def test_objects_with_parameters():
    model = Scale(2.0, 3.0)
    model.weight.attach_grad()
    marked = model.weight._node
    value, slopes = ng.value_and_grad(lambda m, x: m(x))(model, ng.array([1.0, 2.0]))
    assert value.item() == 22.0
    assert slopes["weight"].tolist() == [4.0, 12.0]
    assert model.weight._node is marked  # as before
    assert not model.weight.grad.asnumpy().any()  # nothing is collected

    def fails(m):
        m(1.0)
        raise KeyError("no")

    with pytest.raises(KeyError):
        ng.grad(fails)(model)
    assert model.weight._node is marked


# nesting ----------------------------------------------------------------------------------------


def test_gradients_of_gradients():
    found = ng.grad(lambda x: ng.grad(cubes)(x).sum())(X)
    np.testing.assert_allclose(found.asnumpy(), 6 * X)


@pytest.mark.slow
def test_third_derivatives():
    assert ng.grad(ng.grad(ng.grad(lambda x: x**4)))(2.0).item() == 48.0
    third = ng.grad(lambda x: ng.hessian(cubes)(x).sum())(X)
    np.testing.assert_allclose(third.asnumpy(), [6, 6, 6])


def test_inner_variables_do_not_mix_with_outer_ones():
    """The example of perturbation confusion: x d/dy (x + y) = x."""
    assert ng.grad(lambda x: x * ng.grad(lambda y: x + y)(1.0))(1.0).item() == 1.0
    assert ng.grad(lambda x: x * ng.grad(lambda y: x * y * y)(3.0))(2.0).item() == 24.0


def test_a_gradient_within_record():
    x = ng.array([2.0])
    x.attach_grad()
    with ng.autograd.record():
        y = ng.grad(cubes)(x) * x
    y.backward()
    assert x.grad.item() == 36.0


def test_a_gradient_within_pause_is_a_constant():
    x = ng.array([2.0])
    x.attach_grad()
    with ng.autograd.record():
        with ng.autograd.pause():
            slope = ng.grad(cubes)(x)
        y = slope * x
    assert slope._node is None
    y.backward()
    assert x.grad.item() == 12.0


def test_hessian():
    found = ng.hessian(lambda x: cubes(x) * x[0])(X).asnumpy()
    first = np.eye(3)[0]
    expected = np.diag(6 * X * X[0]) + np.outer(first, 3 * X**2) + np.outer(3 * X**2, first)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.slow
def test_hessian_and_jvp_agree():
    f = lambda x: cubes(x) * x[0]
    rows = [ng.jvp(ng.grad(f), (X,), (e,))[1].asnumpy() for e in np.eye(3)]
    np.testing.assert_allclose(ng.hessian(f)(X).asnumpy(), rows, rtol=1e-12)


def test_hessian_of_a_structure():
    found = ng.hessian(lambda p: (p["a"] * p["b"].sum()).sum())({"a": X, "b": np.ones((2, 1))})
    assert found["a"]["b"].shape == (3, 2, 1)
    assert found["a"]["b"].asnumpy().all()
    assert not found["b"]["b"].asnumpy().any()
    both = ng.hessian(lambda a, b: (a * b).sum(), argnums=(0, 1))(np.ones(1), np.ones(1))
    assert [[block.item() for block in row] for row in both] == [[0, 1], [1, 0]]


def test_vjp():
    out, pull = ng.vjp(lambda a, b: {"s": a * b, "t": [a + 2 * b]}, X, X + 1)
    np.testing.assert_allclose(out["s"].asnumpy(), X * (X + 1))
    for scale in (1.0, 10.0):  # it may be called again
        a, b = pull({"s": scale * np.ones(3), "t": [np.zeros(3)]})
        np.testing.assert_allclose(a.asnumpy(), scale * (X + 1))
        np.testing.assert_allclose(b.asnumpy(), scale * X)


def test_jvp():
    out, tangent = ng.jvp(lambda a, b: (a * b, a.sum()), (X, X + 1), (np.ones(3), 2 * np.ones(3)))
    np.testing.assert_allclose(tangent[0].asnumpy(), (X + 1) + 2 * X)
    assert tangent[1].item() == 3.0
    assert out[1].item() == X.sum()
    constant = ng.jvp(lambda a: ng.ones((2,)), (X,), (X,))[1]
    assert constant.tolist() == [0.0, 0.0]
    same = ng.array(X)
    assert ng.jvp(lambda a: a, (X,), (same,))[1] is not same  # an array of its own


@pytest.mark.slow
def test_jvp_is_differentiable():
    def directional(x):
        return ng.jvp(cubes, (x,), (np.ones(3),))[1]

    np.testing.assert_allclose(ng.grad(directional)(X).asnumpy(), 6 * X)


def test_training_unless_a_block_says_otherwise():
    seen = []

    def f(x):
        seen.append(ng.autograd.is_training())
        return x * x

    ng.grad(f)(1.0)
    with ng.autograd.predict_mode():
        ng.grad(f)(1.0)
    with ng.autograd.record(train_mode=False):
        ng.grad(f)(1.0)
    assert seen == [True, False, False]
    assert not ng.autograd.is_recording()


def test_gradients_are_arrays_of_their_own():
    """Writing to one changes no other, though they were the same values on the way."""
    a, b = ng.grad(lambda a, b: (a + b).sum(), argnums=(0, 1))(X, X)
    a += 1
    a[0] = 7
    assert b.tolist() == [1.0, 1.0, 1.0]
    head = ng.ones((3,))
    (found,) = ng.vjp(lambda x: x, X.astype(np.float32))[1](head)
    found += 1
    assert head.tolist() == [1.0, 1.0, 1.0]


def test_an_operator_is_a_function_too():
    square = ng.op(lambda x: x * x)
    assert ng.grad(square)(3.0).item() == 6.0
    assert ng.grad(square).__name__ == square.__name__


# bad input --------------------------------------------------------------------------------------

BAD = {
    "no scalar": (lambda: ng.grad(lambda x: x)(X), ShapeError, "use ng.vjp"),
    "integer": (lambda: ng.grad(cubes)(3), ArgumentError, r"args\[0\] has dtype int64"),
    "bool": (lambda: ng.grad(cubes)(True), ArgumentError, "dtype bool"),
    "integers within": (
        lambda: ng.grad(lambda p: p["w"][0])({"w": [np.arange(3)]}),
        ArgumentError,
        r"args\[0\]\['w'\]\[0\] has dtype int64",
    ),
    "text": (lambda: ng.grad(cubes)("x"), ArgumentError, r"args\[0\] is a str"),
    "argnums": (lambda: ng.grad(cubes, argnums=2)(X), ArgumentError, "argnums=2, but 1 positional"),
    "argnums twice": (lambda: ng.grad(cubes, (0, -1))(X), ArgumentError, "each once"),
    "argnums text": (lambda: ng.grad(cubes, "x")(X), ArgumentError, "number of a positional"),
    "left the tape": (
        lambda: ng.grad(lambda x: x.sum().item())(X),
        ArgumentError,
        "returned a float, through which no gradient flows",
    ),
    "integer result": (lambda: ng.grad(lambda x: (x > 0).sum())(X), ArgumentError, "gives int64"),
    "no function": (lambda: ng.grad(3), ArgumentError, "int is not a function"),
    "a symbol": (
        lambda: ng.grad(ng.var("x")),
        ArgumentError,
        "grad: f is a Symbol, a graph and no function; give a Python function.*simple_bind",
    ),
    "a symbol to jit": (lambda: ng.jit(ng.var("x")), ArgumentError, "jit: f is a Symbol"),
    "aux": (lambda: ng.grad(cubes, has_aux=True)(X), ArgumentError, "return .value, other."),
    "tangent shape": (lambda: ng.jvp(cubes, (X,), (1.0,)), ShapeError, r"tangents\[0\] has shape"),
    "tangents": (lambda: ng.jvp(cubes, (X,), X), ArgumentError, "tangents is an ndarray"),
    "tangent missing": (lambda: ng.jvp(cubes, (X,), ()), ArgumentError, "the structure"),
    "cotangent": (lambda: ng.vjp(cubes, X)[1]([1.0]), ArgumentError, "cotangents has the struc"),
    "result": (lambda: ng.vjp(lambda x: 3.0, X), ArgumentError, "out is a float"),
    "results": (lambda: ng.vjp(lambda x: [x > 0], X), ArgumentError, r"out\[0\] gives bool"),
    "written": (
        lambda: ng.grad(lambda x: x.__iadd__(1).sum())(X),
        ng.autograd.TapeError,
        "add: an array that gradients are collected for",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_named(case):
    call, error, message = BAD[case]
    with pytest.raises(error, match=message):
        call()
    assert not ng.autograd.is_recording()


def test_parameters_are_arrays():
    class Wrong:
        def parameters(self):
            return {"w": 3.0}

    with pytest.raises(ArgumentError, match=r"args\[0\].parameters\(\)\['w'\] is a float"):
        ng.grad(lambda m: ng.ones(()))(Wrong())


def test_results_have_memory_of_their_own():
    """Also where a function gives its argument back, or a part of it."""
    x = ng.array([1.0, 2.0])
    (out, tangent), (other, _) = ng.jvp(lambda a: a, (x,), (x * 3,)), ng.vjp(lambda a: a, x)
    (_, aux), _ = ng.value_and_grad(lambda a: (a.sum(), a[:1]), has_aux=True)(x)
    for result in (out, tangent, other, aux):
        result += 10
    assert x.tolist() == [1.0, 2.0]
