"""The scalar graph: the computation of a scalar function, operation by operation.

An operation returns a node, or a simpler node known to be equal. The simplifications are exact in
IEEE arithmetic, including NaN, infinities and signed zeros.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.kernel_errors import Raised
from nbgraph.kernels.scalar.kinds import BOOLEAN, INTEGERS, is_boolean, is_integer, promote
from nbgraph.kernels.scalar.nodes import GROWING, Node, Nodes, Region
from nbgraph.kernels.scalar.tables import Table

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
}
BITWISE: dict[str, Callable[[Any, Any], Any]] = {
    "band": operator.and_,
    "bor": operator.or_,
    "bxor": operator.xor,
    "shl": operator.lshift,
    "shr": operator.rshift,
}
_MIRROR = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


class Graph(Nodes):
    """Operations over nodes, with NumPy's kinds, folded and simplified without running them."""

    def const(self, value: object) -> Node:
        """Return a literal: bool, int or float, weak as in NEP 50."""
        if isinstance(value, (bool, np.bool_)):
            return self.node("const", (), "b", bool(value))
        if isinstance(value, (int, np.integer)):
            return self.node("const", (), "i", int(value))
        return self.node("const", (), "f", float(value))  # type: ignore[arg-type]

    def cast(self, a: Node, kind: str) -> Node:
        """Return `a` as another kind; a weak constant becomes one of that kind."""
        if a.kind == kind:
            return a
        if a.op == "const":
            if kind == "f":
                return self.const(float(a.data))
            if kind == "i":
                return self.const(int(a.data))
            if is_boolean(kind):
                return self.node("const", (), kind, bool(a.data))
            if a.kind in ("i", "b"):
                info = np.iinfo(kind)
                if not info.min <= a.data <= info.max:
                    raise OverflowError(f"the integer {a.data} does not fit into {kind}")
                return self.node("const", (), kind, int(a.data))
        if kind == "f" and a.id in self.wide:
            return self.wide[a.id]
        if kind == "f" and a.op == "cast" and a.args[0].op == "call" and a.args[0].data in _ROUNDED:
            return a.args[0]  # float(int(floor(x))): the rounded value itself
        if is_boolean(kind):
            if is_boolean(a.kind):
                return self.node("cast", (a,), kind)
            return self.cast(self.compare("ne", a, self.const(0)), kind)
        return self.node("cast", (a,), kind)

    def narrow(self, a: Node, dtype: str) -> Node:
        """Return `a` rounded to a float dtype; later operations keep the kernel's precision."""
        a = self.float(a)
        if a.op == "const":
            with np.errstate(all="ignore"):
                return self.const(np.dtype(dtype).type(a.data))
        known = a.op == "narrow" and a.data in (dtype, "float16")
        return a if known else self.node("narrow", (a,), "f", dtype)

    def float(self, a: Node) -> Node:
        """Return `a` as a floating value."""
        return self.cast(a, "f")

    def arithmetic(self, op: str, a: Node, b: Node) -> Node:
        """Return `add`, `sub`, `mul`, `div`, `floordiv` or `mod`, with NumPy's result kind."""
        whole = op == "mod" and b.op == "const" and b.data == _BEYOND and a.op != "const"
        if whole and a.kind in ("i", "int64", "uint64"):
            return self.cast(a, "uint64")
        a, b = _as_unsigned(self, a, b) if op in ("add", "sub", "mul") else (a, b)
        kind = "f" if op == "div" else promote(a.kind, b.kind)
        if kind == "bool":
            return self._boolean_arithmetic(op, a, b)
        a = a if a.kind == kind else self.cast(a, kind)
        b = b if b.kind == kind else self.cast(b, kind)
        folded = self._fold(op, a, b, kind) if a.op == b.op == "const" else None
        if folded is not None:
            return folded
        simple = self._simplify(op, a, b)
        if simple is not None:
            return simple
        if op in ("add", "mul") and a.op != "const" and (b.op == "const" or a.id > b.id):
            a, b = b, a
        node = self.node(op, (a, b), kind)
        large = kind != "f" and (a.id in self.wide or b.id in self.wide)
        if large and op in ("add", "sub", "mul"):
            self.wide[node.id] = self.arithmetic(op, self.float(a), self.float(b))
        return node

    def _boolean_arithmetic(self, op: str, a: Node, b: Node) -> Node:
        logic = {"add": "bor", "mul": "band"}
        if op not in logic:
            raise TypeError(f"{op} of two booleans is not defined (as in NumPy): cast one to int")
        return self.node(logic[op], (self.cast(a, "bool"), self.cast(b, "bool")), "bool")

    def _fold(self, op: str, a: Node, b: Node, kind: str) -> Node | None:
        if kind not in ("f", "i"):
            return None
        try:
            if kind == "f" and op == "div":
                with np.errstate(all="ignore"):
                    return self.const(float(np.float64(a.data) / np.float64(b.data)))
            return self.const(ARITHMETIC[op](a.data, b.data))
        except (ZeroDivisionError, OverflowError):
            return None

    def _simplify(self, op: str, a: Node, b: Node) -> Node | None:
        value_a = a.data if a.op == "const" else None
        value_b = b.data if b.op == "const" else None
        if op == "add":
            return self._simplify_add(a, b, value_a, value_b)
        if op == "sub":
            if value_b == 0 and not _is_negative_zero(value_b):
                return a
            if b.op == "neg":
                return self.arithmetic("add", a, b.args[0])
        elif op == "mul":
            for one, other in ((value_a, b), (value_b, a)):
                if one == 1:
                    return other
                if one == -1:
                    return self.negate(other)
            for x, y in ((a, b), (b, a)):
                if x.op == "neg" and x.kind == "f":
                    return self.negate(self.arithmetic("mul", x.args[0], y))
        elif op == "div":
            if value_b == 1:
                return a
            if value_b == -1:
                return self.negate(a)
            if a.op == "neg":
                return self.negate(self.arithmetic("div", a.args[0], b))
        return None

    def _simplify_add(self, a: Node, b: Node, value_a: Any, value_b: Any) -> Node | None:
        for zero, other in ((value_a, b), (value_b, a)):
            if zero == 0 and (other.kind != "f" or _is_negative_zero(zero)):
                return other
        if a is b and a.kind == "f":
            return self.arithmetic("mul", self.const(2.0), a)
        if b.op == "neg":
            return self.arithmetic("sub", a, b.args[0])
        if a.op == "neg":
            return self.arithmetic("sub", b, a.args[0])
        return None

    def negate(self, a: Node) -> Node:
        """Return `-a`."""
        if a.kind == "bool":
            raise TypeError("negative of a boolean is not defined (as in NumPy): use `not`")
        if a.kind == "b":
            a = self.cast(a, "i")
        if a.op == "const" and a.kind in ("f", "i"):
            return self.const(-a.data)
        if a.op == "neg":
            return a.args[0]
        if a.op == "sub" and a.kind == "f" and a.args[0].op == "const" and a.args[0].data == 0:
            pass  # -(0 - x) is -0.0, not x, where x is 0.0
        return self.node("neg", (a,), a.kind)

    def absolute(self, a: Node) -> Node:
        """Return `abs(a)`."""
        if is_boolean(a.kind):
            return self.cast(a, "i") if a.kind == "b" else a
        if a.op == "const":
            return self.node("const", (), a.kind, abs(a.data))
        return a if a.op == "abs" else self.node("abs", (a,), a.kind)

    def compare(self, op: str, a: Node, b: Node) -> Node:
        """Return `lt`, `le`, `gt`, `ge`, `eq` or `ne` of two values: a Python bool."""
        if a.op == b.op == "const":
            return self.const(bool(COMPARISONS[op](a.data, b.data)))
        kind = promote(a.kind, b.kind)
        if a.op == "const":
            a, b, op = b, a, _MIRROR[op]
        if b.op != "const" and is_integer(a.kind) and is_integer(b.kind):
            if "i" in (a.kind, b.kind) and kind != "i":  # a Python int may not fit the dtype
                kind = "f" if kind == "uint64" else "int64"
            if kind == "f":
                return self._compare_signs(op, a, b)
        try:
            a, b = self.cast(a, kind), self.cast(b, kind)
        except OverflowError:  # a literal outside the dtype, so the order is known (as in NumPy)
            above = b.data > 0
            return self.const(op == "ne" or op in (("lt", "le") if above else ("gt", "ge")))
        return self.node(op, (a, b), "b")

    def _compare_signs(self, op: str, a: Node, b: Node) -> Node:
        """Compare a signed 64-bit integer with uint64 exactly, as NumPy does."""
        if a.kind == "uint64":
            a, b, op = b, a, _MIRROR[op]
        below = self.compare("lt", a, self.const(0))
        same = self.node(op, (self.cast(a, "uint64"), b), "b")
        if op in ("lt", "le", "ne"):
            return self.logical_or(below, same)
        return self.logical_and(self.logical_not(below), same)

    def bitwise(self, op: str, a: Node, b: Node) -> Node:
        """Return `&`, `|`, `^`, `<<` or `>>` of integers or booleans."""
        a, b = _as_unsigned(self, a, b)
        kind = promote(a.kind, b.kind)
        if not self.unsigned and {a.kind, b.kind} == {"int64", "uint64"}:
            kind = "uint64"  # as for NumPy's arrays
        if a.kind == b.kind == "b" and op in ("band", "bor", "bxor"):
            kind = "b"
        if kind == "f":
            raise TypeError("operations on bits are not defined for floating-point numbers")
        if kind == "bool" and op in ("shl", "shr"):
            kind = "int8"
        a, b = self.cast(a, kind), self.cast(b, kind)
        if a.op == b.op == "const":
            return self.node("const", (), kind, BITWISE[op](a.data, b.data))
        return self.node(op, (a, b), kind)

    def invert(self, a: Node) -> Node:
        """Return `~a`: the bits of an integer inverted, or logical not of a bool."""
        if is_boolean(a.kind):
            return self.cast(self.logical_not(self.truth(a)), a.kind)
        if a.kind == "f":
            raise TypeError("operations on bits are not defined for floating-point numbers")
        return self.node("invert", (a,), a.kind)

    def truth(self, a: Node) -> Node:
        """Return `bool(a)`, as a Python bool."""
        if a.kind == "bool":
            return self.node("cast", (a,), "b")
        return self.cast(a, "b")

    def logical_and(self, a: Node, b: Node) -> Node:
        """Return `a and b` of two truth values."""
        return self._logic("and", a, b)

    def logical_or(self, a: Node, b: Node) -> Node:
        """Return `a or b` of two truth values."""
        return self._logic("or", a, b)

    def _logic(self, op: str, a: Node, b: Node) -> Node:
        decisive = op == "or"
        for x, other in ((a, b), (b, a)):
            if x.op == "const":
                return x if bool(x.data) is decisive else other
        if self.logical_not(a) is b:
            return self.const(decisive)
        return a if a is b else self.node(op, (a, b), "b")

    def logical_not(self, a: Node) -> Node:
        """Return `not a` of a truth value."""
        if a.op == "const":
            return self.const(not a.data)
        return a.args[0] if a.op == "not" else self.node("not", (a,), "b")

    def select(self, cond: Node, a: Node, b: Node) -> Node:
        """Return `a if cond else b`; two kinds are promoted, a bool with a number is 0 or 1."""
        if cond.op == "const":
            return a if cond.data else b
        if cond.op == "not":
            return self.select(cond.args[0], b, a)
        if a.kind != b.kind:
            both = is_boolean(a.kind) and is_boolean(b.kind)
            kind = "bool" if both else promote(a.kind, b.kind)
            a, b = self.cast(a, kind), self.cast(b, kind)
        for side in (a, b) if a.kind == "i" else ():
            if side.op == "const" and abs(side.data) >= _BEYOND:
                self.cast(side, "int64")  # raises
        if b.op == "select" and b.args[0] is cond:
            b = b.args[2]
        if a.op == "select" and a.args[0] is cond:
            a = a.args[1]
        if a is b:
            return a
        if a.kind == "b":
            return self._select_truth(cond, a, b)
        return self.node("select", (cond, a, b), a.kind)

    def _select_truth(self, cond: Node, a: Node, b: Node) -> Node:
        """Return a select of truth values as logical operations."""
        a = self.const(True) if a is cond else a
        b = self.const(False) if b is cond else b
        if a.op == "const":
            if a.data:
                return self.logical_or(cond, b)
            return self.logical_and(self.logical_not(cond), b)
        if b.op == "const":
            if b.data:
                return self.logical_or(self.logical_not(cond), a)
            return self.logical_and(cond, a)
        return self.node("select", (cond, a, b), "b")

    def check(self, a: Node, invalid: Node, raised: Raised) -> Node:
        """Return `a`; an element for which `invalid` holds ends the kernel with an error."""
        if invalid.op == "const" and not invalid.data:
            return a
        if raised not in self.raises:
            self.raises.append(raised)
        return self.node("check", (a, invalid), a.kind, raised)

    def call(self, name: str, *args: Node) -> Node:
        """Return a function of `vector_math` over floating values."""
        return self.node("call", [self.float(a) for a in args], "f", name)

    def gather(self, table: Table, index: Node) -> Node:
        """Return the entry of a table at an index that lies within it."""
        if index.op == "const":
            return self.cast(self.const(table.values[index.data]), table.kind)
        return self.node("gather", (self.cast(index, "i"),), table.kind, table)


def unchecked(node: Node) -> Node:
    """Return a node without the checks around it."""
    while node.op == "check":
        node = node.args[0]
    return node


_ROUNDED = ("floor", "ceil", "trunc", "round")
_BEYOND = 1 << 64


def _as_unsigned(graph: Graph, a: Node, b: Node) -> tuple[Node, Node]:
    """Return both operands as uint64 if one is a literal beyond int64, as in hash functions: the
    lower 64 bits equal those of Python's integers."""
    for x, y in ((a, b), (b, a)):
        beyond = x.op == "const" and x.kind == "i" and _BEYOND >> 1 <= x.data < _BEYOND
        if beyond and y.op != "const" and y.kind in ("i", "int64"):
            return graph.cast(a, "uint64"), graph.cast(b, "uint64")
    return a, b


def _is_negative_zero(value: object) -> bool:
    return isinstance(value, float) and value == 0 and math.copysign(1.0, value) < 0


__all__ = [
    "ARITHMETIC",
    "BITWISE",
    "BOOLEAN",
    "COMPARISONS",
    "GROWING",
    "INTEGERS",
    "Graph",
    "Node",
    "Region",
    "is_boolean",
    "is_integer",
    "unchecked",
]
