"""Calls of `math`, NumPy and built-in functions of numbers."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from nbgraph.kernels.capture import composed, integers, objects
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.operators import NUMBERS, check_power, divide_floor, power
from nbgraph.kernels.capture.results import present
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Node, Optional, Static, Value
from nbgraph.kernels.scalar.functions import FUNCTIONS, ROUNDING
from nbgraph.kernels.scalar.kinds import INTEGERS, promote


def _whole(call: Call, fn: FunctionType) -> Value:
    """Return the value of a function of Python's integers, in 64 bits for narrower dtypes."""
    if fn in (integers.gcd, integers.lcm) and len(call.args) > 2:
        first, second, *others = call.args
        pair = _whole(call.of(fn, first, second), fn)
        return _whole(call.of(fn, pair, *others, **call.kwargs), fn)
    values = call.in_order(fn)
    if any(isinstance(v, Node) and v.kind == "f" for v in values):
        call.refuse(f"{fn.__name__}() is for integers", "make them integers with int()", KindError)
    if all(isinstance(v, Node) and v.op == "const" for v in values):
        numbers = [int(v.data) for v in values]
        exact = fn in (integers.comb, integers.perm) and 0 <= numbers[-1] <= numbers[0]
        return call.graph.const((getattr(math, fn.__name__) if exact else fn)(*numbers))
    wide = [
        call.graph.cast(v, "int64") if isinstance(v, Node) and v.kind != "uint64" else v
        for v in values
    ]
    value = call.tracer.compose(fn, wide, call.path)
    if fn in (integers.comb, integers.perm) and len(wide) == 2:
        n, k = wide[0], wide[-1] if isinstance(wide[-1], Node) else wide[0]  # for None: all n
        operands = [value, n, k, call.graph.const(fn is integers.perm)]
        in_floats = call.tracer.compose(integers.ways_in_floats, operands, call.path)
        call.graph.wide[value.id] = in_floats
    return value


def operation(call: Call, operation: tuple[str, object]) -> Value:
    """Return the value of a known function."""
    sort, detail = operation
    if detail == "bool" and len(call.values) == 1 and isinstance(call.args[0], Optional):
        return call.tracer.truth(call.args[0])
    call = call._replace(args=[present(call, a) for a in call.args])
    name, args, kwargs = str(detail), call.args, call.kwargs
    if sort == "composed":
        return _composed(call, cast("FunctionType", detail))
    if sort == "whole":
        return _whole(call, cast("FunctionType", detail))
    if sort == "static":
        return _known(call, detail)
    if detail in ("float", "int") and args and isinstance(args[0], Static):
        return _known(call, float if detail == "float" else int)
    if detail in ("round", "npround"):  # `None` is the default of the second argument
        args = [a for a in call.values if getattr(a, "value", 0) is not None]
        kwargs = {}
    if kwargs:
        remedy = "give numbers by position; dtype= and out= belong to the call of the operator"
        call.refuse(f"{call.name}() knows no keyword {next(iter(kwargs))!r} here", remedy)
    nodes = [a for a in args if isinstance(a, Node)]
    if len(nodes) < len(args):
        call.refuse(f"{call.name}() takes numbers, and not all arguments are", "give numbers")
    if name == "pow" and sort != "call" and len(nodes) == 2:
        check_power(call, nodes[0], nodes[1])
    if sort == "operator":
        return _operator(call.tracer, name, nodes, call.path)
    if name == "hypot" and len(args) != 2:
        first, *others = args or [call.graph.const(0.0)]
        legs = [call.graph.absolute(call.graph.float(first)), *others]
        return functools.reduce(lambda a, b: call.graph.call("hypot", a, b), legs)
    if sort in ("call", "to_int"):
        return _call_math(call, name, to_int=sort == "to_int")
    function, least, most = _BUILTINS.get(name) or (_cast(name), 1, 1)
    if not least <= len(args) <= most:
        some = f"at least {least}" if most > least else least
        what = f"{call.name}() takes {some} arguments, not {len(args)}"
        call.refuse(what, "give as many numbers, or min() and max() a tuple")
    return function(call, *args)


