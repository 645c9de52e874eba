"""Python objects that are not numbers: what is computed with them while a function is captured."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from enum import Flag
from types import BuiltinMethodType, UnionType
from typing import Any

import numpy as np

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import composed
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.survey import unsurveyed
from nbgraph.kernels.capture.values import Choice, Env, Static, Value
from nbgraph.kernels.kinds import is_integer
from nbgraph.kernels.scalar import Node


class UnknownText:
    """A string that is made of numbers: it may be shown, but nothing depends on it."""

    def __repr__(self) -> str:
        return "a string made of numbers"


class Digits(UnknownText):
    """`str(n)` of an integer, or `bin(n)`, whose digits are counted, added and turned by loops.

    `count`: how many there are, where that is not told by the number: those of `str(n)[::-1]`.
    """

    def __init__(
        self, number: Node, base: int = 10, count: Node | None = None, *, prefix: bool = False
    ) -> None:
        self.number, self.base, self.size, self.prefix = number, base, count, prefix

    def count(self, digit: str) -> int:
        """How often a digit is there: a text that is captured."""
        return sum(1 for d in (self[2:] if self.prefix else self) if d == digit)  # type: ignore[index,attr-defined]

    def refuse_negative(self, tracer: Tracer, node: ast.AST) -> None:
        """Note that what is read as digits begins with the sign of a negative number."""
        negative = tracer.graph.compare("lt", self.number, tracer.graph.const(0))
        tracer.raises(node, ValueError, "invalid literal for int() with base 10: '-'", negative)

    def length(self, tracer: Tracer, path: Node) -> Node:
        """How many characters there are."""
        base = tracer.graph.const(self.base)
        return self.size or tracer.compose(composed.digit_count, [self.number, base], path)

    def part(self, tracer: Tracer, node: ast.Subscript, path: Node) -> Digits | None:
        """What a slice gives that is known: all of it backwards, or what follows `0b`."""
        text = ast.unparse(node.slice)
        if text == "2:" and self.prefix:
            return Digits(self.number, self.base)
        if text != "::-1" or self.prefix:
            return None
        self.refuse_negative(tracer, node)
        base = tracer.graph.const(self.base)
        turned = tracer.compose(composed.turned_digits, [self.number, base], path)
        return Digits(turned, self.base, self.length(tracer, path))


TEXT = (str, UnknownText)
_OPERATED = (type, UnionType, Flag)
CONVERSIONS: dict[int, Callable[[Any], Any]] = {ord("s"): str, ord("r"): repr, ord("a"): ascii}
_TEXTS = (str, repr, format, ascii, bin, hex, oct, chr)
_PURE: dict[object, Callable[..., Any]] = {
    fn: fn for fn in (*_TEXTS, np.finfo, np.iinfo, np.dtype, len, ord, int, float, bool, issubclass)
}
_UNKNOWN = (TypeError, ValueError, KeyError, IndexError, AttributeError)
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "mul": operator.mul,
    "mod": operator.mod,
    "bor": operator.or_,
    "band": operator.and_,
    "bxor": operator.xor,
}


def known(value: Value) -> tuple[Any] | None:
    """The Python object that a value is, in a tuple; None where it depends on values."""
    if isinstance(value, Static):
        return None if isinstance(value.value, UnknownText) else (value.value,)
    if isinstance(value, Node):
        return (value.data,) if value.op == "const" else None
    if isinstance(value, tuple):
        parts = [known(part) for part in value]
        return None if None in parts else (tuple(part[0] for part in parts if part),)
    return None


def are_objects(a: Value, b: Value) -> bool:
    """Whether a binary operation is one of strings, or the union of two types."""
    if is_text(a) or is_text(b):
        return True
    return all(isinstance(v, Static) and isinstance(v.value, _OPERATED) for v in (a, b))


def is_text(value: Value) -> bool:
    """Whether a value is a string, which may be one that is not known."""
    return isinstance(value, Static) and isinstance(value.value, TEXT)


def apply(call: Call) -> Value | None:
    """Return what a function without effects gives for known values; None for any other."""
    target, args, kwargs = call.target, call.args, call.kwargs
    if len(args) == 1 and (found := _of_digits(call, target, args[0])) is not None:
        return found
    owner = getattr(target, "__self__", None) if isinstance(target, BuiltinMethodType) else None
    of_text = isinstance(owner, TEXT)
    texts = of_text or (callable(target) and target in _TEXTS)
    if not texts and not (type(target).__hash__ and target in _PURE):
        return None
    if len(args) == 1 and isinstance(choice := args[0], Choice):
        return choice.map(call.graph, lambda one, _: apply(call._replace(args=[one])))
    values = [known(value) for value in args]
    named = {name: known(value) for name, value in kwargs.items()}
    if None in values or None in named.values():
        return Static(UnknownText()) if texts else None
    if not texts and not any(isinstance(a, Static) for a in args):
        return None  # numbers have operations of their own
    try:
        result = target(*(v[0] for v in values if v), **{k: v[0] for k, v in named.items() if v})
    except _UNKNOWN as error:
        call.refuse(f"{ast.unparse(call.node)}: {error}", "check the arguments")
    return call.tracer.constant(result, call.node)


def digits_of(value: Value) -> Digits | None:
    """The digits of a number that a value is, without a prefix; None for other values."""
    found = value.value if isinstance(value, Static) else None
    return found if isinstance(found, Digits) and not found.prefix else None


def _of_digits(call: Call, target: object, value: Value) -> Value | None:
    """`str(n)` and `bin(n)` of an integer, `int()` and `len()` of these; None for others."""
    if target in (str, bin, Digits) and isinstance(value, Node) and is_integer(value.kind):
        one = call.graph.const(1) if target is Digits else None
        made = Digits(value, 2 if target is bin else 10, one, prefix=target is bin)
        return None if value.op == "const" and one is None else Static(made)
    if target in (int, len) and (digits := digits_of(value)) is not None:
        return digits.number if target is int else digits.length(call.tracer, call.path)
    return None


def characters(value: Value) -> Value:
    """A string as the tuple of its characters; any other value as it is."""
    if isinstance(value, Static) and isinstance(value.value, str):
        return tuple(map(Static, value.value))
    return value


def joined(value: Value) -> Value:
    """The string of characters that a slice gave; a single one as it is."""
    return Static("".join(c.value for c in value)) if isinstance(value, tuple) else value


def binary(tracer: Tracer, node: ast.expr, op: str, a: Value, b: Value) -> Value:
    """`+`, `*` and `%` of strings, `|` of types, bits of flags."""
    x, y = known(a), known(b)
    if op == "add" and not (is_text(a) and is_text(b)):
        tracer.number_of(node, b if is_text(b) else a)
    if op not in _BINARY:
        tracer.refuse(node, "this operation of strings is not understood", "join strings with +")
    if x is None or y is None:
        return Static(UnknownText())
    try:
        return tracer.constant(_BINARY[op](x[0], y[0]), node)
    except _UNKNOWN as error:
        tracer.refuse(node, str(error), "check the types")


def formatted(tracer: Tracer, node: ast.JoinedStr, env: Env, path: Node) -> Value:
    """An f-string; where a part depends on values, a string that is not known."""
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            text = _formatted(tracer, part, env, path)
            if text is None:
                return Static(UnknownText())
            parts.append(text)
        elif isinstance(part, ast.Constant):
            parts.append(str(part.value))
    return Static("".join(parts))


def _formatted(tracer: Tracer, part: ast.FormattedValue, env: Env, path: Node) -> str | None:
    try:
        with unsurveyed(tracer):
            value = known(tracer.expression(part.value, env, path))
            spec = part.format_spec and tracer.expression(part.format_spec, env, path)
    except CaptureError:
        return None  # it would only be shown
    known_spec = ("",) if spec is None else known(spec)
    if value is None or known_spec is None:
        return None
    shown = CONVERSIONS.get(part.conversion, lambda v: v)(value[0])
    try:
        return format(shown, known_spec[0])
    except _UNKNOWN:
        return None
