"""Comparisons that are decided while a function is captured: `is`, `in`, and of static values."""

import ast
import dataclasses
import operator
from collections.abc import Callable
from typing import Any, cast

from nbgraph.kernels.capture import digits, list_texts, objects
from nbgraph.kernels.capture.containers import (
    REFERS,
    List,
    Mapping,
    Pairs,
    Record,
    Resizable,
    described,
    is_set,
    mapping,
)
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.dicts import contains, equal
from nbgraph.kernels.capture.digits import Digits, Range, as_digits
from nbgraph.kernels.capture.items import keys
from nbgraph.kernels.capture.joining import chosen, resizable
from nbgraph.kernels.capture.number_types import NumberDtype, NumberType, is_type
from nbgraph.kernels.capture.results import present
from nbgraph.kernels.capture.values import Choice, Complex, Optional, Static, Value, is_none
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.kinds import is_boolean

_LISTS = (tuple, Resizable, *REFERS)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_COMPARE: dict[type[ast.cmpop], str] = dict(zip(_ORDERS, "lt le gt ge eq ne".split(), strict=True))
_STATIC: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    **{sort: getattr(operator, name) for sort, name in _COMPARE.items()},
    ast.In: lambda a, b: a in b,
}
_COMPARABLE = "compare numbers, sets, tuples or lists with <, <= or =="
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq,
    ast.NotIn: ast.In,
    ast.IsNot: ast.Is,
}


def compare(call: Call, op: ast.cmpop, left: Value, right: Value) -> Node:
    """Return one comparison of two values as a node. A value that may be one of several objects is
    compared for each of them."""
    if isinstance(left, Choice):
        return chosen(call.graph, left, lambda one, _: compare(call, op, one, right))
    if isinstance(right, Choice):
        return chosen(call.graph, right, lambda one, _: compare(call, op, left, one))
    if isinstance(left, Record) and (value := _by_method(call, op, left, right)) is not None:
        return value
    return _compared(call, op, left, right)


def _compared(call: Call, op: ast.cmpop, left: Value, right: Value) -> Node:
    """Return a comparison; refuse one that Python does not define for numbers."""
    graph, numbers = call.graph, isinstance(left, Node) and isinstance(right, Node)
    if (opposite := _OPPOSITES.get(type(op))) and not (numbers and opposite is ast.Eq):
        return graph.logical_not(_compared(call, opposite(), left, right))
    if isinstance(left, Digits) or isinstance(right, Digits):
        left, right, same = _with_digits(call, op, left, right)
        if same is not None:
            return same
    if isinstance(right := mapping(right), Mapping) and isinstance(op, ast.In):
        right = keys(call.tracer, call.node, right)
    sequence = isinstance(right, (tuple, Resizable, Range))
    if isinstance(op, ast.In) and (sequence or call.tracer.written(right, "__contains__")):
        return _is_among(call, left, right)
    if isinstance(op, ast.Is):
        same = identical(graph, left, right)
        if same is None:
            call.refuse("which values are one object is not defined", "compare with ==")
        return same
    if isinstance(left, Optional) or isinstance(right, Optional):
        return _compare_optional(call, op, left, right)
    if isinstance(left, Static) or isinstance(right, Static):
        known = static(op, left, right)
        if known is None:
            sides = ["a number" if isinstance(x, Node) else described(x) for x in (left, right)]
            remedy = (
                "compare numbers" if isinstance(op, ast.Eq) else "give numbers, or use == or !="
            )
            call.refuse(f"this comparison of {' with '.join(sides)} is not understood", remedy)
        return graph.const(known)
    if isinstance(left, (tuple, Resizable)) or isinstance(right, (tuple, Resizable)):
        return _compare_tuples(call, op, left, right)
    if isinstance(left, Complex) or isinstance(right, Complex):
        if not isinstance(op, ast.Eq):
            call.refuse("complex numbers have no order", "compare z.real, z.imag or abs(z)")
        return cast("Node", call.tracer.binary(_COMPARE[type(op)], left, right, graph.const(True)))
    if type(op) not in _COMPARE or not (isinstance(left, Node) and isinstance(right, Node)):
        call.refuse("this comparison is not understood", _COMPARABLE)
    return graph.compare(_COMPARE[type(op)], left, right)


