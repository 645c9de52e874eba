"""`ng.debug`: told in every world, once for each application, in order."""

import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from nbgraph.executor import Options
from tests.engine.conftest import engine, threads

__all__ = ["engine", "threads"]

LINE = "{}: {}: float32[2]: min {}, max {}, L2 {}"


def told(capfd):
    ng.waitall()
    return capfd.readouterr().out.splitlines()


def test_numpy(capfd):
    """X-SYM-08: dtype, shape, least, largest, L2; the values pass."""
    x = np.float32([3, 4])
    assert np.array_equal(ng.debug(x, "here"), x)
    ng.debug(np.ones((0, 3)))
    assert told(capfd) == [LINE.format("here", "value", 3, 4, 5), "value: float64[0, 3]: empty"]


def test_arrays(capfd, engine):
    """Value and gradient, when they are computed."""
    x = ng.array([3.0, 4.0])
    x.attach_grad()
    with ng.autograd.record():
        loss = (ng.debug(x, "here") * 2).sum()
    loss.backward()
    assert told(capfd) == [
        LINE.format("here", "value", 3, 4, 5),
        LINE.format("here", "gradient", 2, 2, 2.82843),
    ]
    assert x.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    "options",
    [Options(), Options.none(), Options.of(inplace=False), Options.of(memory=False)],
    ids=["all", "none", "no inplace", "no memory"],
)
@pytest.mark.parametrize("joint", [False, True])
def test_symbols(capfd, options, joint, engine):
    """X-SYM-08: equal ones do not merge, none vanishes, each run tells the same in one order; the
    numbers are those without it."""
    x = ng.var("x", shape=(2,))
    y = ng.debug(ng.debug(x * 2.0, "one"), "two") * ng.debug(x * 2.0, "one")
    exe = ng.sum(y).simple_bind(options=options)
    runs = []
    for _ in range(3):
        if joint:
            exe.forward_backward(x=[3.0, 4.0])
        else:
            exe.forward(is_train=True, x=[3.0, 4.0])
            exe.backward()
        runs.append(told(capfd))
    assert runs[0] == runs[1] == runs[2]
    heads = [re.match(r"(\w+: \w+)", line).group(1) for line in runs[0]]
    assert sorted(heads) == sorted(
        ["one: value", "one: value", "two: value"]
        + ["one: gradient", "one: gradient", "two: gradient"]
    )
    assert heads.index("one: value") < heads.index("two: value")
    assert heads.index("two: value") < heads.index("two: gradient")
    assert exe.grad_dict["x"].tolist() == [24.0, 32.0]


def test_jit_tells_at_every_call(capfd):
    """Traced once, told each time."""

    @ng.jit
    def double(x):
        return ng.debug(x * 2.0, "in") + 1

    for _ in range(3):
        assert double(ng.array([1.5, 2.0])).tolist() == [4.0, 5.0]
    assert told(capfd) == [LINE.format("in", "value", 3, 4, 5)] * 3


def test_expressions(capfd):
    graph = ng.ExpressionGraph()
    x = graph.param("x", (2,), [3.0, 4.0])
    ng.sum(ng.debug(x, "node") * 2.0)
    graph.backprop()
    assert told(capfd) == [
        LINE.format("node", "value", 3, 4, 5),
        LINE.format("node", "gradient", 2, 2, 2.82843),
    ]


def test_a_callback_gets_values_of_its_own(capfd):
    seen = []
    x = ng.var("x", shape=(2,))
    callback = lambda message, what, values: seen.append((message, what, values))  # noqa: E731
    exe = ng.sum(ng.debug(x, "m", callback) * 2.0).simple_bind()
    for value in (1.0, 5.0):
        exe.forward_backward(x=value)
    assert told(capfd) == []
    assert [(m, w, v.tolist()) for m, w, v in seen] == [
        ("m", "value", [1.0, 1.0]),
        ("m", "gradient", [2.0, 2.0]),
        ("m", "value", [5.0, 5.0]),
        ("m", "gradient", [2.0, 2.0]),
    ]


def test_bad_callbacks_and_integers():
    with pytest.raises(ArgumentError, match="debug: callback='f' is not a function"):
        ng.debug(np.ones(2), "m", "f")
    x = ng.array([1, 2])
    assert ng.debug(x, callback=lambda *told: None).tolist() == [1, 2]


def test_nan_and_infinity_are_told_without_warnings(capfd):
    ng.debug(np.array([np.nan, np.inf, -1.0]), "bad")
    assert told(capfd) == ["bad: value: float64[3]: min nan, max nan, L2 nan"]
