"""A function over many examples at once is the same as a loop over the examples."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.autograd.batching.rules import RULES
from tests.ops.array_calls import CALLS, operators

SIZE = 3
RNG = np.random.default_rng(11)
NOT_PER_EXAMPLE = {"batch_statistics"}  # it updates states
ORDERED = {"csr_dot"}  # its operands say where rows begin
ONE_BY_ONE = 1e-6  # float32: sums of a batch may be added up in another order


def like(x):
    """Another example of an operand: what says where is moved, within its bounds."""
    if x.dtype.kind in "iu":
        return np.roll(x, 1)
    if x.dtype.kind == "b":
        return ~x
    return (x + RNG.normal(size=x.shape) * 0.1).astype(x.dtype)


def examples(name, operands, which):
    change = (lambda x: x) if name in ORDERED else like
    return [
        np.stack([x, *(change(x) for _ in range(SIZE - 1))]) if has else x
        for x, has in zip(operands, which, strict=True)
    ]


def looped(f, arrays, which):
    actual = [
        f(
            *(
                ng.array(x[k] if has else x, dtype=x.dtype)
                for x, has in zip(arrays, which, strict=True)
            )
        )
        for k in range(SIZE)
    ]
    if isinstance(actual[0], tuple):
        return tuple(np.stack([y.asnumpy() for y in ys]) for ys in zip(*actual, strict=True))
    return (np.stack([y.asnumpy() for y in actual]),)


def mapped(f, arrays, which):
    axes = tuple(0 if has else None for has in which)
    actual = ng.vmap(f, axes)(*(ng.array(x, dtype=x.dtype) for x in arrays))
    return tuple(y.asnumpy() for y in (actual if isinstance(actual, tuple) else (actual,)))


def choices(count):
    yield (True,) * count
    if count > 1:
        for k in range(count):
            yield tuple(i == k for i in range(count))


@pytest.mark.parametrize("name", sorted(n for n, (operands, _) in CALLS.items() if operands))
def test_every_operator_over_examples_is_a_loop_over_them(name):
    op, (operands, attributes) = operators()[name], CALLS[name]
    operands = [np.asarray(x) for x in operands]
    f = functools.partial(op, **attributes)
    if name in NOT_PER_EXAMPLE:
        with pytest.raises(ng.errors.ArgumentError, match="updates a state"):
            mapped(f, examples(name, operands, [True] * len(operands)), [True] * len(operands))
        return
    for which in choices(len(operands)):
        arrays = examples(name, operands, which)
        for actual, wanted in zip(mapped(f, arrays, which), looped(f, arrays, which), strict=True):
            assert (actual.shape, actual.dtype) == (wanted.shape, wanted.dtype), which
            wide = "c16" if wanted.dtype.kind == "c" else "f8"
            np.testing.assert_allclose(
                actual.astype(wide), wanted.astype(wide), ONE_BY_ONE, ONE_BY_ONE, err_msg=str(which)
            )


def test_rules_are_of_operators_that_there_are():
    library = {op.__name__ for op in operators().values()}
    assert {n for n in RULES if not n.startswith("linalg_")} <= library | {"take", "gather"}


# attributes that a row of calls has once ---------------------------------------------------------

X = RNG.normal(size=(SIZE, 2, 4)).astype("float32")
FORMS = {
    "sum of all": ng.sum,
    "sum, last": lambda x: ng.sum(x, axis=-1, keepdims=True),
    "mean of some": lambda x: ng.mean(x, axis=(0, -1)),
    "flip all": ng.flip,
    "transpose": lambda x: x.T,
    "transpose, negative": lambda x: ng.transpose(x, (-1, 0)),
    "squeeze all": lambda x: ng.squeeze(ng.expand_dims(x, (0, -1))),
    "argmax of all": ng.argmax,
    "argmax, kept": lambda x: ng.argmax(x, axis=0, keepdims=True),
    "roll of all": lambda x: ng.roll(x, 3),
    "cumsum of all": ng.cumsum,
    "stack last": lambda x: ng.stack([x, x * 2], axis=-1),
    "joined": lambda x: ng.concatenate([x, ng.ones((2, 1))], axis=-1),
    "index": lambda x: x[1, ::-1],
    "row": lambda x: x[-1],
    "array of places": lambda x: x[:, ng.array([0, 2], dtype="int64")],
    "places on both sides of a slice": lambda x: ng.stack([x, x])[0, :, ng.array([2, 1, 0])],
    "places of an example": lambda x: x[ng.argmax(x, axis=0)],
    "in another's place": lambda x: ng.take(ng.arange(8.0), ng.argmax(x, axis=1)),
    "vector by matrix": lambda x: x[0] @ ng.ones((4, 3)),
    "matrix by vector": lambda x: x @ x[1],
    "inner": lambda x: ng.matmul(x[0], x[1]),
    "einsum": lambda x: ng.einsum("ij,ik->jk", x, x),
    "fill": lambda x: ng.zeros_like(x) + ng.full((4,), 2.0),
    "broadcast": lambda x: ng.broadcast_to(x[0], (3, 4)),
    "norm": ng.norm,
    "layer": lambda x: ng.layer_norm(x, ng.ones(4), ng.zeros(4)),
    "constant": lambda x: (ng.ones(2), 3.0),
    "sort": lambda x: ng.sort(x, axis=-1),
    "where": lambda x: ng.where(x > 0, x, 0.0),
    "written": lambda x: ng.index_update(x, 7.0, key=(slice(None), 1)),
    "written by examples": lambda x: ng.index_update(x, x[0, :2], key=(slice(None), 1)),
    "written over a constant": lambda x: ng.index_add(
        ng.ones((3, 2, 4)), x[:, :1], key=(..., 1, None)
    ),
    "one system": lambda x: ng.linalg.solve(x @ x.T + ng.eye(2), x[:, 0]),
    "right sides of one matrix": lambda x: ng.linalg.solve(ng.eye(2) * 2 + 1, x),
    "number": lambda x: x.sum() * ng.array([1.0, 2.0]),
}


@pytest.mark.parametrize("name", FORMS)
def test_forms_of_operators(name):
    f = FORMS[name]
    actual = ng.vmap(f)(ng.array(X))
    wanted = [f(ng.array(x)) for x in X]
    if name == "constant":
        assert actual[0].shape == (SIZE, 2) and actual[1].asnumpy().tolist() == [3.0] * SIZE
        return
    np.testing.assert_allclose(
        actual.asnumpy(), np.stack([w.asnumpy() for w in wanted]), ONE_BY_ONE, ONE_BY_ONE
    )


@pytest.mark.parametrize("f", [ng.sum, ng.mean, ng.max, ng.argmax, ng.ravel, ng.square, ng.norm])
def test_examples_without_axes(f):
    actual = ng.vmap(f)(ng.array([3.0, -1.0]))
    wanted = [f(ng.array(v)).asnumpy() for v in (3.0, -1.0)]
    np.testing.assert_array_equal(actual.asnumpy(), np.stack(wanted))


# axes and structures ----------------------------------------------------------------------------


def test_axes_of_arguments_and_results():
    x = ng.array(X)
    actual = ng.vmap(lambda x, w: (x * w, x.sum()), (2, None), (1, 0))(x, ng.ones((3, 2)))
    np.testing.assert_array_equal(actual[0].asnumpy(), np.swapaxes(np.moveaxis(X, 2, 0), 0, 1))
    np.testing.assert_allclose(actual[1].asnumpy(), X.sum((0, 1)), 1e-5)
    tree = {"a": ng.array(X), "b": (ng.array(X), 2.0)}
    actual = ng.vmap(lambda t: {"s": t["a"] + t["b"][0] * t["b"][1]}, ({"a": 0, "b": (0, None)},))(
        tree
    )
    np.testing.assert_allclose(actual["s"].asnumpy(), 3 * X, 1e-6)
    assert ng.vmap(lambda *, k: k.sum())(k=ng.array(X)).shape == (SIZE,)
    assert ng.vmap(lambda x: x, (None,), axis_size=5)(ng.ones(2)).shape == (5, 2)
    assert ng.vmap(lambda x, y: y, (0, None), None)(x, ng.ones(2)).shape == (2,)


def test_random_draws_are_of_each_example():
    actual = ng.vmap(lambda x: x + ng.random.normal(size=(4,)))(ng.zeros(SIZE)).asnumpy()
    assert actual.shape == (SIZE, 4) and len(np.unique(actual)) == actual.size


@pytest.mark.parametrize(
    "draw",
    [
        ng.random.normal,
        lambda x, s: ng.random.normal(x, s, size=(SIZE, 4)),
        lambda x, s: ng.random.normal(s - s, 1e-3) + x,
        lambda x, s: ng.random.uniform() * 1e-3 + x,
        ng.random.truncated_normal,
    ],
)
def test_parameters_of_draws_are_those_of_each_example(draw):
    x = 100.0 * np.arange(SIZE * 4.0).reshape(SIZE, 4)
    actual = ng.vmap(draw)(ng.array(x), ng.array(np.full(SIZE, 1e-3))).asnumpy()
    wanted = x if actual.ndim == 2 else np.broadcast_to(x[:, None], actual.shape)
    np.testing.assert_allclose(actual, wanted, atol=0.1)
    assert len(np.unique(actual - wanted)) >= SIZE


def test_orders_and_choices_are_drawn_for_each_example_and_each_step():
    ng.random.seed(3)
    rows = ng.array(np.zeros((50, 1)))
    for orders in (
        ng.vmap(lambda x: ng.random.permutation(6))(rows),
        ng.vmap(lambda x: ng.random.choice(6, size=6, replace=False))(rows),
        ng.vmap(ng.vmap(lambda x: ng.random.permutation(6)))(rows).reshape(50, 6),
        ng.scan(lambda c, x: (c, ng.random.permutation(6)), 0.0, rows)[1],
        ng.scan(lambda c, x: (c, ng.random.choice(6, size=6, replace=False)), 0.0, rows)[1],
    ):
        assert (np.sort(orders.asnumpy()) == np.arange(6)).all()
        assert len(np.unique(orders.asnumpy(), axis=0)) > 30


def test_numbers_are_drawn_in_bodies():
    ng.random.seed(3)
    steps = ng.scan(lambda c, x: (c + ng.random.uniform(), c), ng.array(0.0), ng.ones(5))[1]
    assert len(np.unique(np.diff(steps.asnumpy()))) == 4
    once = ng.checkpoint(lambda x: x * ng.random.uniform())(ng.ones(3)).asnumpy()
    assert 0 < once[0] < 1 and (once == once[0]).all()


def test_a_loop_ends_for_each_example_by_itself():
    """One loop for all, whose derivatives forward are those of each; `grad` refuses either."""

    def root(a, x):  # by Newton's method; x takes a step each time
        value, steps, moved = ng.while_loop(
            lambda c: abs(c[0] * c[0] - a) > 1e-12,
            lambda c: ((c[0] + a / c[0]) / 2, c[1] + 1, c[2] * c[0]),
            (a + 1, 0, x),
        )
        return value, steps, moved.sum()

    numbers = ng.array([0.5, 2.0, 9.0, 1e4], dtype="float64")
    x = ng.array(np.arange(12.0).reshape(4, 3))
    mapped = ng.vmap(root, (0, 0))
    for batch in (mapped, ng.jit(mapped)):
        for actual, each in zip(batch(numbers, x), zip(*map(root, numbers, x))):
            np.testing.assert_allclose(actual.asnumpy(), [v.item() for v in each], rtol=1e-12)
    assert len(np.unique(mapped(numbers, x)[1].asnumpy())) > 2
    slopes = ng.transforms.jacfwd(lambda a: mapped(a, x)[0])(numbers).asnumpy()
    np.testing.assert_allclose(slopes, np.diag(0.5 / np.sqrt(numbers.asnumpy())), rtol=1e-6)
    with pytest.raises(ng.errors.DerivativeError, match="give max_iterations="):
        ng.grad(lambda a: mapped(a, x)[0].sum())(numbers)


# nested -----------------------------------------------------------------------------------------

W = ng.array(RNG.normal(size=(4, 4)) * 0.5)
BATCH = ng.array(RNG.normal(size=(SIZE, 4)))
STEPS = {
    "tanh": ng.tanh,
    "product": lambda x: W @ x,
    "softmax": ng.softmax,
    "centre": lambda x: x - x.mean(),
    "reverse": lambda x: x[::-1] * x,
    "prefix": ng.cumsum,
    "sort": ng.sort,
    "scan": lambda x: ng.scan(lambda c, v: (c * 0.5 + v, c * v), ng.sum(x), x)[1],
    "cond": lambda x: ng.cond(ng.sum(x) > 0, lambda x: x * x, ng.sin, x),
    "while": lambda x: ng.while_loop(
        lambda x: ng.sum(x * x) > 0.1, lambda x: x * 0.6, x, max_iterations=9
    ),
    "gather": lambda x: x[ng.array([3, 1, 1, 0], dtype="int64")],
}
PROGRAMS = st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3)


def program(names, x):
    for name in names:
        x = STEPS[name](x)
    return (x * x).sum()


@settings(max_examples=20, deadline=None)
@given(PROGRAMS, st.permutations(["vmap", "grad", "jit"]))
def test_nested_transformations_of_random_programs(names, order):
    f = functools.partial(program, names)
    wanted = np.stack([ng.grad(f)(row).asnumpy() for row in BATCH])
    if order.index("grad") < order.index("vmap"):  # from the inside
        made = f
        for name in order:
            made = getattr(ng, name)(made)
        actual = made(BATCH)
    else:
        made = ng.vmap(ng.jit(f)) if order.index("jit") == 0 else ng.vmap(f)
        actual = ng.grad(lambda x: made(x).sum())
        actual = (ng.jit(actual) if order.index("jit") else actual)(BATCH)
    np.testing.assert_allclose(actual.asnumpy(), wanted, 1e-8, 1e-8)


@pytest.mark.parametrize("name", STEPS)
def test_second_derivatives_over_examples(name):
    f = functools.partial(program, [name])
    bent = ng.grad(lambda x: (ng.grad(f)(x) ** 2).sum())
    wanted = np.stack([bent(row).asnumpy() for row in BATCH])
    np.testing.assert_allclose(ng.jit(ng.vmap(bent))(BATCH).asnumpy(), wanted, 1e-8, 1e-8)


def test_gradients_of_each_example_of_a_batch():
    def loss(w, x):
        return (ng.tanh(w @ x) ** 2).sum()

    actual = ng.vmap(ng.grad(loss), (None, 0))(W, BATCH)
    wanted = np.stack([ng.grad(loss)(W, row).asnumpy() for row in BATCH])
    np.testing.assert_allclose(actual.asnumpy(), wanted, 1e-10)


# errors -----------------------------------------------------------------------------------------

E = ng.errors
ID = lambda *args: args[0]  # noqa: E731
WRONG = {
    "axis": (lambda: ng.vmap(ID, 2)(ng.ones((2, 2))), E.AxisError, "in_axes has axis 2"),
    "out axis": (lambda: ng.vmap(ID, 0, 3)(ng.ones(2)), E.AxisError, "out_axes has axis 3"),
    "sizes": (lambda: ng.vmap(ID)(ng.ones(2), ng.ones(3)), E.ShapeError, "give as many of each"),
    "count": (lambda: ng.vmap(ID, (0, 0))(ng.ones(2)), E.ArgumentError, "in_axes has 2 axes"),
    "none": (lambda: ng.vmap(ID, None)(ng.ones(2)), E.ArgumentError, "axis_size="),
    "number": (lambda: ng.vmap(ID)(2.0), E.ArgumentError, "is a float, which has no axis"),
    "kind": (lambda: ng.vmap(ID, "a")(ng.ones(2)), E.ArgumentError, "give an int, None"),
    "differs": (lambda: ng.vmap(ID, 0, None)(ng.ones(2)), E.ArgumentError, "differs from example"),
    "function": (lambda: ng.vmap(3), E.ArgumentError, "int is not a function"),
}


@pytest.mark.parametrize("name", WRONG)
def test_errors_say_what_is_wrong_and_what_to_do(name):
    call, kind, words = WRONG[name]
    with pytest.raises(kind, match=words):
        call()
