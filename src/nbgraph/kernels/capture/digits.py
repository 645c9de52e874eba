"""Strings of digits: `str(n)` and `f"{n:08b}"` of an integer, their parts, several put together.

One is the integer, and how many digits there are where that says more than the number does. It is
counted, turned, cut and added by arithmetic; only what goes over the digits, or sorts them, has
them as a list.
"""

from __future__ import annotations

import ast
import math
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


@dataclass(frozen=True, repr=False)
class UnknownText:
    """A string composed of numbers, which is only printed; `number`: what float() reads of it."""

    number: Value = None

    def __repr__(self) -> str:
        return "a string made of numbers"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Digits(Compound):
    """A string of the digits of an integer: `str(n)`, `bin(n)`, parts of these, several together.

    `size`: the number of digits, None where `number` determines it. `prefix`: whether `0b` or its
    like comes first.
    """

    joins = True

    number: Node
    size: Node | int | None = None
    base: int = 10
    prefix: bool = False

    @property
    def form(self) -> Any:  # type: ignore[override]
        """What is known of the digits: strings of one form can be joined."""
        size = self.size if isinstance(self.size, int) else self.size is None
        return "digits", self.base, self.prefix, size

    @property
    def parts(self) -> tuple[Value, ...]:
        return (self.number, self.size) if isinstance(self.size, Node) else (self.number,)

    def of_parts(self, parts: Sequence[Value]) -> Digits:
        return replace(self, **dict(zip(("number", "size"), parts, strict=False)))

    def __repr__(self) -> str:
        return "a string of digits"

    def refuse_negative(self, tracer: Tracer, node: ast.AST) -> None:
        """Note that the element raises for a negative number, whose sign is not a digit."""
        negative = tracer.graph.compare("lt", self.number, tracer.graph.const(0))
        words = "invalid literal for int() with base 10: '-': write abs(n) for a number with a sign"
        tracer.raises(node, ValueError, words, negative)

    def refuse_empty(self, call: Call) -> None:
        """Note that int() of an empty string raises."""
        graph, size = call.graph, self.size
        if isinstance(size, Node) and Intervals(graph, call.path).of(size)[0] < 1:
            empty = graph.compare("lt", size, graph.const(1))
            call.tracer.raises(call.node, ValueError, "invalid literal for int(): ''", empty)

    def length(self, tracer: Tracer, path: Node) -> Node:
        """Return the number of characters."""
        graph, size = tracer.graph, self.size
        if size is None:
            size = tracer.compose(composed.digit_count, [self.number, graph.const(self.base)], path)
        size = graph.const(size) if isinstance(size, int) else size
        return graph.arithmetic("add", size, graph.const(2)) if self.prefix else size

    def most(self, call: Call) -> int:
        """Return an upper bound of the number of digits."""
        if self.size is not None:
            return self.size if isinstance(self.size, int) else _MOST[self.base]
        high = Intervals(call.graph, call.path).of(self.number)[1]
        widths = range(1, _MOST[self.base])
        return next((k for k in widths if high < self.base**k), _MOST[self.base])

    def characters(self, call: Call) -> Value:
        """Return a tuple of the digits, each a string, or a list where `size` is not constant."""
        if self.prefix:
            what = "the sign and the prefix of bin(), oct() and hex() are characters"
            call.refuse(what, "use bin(n)[2:]")
        self.refuse_negative(call.tracer, call.node)
        ends = range(1, self.most(call) + 1)
        items = tuple(self.between(call, call.graph.const(end), 1) for end in ends)
        if isinstance(self.size, int):
            return items
        return Resizable(self.length(call.tracer, call.path), items, bounded=True)

    def part(self, call: Call, place: Any) -> Digits | None:
        """Return a digit, a slice with step 1, or the whole string reversed; None for other slices,
        which need a list."""
        graph, length = call.graph, lambda: self.length(call.tracer, call.path)
        if self.prefix:
            first = place.start if isinstance(place, slice) and place.stop is None else None
            if not isinstance(first, int) or first < 2:
                return None
            digits = Digits(self.number, self.size, self.base)
            return digits if first == 2 else digits.part(call, slice(first - 2, None, place.step))
        if not isinstance(place, slice):
            self.refuse_negative(call.tracer, call.node)
            index = place_of(call, place, length(), "string index out of range")
            return self.between(call, graph.arithmetic("add", index, graph.const(1)), 1)
        start, stop, step = place.start, place.stop, place.step
        if step in (None, 1) and start is stop is None:
            return self
        if step not in (None, 1):
            return self.turned(call) if (start, stop, step) == (None, None, -1) else None
        self.refuse_negative(call.tracer, call.node)
        ends = (start if start is not None else 0, stop if stop is not None else length())
        nodes = (graph.const(end) if isinstance(end, int) else end for end in ends)
        first, last = (call.text(list_texts.place_within, end, length()) for end in nodes)
        size = call.text(list_texts.span, first, last)
        return self.between(call, last, size.data if size.op == "const" else size)

    def own(self, call: Call) -> tuple[Node, Node, Node]:
        """Return the number, the base and the number of characters, as arguments of texts."""
        return self.number, call.graph.const(self.base), self.length(call.tracer, call.path)

    def between(self, call: Call, stop: Node, size: Node | int) -> Digits:
        """Return the `size` digits before the place `stop`."""
        many = call.graph.const(size) if isinstance(size, int) else size
        number = call.text(composed.digits_between, *self.own(call), stop, many)
        return Digits(number, size, self.base)

    def turned(self, call: Call) -> Digits:
        """Return the string reversed."""
        self.refuse_negative(call.tracer, call.node)
        own = self.own(call)
        return replace(self, number=call.text(composed.turned_digits, *own), size=own[2])

    def method(self, call: Call, name: str) -> Value | None:
        """Return the value of a method; None for an unknown method."""
        graph, args = call.graph, call.args
        if not args and (self.base <= 10 or name not in _ARE_DIGITS):
            return graph.const(True) if name in _ARE_DIGITS else self if "strip" in name else None
        if not args:
            return graph.compare("lt", self.number, graph.const(10)) if self.size == 1 else None
        if self.prefix and name == "replace" and getattr(args[0], "value", 0) in ("0b", "0o", "0x"):
            return Digits(self.number, self.size, self.base)
        fill = [getattr(value, "value", None) for value in args[1:]]
        if name == "zfill" or (name == "rjust" and fill == ["0"]):
            self.refuse_negative(call.tracer, call.node)
            size, least = self.length(call.tracer, call.path), args[0]
            if least.op != "const" or self.most(call) > least.data:
                least = call.text(composed.maximum, size, least)
            return replace(self, size=least.data if least.op == "const" else least)
        sought = as_digits(graph, args[0], self.base)
        if name == "count" and sought is not None and sought.size == 1:
            uses = call.text(composed.digit_uses, *self.own(call), sought.number)
            zero = graph.compare("eq", sought.number, graph.const(0))  # `0b` has a zero of its own
            return graph.arithmetic("sub", uses, zero) if self.prefix else uses
        if name not in list_texts.TEXTS or self.prefix or (sought is not None and sought.size == 0):
            return None
        return call.text(list_texts.TEXTS[name], self, *args)


