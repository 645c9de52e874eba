"""Python's operators on arrays: `a + b`, `-a`, and `a += b`, which writes in place.

Operands with layouts that an earlier call had take the fast path: a route, which is one compiled
call. Anything unusual (another engine, a graph that is being traced) takes the slow path.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from nbgraph.array.core import COPIED, lift
from nbgraph.array.route import Push, declines, routes_of
from nbgraph.array.update import write_over
from nbgraph.operator.arrays.shortcuts import call_key
from nbgraph.operator.call import call, recorded, recording
from nbgraph.operator.lazy import foreign
from nbgraph.ops.carrier import operators
from nbgraph.ops.carrier.operators import Method, operator_of, takes_part, weak

_WEAK = {int, float}
_NONE: dict[str, Any] = {}
_frame, _recorder = sys._getframe, recording.get


def beside(name: str, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands in the form that routes accept: NumPy scalars as Python numbers where that
    gives the same result, NumPy arrays as copies where no recorder is active."""
    plain = weak(operands)
    if plain is operands and not COPIED.isdisjoint(map(type, operands)) and _recorder() is None:
        return tuple(lift(name, (), operands))
    return plain


class _Ways:
    """An operator as a method: its routes and its slow path."""

    __slots__ = ("name", "op", "push", "swapped")

    def __init__(self, name: str, *, swapped: bool) -> None:
        self.name, self.swapped = name, swapped
        self.op: Any = None
        self.push: Push = declines

    def general(self, *operands: Any) -> Any:
        """Apply the operator by its routes if a recorder is active, else by `call`."""
        if not takes_part(operands[-1], self.name):
            return NotImplemented
        plain = beside(self.name, operands)
        tried, operands = plain is operands, plain[::-1] if self.swapped else plain
        output = None if tried else self.push(_frame(2), operands)
        if output is None:
            output = recorded(self.push, self.op, operands, {}, _frame(2))
        if output is not None:
            return output
        if self.op is None:
            self.op = operator_of(self.name)
        result = call(self.op, operands, {})
        known = getattr(self.op, "shortcuts", _NONE).get(call_key(_NONE, operands))
        routes = None if known else routes_of(self.op, _NONE)
        self.push = known[0] if known else self.push if routes is None else routes.push
        return result


def binary(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    """Return the method for an operator of two operands."""
    ways = _Ways(name, swapped=swapped)

    def method(self: Any, other: Any) -> Any:
        push = ways.push  # a bound attribute is faster than a method
        result = push(_frame(1), (other, self) if swapped else (self, other))
        return ways.general(self, other) if result is None else result

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method


def unary(name: str) -> Callable[..., Any]:
    """Return the method for an operator of one operand."""
    ways = _Ways(name, swapped=False)

    def method(self: Any) -> Any:
        result = ways.push(_frame(1), (self,))
        return ways.general(self) if result is None else result

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method


def in_place(name: str) -> Callable[..., Any]:
    """Return the method for `a op= b`: the result goes to `a`, seen through all views."""
    op: Any = None

    def method(self: Any, other: Any) -> Any:
        nonlocal op
        if op is None:
            op = operator_of(name)
        operands = self, other
        kind = type(other)
        tried = operands if kind in _WEAK or kind is type(self) else beside(name, operands)
        if write_over(op, tried, self, _frame(1)):
            return self
        if foreign[type(other)]:
            return NotImplemented
        call(op, tried, {}, self)
        return self

    method.__name__ = method.__qualname__ = f"in_place_{name}"
    return method


class Operators(operators.Operators):
    """Python's operators, pushed by routes where operands have one."""

    __slots__ = ()

    __iadd__: Method = in_place("add")
    __isub__: Method = in_place("subtract")
    __imul__: Method = in_place("multiply")
    __itruediv__: Method = in_place("divide")
    __ifloordiv__: Method = in_place("floor_divide")
    __imod__: Method = in_place("remainder")
    __ipow__: Method = operators.powers(in_place("power"), over=True)
    __iand__: Method = in_place("bitwise_and")
    __ior__: Method = in_place("bitwise_or")
    __ixor__: Method = in_place("bitwise_xor")
    __ilshift__: Method = in_place("bitwise_left_shift")
    __irshift__: Method = in_place("bitwise_right_shift")
    __imatmul__: Method = in_place("matmul")


for _written, _way in operators.ways():
    if _way.operands == 1:
        setattr(Operators, _written, unary(_way.name))
    elif _way.name != "divmod":  # fast paths have one output
        setattr(Operators, _written, binary(_way.name, swapped=_way.swapped))
setattr(Operators, "__pow__", operators.powers(Operators.__pow__))  # noqa: B010
