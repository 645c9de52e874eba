"""Partial derivatives of special functions, as formulas.

NIST Digital Library of Mathematical Functions: chapters 6 to 10, 19 and 25. By a parameter that is
not listed, as the order of a Bessel function, there is no closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from nbgraph.kernels.scalar import Graph, Node


class Term:
    """A node with the operators of numbers."""

    __slots__ = ("graph", "node")

    def __init__(self, graph: Graph, node: Node) -> None:
        self.graph, self.node = graph, node

    def _with(self, op: str, other: Term | float, *, swapped: bool = False) -> Term:
        right = other.node if isinstance(other, Term) else self.graph.const(float(other))
        pair = (right, self.node) if swapped else (self.node, right)
        return Term(self.graph, self.graph.arithmetic(op, *pair))

    def __add__(self, other: Term | float) -> Term:
        return self._with("add", other)

    __radd__ = __add__

    def __sub__(self, other: Term | float) -> Term:
        return self._with("sub", other)

    def __rsub__(self, other: float) -> Term:
        return self._with("sub", other, swapped=True)

    def __mul__(self, other: Term | float) -> Term:
        return self._with("mul", other)

    __rmul__ = __mul__

    def __truediv__(self, other: Term | float) -> Term:
        return self._with("div", other)

    def __rtruediv__(self, other: float) -> Term:
        return self._with("div", other, swapped=True)

    def __neg__(self) -> Term:
        return Term(self.graph, self.graph.negate(self.node))

    def at_zero(self, limit: Term | float, otherwise: Term) -> Term:
        """`limit` where this is 0."""
        graph = self.graph
        held = limit.node if isinstance(limit, Term) else graph.const(float(limit))
        zero = graph.compare("eq", self.node, graph.const(0.0))
        return Term(graph, graph.select(zero, held, otherwise.node))


def call(name: str, *args: Term | float) -> Term:
    """A function of `vector_math`."""
    graph = next(a.graph for a in args if isinstance(a, Term))
    nodes = [a.node if isinstance(a, Term) else graph.const(float(a)) for a in args]
    return Term(graph, graph.call(name, *nodes))


def _sign(x: Term) -> Term:
    return call("sign", x)


def _middle(name: str, sign: float, n: Term, x: Term) -> Term:
    """Half of the sum of the neighbouring orders, or of their difference."""
    return 0.5 * (call(name, n - 1.0, x) + sign * call(name, n + 1.0, x))


def _ellipk(y: Term, m: Term) -> Term:
    return (y - call("ellipd", m)) / (2.0 * (1.0 - m))


def _ellipd(y: Term, m: Term) -> Term:
    return (0.5 * (call("ellipk", m) - y) / (1.0 - m) - 0.5 * y) / m


def _root(phi: Term, m: Term) -> Term:
    """sqrt(1 - m sin(phi)^2)."""
    sine = call("sin", phi)
    return call("sqrt", 1.0 - m * sine * sine)


def _ellipkinc_m(y: Term, phi: Term, m: Term) -> Term:
    moved = call("sin", 2.0 * phi) / (4.0 * (1.0 - m) * _root(phi, m))
    return (call("ellipeinc", phi, m) / (1.0 - m) - y) / (2.0 * m) - moved


def _beta(name: str, y: Term, a: Term, b: Term) -> Term:
    slope = call("digamma", a) - call("digamma", a + b)
    return slope * y if name == "beta" else slope


_TWO_OVER_ROOT_PI, _ROOT_TAU = 2 / math.sqrt(math.pi), math.sqrt(2 * math.pi)
# the slope by an argument, from the value and the arguments
_RULES: dict[tuple[str, int], Callable[..., Term]] = {
    ("erfcx", 0): lambda y, x: 2.0 * x * y - _TWO_OVER_ROOT_PI,
    ("erfcinv", 0): lambda y, p: -math.sqrt(math.pi) / 2 * call("exp", y * y),
    ("ndtri", 0): lambda y, p: _ROOT_TAU * call("exp", 0.5 * y * y),
    ("gammainc", 1): lambda y, a, x: call("gamma_density", a, x),
    ("gammaincc", 1): lambda y, a, x: -call("gamma_density", a, x),
    ("gammaincinv", 1): lambda y, a, p: 1.0 / call("gamma_density", a, y),
    ("gammainccinv", 1): lambda y, a, p: -1.0 / call("gamma_density", a, y),
    ("gamma_density", 0): lambda y, a, x: y * (call("log", x) - call("digamma", a)),
    ("gamma_density", 1): lambda y, a, x: y * ((a - 1.0) / x - 1.0),
    ("beta", 0): lambda y, a, b: _beta("beta", y, a, b),
    ("beta", 1): lambda y, a, b: _beta("beta", y, b, a),
    ("betaln", 0): lambda y, a, b: _beta("betaln", y, a, b),
    ("betaln", 1): lambda y, a, b: _beta("betaln", y, b, a),
    ("betainc", 2): lambda y, a, b, x: call("beta_density", a, b, x),
    ("betaincc", 2): lambda y, a, b, x: -call("beta_density", a, b, x),
    ("betaincinv", 2): lambda y, a, b, p: 1.0 / call("beta_density", a, b, y),
    ("beta_density", 0): lambda y, a, b, x: (
        y * (call("log", x) - call("digamma", a) + call("digamma", a + b))
    ),
    ("beta_density", 1): lambda y, a, b, x: (
        y * (call("log1p", -x) - call("digamma", b) + call("digamma", a + b))
    ),
    ("beta_density", 2): lambda y, a, b, x: y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)),
    ("j0", 0): lambda y, x: -call("j1", x),
    ("j1", 0): lambda y, x: x.at_zero(0.5, call("j0", x) - y / x),
    ("y0", 0): lambda y, x: -call("y1", x),
    ("y1", 0): lambda y, x: call("y0", x) - y / x,
    ("i0", 0): lambda y, x: call("i1", x),
    ("i1", 0): lambda y, x: x.at_zero(0.5, call("i0", x) - y / x),
    ("i0e", 0): lambda y, x: call("i1e", x) - _sign(x) * y,
    ("i1e", 0): lambda y, x: x.at_zero(0.5, call("i0e", x) - y / x - _sign(x) * y),
    ("k0", 0): lambda y, x: -call("k1", x),
    ("k1", 0): lambda y, x: -call("k0", x) - y / x,
    ("k0e", 0): lambda y, x: y - call("k1e", x),
    ("k1e", 0): lambda y, x: y - call("k0e", x) - y / x,
    ("jv", 1): lambda y, n, x: _middle("jv", -1.0, n, x),
    ("yv", 1): lambda y, n, x: _middle("yv", -1.0, n, x),
    ("iv", 1): lambda y, n, x: _middle("iv", 1.0, n, x),
    ("ive", 1): lambda y, n, x: _middle("ive", 1.0, n, x) - _sign(x) * y,
    ("kv", 1): lambda y, n, x: -_middle("kv", 1.0, n, x),
    ("kve", 1): lambda y, n, x: y - _middle("kve", 1.0, n, x),
    ("airy_ai", 0): lambda y, x: call("airy_ai_slope", x),
    ("airy_bi", 0): lambda y, x: call("airy_bi_slope", x),
    ("airy_ai_slope", 0): lambda y, x: x * call("airy_ai", x),
    ("airy_bi_slope", 0): lambda y, x: x * call("airy_bi", x),
    ("exp1", 0): lambda y, x: -call("exp", -x) / x,
    ("expi", 0): lambda y, x: call("exp", x) / x,
    ("expn", 1): lambda y, n, x: n.at_zero(-y * (1.0 + 1.0 / x), -call("expn", n - 1.0, x)),
    ("sine_integral", 0): lambda y, x: x.at_zero(1.0, call("sin", x) / x),
    ("cosine_integral", 0): lambda y, x: call("cos", x) / x,
    ("dawsn", 0): lambda y, x: 1.0 - 2.0 * x * y,
    ("fresnel_sine", 0): lambda y, x: call("sin", math.pi / 2 * (x * x)),
    ("fresnel_cosine", 0): lambda y, x: call("cos", math.pi / 2 * (x * x)),
    ("spence", 0): lambda y, x: (1.0 - x).at_zero(-1.0, call("log", x) / (1.0 - x)),
    ("ellipk", 0): _ellipk,
    ("ellipkm1", 0): lambda y, p: (call("ellipd", 1.0 - p) - y) / (2.0 * p),
    ("ellipe", 0): lambda y, m: -0.5 * call("ellipd", m),
    ("ellipd", 0): _ellipd,
    ("ellipkinc", 0): lambda y, phi, m: 1.0 / _root(phi, m),
    ("ellipkinc", 1): _ellipkinc_m,
    ("ellipeinc", 0): lambda y, phi, m: _root(phi, m),
    ("ellipeinc", 1): lambda y, phi, m: (y - call("ellipkinc", phi, m)) / (2.0 * m),
    ("zeta", 1): lambda y, s, q: -s * call("zeta", s + 1.0, q),
    ("lambertw", 0): lambda y, x, k: call("exp", -y) / (1.0 + y),
}


def special_rule(name: str, index: int) -> Callable[[Graph, Node, tuple[Node, ...]], Node] | None:
    """The rule for an argument, as the rows of `rules`; None where there is none."""
    formula: Any = _RULES.get((name, index))
    if formula is None:
        return None

    def rule(graph: Graph, y: Node, args: tuple[Node, ...]) -> Node:
        slope: Term = formula(Term(graph, y), *(Term(graph, a) for a in args))
        return slope.node

    return rule