def _is_among(call: Call, value: Value, among: Any) -> Node:
    graph, inside = call.graph, call.graph.const(False)
    if isinstance(among, Pairs):
        return contains(graph, among, value)
    if isinstance(among, Range):
        return among.holds(call, value)
    if (own := call.tracer.special(call, "__contains__", among, value)) is not None:
        return call.tracer.truth(own)
    items = resizable(graph, among)
    for k, item in enumerate(items.items):
        used = graph.compare("lt", graph.const(k), items.length)
        equal = compare(call, ast.Eq(), value, item)
        inside = graph.logical_or(inside, graph.logical_and(used, equal))
    return inside


def _by_method(call: Call, op: ast.cmpop, left: Record, right: Value) -> Node | None:
    """Return a comparison by a method that the user wrote in the class of `left`, or None."""
    value = call.tracer.special(call, f"__{_COMPARE.get(type(op), 'is')}__", left, right)
    if value is None and isinstance(op, ast.NotEq):
        return call.graph.logical_not(compare(call, ast.Eq(), left, right))
    return None if value is None else call.tracer.truth(value)


def _compare_optional(call: Call, op: ast.cmpop, left: Value, right: Value) -> Node:
    """Compare values that may be None: None equals only None; an order is that of numbers."""
    if not isinstance(op, ast.Eq):
        numbers = [present(call, value) for value in (left, right)]
        return compare(call, op, *numbers)
    graph, (value, other) = call.graph, (left, right)
    if not isinstance(value, Optional):
        value, other = other, value
    if is_none(other):
        return value.absent
    if isinstance(other, Optional):
        equal = _compare_optional(call, op, value, other.value)
        return graph.select(other.absent, value.absent, equal)
    equal = compare(call, op, value.value, other)
    return graph.logical_and(graph.logical_not(value.absent), equal)


def _with_digits(
    call: Call, op: ast.cmpop, left: Value, right: Value
) -> tuple[Value, Value, Node | None]:
    """Return two values, at least one a string of digits, in the form in which they are compared;
    third, the comparison itself if it is known already."""
    graph, yes = call.graph, call.graph.const(True)
    base = left.base if isinstance(left, Digits) else right.base
    a, b = (as_digits(graph, value, base) for value in (left, right))
    if isinstance(op, ast.In) and a is not None and b is not None and not b.prefix:
        place = digits.method(call.of(None, a), b, "find")
        return left, right, graph.compare("ge", place, graph.const(0))
    if isinstance(op, ast.In) and a is not None and (a.size == 1 or isinstance(right, _LISTS)):
        return left, objects.characters(call, right), None
    if a is None or b is None or a.base != b.base:
        text = right if b is None else left
        other = isinstance(text, Static) and isinstance(text.value, str)
        return left, right, graph.const(False) if other and isinstance(op, ast.Eq) else None
    if isinstance(a.size, int) and a.size == b.size and type(op) in _COMPARE:
        return left, right, graph.compare(_COMPARE[type(op)], a.number, b.number)
    if not isinstance(op, ast.Eq):
        return left, right, None
    same = graph.compare("eq", a.length(call.tracer, yes), b.length(call.tracer, yes))
    return left, right, graph.logical_and(same, graph.compare("eq", a.number, b.number))


def _equal_tuples(call: Call, left: Value, right: Value) -> Node:
    graph = call.graph
    if not all(isinstance(value, (tuple, Resizable)) for value in (left, right)):
        return graph.const(False)
    first, second = (v.cls if _is_object(v) else tuple for v in (left, right))
    if first is not second or is_set(left) is not is_set(right):
        return graph.const(False)
    if _is_object(left):
        if first.__eq__ is object.__eq__:
            what = f"objects of {first.__name__} are equal to themselves alone"
            call.refuse(what, "compare their attributes")
        attributes, others = _compared_of(left), _compared_of(right)
        if attributes.keys() != others.keys():
            return graph.const(False)
        left, right = tuple(attributes.values()), tuple(others[name] for name in attributes)
    one, other = resizable(graph, left), resizable(graph, right)
    same = graph.compare("eq", one.length, other.length)
    for k, (a, b) in enumerate(zip(one.items, other.items, strict=False)):
        unused = graph.compare("le", one.length, graph.const(k))
        if same.op != "const" or same.data:
            equal = compare(call, ast.Eq(), a, b)
            same = graph.logical_and(same, graph.logical_or(unused, equal))
    return same


def is_ordered(value: Value) -> bool:
    """Return whether values like this one have an order: lists, tuples and ordered objects."""
    if isinstance(value, Record):
        order = getattr(getattr(value.cls, "__dataclass_params__", None), "order", False)
        return order or issubclass(value.cls, tuple)
    return type(value) in (tuple, List) or (isinstance(value, Resizable) and not is_set(value))


