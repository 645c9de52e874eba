"""Dual numbers as a Numba type: forward mode for functions without available source text.

A Dual holds a value and a tangent of one base type, which may itself be Dual: nesting gives
second derivatives. Griewank and Walther, Evaluating Derivatives, chapter 3.
"""

# pyright: basic

import dis
import functools
import math
import operator
import types as python_types
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import (
    intrinsic,
    lower_cast,
    make_attribute_wrapper,
    models,
    overload,
    register_model,
)

from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.rules import Term
from nbgraph.kernels.scalar.wording import ATOM, Wording


class Dual(types.Type):
    """The Numba type of a value and its tangent."""

    def __init__(self, base: types.Type) -> None:
        self.base = base
        super().__init__(f"Dual({base})")

    def unify(self, typingctx, other):
        """Return the common type of both, or None."""
        return self if isinstance(other, (types.Float, types.Integer, types.Boolean)) else None

    def can_convert_from(self, typingctx, other):
        """Return how well a value of the other type converts, or None."""
        return Conversion.safe if isinstance(other, (types.Float, types.Integer)) else None


@register_model(Dual)
class _DualModel(models.StructModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, [("value", kind.base), ("tangent", kind.base)])


make_attribute_wrapper(Dual, "value", "value")
make_attribute_wrapper(Dual, "tangent", "tangent")


@intrinsic
def dual(typingctx, value, tangent):
    """Return a Dual with this value and tangent."""
    if value != tangent:
        return None

    def codegen(context, builder, signature, args):
        struct = cgutils.create_struct_proxy(signature.return_type)(context, builder)
        struct.value, struct.tangent = args
        return struct._getvalue()

    return Dual(value)(value, tangent), codegen


@intrinsic
def like(typingctx, pattern, number):
    """Return a number converted to the type of `pattern`: if a Dual, with tangent zero."""

    def codegen(context, builder, signature, args):
        return context.cast(builder, args[1], signature.args[1], signature.return_type)

    return pattern(pattern, number), codegen


@lower_cast(types.Integer, Dual)
@lower_cast(types.Boolean, Dual)
@lower_cast(types.Float, Dual)
def _lift(context, builder, source, target, value):
    struct = cgutils.create_struct_proxy(target)(context, builder)
    struct.value = context.cast(builder, value, source, target.base)
    zero = context.get_constant(types.float64, 0.0)
    struct.tangent = context.cast(builder, zero, types.float64, target.base)
    return struct._getvalue()


_NUMBER = (types.Float, types.Integer, types.Boolean)
_OPTIONS = {"jit_options": {"error_model": "numpy", "forceinline": True}}


def _overload_binary(op: Callable[..., Any], both, left, right) -> None:
    @overload(op, **_OPTIONS)
    def _(a, b):
        if isinstance(a, Dual) and isinstance(b, Dual):
            return both
        if isinstance(a, Dual) and isinstance(b, _NUMBER):
            return left
        if isinstance(b, Dual) and isinstance(a, _NUMBER):
            return right
        return None


def _overload_arithmetic(op: Callable[..., Any]) -> None:
    """Overload an operation on Duals; a plain number is first converted to a Dual."""
    _overload_binary(op, _RULES[op], lambda a, b: op(a, like(a, b)), lambda a, b: op(like(b, a), b))


def _divide(a, b):
    quotient = a.value / b.value
    return dual(quotient, (a.tangent - quotient * b.tangent) / b.value)


def _power(a, b):
    value = a.value**b.value
    slope = b.value * a.value ** (b.value - like(b.value, 1))
    base_part = slope * a.tangent
    return dual(value, base_part + value * math.log(a.value) * b.tangent)


_RULES: dict[Any, Any] = {
    operator.add: lambda a, b: dual(a.value + b.value, a.tangent + b.tangent),
    operator.sub: lambda a, b: dual(a.value - b.value, a.tangent - b.tangent),
    operator.mul: lambda a, b: dual(a.value * b.value, a.value * b.tangent + a.tangent * b.value),
    operator.truediv: _divide,
}
for _op in (operator.add, operator.sub, operator.mul, operator.truediv):
    _overload_arithmetic(_op)


