"""Rules of arithmetic as tables: exact ones, stable ones, and fast ones.

What needs one operator alone (x * 1, x - 0.0, a choice between equals) needs no rule: it shows in
the scalar graph; see `trivial`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from nbgraph import ops
from nbgraph.graph.build import GraphNode, Operand, apply
from nbgraph.graph.graph import Entry, spec_of
from nbgraph.graph.passes.pattern import Bound, Rule, wild
from nbgraph.ops.define import library

Rules = Callable[[Any], list[Rule]]  # of an operator
x, y, z = wild("x"), wild("y"), wild("z")


def _kinds(bound: Bound) -> set[str]:
    return {spec.dtype.kind for operand in bound.values() if (spec := spec_of(operand))}


def integers(bound: Bound) -> bool:
    """Arithmetic wraps, and zero has one sign."""
    return _kinds(bound) <= set("iu")


def floats(bound: Bound) -> bool:
    """Return whether no sign is lost: the negative of the smallest integer is itself."""
    return _kinds(bound) <= set("fV")


def signed(bound: Bound) -> bool:
    """There are negatives."""
    return _kinds(bound) <= set("ifV")


def _table(rows: dict[str, Callable[[], list[Rule]]]) -> Rules:
    """Return what finds the rules of an operator, which are made when it is first seen: they load
    the operators that they name."""
    rules = functools.cache(lambda name: rows[name]())
    named = lambda name: rules(name) if name in rows else []
    return lambda op: [rule for rule in named(op.__name__) if rule.before.op is op]


# the same bits in IEEE arithmetic, NaN, infinities and signs included
exact = _table(
    {
        "negative": lambda: [Rule(ops.negative(-x), x)],
        "add": lambda: [Rule(x + 0, x, integers), Rule(x + (-y), x - y, floats)],
        "subtract": lambda: [Rule(x - (-y), x + y, floats)],
        "multiply": lambda: [Rule((-x) * (-y), x * y, floats), Rule(x * -1, -x, signed)],
        "divide": lambda: [Rule((-x) / (-y), x / y, floats), Rule(x / -1, -x, signed)],
        "absolute": lambda: [Rule(abs(abs(x)), abs(x)), Rule(abs(-x), abs(x), floats)],
        "square": lambda: [
            Rule(ops.square(-x), ops.square(x), floats),
            Rule(ops.square(abs(x)), ops.square(x), floats),
        ],
        "maximum": lambda: [Rule(ops.maximum(x, x), x)],
        "minimum": lambda: [Rule(ops.minimum(x, x), x)],
        "relu": lambda: [Rule(ops.relu(ops.relu(x)), ops.relu(x))],
        "floor": lambda: [Rule(ops.floor(ops.floor(x)), ops.floor(x))],
        "ceil": lambda: [Rule(ops.ceil(ops.ceil(x)), ops.ceil(x))],
        "sign": lambda: [Rule(ops.sign(ops.sign(x)), ops.sign(x))],
        "logical_not": lambda: [Rule(ops.logical_not(ops.logical_not(x)), x)],
    }
)
# other bits, as accurate where the result is finite: no overflow on the way
stable = _table(
    {
        "log": lambda: [
            Rule(ops.log(1 + ops.exp(x)), ops.softplus(x)),
            Rule(ops.log(1 + x), ops.log1p(x)),
            Rule(ops.log(ops.exp(x)), x),
            Rule(ops.log(ops.exp(x) + ops.exp(y)), ops.logaddexp(x, y)),
            Rule(ops.log(ops.sigmoid(x)), ops.log_sigmoid(x)),
        ],
        "log1p": lambda: [Rule(ops.log1p(ops.exp(x)), ops.softplus(x))],
        "subtract": lambda: [
            Rule(ops.exp(x) - 1, ops.expm1(x)),
            Rule(1 - ops.exp(x), -ops.expm1(x)),
            Rule(1 - ops.sigmoid(x), ops.sigmoid(-x)),
            Rule(1 - ops.erf(x), ops.erfc(x)),
            Rule(1 - ops.erfc(x), ops.erf(x)),
        ],
        "sqrt": lambda: [
            Rule(ops.sqrt(ops.square(x) + ops.square(y)), ops.hypot(x, y)),
            Rule(ops.sqrt(x * x + y * y), ops.hypot(x, y)),
        ],
    }
)
# as if numbers were exact: zeros lose their sign, last bits change
fast = _table(
    {
        "add": lambda: [
            Rule(x + 0, x),
            Rule((x - y) + y, x),
            Rule(x * y + x * z, x * (y + z)),
            Rule(ops.log(x) + ops.log(y), ops.log(x * y)),
        ],
        "subtract": lambda: [Rule(x - x, 0), Rule((x + y) - y, x)],
        "multiply": lambda: [
            Rule(x * 0, 0),
            Rule((x / y) * y, x),
            Rule(ops.exp(x) * ops.exp(y), ops.exp(x + y)),
        ],
        "exp": lambda: [Rule(ops.exp(ops.log(x)), x)],
        "log": lambda: [Rule(ops.log(ops.exp(x)), x)],
        "square": lambda: [Rule(ops.square(ops.sqrt(x)), x)],
        "sqrt": lambda: [Rule(ops.sqrt(ops.square(x)), abs(x))],
        "power": lambda: [
            Rule(ops.power(x, 1), x),
            Rule(ops.power(x, 2), ops.square(x)),
            Rule(ops.power(x, 0.5), ops.sqrt(x)),
            Rule(ops.power(x, -1), ops.reciprocal(x)),
        ],
        "divide": lambda: [Rule(1 / ops.sqrt(x), ops.rsqrt(x)), Rule((x * y) / y, x)],
    }
)


def log_of_sum(entry: Entry) -> Operand | None:
    """`log(sum(exp(x)))` as logsumexp, and `log(exp(x) / sum(exp(x)))` as x less that: exp does not
    overflow, and the logarithm of what rounds to zero is finite.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2, 3), dtype="float32")
    >>> e = ng.exp(x)
    >>> log_of_sum(ng.log(ng.sum(e, axis=1)).entry)[0].op.__name__
    'logsumexp'
    >>> log_of_sum(ng.log(e / ng.sum(e, axis=1, keepdims=True)).entry)[0].op.__name__
    'subtract'
    """
    inner = _operand_of(entry, library.log)
    if inner is None:
        return None
    result = _log_of(inner[0])
    if result is None and inner[0].op is library.divide:
        above, below = inner[0].inputs
        x = _operand_of(above, library.exp)
        total = None if type(below) is not tuple else _log_of(below[0])
        if x is not None and total is not None and total[0].inputs[0] == x:
            result = apply(library.subtract, [x, total]), 0
    return result if result is not None and spec_of(result) == spec_of(entry) else None


def _operand_of(operand: Operand, op: Any) -> Entry | None:
    """Return the array that `op` is applied to, if that is what the operand is."""
    if type(operand) is not tuple or operand[0].op is not op:
        return None
    x = operand[0].inputs[0]
    return x if type(x) is tuple else None


def _log_of(node: GraphNode) -> Entry | None:
    """Return the logarithm of a sum of exponentials."""
    if node.op is not library.sum.op or node.attributes["dtype"] is not None:
        return None
    x = _operand_of(node.inputs[0], library.exp)
    if x is None or spec_of(x) != spec_of(node.inputs[0]):
        return None
    return apply(
        library.logsumexp.op,
        [x],
        {"axis": node.attributes["axis"], "keepdims": node.attributes["keepdims"]},
    ), 0
