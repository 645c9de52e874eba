"""Items of sequences: those that are gone through, entries by an index, parts by a slice."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import cast

from nbgraph.kernels.capture import objects, resizable
from nbgraph.kernels.capture.arrays import whole
from nbgraph.kernels.capture.containers import (
    REFERS,
    Array,
    List,
    Mapping,
    Reference,
    Resizable,
    View,
    mapping,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.digits import Digits
from nbgraph.kernels.capture.joining import chosen
from nbgraph.kernels.capture.lookups import MAX_ITEMS, entry_at, within
from nbgraph.kernels.capture.mappings import at_key, keys
from nbgraph.kernels.capture.ranges import Range
from nbgraph.kernels.capture.text import CountError, KindError
from nbgraph.kernels.capture.values import Choice, Env, Node, Static, Value
from nbgraph.kernels.kinds import is_boolean, is_integer

MANY = "how many items there are depends on a value"


def listed(tracer: Tracer, node: ast.expr, value: Value) -> tuple[Value, ...]:
    """The items of what is gone through: of a tuple, an array, a dict's keys, a string."""
    items, call = mapping(value), Call(tracer, node, tracer.graph.const(True))
    if isinstance(items, Static):
        items = objects.characters(call, items)
    if isinstance(items, Range):
        items.refuse_known(call)
    if isinstance(items, (Resizable, Digits, Range)):
        tracer.refuse(node, MANY, "write a `for` loop over them", CountError)
    if isinstance(items, Mapping):
        return keys(tracer, node, items)
    _refuse_text(tracer, node, items)
    if isinstance(items, Node) and tracer.fails(node, TypeError, "a number is not iterable"):
        return ()
    if not isinstance(items, tuple):
        what = "this is not something to loop over in a scalar function"
        tracer.refuse(node, what, "loop over range(...) or over a constant tuple")
    return cast("tuple[Value, ...]", items)


def _refuse_text(tracer: Tracer, node: ast.expr, value: Value) -> None:
    if objects.is_text(value):
        what = "the digits of a floating value are not understood"
        tracer.refuse(node, what, "make it an integer with int()", KindError)


def subscript(tracer: Tracer, node: ast.Subscript, env: Env, path: Node) -> Value:
    """`owner[...]`."""
    owner = mapping(tracer.object(node.value, env, path))
    if isinstance(owner, REFERS):
        return _part(tracer, node, owner, env, path)
    if isinstance(owner, Mapping):
        return at_key(tracer, node, owner, tracer.expression(node.slice, env, path))
    if isinstance(owner, Choice):
        each = lambda one, _: _of_value(tracer, node, one, env, path)
        return chosen(tracer.graph, owner, each)
    return _of_value(tracer, node, owner, env, path)


def _part(
    tracer: Tracer, node: ast.Subscript, owner: Reference | View, env: Env, path: Node
) -> Value:
    """`owner[...]`: a number, the list that is an item, or part of an array."""
    content = tracer.read(node.value, owner, env)
    if isinstance(content, Mapping):
        return at_key(tracer, node, content, tracer.expression(node.slice, env, path))
    indices = places(tracer, node, tracer.held(owner, env), env, path)
    first = indices[0]
    if type(content) is List and isinstance(first, Node):
        if first.op == "const" and -len(content) <= first.data < len(content):
            return content[first.data]
    value = entries(tracer, node, tracer.held(owner, env), indices, path)
    if type(value) is List and isinstance(first, slice):
        return entries(tracer, node, content, indices, path)
    return View.of(owner, indices, node) if isinstance(value, tuple) else value


def _of_value(tracer: Tracer, node: ast.Subscript, owner: Value, env: Env, path: Node) -> Value:
    """Part of a string, or of a tuple."""
    call = Call(tracer, node, path)
    if isinstance(owner, Digits) and (part := owner.part(call, node)) is not None:
        return part
    characters = objects.characters(call, owner)
    if characters is not owner:
        indices = places(tracer, node, characters, env, path)
        return objects.joined(call, entries(tracer, node, characters, indices, path))
    _refuse_text(tracer, node, owner)
    if isinstance(owner, Node) and isinstance(node.slice, ast.Tuple) and not node.slice.elts:
        return owner  # `array[()]` of an array without axes
    if not isinstance(owner, (tuple, Resizable)):
        if none := tracer.fails(node, TypeError, "a number is not subscriptable"):
            return none
        what = f"{ast.unparse(node.value)} is one number here and cannot be indexed"
        remedy = (
            "write the scalar formula; neighbouring elements are reached by passing shifted "
            "views as further operands"
        )
        tracer.refuse(node, what, remedy)
    return entries(tracer, node, owner, places(tracer, node, owner, env, path), path)