def place_of(call: Call, index: Node, length: Node, words: str) -> Node:
    """Return an index counted from 0; the element raises where it is out of bounds."""
    graph = call.graph
    place, inside = call.text(list_texts.place_in, graph.cast(index, "i"), length)
    call.tracer.raises_lookup(call.node, IndexError, words, graph.logical_not(inside))
    return graph.select(inside, place, graph.const(0))


_MOST = {10: 19, 2: 63, 8: 21, 16: 16}  # digits of a number of 64 bits
_BASES: dict[Any, int] = {bin: 2, oct: 8, hex: 16}
_SPEC, _LETTERS = re.compile(r"(?:0(\d+))?([bdox]?)"), {"b": 2, "o": 8, "x": 16}
_FIELD = re.compile(r"\{(?::([^{}]*))?\}")  # of str.format
_ARE_DIGITS = ("isdigit", "isdecimal", "isnumeric")
_NUMBERS, _SIXTEEN = (int, float), "0123456789abcdef"
METHODS = (*_ARE_DIGITS, *list_texts.TEXTS, "zfill", "rjust")


def digits_of(value: Value) -> Digits | None:
    """Return `value` as digits without a prefix; None for other values."""
    return value if isinstance(value, Digits) and not value.prefix else None


def as_digits(graph: Graph, value: Value, base: int = 10) -> Digits | None:
    """Return digits, or a literal string of digits in this base; None for other values."""
    text = value.value if isinstance(value, Static) else None
    if isinstance(value, Choice):
        each = [as_digits(graph, option, base) for option in value.options]
        digits = [d for d in each if d is not None]
        if len(digits) == len(each) and len({d.size for d in digits}) == 1:
            number = entry_at(graph, [d.number for d in digits], value.index)
            return replace(digits[0], number=number)
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
    """Return `str(n)`, `bin(n)`, a function, method or `"".join()` of such; None for others."""
    target, args = call.target, call.args
    if target is format and len(args) == 2 and isinstance(args[1], Static):
        return formatted(call, args[0], str(args[1].value))
    if isinstance(text := getattr(target, "__self__", None), str) and len(args) == 1:
        if getattr(target, "__name__", "") == "format" and (field := _FIELD.fullmatch(text)):
            return formatted(call, args[0], field[1] or "")
    if target is int and len(args) == 2 and isinstance(args[0], Digits):
        if args[1] is call.graph.const(args[0].base):  # this base reads the prefix, too
            return args[0].number
        if not args[0].prefix:
            args[0].refuse_empty(call)
            return call.text(composed.digits_read, *args[0].own(call), args[1])
    return _of_one(call, target, args[0]) if len(args) == 1 else None


