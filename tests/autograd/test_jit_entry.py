"""Later calls of jitted functions are one compiled call: the entry of routes (X-SYM-07)."""

import numpy as np
import pytest

import nbgraph as ng
from tests.array.conftest import threaded

__all__ = ["threaded"]

X = ng.array(np.array([0.3, -0.7, 2.0], dtype="float32"))


def same_bits(result, expected):
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert result.asnumpy().tobytes() == expected.asnumpy().tobytes()


@pytest.fixture
def by_entry(monkeypatch, threaded):
    """Refuse pushes of programs from a call on, but for those of the entry of routes."""

    def start():
        def refuse(*_, **__):
            raise AssertionError("the slow path")

        monkeypatch.setattr("nbgraph.executor.program.Program.push", refuse)

    return start


WEIGHT = ng.array(np.linspace(-1, 1, 16, dtype="float32").reshape(4, 4))
ENTERED = {
    "maps": lambda x, y: x * y + 1,
    "slices": lambda x, y: x[1:, :-1] - 4 * x[:-1, 1:] + y[1:, 1:],
    "several results": lambda x, y: {"sum": x + y, "rest": (x @ y, y)},
    "unused": lambda x, y: y * 2,
    "several kernels": lambda x, y: ng.softmax(ng.tanh(x @ y) @ WEIGHT, axis=-1),
    "gradients": ng.grad(lambda x, y: ng.sum(ng.tanh(x @ y) ** 2), argnums=(0, 1)),
    "a constant": lambda x, y: ng.ones((2, 2)),
    "arrays of NumPy": lambda x, y: x * np.arange(4, dtype="float32") + y,
}


@pytest.mark.parametrize("name", ENTERED)
def test_later_calls_go_by_the_entry(name, by_entry):
    """In one compiled call, with the same results; what it declines takes the slow path."""
    function = ENTERED[name]
    x, y = (ng.array(np.random.default_rng(k).normal(size=(4, 4)), "float32") for k in range(2))
    jitted, other, wanted = ng.jit(function), ng.jit(function), []
    calls = (x, y), (y, x), (x, x), (x[:], x)  # the last two share memory
    for a, b in calls:
        wanted.append(leaves(other(a, b)))
        for result, expected in zip(leaves(jitted(a, b)), wanted[-1], strict=True):
            same_bits(result, expected)
    ng.waitall()
    by_entry()
    for (a, b), expected in zip(calls[2:], wanted[2:], strict=True):
        for result, value in zip(leaves(jitted(a, b)), expected, strict=True):
            same_bits(result, value)


def leaves(tree):
    if isinstance(tree, dict):
        tree = tree.values()
    if isinstance(tree, (str, type(None), ng.NDArray)):
        return [tree] if isinstance(tree, ng.NDArray) else []
    return [a for part in tree for a in leaves(part)]


def test_structures_go_by_the_entry(by_entry):
    """Dicts, lists and tuples of arrays and plain values, in arguments and results."""

    def step(state, *, rate, scale=1):
        (w, b), info = state["weights"], state["info"]
        return {"weights": [w - rate * b, b * scale], "info": (info[0], None, w + b)}

    jitted = ng.jit(step, static_argnames="scale")
    state = {"weights": [X, X + 1], "info": ("name", None)}
    rates = (0.0, -0.0, 1, True, 1.0, 2.5)
    for _ in range(2):
        wanted = {i: jitted(state, rate=rate, scale=3) for i, rate in enumerate(rates)}
    assert jitted.cache_size == len(rates)
    ng.waitall()
    by_entry()
    for i, rate in enumerate(rates):
        result, expected = jitted(state, rate=rate, scale=3), step(state, rate=rate, scale=3)
        assert type(result) is dict and type(result["info"]) is tuple
        assert result["info"][:2] == ("name", None) and [*result] == [*expected]
        for value, same in zip(leaves(result), leaves(wanted[i]), strict=True):
            same_bits(value, same)
        np.testing.assert_allclose(result["weights"][0], expected["weights"][0], rtol=1e-6)


def test_the_entry_tells_failures_and_lines(by_entry):
    """A failed argument fails the result; the error names the line of the call."""
    jitted = ng.jit(lambda x: ng.take(x, ng.array([0, 1]), axis=0) * 2)
    gathered = ng.jit(lambda x, i: ng.take(x, i, axis=0))
    for _ in range(3):
        same_bits(jitted(X), X[:2] * 2)
        same_bits(gathered(X, ng.array([2, 0, 1])), X[ng.array([2, 0, 1])])
    by_entry()
    failed = gathered(X, ng.array([7, 0, 1]))
    with pytest.raises(IndexError, match=r"(?s)index 7.*in test_the_entry_tells"):
        jitted(failed).asnumpy()
    same_bits(jitted(X), X[:2] * 2)


class Scaled:
    """Objects of one class with two methods, and called as a module is."""

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, x):
        return x * self.scale

    @ng.jit
    def times(self, x):
        return x * self.scale

    @ng.jit
    def plus(self, x):
        return x + self.scale


@ng.jit
def applied(f, x):
    return f(x) + 1


def test_methods_and_objects_have_flat_keys(monkeypatch):
    """X-SYM-07: the object is part of the signature by identity, its attributes by value."""
    # another test may have looked closely before
    monkeypatch.setattr("nbgraph.autograd.jit.CLOSELY_ASKED", [False])
    objects = [Scaled(2.0), Scaled(3.0)]

    def check():
        for own in objects:
            same_bits(own.times(X), X * own.scale)
            same_bits(own.plus(X), X + own.scale)
            same_bits(applied(own, X), X * own.scale + 1)
            same_bits(applied(own.plus, X), X + own.scale + 1)

    for _ in range(2):
        check()
    objects[0].scale = 5.0
    check()

    def refuse(*_, **__):
        raise AssertionError("the slow path")

    with monkeypatch.context() as patch:
        patch.setattr("nbgraph.autograd.jit.Jit.version", refuse)
        for own in objects:
            same_bits(own.times(X), X * own.scale)
            same_bits(applied(own, X), X * own.scale + 1)
    del objects[:]
    for scale in range(20):  # others in the places of those that are gone
        objects.append(Scaled(float(scale)))
        check()
        del objects[:]
