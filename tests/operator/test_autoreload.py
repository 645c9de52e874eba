"""Functions whose code is replaced in place, as IPython's autoreload does: calls follow."""

import importlib
import itertools
import sys
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.capture import names

TEXT = """
import nbgraph as ng
SHIFT = 1.0
def helper(x, by={by}):
    return x * {factor} + by
def square(x, *, scale={scale}):
    return helper(x) * scale
def slope(out_grad, x, *, scale):
    return out_grad * {factor}
def deep(x):
    return square(x, scale=1.0) + SHIFT
"""
_NUMBERS = itertools.count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module of a file, and what edits the file and reloads it in place."""
    name = f"autoreloaded{next(_NUMBERS)}"
    file = tmp_path / f"{name}.py"
    monkeypatch.syspath_prepend(str(tmp_path))

    def edit(**values):
        """As `%autoreload 2`: functions that others hold get the new code and defaults."""
        text = TEXT.format(**{"by": 0.0, "factor": 2.0, "scale": 1.0, **values})
        file.write_text(text + f"# {next(_NUMBERS)} {'.' * next(_NUMBERS)}\n")
        fresh: dict = {"__name__": name}
        exec(compile(file.read_text(), str(file), "exec"), fresh)
        for key in ("helper", "square", "slope", "deep"):
            old = getattr(made, key)
            for part in ("__code__", "__defaults__", "__kwdefaults__"):
                setattr(old, part, getattr(fresh[key], part))

    file.write_text(TEXT.format(by=0.0, factor=2.0, scale=1.0))
    made = importlib.import_module(name)
    yield made, edit
    del sys.modules[name]


def by_numpy(f, x):
    return f(x)


def by_arrays(f, x):
    return f(ng.array(x)).asnumpy()


def by_jit(f, x, known={}):  # noqa: B006  (the same function of a function, each time)
    jitted = known.setdefault(id(f), ng.jit(lambda x: f(x) * 1))
    return jitted(ng.array(x)).asnumpy()


def by_derivative(f, x):
    return f.derivative()(x)


def by_a_row(f, x):
    return f.reduce(x) if f.nin == 2 else f(x[None])[0]


WORLDS = [by_numpy, by_arrays, by_jit, by_derivative, by_a_row]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
@pytest.mark.parametrize("name", ["helper", "square", "deep"])
@pytest.mark.parametrize("change", [{"factor": 3.0}, {"by": 5.0}, {"scale": 7.0}])
def test_a_function_whose_code_was_replaced_is_captured_anew(module, world, name, change):
    made, edit = module
    x = np.array([1.0, 2.0], "float32")
    f = ng.op(getattr(made, name))
    for values in ({}, change, {}):
        edit(**values)
        for _ in range(3):  # the third call goes the short way
            wanted = ng.op(_copy(getattr(made, name)))
            np.testing.assert_array_equal(world(f, x), world(wanted, x))


def _copy(fn):
    """A function that nobody has seen."""
    kind = type(fn)
    made = kind(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__module__ = fn.__module__
    return made


def test_a_traced_function_follows_an_operator_that_was_called_before_it(module):
    """The operator is refreshed by its own call; what was traced with it is stale all the same."""
    made, edit = module
    f, x = ng.op(made.square), ng.ones(2)
    jitted = ng.jit(lambda x: f(x) + 1)
    assert jitted(x).tolist() == [3, 3]
    edit(factor=10.0)
    assert f(x).tolist() == [10, 10]
    assert jitted(x).tolist() == [11, 11]


def test_another_number_of_operands(module):
    made, edit = module
    f = ng.op(made.slope)
    assert f(2.0, 1.0, scale=1.0) == 4
    other: dict = {}
    exec(compile("def slope(a, b, c): return a + b + c", made.__file__, "exec"), other)
    Path(made.__file__).write_text("def slope(a, b, c): return a + b + c\n")
    made.slope.__code__, made.slope.__kwdefaults__ = other["slope"].__code__, None
    assert f(np.ones(2), 2.0, 3.0).tolist() == [6, 6]
    assert (f.nin, f.nout) == (3, 1)


def test_the_library_is_not_looked_at(monkeypatch):
    """Its text stays, so a call of its operators compares nothing; a user's compares its own."""
    compared = []

    def counted(texts):
        compared.append(len(texts))
        return rewritten(texts)

    rewritten = names.rewritten
    mine = ng.op(lambda x: x + 1)
    x = np.ones(3)
    for _ in range(5):
        ng.tanh(x), mine(x)
    for room in (
        "operator.mapper.calling",
        "operator.scalar.fast",
        "array.route",
        "kernels.capture.names",
    ):
        monkeypatch.setattr(importlib.import_module(f"nbgraph.{room}"), "rewritten", counted)
    ng.tanh(x)
    assert sum(compared) == 0
    mine(x)
    assert compared[-1] == 1 and len(compared) < 4
