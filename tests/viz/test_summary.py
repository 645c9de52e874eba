"""Tables of graphs."""

import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, ShapeError


def perceptron():
    x, w, b = ng.var("x"), ng.var("w", shape=(5, 3)), ng.var("b", shape=(3,))
    return ng.sum(ng.tanh(x @ w + b).named("hidden"))


def test_rows_and_totals():
    """X-SYM-08: output shapes, parameters and bytes of each node, and their sums."""
    found = ng.print_summary(perceptron(), {"x": (4, 5)})
    rows = {row.name: row for row in found.rows}
    assert rows["hidden"].operator == "tanh"
    assert rows["hidden"].shape == (4, 3)
    assert rows["hidden"].previous == ("add0",)
    assert (rows["matmul0"].parameters, rows["add0"].parameters) == (15, 3)
    assert found.parameters == 18
    assert found.parameter_bytes == 72
    assert found.nbytes == 4 * (12 + 12 + 12 + 1)
    told = found.to_dict()
    assert told["parameters"] == 18
    assert len(told["rows"]) == len(rows) == 7


def test_shown_as_text_and_as_a_table(capsys):
    """API 9: nothing is printed by itself."""
    found = ng.print_summary(perceptron(), {"x": (4, 5)})
    assert capsys.readouterr().out == ""
    assert "hidden" in str(found)
    assert "18 parameters in 72 bytes" in str(found)
    assert found._repr_html_().count("<tr>") == 8


def test_unknown_shapes():
    with pytest.raises(ShapeError):
        ng.print_summary(perceptron())


def test_summary_of_what_is_none():
    """X-SYM-08: no symbol, shapes that are none, MXNet's word for them."""
    net = perceptron()
    with pytest.raises(ArgumentError, match="print_summary: symbol is an int; give a symbol"):
        ng.print_summary(3)
    with pytest.raises(ArgumentError, match=r"shapes=\(4, 5\); give a dict"):
        ng.print_summary(net, (4, 5))
    with pytest.raises(ArgumentError, match=r"no argument 'shape'; .* shapes=\{'x'"):
        ng.print_summary(net, shape={"x": (4, 5)})
    executor = net.simple_bind(x=(4, 5))
    assert ng.print_summary(executor).nbytes == ng.print_summary(net, {"x": (4, 5)}).nbytes
