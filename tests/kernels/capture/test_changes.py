"""What a function reads from outside is noticed when it changes, at the next call.

No kernels: values come from the interpreter, or the graph is compared.
"""

import importlib
import math
import threading
import time
import types

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator.backward import backward
from tests.support import on_threads

module = types.ModuleType("constants")
module.factor = 2.0
rate = 2.0


def inner(x):
    return 2.0 * x


def outer(x):
    return inner(x) + 1.0


def uses_rate(x):
    return rate * x * x


def uses_helper(x):
    return outer(x)


def uses_module(x):
    return module.factor * x


def make(cell):
    def scaled(x):
        return cell * x

    def change(value):
        nonlocal cell
        cell = value

    return scaled, change


@pytest.fixture(autouse=True)
def restored():
    before = {name: globals()[name] for name in ("rate", "inner", "outer")}
    yield
    globals().update(before)
    module.factor = 2.0


@pytest.fixture(params=["python", "auto"])
def compiler(request):
    with ng.config(compiler=request.param):
        yield request.param


def test_a_global(compiler):
    op = ng.op(uses_rate)
    assert op(2.0) == 8.0
    for value in (3.0, 4.0, 2.0):
        globals()["rate"] = value
        assert op(2.0) == 4 * value


def test_a_helper_and_a_helpers_helper(compiler):
    op = ng.op(uses_helper)
    assert op(3.0) == 7.0
    globals()["inner"] = lambda x: -x
    assert op(3.0) == -2.0
    globals()["outer"] = lambda x: x * 10
    assert op(3.0) == 30.0


def test_a_closure_cell(compiler):
    scaled, change = make(2.0)
    op = ng.op(scaled)
    assert op(3.0) == 6.0
    change(5.0)
    assert op(3.0) == 15.0


def test_a_module_attribute(compiler):
    op = ng.op(uses_module)
    assert op(3.0) == 6.0
    module.factor = -1.0
    assert op(3.0) == -3.0


def test_the_short_path_notices_too():
    """Calls of one kind that recur take a shorter way, which must look as well."""
    op = ng.op(uses_rate)
    x = np.ones(4, np.float32)
    out = np.empty_like(x)
    for _ in range(5):
        np.testing.assert_array_equal(op(x, out=out), 2.0)
    globals()["rate"] = 3.0
    np.testing.assert_array_equal(op(x, out=out), 3.0)
    np.testing.assert_array_equal(op(x), 3.0)


@pytest.mark.parametrize("first", ["op", "slope", "second", "back"])
def test_derivatives_follow_whoever_saw_the_change_first(first, compiler):
    op = ng.op(uses_rate)
    made = {"op": op, "slope": op.derivative(0), "second": op.derivative(0, order=2)}

    def values():
        back = backward(op)(1.0, 3.0)
        return op(3.0), made["slope"](3.0), made["second"](3.0), back

    assert values() == (18.0, 12.0, 4.0, 12.0)
    globals()["rate"] = 1.0
    backward(op)(1.0, 3.0) if first == "back" else made[first](3.0)
    assert values() == (9.0, 6.0, 2.0, 6.0)


def test_an_operator_inside_an_operator():
    scaled, change = make(2.0)
    base = ng.op(scaled)
    slope = base.derivative(0)
    outside = ng.op(lambda x: slope(x) + base(x))
    with ng.config(compiler="auto"):
        assert outside(3.0) == 8.0
        change(5.0)
        assert outside(3.0) == 20.0
        assert slope(3.0) == 5.0


def test_a_hand_given_gradient_follows():
    op = ng.op(uses_rate).gradient(lambda out_grad, x: out_grad * 2 * rate * x)
    slope = op.derivative(0)
    with ng.config(compiler="python"):
        assert slope(3.0) == 12.0
        globals()["rate"] = 5.0
        assert op(3.0) == 45.0
        assert slope(3.0) == 30.0


def digest(fn, *kinds):
    op = ng.op(fn)
    return op.scalar.capture(kinds or ["f"] * op.nin, {}).digest()


