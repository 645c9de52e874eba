"""Long and deep texts: captured without recursion where they are long, refused where too deep."""

import importlib.util

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError


@pytest.fixture
def function(tmp_path):
    """Makes the function `f(x)` that returns an expression."""

    def make(expression):
        path = tmp_path / "texts.py"
        path.write_text(f"def f(x):\n    return {expression}\n")
        spec = importlib.util.spec_from_file_location("texts", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.f

    return make


def test_a_sum_of_a_thousand_terms(function):
    f = function(" + ".join(f"{k} * x" for k in range(1000)))
    x = np.array([0.0, 1.0, -2.0])
    assert np.array_equal(ng.op(f)(x), 499_500.0 * x)


def test_its_derivative_and_a_condition_of_many_parts(function):
    f = function("x * x if " + " and ".join(f"x > -{k}.5" for k in range(400)) + " else x * x")
    found = ng.op(f).derivative("x")(np.array([0.0, 1.0, 3.0]))
    assert np.array_equal(found, [0.0, 2.0, 6.0])


@pytest.mark.parametrize(
    "expression",
    [
        "-" * 900 + "x",
        "".join(f"{k}.5 if x > {k} else " for k in range(600)) + "x",
    ],
    ids=["minus", "if"],
)
def test_what_nests_deeper_than_the_stack_is_refused(function, expression):
    with pytest.raises(CaptureError, match=r"f: an expression nests[\s\S]*texts.py.*line 1[\s\S]*"):
        ng.op(function(expression))


def test_a_function_that_comes_later_may_be_one_that_calls_back():
    def even(x):
        return odd_that_comes_later(x - 1)  # noqa: F821

    with pytest.raises(CaptureError, match="functions that call each other are not understood"):
        ng.op(even)