def _is_object(value: Value) -> bool:
    """Return whether `value` is an object other than a named tuple."""
    return isinstance(value, Record) and not issubclass(value.cls, tuple)


def _compared_of(value: Record) -> dict[Any, Value]:
    """Return the attributes that comparisons use; a dataclass declares them."""
    values, cls = value.entries, value.cls
    declared = dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else None
    names = values if declared is None else [f.name for f in declared if f.compare]
    return {name: values[name] for name in names}


def _compare_tuples(call: Call, op: ast.cmpop, left: Value, right: Value) -> Node:
    """Return whether tuples are equal, or their order by the first items that differ."""
    graph = call.graph
    if isinstance(op, ast.Eq) and (isinstance(left, Pairs) or isinstance(right, Pairs)):
        return equal(graph, left, right)
    if isinstance(op, ast.Eq):
        return _equal_tuples(call, left, right)
    sets, mixed = is_set(left) and is_set(right), {type(left), type(right)} == {tuple, List}
    if type(op) not in _COMPARE or mixed or not (sets or (is_ordered(left) and is_ordered(right))):
        call.refuse("this comparison is not understood", _COMPARABLE)
    if isinstance(op, (ast.Gt, ast.GtE)):
        op, left, right = (ast.Lt() if isinstance(op, ast.Gt) else ast.LtE()), right, left
    left, right = (tuple(_compared_of(v).values()) if _is_object(v) else v for v in (left, right))
    sizes = [resizable(graph, value).length for value in (left, right)]
    result = graph.compare(_COMPARE[type(op)], *sizes)
    if sets:
        return graph.logical_and(result, call.text(list_texts.issubset, left, right))
    if isinstance(left, Resizable) or isinstance(right, Resizable):
        return call.text(list_texts.precedes, left, right, result)
    for a, b in reversed([*zip(left, right, strict=False)]):
        further = graph.logical_and(compare(call, ast.Eq(), a, b), result)
        result = graph.logical_or(compare(call, ast.Lt(), a, b), further)
    return result


def identical(graph: Graph, a: Value, b: Value) -> Node | None:
    """Return `a is b` as a node; None where that depends on how Python caches numbers.

    Bools are two objects, so theirs is equality; a number is never a bool or another sort of value.
    """
    if isinstance(a, Static) and isinstance(b, Static):
        same = a.value is b.value
        for own, target in ((a.value, b.value), (b.value, a.value)):
            if isinstance(own, NumberType):
                return graph.const(bool(is_type(own, target)))
        if isinstance(a.value, str) and isinstance(b.value, str):
            same = a.value == b.value  # literals are one object
        return graph.const(same)
    for value, other in ((a, b), (b, a)):
        if isinstance(value, Optional):
            return value.absent if is_none(other) else None
    if isinstance(a, _LISTS) and isinstance(b, _LISTS):
        keys = [getattr(value, "key", None) for value in (a, b)]
        return graph.const(True) if keys[0] and keys[0] == keys[1] else None
    if not (isinstance(a, Node) and isinstance(b, Node)):
        return graph.const(a is b)
    if is_boolean(a.kind) != is_boolean(b.kind) or (a.kind == "f") != (b.kind == "f"):
        return graph.const(False)
    if is_boolean(a.kind) or (a.op == b.op == "const"):
        return graph.compare("eq", a, b)
    return graph.const(True) if a is b else None


def static(op: ast.cmpop, a: Value, b: Value) -> bool | None:
    """Return a comparison with a value that is not a number; None where Python defines none, or
    where it depends on a number's value."""
    if type(op) not in _STATIC or any(
        isinstance(getattr(v, "value", v), (objects.UnknownText, Digits)) for v in (a, b)
    ):
        return None
    for own, target in ((a, b), (b, a)):
        if isinstance(own, Static) and isinstance(own.value, (NumberType, NumberDtype)):
            is_equality = isinstance(target, Static) and isinstance(op, ast.Eq)
            return is_type(own.value, target.value) if is_equality else None
        if isinstance(target, Record) and isinstance(getattr(own, "value", own), target.cls):
            return None  # an object from outside of the function
    known = [v.value if isinstance(v, Static) else _Number() for v in (a, b)]
    if isinstance(op, ast.Eq) or all(isinstance(v, Static) for v in (a, b)):
        try:
            return bool(_STATIC[type(op)](*known))
        except TypeError:
            return None
    return None


class _Number:
    """A stand-in for a number or tuple compared with another sort of value: it equals nothing."""
