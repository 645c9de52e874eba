"""Strings of digits: `str(n)` and `f"{n:08b}"` of an integer, their parts, several put together.

One is the integer, and how many digits there are where that says more than the number does. It is
counted, turned, cut and added by arithmetic; only what goes over the digits, or sorts them, has
them as a list.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from nbgraph.kernels.capture import composed, list_texts
from nbgraph.kernels.capture.containers import Resizable
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.lookups import entry_at
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Choice, Compound, Graph, Node, Optional, Static, Value
from nbgraph.kernels.scalar.kinds import is_boolean, is_integer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Digits(Compound):
    """A string of the digits of an integer: `str(n)`, `bin(n)`, parts of these, several together.

    `size`: how many there are; None where the number tells. `prefix`: whether `0b` or its like is
    before them.
    """

    joins = True

    number: Node
    size: Node | int | None = None
    base: int = 10
    prefix: bool = False

    @property
    def form(self) -> Any:  # type: ignore[override]
        """What is known of them."""
        size = self.size if isinstance(self.size, int) else self.size is None
        return "digits", self.base, self.prefix, size

    @property
    def parts(self) -> tuple[Value, ...]:
        """The number, and how many there are, where both are needed."""
        return (self.number, self.size) if isinstance(self.size, Node) else (self.number,)

    def of_parts(self, parts: Sequence[Value]) -> Digits:
        """Digits of the same form."""
        return replace(self, **dict(zip(("number", "size"), parts, strict=False)))

    def __repr__(self) -> str:
        return "a string of digits"

    def refuse_negative(self, tracer: Tracer, node: ast.AST) -> None:
        """Note that what is read as digits begins with the sign of a negative number."""
        negative = tracer.graph.compare("lt", self.number, tracer.graph.const(0))
        tracer.raises(node, ValueError, "invalid literal for int() with base 10: '-'", negative)

    def refuse_empty(self, call: Call) -> None:
        """Note that int() of no digits raises."""
        graph, size = call.graph, self.size
        if isinstance(size, Node) and Intervals(graph, call.path).of(size)[0] < 1:
            words, empty = (
                "invalid literal for int(): ''",
                graph.compare("lt", size, graph.const(1)),
            )
            call.tracer.raises(call.node, ValueError, words, empty)

    def length(self, tracer: Tracer, path: Node) -> Node:
        """How many characters there are."""
        graph, size = tracer.graph, self.size
        if size is None:
            size = tracer.compose(composed.digit_count, [self.number, graph.const(self.base)], path)
        size = graph.const(size) if isinstance(size, int) else size
        return graph.arithmetic("add", size, graph.const(2)) if self.prefix else size

    def characters(self, call: Call) -> Resizable:
        """Return the list of the digits, each a string."""
        if self.prefix:
            what = "the sign and the prefix of bin(), oct() and hex() are characters"
            call.refuse(what, "use bin(n)[2:]")
        graph, base = call.graph, call.graph.const(self.base)
        self.refuse_negative(call.tracer, call.node)
        length = self.length(call.tracer, call.path)
        powers = tuple(graph.const(self.base**k) for k in range(_MOST[self.base]))
        items: list[Value] = []
        for place in range(len(powers)):
            behind = graph.arithmetic("sub", length, graph.const(place + 1))
            inside = graph.compare("ge", behind, graph.const(0))
            power = entry_at(graph, powers, graph.select(inside, behind, graph.const(0)))
            digit = call.tracer.binary("floordiv", self.number, power, call.path)
            digit = call.tracer.binary("mod", digit, base, call.path)
            items.append(Digits(digit, 1, self.base))
        return Resizable(length, tuple(items), bounded=True)

    def part(self, call: Call, node: ast.Subscript) -> Digits | None:
        """What a slice gives that needs no list: all of it backwards, or what follows `0b`."""
        text = ast.unparse(node.slice)
        if text == "2:" and self.prefix:
            return Digits(self.number, self.size, self.base)
        return None if text != "::-1" or self.prefix else self.turned(call)

    def turned(self, call: Call) -> Digits:
        """Return all of it backwards."""
        self.refuse_negative(call.tracer, call.node)
        length = self.length(call.tracer, call.path)
        values = [self.number, call.graph.const(self.base), length]
        return replace(self, number=call.text(composed.turned_digits, *values), size=length)

    def method(self, call: Call, name: str) -> Value | None:
        """Return the value of a method; None for those that are not known."""
        if name in _ARE_DIGITS and not call.args:
            return call.graph.const(True)
        (value,) = call.args if len(call.args) == 1 else (None,)
        own = self.number, call.graph.const(self.base)
        sought = as_digits(call.graph, value, self.base)
        if name == "zfill" and isinstance(value, Node):
            self.refuse_negative(call.tracer, call.node)
            return replace(
                self, size=call.text(composed.maximum, self.length(call.tracer, call.path), value)
            )
        if sought is None:
            return None
        length = self.length(call.tracer, call.path)
        if name == "count" and sought.size == 1:
            zero = call.graph.compare("eq", sought.number, call.graph.const(0))  # that of 0b
            uses = call.text(composed.digit_uses, *own, length, sought.number)
            return call.graph.arithmetic("sub", uses, zero) if self.prefix else uses
        if name in _ENDS and isinstance(sought.size, int) and sought.size:
            return call.text(_ENDS[name], *own, length, *sought.pair(call.graph))
        return None

    def pair(self, graph: Graph) -> tuple[Node, Node]:
        """Return the number and how many digits it has, of those of which that is known."""
        return self.number, graph.const(self.size)


_MOST = {10: 19, 2: 63, 8: 21, 16: 16}  # digits of a number of 64 bits
_BASES: dict[Any, int] = {bin: 2, oct: 8, hex: 16}
_SPEC, _LETTERS = re.compile(r"(?:0(\d+))?([bdox]?)"), {"b": 2, "o": 8, "x": 16}
_FIELD = re.compile(r"\{(?::([^{}]*))?\}")  # of str.format
_ARE_DIGITS = ("isdigit", "isdecimal", "isnumeric")
_NUMBERS, _SIXTEEN = (int, float), "0123456789abcdef"
_ENDS = {"startswith": composed.begins_with, "endswith": composed.ends_with}
METHODS = (*_ARE_DIGITS, *_ENDS, "count", "zfill")


def digits_of(value: Value) -> Digits | None:
    """Return the digits of a number that a value is, without a prefix; None for other values."""
    return value if isinstance(value, Digits) and not value.prefix else None


def as_digits(graph: Graph, value: Value, base: int = 10) -> Digits | None:
    """Digits, or a string of the text that has nothing else; None for other values."""
    text = value.value if isinstance(value, Static) else None
    if isinstance(value, Choice) and len(value.options) == 1:
        text = value.options[0].value
    if isinstance(text, str) and len(text) <= _MOST[base] and not set(text) - set(_SIXTEEN[:base]):
        return Digits(graph.const(int(text or "0", base)), len(text), base)
    return digits_of(value)


def method(call: Call, owner: Digits, name: str) -> Value:
    """Return the value of a method."""
    value = owner.method(call.deep(), name)
    if value is None:
        call.refuse(f"{name}() of digits with these arguments", "write a loop over them")
    return value


def apply(call: Call) -> Value | None:
    """`str(n)`, `bin(n)`, functions, methods and `"".join()` of these; None for others."""
    target, args = call.target, call.args
    if target is Digits:
        return Digits(args[0], 1, args[1].data)
    if target is format and len(args) == 2 and isinstance(args[1], Static):
        return formatted(call, args[0], str(args[1].value))
    if isinstance(text := getattr(target, "__self__", None), str) and len(args) == 1:
        if getattr(target, "__name__", "") == "format" and (field := _FIELD.fullmatch(text)):
            return formatted(call, args[0], field[1] or "")
    if target is int and len(args) == 2 and isinstance(args[0], Digits):
        if args[1] is call.graph.const(args[0].base):  # by which the prefix is known, too
            return args[0].number
        if not args[0].prefix:
            args[0].refuse_empty(call)
            return _read(call, args[0], args[1])
    return _of_one(call, target, args[0]) if len(args) == 1 else None


def _read(call: Call, digits: Digits, base: Value) -> Value:
    """Return the integer that digits are to a base."""
    size = digits.length(call.tracer, call.path)
    own = call.graph.const(digits.base)
    return call.text(composed.digits_read, digits.number, own, size, base)


def formatted(call: Call, value: Value, spec: str) -> Digits | None:
    """Return the digits of an integer by a format such as `08b`; None for other values."""
    parts = _SPEC.fullmatch(spec)
    if isinstance(value, Digits):
        return None if spec else value
    if parts is None or not (isinstance(value, Node) and is_integer(value.kind)):
        return None
    digits = Digits(value, base=_LETTERS.get(parts[2], 10))
    if parts[1] is None:
        return digits
    return cast("Digits", digits.method(call.of(format, call.graph.const(int(parts[1]))), "zfill"))


def _of_one(call: Call, target: Any, value: Value) -> Value | None:
    if target in (str, *_BASES) and isinstance(value, Node) and is_integer(value.kind):
        if value.op == "const":
            return None
        return Digits(value, None, _BASES.get(target, 10), target in _BASES)
    if isinstance(value, Optional) and isinstance(value.value, Digits):
        value = value.value  # as for a number that may be None
    if isinstance(value, Digits) and target in (str, len):
        return value if target is str else value.length(call.tracer, call.path)
    if isinstance(value, Digits) and target is ord and value.size == 1:
        return call.text(composed.character_code, value.number)
    if isinstance(value, Digits) and target in (min, max):
        ordered = call.text(list_texts.sorted_list, value.characters(call))
        return call.text(composed.item, ordered, call.graph.const(0 if target is min else -1))
    if target is reversed and isinstance(value, Digits) and not value.prefix:
        return value.turned(call)
    if target in _NUMBERS and (read := digits_of(value)) is not None:
        read.refuse_empty(call)
        if read.base > 10 or (read.base < 10 and read.size != 1):
            read = replace(read, number=_read(call, read, call.graph.const(10)))
        return read.number if target is int else call.graph.float(read.number)
    if getattr(target, "__self__", None) == "" and getattr(target, "__name__", "") == "join":
        return joined(call, value)
    return None


def joined(call: Call, value: Value) -> Value | None:
    """Return the string that strings of digits are one behind the other; None for other items."""
    if not isinstance(value, (tuple, Resizable)):
        return None
    items = [digits_of(each) for each in (value.items if isinstance(value, Resizable) else value)]
    bases = {each.base for each in items if each and each.size != 0}
    if None in items or len(bases) != 1:
        return None
    (base,) = bases
    number, size = call.text(composed.digits_together, value, call.graph.const(base))
    most = call.graph.const(_MOST[base] - 1)
    words = f"a string of more than {most.data} digits does not fit into 64 bits"
    call.tracer.raises(call.node, OverflowError, words, call.graph.compare("gt", size, most))
    return Digits(number, size, base)


def added(tracer: Tracer, node: ast.expr, a: Value, b: Value) -> Value | None:
    """`a + b`, of which one at least is digits that values decide; None for other strings."""
    if not (isinstance(a, Digits) or isinstance(b, Digits)):
        return None
    base = a.base if isinstance(a, Digits) else b.base
    pair = as_digits(tracer.graph, a, base), as_digits(tracer.graph, b, base)
    return joined(Call(tracer, node, tracer.graph.const(True)), pair)


MAX_LISTED = 1024  # numbers of a range whose bounds are known


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Range(Compound):
    """`range(start, stop, step)`."""

    form, joins = "range", True

    start: Node
    stop: Node
    step: Node

    def __repr__(self) -> str:
        return "a range"

    def turned(self, call: Call) -> Range:
        """Return the same numbers backwards, of a range by 1."""
        one = call.graph.const(1)
        if self.step is not one:
            call.refuse("a range with a step is turned", "write the bounds the other way round")
        last, end = (call.graph.arithmetic("sub", at, one) for at in (self.stop, self.start))
        return Range(last, end, call.graph.const(-1))

    def length(self, call: Call) -> Value:
        """How many numbers there are."""
        return call.text(list_texts.count_between, *self.parts)

    def listed(self, call: Call) -> Value:
        """Return the numbers as a list."""
        self.refuse_known(call)
        return call.text(list_texts.numbers_between, *self.parts)

    @property
    def known(self) -> range | None:
        """Python's range, if all bounds are constant."""
        constant = all(node.op == "const" for node in self.parts)
        return range(*(int(node.data) for node in self.parts)) if constant else None

    @property
    def upward(self) -> bool:
        """Whether it grows; a step that is not known is positive."""
        return self.step.op != "const" or bool(self.step.data > 0)

    def refuse_known(self, call: Call) -> None:
        """Refuse to list numbers of which it is known that they are too many."""
        if self.known is not None:
            call.refuse(f"more than {MAX_LISTED} items are listed", "write a `for` loop")

    def holds(self, call: Call, value: Value) -> Node:
        """Return whether a number is one of them."""
        return call.text(list_texts.is_between, value, *self.parts)


def range_of(call: Call, values: Sequence[Value]) -> Range:
    """Return the range of one, two or three bounds."""
    graph = call.graph
    nodes = [call.tracer.number_of(call, value) for value in values]
    if not all(is_integer(n.kind) or is_boolean(n.kind) for n in nodes):
        what = "range() takes integers, here it has a floating value"
        remedy = "give the count as a keyword-only integer parameter, or use a while loop"
        call.refuse(what, remedy, KindError)
    nodes = [graph.cast(n, "i") for n in nodes]
    nodes = [graph.const(0), *nodes] if len(nodes) == 1 else nodes
    start, stop, step = (*nodes, graph.const(1))[:3]
    if step.op == "const" and step.data == 0:
        call.refuse("the step of range() is 0", "use 1, -1 or a larger step")
    if step.op != "const" and Intervals(graph, call.path).of(step)[0] <= 0:
        call.refuse("the step of range() may be negative or 0", "use a while loop")
    return Range(start, stop, step)
