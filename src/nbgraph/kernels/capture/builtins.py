"""Calls of `math`, NumPy and built-in functions, and the operators that need more than a node."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, cast

from nbgraph.kernels.capture import composed, integers
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.raising import Raising
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Static, Value
from nbgraph.kernels.functions import FUNCTIONS, ROUNDING
from nbgraph.kernels.kinds import INTEGERS, is_boolean, promote
from nbgraph.kernels.scalar import Node

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_NAMES = "add sub mul div floordiv mod pow band bor bxor shl shr".split()
BINARY: dict[type[ast.operator], str] = dict(zip((*_ARITHMETIC, *_BITS), _NAMES, strict=True))


class Texts(Raising):
    """Mixed into Tracer."""

    def compose(self, fn: FunctionType, args: Sequence[Value], path: Node) -> Value:
        """A function of the library, traced in place with the user's line kept."""
        tracer = self.subtracer(fn)
        names = fn.__code__.co_varnames[: fn.__code__.co_argcount + fn.__code__.co_kwonlyargcount]
        line = self.graph.line
        value = tracer.run(dict(zip(names, args, strict=True)), path)
        self.graph.line = line
        return value

    def call_whole(self, call: Call, fn: FunctionType) -> Value:
        """A function of Python's integers: those of a narrow dtype do not wrap in it."""
        if fn in (integers.gcd, integers.lcm) and len(call.args) > 2:
            first, second, *others = call.args
            pair = self.call_whole(call.of(fn, first, second), fn)
            return self.call_whole(call.of(fn, pair, *others, **call.kwargs), fn)
        values = call.in_order(fn)
        if any(isinstance(v, Node) and v.kind == "f" for v in values):
            call.refuse(
                f"{fn.__name__}() is for integers", "make them integers with int()", KindError
            )
        if all(isinstance(v, Node) and v.op == "const" for v in values):
            numbers = [int(v.data) for v in values]
            exact = fn in (integers.comb, integers.perm) and 0 <= numbers[-1] <= numbers[0]
            return self.graph.const((getattr(math, fn.__name__) if exact else fn)(*numbers))
        wide = [
            self.graph.cast(v, "int64") if isinstance(v, Node) and v.kind != "uint64" else v
            for v in values
        ]
        return self.compose(fn, wide, call.path)


# Constant whole exponents up to this are products by squaring. These are what x to the n is for an
# x that is off by less than half a unit in its last place, which is what x is known to.
MAX_POWER = 512