def _overload_comparison(op: Callable[..., Any]) -> None:
    _overload_binary(
        op,
        lambda a, b: op(a.value, b.value),
        lambda a, b: op(a.value, b),
        lambda a, b: op(a, b.value),
    )


for _op in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
    _overload_comparison(_op)


def _overload_in_place(op: Callable[..., Any], plain: Callable[..., Any]) -> None:
    @overload(op, **_OPTIONS)
    def _(a, b):
        if isinstance(a, Dual) or isinstance(b, Dual):
            return lambda a, b: plain(a, b)
        return None


for _name in ("add", "sub", "mul", "truediv"):
    _overload_in_place(getattr(operator, f"i{_name}"), getattr(operator, _name))


def _integer_power(a, n):
    result = like(a, 1)
    k = abs(n)
    base = a
    while k > 0:
        if k & 1:
            result = result * base
        base = base * base
        k >>= 1
    return result if n >= 0 else 1 / result


def _real_power(a, b):
    exponent = like(a.value, b)
    slope = exponent * a.value ** (exponent - like(a.value, 1))
    return dual(a.value**exponent, slope * a.tangent)


@overload(operator.pow, **_OPTIONS)
def _pow(a, b):
    if isinstance(a, Dual) and isinstance(b, types.Integer):
        return lambda a, b: _integer_power_(a, b)
    if isinstance(a, Dual) and isinstance(b, types.Float):
        return _real_power
    if isinstance(a, Dual) and isinstance(b, Dual):
        return _power
    if isinstance(b, Dual) and isinstance(a, _NUMBER):
        return lambda a, b: like(b, a) ** b
    return None


_integer_power_ = njit(error_model="numpy")(_integer_power)


def _overload_unary(targets: tuple[Any, ...], rule: Callable[..., Any]) -> None:
    for target in targets:

        @overload(target, **_OPTIONS)
        def _(a):
            return rule if isinstance(a, Dual) else None


def _rule(name: str) -> Callable[..., Any] | None:
    """Return the rule for a function of `math`, from its row in `functions`; None if its slope
    needs a function that `math` lacks."""
    row, graph = FUNCTIONS[name], Graph()
    value = graph.call(name, graph.argument("x", "f"))
    for formula in (row.accurate, row.slopes.get(0)):
        if formula is None or row.arity > 1:
            continue
        slope = formula(Term(graph, value), *(Term(graph, x) for x in value.args)).node
        called = {n.data for n in graph.reachable([slope]) if n.op == "call"}
        if called - {"rsqrt"} <= vars(math).keys():
            words = Wording(graph, {})
            words.names[value.id] = "y", ATOM
            text = f"dual(y, like(y, {words.text(slope)[0]}) * a.tangent)"
            space: dict[str, Any] = {"math": math, "dual": dual, "like": like}
            exec(f"def rule(a):\n  x = a.value\n  y = math.{name}(x)\n  return {text}", space)
            return space["rule"]
    return None


for _name in FUNCTIONS.keys() & vars(math).keys():
    if (_slope := _rule(_name)) is not None:
        _ways = {getattr(np, n) for n in FUNCTIONS[_name].names if hasattr(np, n)}
        _overload_unary((getattr(math, _name), *_ways), _slope)
_overload_unary((abs, math.fabs, np.abs), lambda a: -a if a.value < 0 else a)
_overload_unary((operator.neg,), lambda a: dual(-a.value, -a.tangent))
_overload_unary((operator.pos,), lambda a: a)


def _overload_extreme(target: Any, op: Callable[..., Any]) -> None:
    @overload(target, **_OPTIONS)
    def _(a, b):
        if isinstance(a, Dual) or isinstance(b, Dual):
            if not isinstance(a, Dual):
                return lambda a, b: b if op(b.value, a) else like(b, a)
            if not isinstance(b, Dual):
                return lambda a, b: like(a, b) if op(b, a.value) else a
            return lambda a, b: b if op(b.value, a.value) else a
        return None


