"""Expressions of SymPy as operators: values and derivatives are SymPy's."""

import numpy as np
import pytest

import nbgraph as ng

sympy = pytest.importorskip("sympy")
X, Y = sympy.symbols("x y", real=True)
POINT = {X: 0.3, Y: 1.7}
EXPRESSIONS = [
    X**2 * Y + sympy.Rational(1, 3) * X + sympy.pi,
    sympy.Piecewise((X**2, X > 1), (sympy.exp(X) * Y, True)),
    sympy.sqrt(X) * sympy.Abs(Y) + sympy.log(X),
    sympy.erf(X) * sympy.gamma(Y) + sympy.loggamma(X),
    sympy.sin(X) / (1 + sympy.cosh(Y)) + sympy.atan2(X, Y),
    sympy.besselj(0, X) * Y,
    sympy.Min(X, Y) + Y,
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_values_and_derivatives_are_those_of_sympy(expression):
    op = ng.op(expression, [X, Y], name="formula")
    values = np.array([POINT[X]] * 3), np.array([POINT[Y]] * 3)
    np.testing.assert_allclose(op(*values), [float(expression.subs(POINT))] * 3, rtol=1e-12)
    for symbol in (X, Y):
        slope = float(expression.diff(symbol).subs(POINT).evalf())
        np.testing.assert_allclose(op.derivative(str(symbol))(*values)[0], slope, rtol=1e-9)
    assert op.__name__ == "formula"


def test_operands_are_in_the_order_asked_for():
    assert ng.op(X - Y, ["y", "x"])(1.0, 3.0) == 2.0
    assert ng.op(X - Y)(3.0, 1.0) == 2.0


def test_what_does_not_fit_is_refused():
    with pytest.raises(ng.errors.ArgumentError, match="expected also: y"):
        ng.op(X - Y, [X])
    with pytest.raises(ng.errors.CaptureError, match="SymPy writes no Python text"):
        ng.op(sympy.zeta(X))
    with pytest.raises(ng.errors.ArgumentError, match="not a name of an operand"):
        ng.op(sympy.Symbol("a b") + 1)
