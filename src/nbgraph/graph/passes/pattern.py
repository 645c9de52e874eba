"""Rewrite rules as pairs of expressions: pattern and replacement.

>>> import nbgraph as ng
>>> from nbgraph import ops
>>> x = wild("x")
>>> rule = Rule(ops.negative(ops.negative(x)), x)
>>> a = ng.var("a", shape=(2,), dtype="float32")
>>> rule.applied((-(-a)).entry) == a.entry, rule.applied((-a).entry)
(True, None)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import NbgraphError
from nbgraph.graph.build import NUMBERS, Operand, apply
from nbgraph.graph.graph import spec_of
from nbgraph.graph.passes.trivial import everywhere
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.spec import Attributes
from nbgraph.ops.carrier.operators import Operators

COMMUTATIVE = frozenset(("add", "multiply", "maximum", "minimum", "logaddexp"))

Bound = dict[str, Operand]
Condition = Callable[[Bound], bool]


class Pattern(Operators):
    """An expression over wildcards and numbers: a carrier, so that operators build it."""

    __slots__ = ("attributes", "name", "op", "operands")
    __nbgraph_priority__ = 100

    def __init__(
        self, op: Any, operands: Sequence[Any], attributes: Attributes, name: str = ""
    ) -> None:
        self.op, self.operands, self.name = op, tuple(operands), name
        self.attributes = dict(attributes)
        if isinstance(op, Mapper):
            self.attributes = op.parameters_of(self.attributes)

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Pattern:
        """Return the pattern of an operator; see `nbgraph.operator.call`."""
        return cls(op, operands, attributes)


def wild(name: str) -> Pattern:
    """Return a wildcard: it matches any operand, the same one everywhere in a rule."""
    return Pattern(None, (), {}, name)


class Rule(NamedTuple):
    """Replace `before` by `after` if `when` holds for the operands of the wildcards."""

    before: Pattern
    after: Any
    when: Condition | None = None

    def applied(self, operand: Operand) -> Operand | None:
        """Return the replacement of an operand, of equal shape and dtype, or None."""
        bound: Bound = {}
        if not match(self.before, operand, bound):
            return None
        if self.when is not None and not self.when(bound):
            return None
        try:
            result = built(self.after, bound)
        except NbgraphError:  # an operator that does not take these dtypes
            return None
        spec = spec_of(operand)
        assert spec is not None, "a number has no rule"
        if type(result) is not tuple:
            return everywhere(np.full((), result).astype(spec.dtype), spec)
        return result if spec_of(result) == spec else None


def match(pattern: Any, operand: Operand, bound: Bound) -> bool:
    """Return whether an operand matches a pattern; add the wildcards' operands to `bound`."""
    if not isinstance(pattern, Pattern):
        return type(operand) in NUMBERS and same_number(pattern, operand)
    if pattern.op is None:
        return _same(bound.setdefault(pattern.name, operand), operand)
    if type(operand) is not tuple:
        return False
    node = operand[0]
    if node.op is not pattern.op or node.token is not None or node.after:
        return False
    if node.attributes != pattern.attributes:
        return False
    orders = [node.inputs]
    if pattern.op.__name__ in COMMUTATIVE:
        orders.append(node.inputs[::-1])
    for inputs in orders:
        bindings = dict(bound)
        pairs = zip(pattern.operands, inputs, strict=True)
        if all(match(part, operand, bindings) for part, operand in pairs):
            bound.update(bindings)
            return True
    return False


def _same(a: Operand, b: Operand) -> bool:
    if type(a) is tuple or type(b) is tuple:
        return a == b
    return type(a) is type(b) and same_number(a, b)


def same_number(a: Any, b: Any) -> bool:
    """Return whether two numbers are equal and zeros have equal signs: 1, 1.0 and True are the same
    number, 0.0 and -0.0 are not."""
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def built(pattern: Any, bound: Bound) -> Operand:
    """Return the expression of a pattern over the operands of its wildcards."""
    if not isinstance(pattern, Pattern):
        return pattern
    if pattern.op is None:
        return bound[pattern.name]
    inputs = [built(part, bound) for part in pattern.operands]
    return apply(pattern.op, inputs, pattern.attributes), 0