def places(
    tracer: Tracer, node: ast.Subscript, owner: Value, env: Env, path: Node
) -> tuple[Node | slice, ...]:
    """The indices and slices of a subscript: several of an array, else one."""
    several = isinstance(owner, Array) and isinstance(node.slice, ast.Tuple)
    parts = node.slice.elts if several else [node.slice]  # type: ignore[attr-defined]
    return tuple(_place(tracer, node, part, env, path) for part in parts)


def _place(
    tracer: Tracer, node: ast.Subscript, part: ast.expr, env: Env, path: Node
) -> Node | slice:
    """One index or slice of a subscript."""
    if isinstance(part, ast.Slice):
        bounds = (part.lower, part.upper, part.step)
        nodes = [bound and tracer.number(bound, env, path) for bound in bounds]
        if any(n is not None and n.op != "const" for n in nodes):
            return slice(*nodes)
        call = Call(tracer, node, path)
        return slice(*(n and whole(call, n, "the bound of a slice") for n in nodes))
    index = tracer.number(part, env, path)
    if not (is_integer(index.kind) or is_boolean(index.kind)):
        what = "the index of a tuple is not an integer"
        tracer.refuse(node, what, "make it one with int()", KindError)
    return index


def entries(
    tracer: Tracer,
    node: ast.Subscript,
    owner: Value,
    places: Sequence[Node | slice],
    path: Node | None = None,
) -> Value:
    """`owner[index]`, `owner[a:b:c]`, and `owner[i, j]` of an array. What is looked up on a path
    raises IndexError where there is no such entry."""
    if not places:
        return owner
    if not isinstance(owner, (tuple, Resizable)):
        tracer.refuse(node, "there are more indices than dimensions", "leave the last ones out")
    place, *rest = places
    bounds = (place.start, place.stop, place.step) if isinstance(place, slice) else ()
    if isinstance(owner, Resizable) or any(isinstance(bound, Node) for bound in bounds):
        item = resizable.at(Call(tracer, node, path or tracer.graph.const(True)), owner, place)
    elif isinstance(place, slice):
        return type(owner)(entries(tracer, node, row, rest, path) for row in owner[place])
    elif place.op != "const":
        item = _looked_up(tracer, node, owner, place, path)
    elif -len(owner) <= place.data < len(owner):
        item = owner[int(place.data)]
    else:
        if not issubclass(IndexError, tracer.catching):
            tracer.refuse(node, f"{_sort(owner)} index out of range", "use an index of its items")
        tracer.raises_lookup(node, IndexError, _outside(owner), tracer.graph.const(True))
        return tracer.graph.const(math.nan)
    return entries(tracer, node, item, rest, path)


def _looked_up(
    tracer: Tracer,
    node: ast.Subscript,
    owner: tuple[Value, ...],
    index: Node,
    path: Node | None,
) -> Value:
    """The entry at an index that depends on values; where there is none, the first one."""
    graph, name = tracer.graph, ast.unparse(node.value)
    place, inside = within(graph, index, len(owner), path)
    name = name if name.isidentifier() else ""
    value = entry_at(graph, owner, place, name) if owner else None
    if value is None:
        what = (
            "an index that depends on values is understood in constants, and in tuples of 1 to "
            f"{MAX_ITEMS} numbers or of tuples of such"
        )
        tracer.refuse(node, what, "pass what is looked up as an operand")
    if path is not None:
        missing, counter, ahead = graph.logical_not(inside), tracer.counter, None
        if counter is not None and counter.path is path and missing.op != "const":
            ahead = counter.missed(graph, index, len(owner))
        tracer.raises_lookup(node, IndexError, _outside(owner), missing, ahead)
    return value


def _sort(owner: Value) -> str:
    """What Python calls a sequence."""
    return "array" if isinstance(owner, Array) else "list" if isinstance(owner, List) else "tuple"


def _outside(owner: tuple[Value, ...]) -> str:
    """What is said of an index that a sequence does not have."""
    return f"{_sort(owner)} index out of range, there are {len(owner)} items"
