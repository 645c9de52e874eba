"""Python's operators on arrays: `a + b`, `a @ b`, `a < b`, `a += b`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph.array.eager import binary, in_place, unary

_Method = Callable[..., Any]


class Operators:
    """What the language writes as an operator; each is an operator of the library."""

    __slots__ = ()
    __hash__ = object.__hash__

    __add__: _Method = binary("add")
    __radd__: _Method = binary("add", swapped=True)
    __iadd__: _Method = in_place("add")
    __sub__: _Method = binary("subtract")
    __rsub__: _Method = binary("subtract", swapped=True)
    __isub__: _Method = in_place("subtract")
    __mul__: _Method = binary("multiply")
    __rmul__: _Method = binary("multiply", swapped=True)
    __imul__: _Method = in_place("multiply")
    __truediv__: _Method = binary("divide")
    __rtruediv__: _Method = binary("divide", swapped=True)
    __itruediv__: _Method = in_place("divide")
    __floordiv__: _Method = binary("floor_divide")
    __rfloordiv__: _Method = binary("floor_divide", swapped=True)
    __ifloordiv__: _Method = in_place("floor_divide")
    __mod__: _Method = binary("remainder")
    __rmod__: _Method = binary("remainder", swapped=True)
    __imod__: _Method = in_place("remainder")
    __pow__: _Method = binary("power")
    __rpow__: _Method = binary("power", swapped=True)
    __ipow__: _Method = in_place("power")
    __and__: _Method = binary("bitwise_and")
    __rand__: _Method = binary("bitwise_and", swapped=True)
    __iand__: _Method = in_place("bitwise_and")
    __or__: _Method = binary("bitwise_or")
    __ror__: _Method = binary("bitwise_or", swapped=True)
    __ior__: _Method = in_place("bitwise_or")
    __xor__: _Method = binary("bitwise_xor")
    __rxor__: _Method = binary("bitwise_xor", swapped=True)
    __ixor__: _Method = in_place("bitwise_xor")
    __lshift__: _Method = binary("bitwise_left_shift")
    __rlshift__: _Method = binary("bitwise_left_shift", swapped=True)
    __ilshift__: _Method = in_place("bitwise_left_shift")
    __rshift__: _Method = binary("bitwise_right_shift")
    __rrshift__: _Method = binary("bitwise_right_shift", swapped=True)
    __irshift__: _Method = in_place("bitwise_right_shift")
    __matmul__: _Method = binary("matmul")
    __rmatmul__: _Method = binary("matmul", swapped=True)
    __imatmul__: _Method = in_place("matmul")
    __lt__: _Method = binary("less")
    __le__: _Method = binary("less_equal")
    __gt__: _Method = binary("greater")
    __ge__: _Method = binary("greater_equal")
    __eq__: _Method = binary("equal")
    __ne__: _Method = binary("not_equal")
    __neg__: _Method = unary("negative")
    __pos__: _Method = unary("positive")
    __abs__: _Method = unary("absolute")
    __invert__: _Method = unary("bitwise_invert")
