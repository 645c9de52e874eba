"""Formulas of slopes that take more than a line, and the terms they are written with.

A slope is a function of the value and the arguments. NIST Digital Library of Mathematical
Functions: chapters 4 to 10, 19 and 25.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from nbgraph.kernels.scalar.graph import Graph, Node


def _operator(op: str, *, swapped: bool = False) -> Callable[[Term, Term | float], Term]:
    def applied(term: Term, other: Term | float) -> Term:
        right = other.node if isinstance(other, Term) else term.graph.const(float(other))
        pair = (right, term.node) if swapped else (term.node, right)
        return Term(term.graph, term.graph.arithmetic(op, *pair))

    return applied


class Term:
    """A node with arithmetic operators."""

    __slots__ = ("graph", "node")

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph, self.node = graph, node

    __add__ = __radd__ = _operator("add")
    __sub__, __rsub__ = _operator("sub"), _operator("sub", swapped=True)
    __mul__ = __rmul__ = _operator("mul")
    __truediv__, __rtruediv__ = _operator("div"), _operator("div", swapped=True)

    def __neg__(self) -> Term:
        return Term(self.graph, self.graph.negate(self.node))

    def at_zero(self, limit: Term | float, otherwise: Term) -> Term:
        """Return `limit` where this term is 0, else `otherwise`."""
        graph = self.graph
        value = limit.node if isinstance(limit, Term) else graph.const(float(limit))
        zero = graph.compare("eq", self.node, graph.const(0.0))
        return Term(graph, graph.select(zero, value, otherwise.node))


def call(name: str, *args: Term | float) -> Term:
    """Return a call of a `vector_math` function."""
    graph = next(a.graph for a in args if isinstance(a, Term))
    nodes = [a.node if isinstance(a, Term) else graph.const(float(a)) for a in args]
    return Term(graph, graph.call(name, *nodes))


def middle(name: str, sign: float, n: Term, x: Term) -> Term:
    """Return half the sum of the neighbouring orders, or half their difference."""
    return 0.5 * (call(name, n - 1.0, x) + sign * call(name, n + 1.0, x))


def root(phi: Term, m: Term) -> Term:
    """Return sqrt(1 - m sin(phi)^2)."""
    sine = call("sin", phi)
    return call("sqrt", 1.0 - m * sine * sine)


def ellipkinc_by_m(y: Term, phi: Term, m: Term) -> Term:
    """Return the slope of the incomplete integral of the first kind by its parameter."""
    moved = call("sin", 2.0 * phi) / (4.0 * (1.0 - m) * root(phi, m))
    return (call("ellipeinc", phi, m) / (1.0 - m) - y) / (2.0 * m) - moved


def one_minus_square(x: Term) -> Term:
    """Return 1 - x**2, accurate at 1."""
    return (1.0 - x) * (1.0 + x)


def logistic_slope(z: Term) -> Term:
    """Return sigmoid(z) sigmoid(-z): the logistic density, accurate in both tails."""
    return call("sigmoid", z) * call("sigmoid", -z)


def beta_difference(a: Term, b: Term) -> Term:
    """Return the slope of log(beta(a, b)) by a."""
    return call("digamma", a) - call("digamma", a + b)


def by_angle(leg: Term, a: Term, b: Term) -> Term:
    """Return a slope of atan2(a, b): a leg over the square of the radius."""
    radius = call("hypot", a, b)
    return leg / radius / radius


def sign_ratio(y: Term, a: Term, b: Term) -> Term:
    """Return the slope of copysign(a, b) by a; at 0 both signs are right, and `%` needs 1."""
    return a.at_zero(1.0, call("copysign", 1.0, a) * call("copysign", 1.0, b))


def pow_by_base(y: Term, base: Term, exponent: Term) -> Term:
    """Return the slope of base**exponent by its base."""
    slope = exponent * call("pow", base, exponent - 1.0)
    if exponent.node.op != "const":
        return exponent.at_zero(0.0, slope)
    value = exponent.node.data
    if abs(math.fsum((value, -1.0, 1.0 - value))) < 1e-12:
        return slope
    # exponent - 1 is rounded, for large exponents to the exponent itself
    return base.at_zero(slope, exponent * (y / base))


def pow_by_exponent(y: Term, base: Term, exponent: Term) -> Term:
    """Return the slope of base**exponent by its exponent."""
    slope = y * call("log", base)
    return y.at_zero(0.0, slope)