_overload_extreme(max, operator.gt)
_overload_extreme(min, operator.lt)


@overload(float, **_OPTIONS)
def _float(a):
    return (lambda a: a) if isinstance(a, Dual) else None


# compiling ---------------------------------------------------------------------------------------


def narrowed(fn: python_types.FunctionType, compute: str) -> python_types.FunctionType:
    """Return a copy of the function whose literals do not widen float32: float literals become
    float32, small ints int16 (which Numba promotes with float32 to float32)."""
    if compute != "float32":
        return fn
    code = _with_constants(fn.__code__)
    constants = tuple(_narrow(c) for c in code.co_consts)
    function = python_types.FunctionType(
        code.replace(co_consts=constants),
        fn.__globals__,
        fn.__name__,
        fn.__defaults__,
        fn.__closure__,
    )
    function.__kwdefaults__ = fn.__kwdefaults__
    return function


def _with_constants(code: python_types.CodeType) -> python_types.CodeType:
    """Return code with its small ints as constants; since Python 3.14 they are in instructions."""
    text, constants = bytearray(code.co_code), list(code.co_consts)
    for step in dis.get_instructions(code):
        if step.opname == "LOAD_SMALL_INT" and len(constants) <= 255:  # the index fits a byte
            text[step.offset : step.offset + 2] = dis.opmap["LOAD_CONST"], len(constants)
            constants.append(step.arg)
    return code.replace(co_code=bytes(text), co_consts=tuple(constants))


def _narrow(value: Any) -> Any:
    if type(value) is float:
        return np.float32(value)
    if type(value) is int and abs(value) < 2**15:
        return np.int16(value)
    return value


@functools.lru_cache(maxsize=256)
def compiled(
    fn: python_types.FunctionType, result: int | None, wrt: tuple[int, ...], compute: str
) -> Any:
    """Return the function, or a derivative of it, over scalars of the compute dtype."""
    code = fn.__code__
    count, only = code.co_argcount, code.co_kwonlyargcount
    inner = njit(error_model="numpy")(_positional(narrowed(fn, compute), count, only))
    names = [f"a{i}" for i in range(count + only)]
    arguments, unwrap = _seeded(names, wrt)
    pick = "" if result is None else f"[{result}]"
    text = (
        f"def call({', '.join(names)}):\n"
        f"    r = inner({', '.join(arguments)}){pick}\n"
        f"    return {compute}({unwrap})\n"
    )
    space: dict[str, Any] = {
        "inner": inner,
        "dual": dual,
        "like": like,
        "tangent": _tangent,
        compute: getattr(types, compute),
    }
    exec(text, space)
    return njit(error_model="numpy")(space["call"])


def _positional(fn: Any, count: int, only: int) -> Any:
    """Return the function with `only` keyword-only arguments made positional, as Numba needs."""
    if not only:
        return fn
    code = fn.__code__.replace(co_argcount=count + only, co_kwonlyargcount=0)
    return python_types.FunctionType(code, fn.__globals__, fn.__name__, None, fn.__closure__)


def _seeded(names: list[str], wrt: tuple[int, ...]) -> tuple[list[str], str]:
    """Return arguments with tangents, and the expression that reads the derivative off `r`."""
    if not wrt:
        return names, "r"
    arguments, unwrap = list(names), "r"
    for index in wrt:
        one_level = []
        for i, text in enumerate(arguments):
            seed = 1 if i == index else 0
            one_level.append(f"dual({text}, like({text}, {seed}))")
        arguments = one_level
        unwrap = f"tangent({unwrap})"
    return arguments, unwrap


def _tangent(r):
    """Return the tangent of a Dual; zero for a plain number."""


@overload(_tangent, **_OPTIONS)
def _tangent_overload(r):
    if isinstance(r, Dual):
        return lambda r: r.tangent
    return lambda r: like(r, 0)
