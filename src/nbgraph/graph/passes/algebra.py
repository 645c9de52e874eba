"""Tables of algebraic rules: exact, stable and fast ones.

Simplifications of a single operator (x * 1, x - 0.0, `where` of equal operands) need no rule: they
follow from its scalar graph; see `trivial`.
"""

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
    """Return whether all operands are integers: arithmetic wraps, and zero has no sign."""
    return _kinds(bound) <= set("iu")


def floats(bound: Bound) -> bool:
    """Return whether all operands are floats; the smallest integer equals its own negative."""
    return _kinds(bound) <= set("fV")


def signed(bound: Bound) -> bool:
    """Return whether the dtypes have negative numbers."""
    return _kinds(bound) <= set("ifV")


class _Names(dict[str, Any]):
    """The namespace of a rule's text: wildcards and operators."""

    def __missing__(self, name: str) -> Any:
        return getattr(ops, name)


def _rule(text: str) -> Rule:
    sides, _, condition = text.partition(" where ")
    names = _Names(x=x, y=y, z=z, integers=integers, floats=floats, signed=signed)
    exec(f"rule = {sides.replace(' -> ', ', ')}, {condition or None}", {}, names)
    return Rule(*names["rule"])


def _table(text: str) -> Rules:
    """Return a function from an operator to its rules, which are compiled at its first call, as
    they load the operators that they name."""
    rows = dict(row.split(": ") for row in text.strip().replace("\n    ", " ").splitlines())
    rules = functools.cache(lambda name: [_rule(row) for row in rows[name].split("; ")])
    named = lambda name: rules(name) if name in rows else []
    return lambda op: [rule for rule in named(op.__name__) if rule.before.op is op]


# equal bits in IEEE arithmetic, including NaN, infinities and signs
exact = _table("""
negative: -(-x) -> x
add: x + 0 -> x where integers; x + (-y) -> x - y where floats
subtract: x - (-y) -> x + y where floats
multiply: (-x) * (-y) -> x * y where floats; x * -1 -> -x where signed
divide: (-x) / (-y) -> x / y where floats; x / -1 -> -x where signed
absolute: abs(abs(x)) -> abs(x); abs(-x) -> abs(x) where floats
square: square(-x) -> square(x) where floats; square(abs(x)) -> square(x) where floats
maximum: maximum(x, x) -> x
minimum: minimum(x, x) -> x
relu: relu(relu(x)) -> relu(x)
floor: floor(floor(x)) -> floor(x)
ceil: ceil(ceil(x)) -> ceil(x)
sign: sign(sign(x)) -> sign(x)
logical_not: logical_not(logical_not(x)) -> x
""")
# different bits of equal accuracy, without overflow of intermediate values
stable = _table("""
log: log(1 + exp(x)) -> softplus(x); log(1 + x) -> log1p(x); log(exp(x)) -> x;
    log(exp(x) + exp(y)) -> logaddexp(x, y); log(sigmoid(x)) -> log_sigmoid(x)
log1p: log1p(exp(x)) -> softplus(x)
subtract: exp(x) - 1 -> expm1(x); 1 - exp(x) -> -expm1(x); 1 - sigmoid(x) -> sigmoid(-x);
    1 - erf(x) -> erfc(x); 1 - erfc(x) -> erf(x)
sqrt: sqrt(square(x) + square(y)) -> hypot(x, y); sqrt(x * x + y * y) -> hypot(x, y)
""")
# exact for real numbers: signs of zeros and last bits change
fast = _table("""
add: x + 0 -> x; (x - y) + y -> x; x * y + x * z -> x * (y + z); log(x) + log(y) -> log(x * y)
subtract: x - x -> 0; (x + y) - y -> x
multiply: x * 0 -> 0; (x / y) * y -> x; exp(x) * exp(y) -> exp(x + y)
exp: exp(log(x)) -> x
log: log(exp(x)) -> x
square: square(sqrt(x)) -> x
sqrt: sqrt(square(x)) -> abs(x)
power: power(x, 1) -> x; power(x, 2) -> square(x); power(x, 0.5) -> sqrt(x);
    power(x, -1) -> reciprocal(x)
divide: 1 / sqrt(x) -> rsqrt(x); (x * y) / y -> x
""")


def log_of_sum(entry: Entry) -> Operand | None:
    """Return `log(sum(exp(x)))` as logsumexp(x), and `log(exp(x) / sum(exp(x)))` as
    x - logsumexp(x), or None: exp does not overflow, and no logarithm of 0 is taken.

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
    """Return the operand of `op` if `operand` is a result of `op`, else None."""
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
