"""Calls of `math`, NumPy and built-in functions, and the operators that need more than a node."""

from __future__ import annotations

import ast
import functools
import math
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from nbgraph.kernels.capture import composed, integers
from nbgraph.kernels.capture.table import ROUNDING
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.texts import Texts
from nbgraph.kernels.capture.values import Static, Value
from nbgraph.kernels.kinds import INTEGERS, is_boolean, promote
from nbgraph.kernels.scalar import Node
from nbgraph.kernels.vector_math.names import ARITY

if TYPE_CHECKING:
    from nbgraph.kernels.capture.tracer import Tracer

# Constant whole exponents up to this are products by squaring. These are what x to the n is for an
# x that is off by less than half a unit in its last place, which is what x is known to.
MAX_POWER = 512


class Builtins(Texts):
    """Mixed into Tracer."""

    def operation(
        self,
        node: ast.Call,
        operation: tuple[str, object],
        args: list[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        """A known function applied to values."""
        sort, detail = operation
        if sort == "composed":
            return self._composed(node, cast("FunctionType", detail), args, kwargs, path)
        if sort == "whole":
            return self.call_whole(node, cast("FunctionType", detail), args, kwargs, path)
        if sort == "static":
            return self._known(node, detail, args)
        if detail in ("float", "int") and args and isinstance(args[0], Static):
            return self._known(node, float if detail == "float" else int, args)
        if detail in ("round", "npround"):  # `None` is the default of the second argument
            args = [a for a in (*args, *kwargs.values()) if getattr(a, "value", 0) is not None]
            kwargs = {}
        if kwargs:
            self.refuse(
                node,
                f"{ast.unparse(node.func)}() knows no keyword {next(iter(kwargs))!r} here",
                "give numbers by position; dtype= and out= belong to the call of the operator",
            )
        if not all(isinstance(a, Node) for a in args):
            what = f"{ast.unparse(node.func)}() takes numbers, and not all arguments are"
            self.refuse(node, what, "give numbers")
        if sort == "operator":
            return self._operator(str(detail), args, path)
        name = str(detail)
        if name == "hypot" and len(args) != 2:
            first, *others = args or [self.graph.const(0.0)]
            legs = [self.graph.absolute(self.graph.float(first)), *others]
            return functools.reduce(lambda a, b: self.graph.call("hypot", a, b), legs)
        if sort in ("call", "to_int"):
            self._count(node, args, ARITY[name])
            return self._call_math(name, args, to_int=sort == "to_int", path=path)
        method: Callable[..., Value] = getattr(self, f"_{name}", None) or self._convert(name)
        minimum, maximum = _ARITY.get(name, (1, 1))
        if not minimum <= len(args) <= maximum:
            least = "at least " if maximum > minimum else ""
            self.refuse(
                node,
                f"{name}() takes {least}{minimum} arguments, not {len(args)}",
                "give as many numbers, or min() and max() a tuple",
            )
        return method(*args, path=path)

    def _composed(
        self,
        node: ast.Call,
        fn: FunctionType,
        args: list[Value],
        kwargs: dict[str, Value],
        path: Node,
    ) -> Value:
        values = [*args, *kwargs.values()]
        if fn.__module__ == integers.__name__:
            if any(isinstance(v, Node) and v.kind == "f" for v in values):
                problem = f"{fn.__name__}() is for integers"
                self.refuse(node, problem, "make them integers with int()", KindError)
            if all(isinstance(v, Node) and v.op == "const" for v in values):
                return self.graph.const(fn(*(int(v.data) for v in values)))
        return self.call_text(node, fn, args, kwargs, path)

    def _known(self, node: ast.Call, fn: Any, args: list[Value]) -> Value:
        """A function of texts, types and literals: `float("inf")`, `np.finfo(float)`."""
        values = [a.value if isinstance(a, Static) else getattr(a, "data", a) for a in args]
        if not all(isinstance(a, Static) or getattr(a, "op", "") == "const" for a in args):
            what = f"{ast.unparse(node.func)}() needs constants"
            self.refuse(node, what, "compute it before the call")
        try:
            return cast("Tracer", self).constant(fn(*values), node)
        except (TypeError, ValueError) as error:
            self.refuse(node, str(error), "give a number, or text such as 'inf' or 'nan'")

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
                return self._product(a, int(exponent))
            if a.kind == "f":
                whole = self._product(a, -int(exponent))
                return graph.arithmetic("div", graph.const(1.0), whole)
            raise TypeError("integers to negative integer powers are not allowed (as in NumPy)")
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

    # helpers ----------------------------------------------------------------------------------

    def _count(self, node: ast.Call, args: list[Node], expected: int) -> None:
        if len(args) != expected:
            self.refuse(
                node,
                f"{ast.unparse(node.func)}() takes {expected} argument{'s'[: expected - 1]}, "
                f"{len(args)} were given",
                "give as many numbers",
            )

    def _operator(self, op: str, args: list[Node], path: Node) -> Value:
        if op in ("neg", "invert"):
            return self.graph.negate(args[0]) if op == "neg" else self.graph.invert(args[0])
        return cast("Tracer", self).binary(op, args[0], args[1], path)

    def _call_math(self, name: str, args: list[Node], *, to_int: bool, path: Node) -> Value:
        graph = self.graph
        if name in ROUNDING and args[0].kind != "f":
            return args[0]
        result = graph.call(name, *args)
        return graph.cast(result, "i") if to_int else result

    def _convert(self, name: str) -> Callable[..., Value]:
        if name in ("float16", "float32"):
            return lambda a, path: self.graph.narrow(a, name)
        kind = {"bool_": "bool", "float64": "f"}.get(name, name)
        assert kind in ("f", "bool") or kind in INTEGERS, name
        return lambda a, path: self.graph.cast(a, kind)

    # built-ins by name ------------------------------------------------------------------------

    def _abs(self, a: Node, path: Node) -> Node:
        return self.graph.absolute(a)

    def _fabs(self, a: Node, path: Node) -> Node:
        return self.graph.absolute(self._floating(a, path))

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

    def _rint(self, a: Node, path: Node) -> Node:
        """`np.rint`: unlike `np.round` it makes floats of integers."""
        return self.graph.call("round", a)

    def _min(self, *args: Node, path: Node) -> Node:
        return self._extreme("lt", args)

    def _max(self, *args: Node, path: Node) -> Node:
        return self._extreme("gt", args)

    def _extreme(self, op: str, args: tuple[Node, ...]) -> Node:
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

    def _fpow(self, a: Node, b: Node, path: Node) -> Value:
        return self.power(self.graph.float(a), b, path)

    def _float(self, a: Node, path: Node) -> Node:
        return self.graph.float(a)

    def _int(self, a: Node, path: Node) -> Node:
        if a.kind == "f":
            a = self.graph.call("trunc", a)
        return self.graph.cast(a, "i")

    def _bool(self, a: Node, path: Node) -> Node:
        return self.graph.truth(a)

    def _round(self, a: Node, digits: Node | None = None, *, path: Node) -> Value:
        if digits is not None:
            return self._round_to(a, digits, path)
        if a.kind != "f":
            return a
        return self.graph.cast(self.graph.call("round", a), "i")

    def _round_to(self, a: Node, digits: Node, path: Node) -> Value:
        graph = self.graph
        if a.kind == "f":
            return self.compose(composed.round_to, [a, digits], path)
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

    def _where(self, cond: Node, a: Node, b: Node, path: Node) -> Node:
        return self.graph.select(self.graph.truth(cond), a, b)

    def _isnan(self, a: Node, path: Node) -> Node:
        return self.graph.compare("ne", a, a) if a.kind == "f" else self.graph.const(False)

    def _isinf(self, a: Node, path: Node) -> Node:
        if a.kind != "f":
            return self.graph.const(False)
        infinity = self.graph.const(math.inf)
        return self.graph.compare("eq", self.graph.absolute(a), infinity)

    def _isfinite(self, a: Node, path: Node) -> Node:
        if a.kind != "f":
            return self.graph.const(True)
        infinity = self.graph.const(math.inf)
        return self.graph.compare("lt", self.graph.absolute(a), infinity)

    def _signbit(self, a: Node, path: Node) -> Node:
        graph = self.graph
        one = graph.call("copysign", graph.const(1.0), a)
        return graph.compare("lt", one, graph.const(0.0))

    def _logical_and(self, a: Node, b: Node, path: Node) -> Node:
        return self.graph.logical_and(self.graph.truth(a), self.graph.truth(b))

    def _logical_or(self, a: Node, b: Node, path: Node) -> Node:
        return self.graph.logical_or(self.graph.truth(a), self.graph.truth(b))

    def _logical_not(self, a: Node, path: Node) -> Node:
        return self.graph.logical_not(self.graph.truth(a))

    def _logical_xor(self, a: Node, b: Node, path: Node) -> Node:
        return self.graph.bitwise("bxor", self.graph.truth(a), self.graph.truth(b))

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
_ARITY = {
    "min": (2, _MANY),
    "max": (2, _MANY),
    "pow": (2, 3),
    "fpow": (2, 2),
    "divmod": (2, 2),
    "where": (3, 3),
    "round": (1, 2),
    "npround": (1, 2),
    "npfmod": (2, 2),
    "log": (1, 2),
    "logical_and": (2, 2),
    "logical_or": (2, 2),
    "logical_xor": (2, 2),
}