class Builtins(Texts):
    """Mixed into Tracer."""

    def operation(self, call: Call, operation: tuple[str, object]) -> Value:
        """The value of a known function."""
        sort, detail = operation
        name, args, kwargs = str(detail), call.args, call.kwargs
        if sort == "composed":
            return self._composed(call, cast("FunctionType", detail))
        if sort == "whole":
            return self.call_whole(call, cast("FunctionType", detail))
        if sort == "static":
            return self._known(call, detail)
        if detail in ("float", "int") and args and isinstance(args[0], Static):
            return self._known(call, float if detail == "float" else int)
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
            self.check_power(call.node, nodes[0], nodes[1], call.path)
        if sort == "operator":
            return self._operator(name, nodes, call.path)
        if name == "hypot" and len(args) != 2:
            first, *others = args or [self.graph.const(0.0)]
            legs = [self.graph.absolute(self.graph.float(first)), *others]
            return functools.reduce(lambda a, b: self.graph.call("hypot", a, b), legs)
        if sort in ("call", "to_int"):
            return self._call_math(call, name, to_int=sort == "to_int")
        function, least, most = _BUILTINS.get(name) or (_cast(name), 1, 1)
        if not least <= len(args) <= most:
            some = f"at least {least}" if most > least else least
            what = f"{call.name}() takes {some} arguments, not {len(args)}"
            call.refuse(what, "give as many numbers, or min() and max() a tuple")
        return function(self, *args, path=call.path)

    def _composed(self, call: Call, fn: FunctionType) -> Value:
        if fn.__module__ == integers.__name__:
            if any(isinstance(v, Node) and v.kind == "f" for v in call.values):
                problem = f"{fn.__name__}() is for integers"
                call.refuse(problem, "make them integers with int()", KindError)
            if all(isinstance(v, Node) and v.op == "const" for v in call.values):
                return self.graph.const(fn(*(int(v.data) for v in call.values)))
        return call.text(fn)

    def _known(self, call: Call, fn: Any) -> Value:
        """A function of texts, types and literals: `float("inf")`, `np.finfo(float)`."""
        args = call.args
        values = [a.value if isinstance(a, Static) else getattr(a, "data", a) for a in args]
        if not all(isinstance(a, Static) or getattr(a, "op", "") == "const" for a in args):
            call.refuse(f"{call.name}() needs constants", "compute it before the call")
        try:
            return self.constant(fn(*values), call.node)
        except (TypeError, ValueError) as error:
            call.refuse(str(error), "give a number, or text such as 'inf' or 'nan'")

    def power(self, a: Node, b: Node, path: Node) -> Value:
        """`a ** b`; small constant integer exponents become products."""
        graph = self.graph
        exponent = b.data if b.op == "const" else None
        folded = _constant_power(a, b)
        if folded is not None:
            return graph.const(folded)
        if is_boolean(a.kind):
            a = graph.cast(a, _NUMBERS.get(kind := promote(a.kind, b.kind), kind))
        if exponent is not None and float(exponent).is_integer() and abs(exponent) <= MAX_POWER:
            if isinstance(exponent, float) or b.kind == "f":
                a = graph.float(a)
            if exponent >= 0:
                power = self._product(a, int(exponent))
                if a.kind != "f" and exponent > 2:  # Python's integers do not end at 64 bits
                    graph.wide[power.id] = self._product(graph.float(a), int(exponent))
                return power
            whole = self._product(graph.float(a), -int(exponent))
            return graph.arithmetic("div", graph.const(1.0), whole)
        if is_fraction(b) and "f" not in (a.kind, b.kind):
            a = graph.float(a)
        if a.kind == "f" or b.kind == "f":
            if exponent == 0.5:
                return graph.call("sqrt", a)
            if exponent == -0.5:
                return graph.call("rsqrt", a)
            return graph.call("pow", a, b)
        kind = promote(a.kind, b.kind)
        a, b = graph.cast(a, kind), graph.cast(b, kind)
        if kind == "f":  # int64 with uint64
            return graph.call("pow", a, b)
        return self.compose(composed.integer_power, [a, b], path)

    def check_power(self, node: ast.expr, base: Value, exponent: Value, path: Node) -> None:
        """Raise for the elements where an integer power is a fraction, or has too many bits."""
        if not isinstance(base, Node) or not isinstance(exponent, Node):
            return
        graph, kind = self.graph, promote(base.kind, exponent.kind)
        if exponent.op == "const" or is_fraction(exponent) or kind == "f":
            return
        words, (low, high) = ": write float(x) ** n", Intervals(graph, path).of(exponent)
        if low < 0:
            below = graph.compare("lt", exponent, graph.const(0))
            what = f"an integer to a negative power is a float{words}"
            self.raises_lookup(node, ValueError, what, below)
        most: float = 1
        if base.op == "const":
            powers = (abs(base.data) ** (n + 1) >> 63 for n in range(63))
            most = next((n for n, over in enumerate(powers) if over), math.inf)
        if high <= most or kind not in ("b", "i", "int64"):  # others wrap as in NumPy
            return
        large = graph.compare("gt", exponent, graph.const(most))
        if base.op != "const":
            value = graph.call("pow", graph.float(graph.absolute(base)), graph.float(exponent))
            limit = graph.const(2.0**63 * (1 - 2.0**-40))  # no other power lies so near
            large = graph.logical_and(large, graph.compare("ge", value, limit))
        what = f"an integer power of more than 64 bits{words}"
        self.raises_lookup(node, OverflowError, what, large)

    def _product(self, a: Node, n: int) -> Node:
        """`a ** n` by squaring."""
        graph = self.graph
        result: Node | None = None
        while n:
            if n & 1:
                result = a if result is None else graph.arithmetic("mul", result, a)
            n >>= 1
            if n:
                a = graph.arithmetic("mul", a, a)
        return result if result is not None else graph.cast(graph.const(1), a.kind)

    def divide_floor(self, op: str, a: Node, b: Node, path: Node) -> Value:
        """`//` and `%`, with the divisor's sign as in Python."""
        graph = self.graph
        if a.kind == b.kind == "bool":
            a, b = graph.cast(a, "int8"), graph.cast(b, "int8")
        if "f" in (a.kind, b.kind):
            a, b = graph.float(a), graph.float(b)
            if op == "mod" and b.op == "const" and b.data == 1:  # rounded once, as `fmod(a, 1) + 1`
                return graph.arithmetic("sub", a, graph.call("floor", a))
            fn = composed.floor_divide if op == "floordiv" else composed.remainder
            return self.compose(fn, [a, b], path)
        result = graph.arithmetic(op, a, b)
        if result.kind == "f":  # int64 with uint64
            return self.divide_floor(op, graph.float(a), graph.float(b), path)
        return result

    def _operator(self, op: str, args: list[Node], path: Node) -> Value:
        if op in ("neg", "invert"):
            return self.graph.negate(args[0]) if op == "neg" else self.graph.invert(args[0])
        return self.binary(op, args[0], args[1], path)

    def _call_math(self, call: Call, name: str, *, to_int: bool) -> Value:
        graph, args, expected = self.graph, call.args, FUNCTIONS[name].arity
        if len(args) != expected:
            what = f"{call.name}() takes {expected} argument{'s'[: expected - 1]}"
            call.refuse(f"{what}, {len(args)} were given", "give as many numbers")
        if name in ROUNDING and args[0].kind != "f":
            return args[0]
        result = graph.call(name, *args)
        return graph.cast(result, "i") if to_int else result

    # built-ins by name ------------------------------------------------------------------------

    def _floating(self, a: Node, path: Node) -> Node:
        # a call says that NumPy's function of an integer is meant, which gives the smallest
        # float that holds it; of whole numbers `trunc` is the identity
        return a if a.kind == "f" else self.graph.call("trunc", a)

    def _square(self, a: Node, path: Node) -> Node:
        a = self.graph.cast(a, "int8") if a.kind == "bool" else a
        return self.graph.arithmetic("mul", a, a)

    def _reciprocal(self, a: Node, path: Node) -> Value:
        if a.kind == "f":
            return self.graph.arithmetic("div", self.graph.const(1.0), a)
        kind = _NUMBERS.get(a.kind, a.kind)
        whole = self.compose(composed.integer_reciprocal, [self.graph.cast(a, kind)], path)
        return self.graph.cast(whole, kind)

    def _npfmod(self, a: Node, b: Node, path: Node) -> Value:
        kind = promote(a.kind, b.kind)
        if kind == "f":
            return self.graph.call("fmod", a, b)
        kind = _NUMBERS.get(kind, kind)
        a, b = self.graph.cast(a, kind), self.graph.cast(b, kind)
        return self.compose(composed.integer_fmod, [a, b], path)

    def extreme(self, op: str, args: Sequence[Node]) -> Node:
        """The least ("lt") or the largest ("gt") of numbers."""
        graph, result = self.graph, args[0]
        for other in args[1:]:
            result = graph.select(graph.compare(op, other, result), other, result)
        return result

    def _pow(self, a: Node, b: Node, mod: Node | None = None, *, path: Node) -> Value:
        if mod is None:
            return self.power(a, b, path)
        if "f" in (a.kind, b.kind, mod.kind):
            raise TypeError("pow() to a modulus is for integers (as in Python)")
        wide = [self.graph.cast(n, "i") for n in (a, b, mod)]
        return self.compose(integers.power_modulo, wide, path)

    def _int(self, a: Node, path: Node) -> Node:
        if a.kind == "f":
            a = self.graph.call("trunc", a)
        return self.graph.cast(a, "i")

    def _round(self, a: Node, digits: Node | None = None, *, path: Node) -> Value:
        if digits is not None:
            return self._round_to(a, digits, path, composed.decimal)
        if a.kind != "f":
            return a
        return self.graph.cast(self.graph.call("round", a), "i")

    def _round_to(self, a: Node, digits: Node, path: Node, fn: Any = composed.round_to) -> Value:
        graph = self.graph
        if a.kind == "f":
            return self.compose(fn, [a, digits], path)
        kept = graph.compare("ge", digits, graph.const(0))
        if kept.op == "const" and kept.data:
            return a
        whole = cast("Node", self.compose(composed.round_to, [graph.float(a), digits], path))
        return graph.select(kept, a, graph.cast(whole, a.kind))

    def _npround(self, a: Node, digits: Node | None = None, *, path: Node) -> Value:
        """`np.round`: unlike Python's `round` it keeps the dtype, of bool it makes floats."""
        if a.kind == "bool":
            a = self._floating(a, path)
        if digits is not None:
            return self._round_to(a, digits, path)
        return self.graph.call("round", a) if a.kind == "f" else a

    def _divmod(self, a: Node, b: Node, path: Node) -> Value:
        return self.divide_floor("floordiv", a, b, path), self.divide_floor("mod", a, b, path)

    def _isnan(self, a: Node, path: Node) -> Node:
        return self.graph.compare("ne", a, a) if a.kind == "f" else self.graph.const(False)

    def _signbit(self, a: Node, path: Node) -> Node:
        one = self.graph.call("copysign", self.graph.const(1.0), a)
        return self.graph.compare("lt", one, self.graph.const(0.0))

    def _sign(self, a: Node, path: Node) -> Value:
        if a.kind == "f":
            return self.graph.call("sign", a)
        if a.kind == "bool":
            raise TypeError("sign of a boolean is not defined (as in NumPy): cast it to int")
        return self.graph.cast(self.compose(composed.integer_sign, [a], path), a.kind)

    def _log(self, a: Node, base: Node | None = None, *, path: Node) -> Value:
        if base is None:
            return self.graph.call("log", a)
        return self.compose(composed.log_base, [self.graph.float(a), self.graph.float(base)], path)