def _composed(call: Call, fn: FunctionType) -> Value:
    if fn.__module__ == integers.__name__:
        if any(isinstance(v, Node) and v.kind == "f" for v in call.values):
            problem = f"{fn.__name__}() is for integers"
            call.refuse(problem, "make them integers with int()", KindError)
        if all(isinstance(v, Node) and v.op == "const" for v in call.values):
            return call.graph.const(fn(*(int(v.data) for v in call.values)))
    return call.text(fn)


def _known(call: Call, fn: Any) -> Value:
    """Return the value of a function of constants, such as `float("inf")`, `np.finfo(float)`."""
    try:
        if (value := objects.of_constants(call._replace(target=fn))) is not None:
            return value
    except (TypeError, ValueError) as error:
        call.refuse(str(error), "give a number, or text such as 'inf' or 'nan'")
    call.refuse(f"{call.name}() needs constants", "compute it before the call")


def _operator(tracer: Tracer, op: str, args: list[Node], path: Node) -> Value:
    if op in ("neg", "invert"):
        return tracer.graph.negate(args[0]) if op == "neg" else tracer.graph.invert(args[0])
    return tracer.binary(op, args[0], args[1], path)


def _call_math(call: Call, name: str, *, to_int: bool) -> Value:
    graph, args, expected = call.graph, call.args, FUNCTIONS[name].arity
    if len(args) != expected:
        what = f"{call.name}() takes {expected} argument{'s'[: expected - 1]}"
        call.refuse(f"{what}, {len(args)} were given", "give as many numbers")
    if name in ROUNDING and args[0].kind != "f":
        return args[0]
    result = graph.call(name, *args)
    return graph.cast(result, "i") if to_int else result


_Function = Callable[..., Value]  # of the call and numbers

# built-ins by name --------------------------------------------------------------------------------


def _floating(call: Call, a: Node) -> Node:
    # a call says that NumPy's function of an integer is meant, which gives the smallest
    # float that holds it; of whole numbers `trunc` is the identity
    return a if a.kind == "f" else call.graph.call("trunc", a)


def _reciprocal(call: Call, a: Node) -> Value:
    graph, kind = call.graph, NUMBERS.get(a.kind, a.kind)
    if kind == "f":
        return graph.arithmetic("div", graph.const(1.0), a)
    return graph.cast(call.text(composed.integer_reciprocal, graph.cast(a, kind)), kind)


def _npfmod(call: Call, a: Node, b: Node) -> Value:
    graph, kind = call.graph, promote(a.kind, b.kind)
    if kind == "f":
        return graph.call("fmod", a, b)
    kind = NUMBERS.get(kind, kind)
    return call.text(composed.integer_fmod, graph.cast(a, kind), graph.cast(b, kind))


def _extreme(op: str) -> _Function:
    """Return the least ("lt") or the largest ("gt") of numbers."""

    def extreme(call: Call, first: Node, *others: Node) -> Node:
        least = lambda a, b: call.graph.select(call.graph.compare(op, b, a), b, a)
        return functools.reduce(least, others, first)

    return extreme


def _pow(call: Call, a: Node, b: Node, mod: Node | None = None) -> Value:
    if mod is None:
        return power(call.tracer, a, b, call.path)
    if "f" in (a.kind, b.kind, mod.kind):
        raise TypeError("pow() to a modulus is for integers (as in Python)")
    return call.text(integers.power_modulo, *(call.graph.cast(n, "i") for n in (a, b, mod)))


def _int(call: Call, a: Node) -> Node:
    return call.graph.cast(call.graph.call("trunc", a) if a.kind == "f" else a, "i")


def _round(call: Call, a: Node, digits: Node | None = None) -> Value:
    if digits is not None:
        return _round_to(call, a, digits, composed.decimal)
    return call.graph.cast(call.graph.call("round", a), "i") if a.kind == "f" else a


def _round_to(call: Call, a: Node, digits: Node, fn: Any = composed.round_to) -> Value:
    graph = call.graph
    if a.kind == "f":
        return call.text(fn, a, digits)
    kept = graph.compare("ge", digits, graph.const(0))
    if kept.op == "const" and kept.data:
        return a
    whole = call.text(composed.round_to, graph.float(a), digits)
    return graph.select(kept, a, graph.cast(whole, a.kind))


