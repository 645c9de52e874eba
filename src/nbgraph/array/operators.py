"""Python's operators on arrays: quick ways of `a + b`, `-a`, and `a += b`, which writes memory."""

from __future__ import annotations

from nbgraph.array.eager import binary, in_place, unary
from nbgraph.ops.carrier import operators
from nbgraph.ops.carrier.operators import Method


class Operators(operators.Operators):
    """What the language writes as an operator, pushed by routes that were learnt."""

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
    elif _way.name != "divmod":  # quick ways have one output
        setattr(Operators, _written, binary(_way.name, swapped=_way.swapped))
setattr(Operators, "__pow__", operators.powers(Operators.__pow__))  # noqa: B010
