"""All that is refused in a function is told at once, each cause once, in the order of the text."""

import inspect
import math
import pickle
import re

import numpy as np
import pytest
from scipy import optimize

import nbgraph as ng
from nbgraph.errors import MAX_OBSTACLES, CaptureError
from nbgraph.kernels.function import probe

VALUES = [1.0, 2.0]


def in_a_row(x):
    a = np.atleast_most(x)  # 1
    b = a + 1.0
    VALUES.append(x)  # 2
    return x.sum() + b  # 3


def in_one_expression(x):
    return math.foo(x) + math.bar(2.0) + hash(math.real)  # 1, 2, 3, 4


def in_both_branches(x):
    y = sorted(x)  # 1
    if y > 0:
        z = hash(y)  # 2
    elif x > 0:
        z = np.linalg.eigvals(y)  # 3
    return z


def in_a_loop(x):
    total = 0.0
    while total < x:
        total += math.foo(x)  # 1
        for v in total:
            x = x + hash(v)  # 2
    return total


def in_a_with(x):
    with open("name") as file:  # 1 # noqa: PTH123
        return hash(file)  # 2


def in_a_try(x):
    try:
        y = 1.0 / x + hash(x)  # 1
    except ZeroDivisionError:
        y = [0.0].foo  # 2
    return y + x[0]  # 3


def helper(y):
    z = hash(y)  # 2
    return z + y[0]  # 3


def in_a_helper(x):
    a = sorted(x)  # 1
    return helper(a) + helper(x)


def falls(n):
    return falls(n - 1) * falls(math.foo(n)) if n > 1 else hash(n)  # 1, 2


def in_a_comprehension(x):
    y = [hash(v) for v in (x, 1.0)]  # 1
    return sum(v * math.foo(v) for v in y) + math.bar(x)  # 2, 3


def after_a_list(x):
    a = [x, 1.0]
    a.more(2.0)  # 1
    a[0] = math.foo(x)  # 2
    return a[0] + a[7]


def callback(t):
    return hash(t)  # 2


def in_a_callback(x):
    y = hash(x)  # 1
    return optimize.brentq(callback, 0.0, x) + y


def of_a_library(x):
    a = optimize.golden(lambda t: (t - x) ** 2)  # 1
    return a + hash(x)  # 2


FUNCTIONS = [
    in_a_row, in_one_expression, in_both_branches, in_a_loop, in_a_with, in_a_try, in_a_helper,
    falls, in_a_comprehension, after_a_list, in_a_callback, of_a_library,
]  # fmt: skip


def lines_of(*functions):
    """The numbers that comments of the functions count obstacles by -> the lines."""
    found = {}
    for fn in functions:
        lines, first = inspect.getsourcelines(fn)
        for offset, line in enumerate(lines):
            for number in re.findall(r"\b\d\b", "".join(line.partition("  # ")[2:])):
                found[int(number)] = first + offset
    return found


def error_of(fn):
    with pytest.raises(CaptureError) as caught:
        ng.op(fn)
    return caught.value


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_every_obstacle_is_told(fn):
    helpers = {in_a_helper: [helper], in_a_callback: [callback]}
    lines = lines_of(fn, *helpers.get(fn, ()))
    error = error_of(fn)
    assert {o.line for o in error.obstacles} == set(lines.values()), error
    assert len(error.obstacles) == len(lines), error
    message = str(error)
    if len(lines) > 1:
        assert message.startswith(f"{fn.__name__}: {len(lines)} constructs are not understood\n")
    for obstacle in error.obstacles:
        assert obstacle.problem in message
        assert f"line {obstacle.line}\n" in message
        assert f"Instead: {obstacle.remedy}." in message


def test_a_cause_is_told_once_with_its_lines():
    def f(x):
        y = math.foo(x)
        return x + math.foo(y)

    first = f.__code__.co_firstlineno
    message = str(error_of(f))
    assert message.startswith("f: module 'math' has no attribute 'foo'\n")
    assert f"line {first + 1} and line {first + 2}\n" in message
    assert message.count("'foo'") == 1


def test_a_long_list_ends_with_a_count():
    def f(x):
        return (
            math.a(x) + math.b(x) + math.c(x) + math.d(x) + math.f(x) + math.g(x)
            + math.h(x) + math.i(x) + math.j(x) + math.k(x)
        )  # fmt: skip

    error = error_of(f)
    assert len(error.obstacles) == 10
    assert str(error).endswith(f"\n  ... and {10 - MAX_OBSTACLES} more")


def test_helpers_are_named_in_the_list():
    message = str(error_of(in_a_helper))
    assert re.search(r"\n  3\. the function 'sorted'", message)
    assert re.search(r"\n  1\. in helper\(\): the function 'hash'", message)


def test_kinds_of_operands_are_not_at_fault_where_other_things_are():
    """A survey of floating operands; an integer n would do."""

    def f(x, n):
        total = math.foo(x)
        for k in range(n):
            total += (1.0, 2.0)[n] * k
        return total

    assert [o.construct for o in error_of(f).obstacles] == ["math.foo"]


@pytest.mark.filterwarnings("ignore:.*print is left out")
def test_what_is_called_for_its_effect_and_what_is_only_shown_are_no_obstacles():
    def report(value):
        return hash(value)

    def f(x):
        report(x)
        name = f"{hash(x)}"
        print(name)
        return math.foo(x) + hash(x)

    assert {o.construct for o in error_of(f).obstacles} == {"math.foo", "hash(x)"}


def test_a_loop_over_what_was_refused_says_nothing_new():
    def f(x):
        y = hash(x)
        while x > 0:
            y = 0.5 * y
            x = x - y
        for _ in range(100):
            y = y + x
        return y

    assert [o.construct for o in error_of(f).obstacles] == ["hash(x)"]


def test_what_is_refused_for_all_kinds_is_not_tried_with_mixtures(monkeypatch):
    tried = []
    refusal = probe._refusal
    monkeypatch.setattr(probe, "_refusal", lambda *args: tried.append(args[1]) or refusal(*args))
    with pytest.raises(CaptureError, match="hash"):
        ng.op(lambda x, y, z, n: x + y + z + hash(n))
    assert len(tried) == 3
    assert ng.op(lambda x, n: x * sum(range(n)) + (n << 1))(2.5, 4) == 23.0


def test_a_name_that_is_defined_later_is_told_at_the_call():
    def f(x):
        return later(x) + hash(x)  # noqa: F821

    op = ng.op(f)
    with pytest.raises(CaptureError, match="'later' is not defined(.|\n)*'hash'"):
        op(1.0)


def test_an_error_with_obstacles_can_be_pickled():
    error = error_of(in_a_row)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.obstacles) == (str(error), error.obstacles)