def _npround(call: Call, a: Node, digits: Node | None = None) -> Value:
    """Return `np.round`, which unlike Python's keeps the dtype, and makes floats of bools."""
    a = _floating(call, a) if a.kind == "bool" else a
    if digits is not None:
        return _round_to(call, a, digits)
    return call.graph.call("round", a) if a.kind == "f" else a


def _square(call: Call, a: Node) -> Node:
    a = call.graph.cast(a, "int8") if a.kind == "bool" else a
    return call.graph.arithmetic("mul", a, a)


def _isnan(call: Call, a: Node) -> Node:
    return call.graph.compare("ne", a, a) if a.kind == "f" else call.graph.const(False)


def _signbit(call: Call, a: Node) -> Node:
    one = call.graph.call("copysign", call.graph.const(1.0), a)
    return call.graph.compare("lt", one, call.graph.const(0.0))


def _sign(call: Call, a: Node) -> Value:
    if a.kind == "f":
        return call.graph.call("sign", a)
    if a.kind == "bool":
        raise TypeError("sign of a boolean is not defined (as in NumPy): cast it to int")
    return call.graph.cast(call.text(composed.integer_sign, a), a.kind)


def _log(call: Call, a: Node, base: Node | None = None) -> Value:
    if base is None:
        return call.graph.call("log", a)
    return call.text(composed.log_base, call.graph.float(a), call.graph.float(base))


def _cast(name: str) -> _Function:
    if name in ("float16", "float32"):
        return lambda call, a: call.graph.narrow(a, name)
    kind = {"bool_": "bool", "float64": "f"}.get(name, name)
    assert kind in ("f", "bool") or kind in INTEGERS, name
    return lambda call, a: call.graph.cast(a, kind)


def _below_infinity(op: str, *, of_integers: bool) -> _Function:
    """Return a comparison of the absolute value of a number to infinity."""

    def compared(call: Call, a: Node) -> Node:
        graph = call.graph
        if a.kind != "f":
            return graph.const(of_integers)
        return graph.compare(op, graph.absolute(a), graph.const(math.inf))

    return compared


def _of_truths(op: str) -> _Function:
    return lambda call, *args: getattr(call.graph, op)(*map(call.graph.truth, args))


def _divided(call: Call, a: Node, b: Node) -> Value:
    return tuple(divide_floor(call.tracer, op, a, b, call.path) for op in ("floordiv", "mod"))


_MANY = 100
# name -> the function, and the least and the largest number of arguments
_BUILTINS: dict[str, tuple[_Function, int, int]] = {
    "abs": (lambda call, a: call.graph.absolute(a), 1, 1),
    "fabs": (lambda call, a: call.graph.absolute(_floating(call, a)), 1, 1),
    "floating": (_floating, 1, 1),
    "square": (_square, 1, 1),
    "reciprocal": (_reciprocal, 1, 1),
    "sign": (_sign, 1, 1),
    # unlike `np.round` it makes floats of integers
    "rint": (lambda call, a: call.graph.call("round", a), 1, 1),
    "round": (_round, 1, 2),
    "npround": (_npround, 1, 2),
    "float": (lambda call, a: call.graph.float(a), 1, 1),
    "int": (_int, 1, 1),
    "bool": (lambda call, a: call.graph.truth(a), 1, 1),
    "min": (_extreme("lt"), 2, _MANY),
    "max": (_extreme("gt"), 2, _MANY),
    "pow": (_pow, 2, 3),
    "fpow": (lambda call, a, b: _pow(call, call.graph.float(a), b), 2, 2),
    "divmod": (_divided, 2, 2),
    "npfmod": (_npfmod, 2, 2),
    "log": (_log, 1, 2),
    "where": (lambda call, cond, a, b: call.graph.select(call.graph.truth(cond), a, b), 3, 3),
    "isnan": (_isnan, 1, 1),
    "isinf": (_below_infinity("eq", of_integers=False), 1, 1),
    "isfinite": (_below_infinity("lt", of_integers=True), 1, 1),
    "signbit": (_signbit, 1, 1),
    "logical_and": (_of_truths("logical_and"), 2, 2),
    "logical_or": (_of_truths("logical_or"), 2, 2),
    "logical_not": (_of_truths("logical_not"), 1, 1),
    "logical_xor": (
        lambda call, a, b: call.graph.bitwise("bxor", call.graph.truth(a), call.graph.truth(b)),
        *(2, 2),
    ),
}