def test_identity_is_content():
    """Names, comments and layout of the text do not count; what is computed does."""

    def one(x):
        y = math.exp(x)  # a comment
        return y * y

    def other(argument):
        """With a docstring."""
        e = math.exp(argument)

        return e * e

    assert digest(one) != digest(lambda x: math.exp(x) + math.exp(x))
    first, second = (ng.op(fn).scalar.capture(["f"], {}) for fn in (one, other))
    assert len(first.graph.nodes) == len(second.graph.nodes)
    assert digest(one) == digest(lambda x: math.exp(x) * math.exp(x))
    assert digest(one) != digest(one, "int64")


def test_an_identical_redefinition_compiles_nothing(monkeypatch):
    from nbgraph.kernels.compiler import cpu

    def define():
        return ng.op(lambda x: math.sqrt(x) * 0.123 + rate)

    x = np.ones(3)
    first = define()(x)
    monkeypatch.setattr(cpu, "compile_source", lambda source: pytest.fail("compiled again"))
    np.testing.assert_array_equal(define()(x), first)
    globals()["rate"] = float("2.0")  # another object of the same value
    np.testing.assert_array_equal(define()(x), first)


@pytest.mark.parametrize(
    ("fn", "points"),
    [
        (lambda x: y if (y := 2 * x) > 1 else -y, (0.2, 2.0)),
        (lambda x: 1.0 if x > 0 and (y := x * x) > 4 else x, (3.0, 1.0, -1.0)),
    ],
)
def test_assignment_expressions_in_lambdas(fn, points):
    op = ng.op(fn)
    for x in points:
        assert op(x) == fn(x)


def after_and(x):
    y = 5.0
    if x > 0 and (y := 2 * x) > 100:
        return 1.0
    return y


def after_ternary(x):
    y = 7.0
    z = (y := 2 * x) if x > 0 else 1.0
    return y + z


def after_while(x):
    d = 9.0
    y = x
    while (d := abs(y)) > 1.0:
        y = y / 2
    return d


def after_break(x):
    y = x
    d = 0.0
    while (d := abs(y)) > 1.0:
        y = y / 2
        if y < 1.5:
            break
    return d + y


def after_chain(x):
    y = 7.0
    if 0 < x < (y := 2 * x):
        return y + 1
    return y


def not_of_and(x):
    if not (0 < x < 1):
        return 0.0
    return math.sqrt(x)


@pytest.mark.parametrize(
    "fn", [after_and, after_ternary, after_while, after_break, after_chain, not_of_and]
)
def test_assignments_that_are_not_reached_do_not_happen(fn):
    op = ng.op(fn)
    for x in (-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, 60.0):
        assert op(x) == fn(x), x


class Slow(list):
    """A list that another thread can come between, when something is appended."""

    def append(self, item):
        time.sleep(1e-4)
        super().append(item)


def test_threads_may_ask_for_the_same_derivatives_at_once():
    """One graph grows under several threads: every node keeps a number of its own."""
    op = ng.op(lambda x, y: (x * y + x) / (y * y + 1.0) * (x - y) + x * x * y)
    graph = op.invoker.plan([np.dtype("f8")] * 2, np.dtype("f8"), {}).typed.captured.graph
    graph.nodes = Slow(graph.nodes)
    begin = threading.Barrier(6)

    def ask(i):
        begin.wait()
        op.derivative("xy"[i % 2], order=1 + i // 2).scalar.capture(["f", "f"], {})

    on_threads(ask, range(6))
    assert [node.id for node in graph.nodes] == list(range(len(graph.nodes)))


def test_a_file_that_is_saved_later_is_not_what_runs(tmp_path, monkeypatch):
    """The text is the one that Python compiled; after a reload it is the new one."""
    monkeypatch.syspath_prepend(tmp_path)
    file, text = tmp_path / "saved_later.py", "import nbgraph as ng\nK = 2.0\n"
    body = "def helper(x): return x * K\n@ng.op\ndef f(x): return helper(x) + 1\n"
    file.write_text(text + body)
    saved = importlib.import_module("saved_later")
    assert saved.f(1.0) == 3.0
    file.write_text(f"{text}# more\n\n{body}".replace("x * K", "x * 100 * K"))
    for saved.K in (3.0, 4.0):
        assert saved.f(1.0) == saved.helper(1.0) + 1 == saved.K + 1
    assert importlib.reload(saved).f(1.0) == 201.0