def is_fraction(exponent: Node) -> bool:
    """Whether an integer power is a float in Python: `10 ** -n`, `2 ** (-3 * n)`."""
    factors = exponent.args if exponent.op == "mul" else ()
    return exponent.op == "neg" or any(n.op == "const" and n.data < 0 for n in factors)


def _constant_power(a: Node, b: Node) -> float | int | None:
    """`a ** b` of two literals as Python computes it; None where it raises or is complex."""
    if not (a.op == b.op == "const") or a.kind not in _WEAK or b.kind not in _WEAK:
        return None
    try:
        value = a.data**b.data
    except (ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, (int, float)) else None


_WEAK = ("b", "i", "f")
_NUMBERS = {"bool": "int8", "b": "i"}  # what a bool becomes where NumPy wants a number
_MANY = 100
_Function = Callable[..., Value]  # of what captures, numbers and the path


def _cast(name: str) -> _Function:
    if name in ("float16", "float32"):
        return lambda own, a, path: own.graph.narrow(a, name)
    kind = {"bool_": "bool", "float64": "f"}.get(name, name)
    assert kind in ("f", "bool") or kind in INTEGERS, name
    return lambda own, a, path: own.graph.cast(a, kind)


def _below_infinity(op: str, *, of_integers: bool) -> _Function:
    """How the absolute value of a number compares to infinity."""

    def compared(own: Builtins, a: Node, path: Node) -> Node:
        graph = own.graph
        if a.kind != "f":
            return graph.const(of_integers)
        return graph.compare(op, graph.absolute(a), graph.const(math.inf))

    return compared


