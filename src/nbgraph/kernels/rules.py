"""Partial derivatives of the functions of `vector_math`, as graphs.

`accurate` rules keep full relative accuracy from the operand; the others are written with the
function's own value, so that a backward pass needs to keep the output only (T1).
Formulas: NIST Digital Library of Mathematical Functions, chapters 4, 5 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from nbgraph.errors import DerivativeError
from nbgraph.kernels.scalar import Graph, Node
from nbgraph.kernels.special_rules import special_rule

Rule = Callable[[Graph, Node, tuple[Node, ...]], Node]

PIECEWISE_CONSTANT = frozenset(("floor", "ceil", "trunc", "round", "sign"))


def partial(graph: Graph, node: Node, index: int, *, accurate: bool) -> Node | None:
    """The partial of `call` node w.r.t. its argument `index`; None where it is zero."""
    name = node.data
    if name in PIECEWISE_CONSTANT or (name == "copysign" and index == 1):
        return None
    key = f"{name}{index}" if len(node.args) > 1 else name
    rule = (
        (_ACCURATE.get(key) if accurate else None) or _RULES.get(key) or special_rule(name, index)
    )
    if rule is None:
        where = f" (used at {node.line})" if node.line else ""
        raise DerivativeError(
            f"the derivative of {name}() by its argument {index + 1}{where} is not known; give the "
            "whole gradient by hand with @op.gradient"
        )
    return rule(graph, node, node.args)


def _mul(g: Graph, *factors: Node | float) -> Node:
    nodes = [g.const(f) if isinstance(f, (int, float)) else f for f in factors]
    result = nodes[0]
    for factor in nodes[1:]:
        result = g.arithmetic("mul", result, factor)
    return result


def _div(g: Graph, a: Node | float, b: Node | float) -> Node:
    a, b = (g.const(n) if isinstance(n, (int, float)) else n for n in (a, b))
    return g.arithmetic("div", a, b)


def _add(g: Graph, a: Node | float, b: Node | float) -> Node:
    a, b = (g.const(n) if isinstance(n, (int, float)) else n for n in (a, b))
    return g.arithmetic("add", a, b)


def _sub(g: Graph, a: Node | float, b: Node | float) -> Node:
    a, b = (g.const(n) if isinstance(n, (int, float)) else n for n in (a, b))
    return g.arithmetic("sub", a, b)


def _square(g: Graph, a: Node) -> Node:
    return _mul(g, a, a)


def _one_minus_square(g: Graph, x: Node) -> Node:
    return _mul(g, _sub(g, 1.0, x), _add(g, 1.0, x))


def _logistic_slope(g: Graph, z: Node) -> Node:
    """sigmoid(z) sigmoid(-z): the logistic density, accurate in both tails."""
    return _mul(g, g.call("sigmoid", z), g.call("sigmoid", g.negate(z)))


def _pow_base(g: Graph, y: Node, a: tuple[Node, ...]) -> Node:
    base, exponent = a
    lower = g.call("pow", base, _sub(g, exponent, 1.0))
    slope = _mul(g, exponent, lower)
    zero = g.const(0.0)
    if exponent.op == "const":
        rest = math.fsum((exponent.data, -1.0, 1.0 - exponent.data))
        if abs(rest) < 1e-12:
            return slope
        # exponent - 1 is rounded, in the extreme to the exponent itself
        beside = _mul(g, exponent, _div(g, y, base))
        return g.select(g.compare("eq", base, zero), slope, beside)
    return g.select(g.compare("eq", exponent, zero), zero, slope)


def _pow_exponent(g: Graph, y: Node, a: tuple[Node, ...]) -> Node:
    zero = g.const(0.0)
    slope = _mul(g, y, g.call("log", a[0]))
    return g.select(g.compare("eq", y, zero), zero, slope)


def _hypot(index: int) -> Rule:
    def rule(g: Graph, y: Node, a: tuple[Node, ...]) -> Node:
        zero = g.const(0.0)
        return g.select(g.compare("eq", y, zero), zero, _div(g, a[index], y))

    return rule


def _atan2(index: int) -> Rule:
    def rule(g: Graph, y: Node, a: tuple[Node, ...]) -> Node:
        radius = g.call("hypot", *a)
        slope = _div(g, _div(g, a[1 - index], radius), radius)
        return slope if index == 0 else g.negate(slope)

    return rule


def _sign_of(g: Graph, a: Node) -> Node:
    return g.call("copysign", g.const(1.0), a)


_RULES: dict[str, Rule] = {
    "exp": lambda g, y, a: y,
    "exp2": lambda g, y, a: _mul(g, math.log(2), y),
    "expm1": lambda g, y, a: _add(g, y, 1.0),
    "log": lambda g, y, a: _div(g, 1.0, a[0]),
    "log2": lambda g, y, a: _div(g, 1 / math.log(2), a[0]),
    "log10": lambda g, y, a: _div(g, 1 / math.log(10), a[0]),
    "log1p": lambda g, y, a: _div(g, 1.0, _add(g, 1.0, a[0])),
    "sqrt": lambda g, y, a: _div(g, 0.5, y),
    "rsqrt": lambda g, y, a: _mul(g, -0.5, y, _square(g, y)),
    "cbrt": lambda g, y, a: _div(g, 1.0, _mul(g, 3.0, _square(g, y))),
    "sin": lambda g, y, a: g.call("cos", a[0]),
    "cos": lambda g, y, a: g.negate(g.call("sin", a[0])),
    "tan": lambda g, y, a: _add(g, 1.0, _square(g, y)),
    "asin": lambda g, y, a: g.call("rsqrt", _one_minus_square(g, a[0])),
    "acos": lambda g, y, a: g.negate(g.call("rsqrt", _one_minus_square(g, a[0]))),
    "atan": lambda g, y, a: _div(g, 1.0, _add(g, 1.0, _square(g, a[0]))),
    "atan20": _atan2(0),
    "atan21": _atan2(1),
    "sinh": lambda g, y, a: g.call("cosh", a[0]),
    "cosh": lambda g, y, a: g.call("sinh", a[0]),
    "tanh": lambda g, y, a: _sub(g, 1.0, _square(g, y)),
    "asinh": lambda g, y, a: _div(g, 1.0, g.call("hypot", a[0], g.const(1.0))),
    "acosh": lambda g, y, a: _mul(
        g, g.call("rsqrt", _sub(g, a[0], 1.0)), g.call("rsqrt", _add(g, a[0], 1.0))
    ),
    "atanh": lambda g, y, a: _div(g, 1.0, _one_minus_square(g, a[0])),
    "erf": lambda g, y, a: _mul(
        g, 2 / math.sqrt(math.pi), g.call("exp", g.negate(_square(g, a[0])))
    ),
    "erfc": lambda g, y, a: _mul(
        g, -2 / math.sqrt(math.pi), g.call("exp", g.negate(_square(g, a[0])))
    ),
    "erfinv": lambda g, y, a: _mul(g, math.sqrt(math.pi) / 2, g.call("exp", _square(g, y))),
    "gamma": lambda g, y, a: _mul(g, y, g.call("digamma", a[0])),
    "lgamma": lambda g, y, a: g.call("digamma", a[0]),
    "digamma": lambda g, y, a: g.call("trigamma", a[0]),
    "trigamma": lambda g, y, a: g.call("polygamma", g.const(2.0), a[0]),
    "polygamma1": lambda g, y, a: g.call("polygamma", _add(g, a[0], 1.0), a[1]),
    "pow0": _pow_base,
    "pow1": _pow_exponent,
    "hypot0": _hypot(0),
    "hypot1": _hypot(1),
    "sigmoid": lambda g, y, a: _mul(g, y, _sub(g, 1.0, y)),
    "softplus": lambda g, y, a: g.negate(g.call("expm1", g.negate(y))),
    "copysign0": lambda g, y, a: g.select(  # at 0 either slope is right; `%` needs 1
        g.compare("eq", a[0], g.const(0.0)),
        g.const(1.0),
        _mul(g, _sign_of(g, a[0]), _sign_of(g, a[1])),
    ),
    "fmod0": lambda g, y, a: g.const(1.0),
    "fmod1": lambda g, y, a: g.negate(g.call("trunc", _div(g, a[0], a[1]))),
}
_ACCURATE: dict[str, Rule] = {
    "expm1": lambda g, y, a: g.call("exp", a[0]),
    "rsqrt": lambda g, y, a: _div(g, _mul(g, -0.5, y), a[0]),
    "tanh": lambda g, y, a: _mul(g, 4.0, _logistic_slope(g, _mul(g, 2.0, a[0]))),
    "sigmoid": lambda g, y, a: _logistic_slope(g, a[0]),
    "softplus": lambda g, y, a: g.call("sigmoid", a[0]),
}
