"""Long and deep texts: captured without recursion where they are long, refused where too deep."""

import importlib.util

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CaptureError
from tests.kernels import branch_texts


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


def test_a_function_that_comes_later_is_missed_at_the_call():
    def even(x):
        return odd_that_comes_later(x - 1)  # noqa: F821

    op = ng.op(even)
    with pytest.raises(CaptureError, match="'odd_that_comes_later' is not defined"):
        op(3.0)


@pytest.mark.filterwarnings("ignore:.*the expression is too large")  # to look for limits in
@pytest.mark.parametrize("name", branch_texts.TEXTS)
def test_graphs_grow_as_their_texts_do(name, tmp_path):
    """Nodes of a value and of its derivatives, for twice as many branches."""
    sizes = []
    for count in (40, 80):
        op = ng.op(branch_texts.function(tmp_path, name, count), certify=False)
        graph = op.scalar.capture(("f",), {}).graph
        size = [len(graph.nodes)]
        for order in (1, 2):
            op.derivative("x", order=order).scalar.capture(("f",), {})
            size.append(len(graph.nodes))
        sizes.append(np.array(size))
    assert np.all(sizes[1] <= 2.2 * sizes[0] + 20), sizes


@pytest.mark.parametrize("name", branch_texts.TEXTS)
def test_values_of_branches(name, tmp_path):
    f = branch_texts.function(tmp_path, name, 12)
    x = np.array([-2.75, -0.6, 0.1, 0.55, 2.3])
    np.testing.assert_allclose(ng.op(f)(x), [f(v) for v in x.tolist()], rtol=1e-12)