def _of_truths(op: str) -> _Function:
    return lambda own, *args, path: getattr(own.graph, op)(*map(own.graph.truth, args))


# name -> the function, and the least and the largest number of arguments
_BUILTINS: dict[str, tuple[_Function, int, int]] = {
    "abs": (lambda own, a, path: own.graph.absolute(a), 1, 1),
    "fabs": (lambda own, a, path: own.graph.absolute(own._floating(a, path)), 1, 1),
    "floating": (Builtins._floating, 1, 1),
    "square": (Builtins._square, 1, 1),
    "reciprocal": (Builtins._reciprocal, 1, 1),
    "sign": (Builtins._sign, 1, 1),
    # unlike `np.round` it makes floats of integers
    "rint": (lambda own, a, path: own.graph.call("round", a), 1, 1),
    "round": (Builtins._round, 1, 2),
    "npround": (Builtins._npround, 1, 2),
    "float": (lambda own, a, path: own.graph.float(a), 1, 1),
    "int": (Builtins._int, 1, 1),
    "bool": (lambda own, a, path: own.graph.truth(a), 1, 1),
    "min": (lambda own, *args, path: own.extreme("lt", args), 2, _MANY),
    "max": (lambda own, *args, path: own.extreme("gt", args), 2, _MANY),
    "pow": (Builtins._pow, 2, 3),
    "fpow": (lambda own, a, b, path: own.power(own.graph.float(a), b, path), 2, 2),
    "divmod": (Builtins._divmod, 2, 2),
    "npfmod": (Builtins._npfmod, 2, 2),
    "log": (Builtins._log, 1, 2),
    "where": (lambda own, cond, a, b, path: own.graph.select(own.graph.truth(cond), a, b), 3, 3),
    "isnan": (Builtins._isnan, 1, 1),
    "isinf": (_below_infinity("eq", of_integers=False), 1, 1),
    "isfinite": (_below_infinity("lt", of_integers=True), 1, 1),
    "signbit": (Builtins._signbit, 1, 1),
    "logical_and": (_of_truths("logical_and"), 2, 2),
    "logical_or": (_of_truths("logical_or"), 2, 2),
    "logical_not": (_of_truths("logical_not"), 1, 1),
    "logical_xor": (
        lambda own, a, b, path: own.graph.bitwise("bxor", own.graph.truth(a), own.graph.truth(b)),
        *(2, 2),
    ),
}