def formatted(call: Call, value: Value, spec: str) -> Digits | Static | None:
    """Return the digits of an integer by a format such as `08b`; None for other values."""
    parts = _SPEC.fullmatch(spec)
    if isinstance(value, Digits):
        return None if spec else value
    if isinstance(value, Node) and (decimals := re.fullmatch(r"(?:\.(\d+))?f", spec)):
        rounded = call.of(round, call.graph.float(value), call.graph.const(int(decimals[1] or 6)))
        return Static(UnknownText(call.tracer.called(rounded)))
    if parts is None or not (isinstance(value, Node) and is_integer(value.kind)):
        return None
    if value.op == "const":
        return Static(format(value.data, spec))
    digits = Digits(value, base=_LETTERS.get(parts[2], 10))
    if parts[1] is None:
        return digits
    return cast("Digits", digits.method(call.of(format, call.graph.const(int(parts[1]))), "zfill"))


def _of_one(call: Call, target: Any, value: Value) -> Value | None:
    if target is float and isinstance(text := getattr(value, "value", None), UnknownText):
        return text.number
    if target in (str, *_BASES) and isinstance(value, Node) and is_integer(value.kind):
        if value.op == "const":
            return None
        return Digits(value, None, _BASES.get(target, 10), target in _BASES)
    if isinstance(value, Optional) and isinstance(value.value, Digits):
        value = value.value  # like a number that may be None
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
            ten = call.graph.const(10)
            read = replace(read, number=call.text(composed.digits_read, *read.own(call), ten))
        return read.number if target is int else call.graph.float(read.number)
    if getattr(target, "__self__", None) == "" and getattr(target, "__name__", "") == "join":
        return joined(call, value)
    return None


def joined(call: Call, value: Value) -> Value | None:
    """Return the concatenation of strings of digits; None for other items."""
    if not isinstance(value, (tuple, Resizable)):
        return None
    each = value.items if isinstance(value, Resizable) else value
    bases = {item.base for item in each if isinstance(item, Digits) and item.size != 0} or {10}
    if len(bases) != 1 or not any(isinstance(item, (Digits, Choice)) for item in each):
        return None
    (base,) = bases
    items = tuple(as_digits(call.graph, item, base) for item in each)
    if None in items:
        return None
    value = replace(value, items=items) if isinstance(value, Resizable) else items
    number, size = call.text(composed.digits_together, value, call.graph.const(base))
    most = call.graph.const(_MOST[base] - 1)
    words = f"a string of more than {most.data} digits does not fit into 64 bits"
    call.tracer.raises(call.node, OverflowError, words, call.graph.compare("gt", size, most))
    return Digits(number, size, base)


def added(tracer: Tracer, node: ast.expr, a: Value, b: Value) -> Value | None:
    """Return `a + b` where one at least is Digits; None for other strings."""
    if not any(isinstance(value, (Digits, Choice)) for value in (a, b)):
        return None
    bases = [v.base for v in (a, b) if isinstance(v, Digits) and v.size != 0]
    bases += [2] if all(as_digits(tracer.graph, v, 2) for v in (a, b)) else [10]
    if isinstance(a, Static) and a.value == "-" and isinstance(b, Digits):
        return replace(b, number=tracer.graph.negate(b.number))
    pair = as_digits(tracer.graph, a, bases[0]), as_digits(tracer.graph, b, bases[0])
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
        """Return the range reversed."""
        graph, one = call.graph, call.graph.const(1)
        if self.step.op != "const":
            call.refuse("a range whose step is a value is turned", "write its bounds the other way")
        end = graph.arithmetic("sub", self.start, self.step)
        if self.step is one:
            return Range(graph.arithmetic("sub", self.stop, one), end, graph.const(-1))
        beyond = graph.arithmetic("mul", cast("Node", self.length(call)), self.step)
        return Range(graph.arithmetic("add", end, beyond), end, graph.negate(self.step))

    def length(self, call: Call) -> Value:
        """Return the number of items."""
        return call.text(list_texts.count_between, *self.parts)

    def part(self, call: Call, place: Any) -> Value | None:
        """Return the number at an index; None for slices."""
        if isinstance(place, slice):
            return None
        length = cast("Node", self.length(call))
        index = place_of(call, place, length, "range object index out of range")
        steps = call.graph.arithmetic("mul", index, self.step)
        return call.graph.arithmetic("add", self.start, steps)

    def listed(self, call: Call) -> Value:
        """Return the numbers as a list."""
        self.refuse_known(call)
        return call.text(list_texts.numbers_between, *self.parts)

    @property
    def known(self) -> range | None:
        """Return Python's range if all bounds are constant, else None."""
        constant = all(node.op == "const" for node in self.parts)
        return range(*(int(node.data) for node in self.parts)) if constant else None

    @property
    def upward(self) -> bool:
        """Whether the range ascends; a step that is not constant is positive."""
        return self.step.op != "const" or bool(self.step.data > 0)

    def refuse_known(self, call: Call) -> None:
        """Refuse a range of constant bounds with too many numbers to list."""
        if self.known is not None:
            call.refuse(f"more than {MAX_LISTED} items are listed", "write a `for` loop")

    def holds(self, call: Call, value: Value) -> Node:
        """Return whether a number is in the range."""
        return call.text(list_texts.is_between, value, *self.parts)


def range_of(call: Call, values: Sequence[Value]) -> Range:
    """Return the range with one, two or three arguments."""
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
        words = "the step of range(), which values give, is not positive: use a while loop"
        positive = graph.compare("gt", step, graph.const(0))
        call.tracer.raises(call.node, ValueError, words, graph.logical_not(positive))
        step = graph.select(positive, step, graph.const(1))
        graph.ranges[step.id] = (1, math.inf)
    return Range(start, stop, step)
