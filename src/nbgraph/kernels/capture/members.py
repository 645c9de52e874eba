"""Attributes and methods: of numbers, strings of digits, lists, arrays, dicts, objects.

A row for each type of value lists those that it has. A method is a value, too: the row of its
owner has the function that calls it.
"""

import ast
from collections import abc
from collections.abc import Callable, Collection
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from nbgraph.kernels.capture import arrays, complex_numbers, dicts, digits, lists, sequences, typed
from nbgraph.kernels.capture.classes import DICT_METHODS, method_of_dict, of_record, of_super
from nbgraph.kernels.capture.containers import Array, Mapping, Pairs, Record, Resizable
from nbgraph.kernels.capture.context import Call, Method, Tracer
from nbgraph.kernels.capture.joining import chosen
from nbgraph.kernels.capture.lists import view
from nbgraph.kernels.capture.resizable import METHODS
from nbgraph.kernels.capture.values import Choice, Complex, Env, Node, Static, Value

_FORMULA = "write the scalar formula; the loop over the array is made for you"


def attribute(tracer: Tracer, node: ast.Attribute, env: Env, path: Node) -> Value:
    """Return the value of `owner.name`; a method is a value that may be called."""
    inner, name = node.value, node.attr
    call, tracer.frame = Call(tracer, node, path), env
    if isinstance(inner, ast.Call) and tracer.static(inner.func, env) is super:
        return of_super(call, inner, env)
    referred = tracer.object(inner, env, path)
    owner, tracer.frame = tracer.read(inner, referred, env), env
    if isinstance(owner, Record):
        return of_record(call, owner, referred)
    if isinstance(owner, Choice):
        each = lambda one, _: tracer.attribute(node, one.value, name)
        return chosen(tracer.graph, owner, each)
    sort = next((sort for sort in _SORTS if isinstance(owner, sort.types)), _OTHERS)
    if name in sort.attributes:
        return sort.attributes[name](call, owner, referred)
    if name in sort.methods:  # `max(d, key=d.get)` is traced without a reference
        reads = isinstance(owner, Pairs) and name in DICT_METHODS - dicts.CHANGES.keys()
        return Static(Method(owner if reads else referred, name, sort.call))
    if isinstance(owner, Node) and isinstance(known := tracer.static(inner, env), Enum):
        owner = Static(known)
    if isinstance(owner, Static):
        return tracer.attribute(node, owner.value, name)
    what = sort.without.format(name)
    return tracer.fails(node, AttributeError, what) or tracer.refuse(node, what, sort.remedy)


class Sort(NamedTuple):
    """A type's attributes, functions of the value and its reference; its methods, and the function
    that calls them on a reference."""

    types: tuple[type, ...]
    attributes: abc.Mapping[str, Callable[[Call, Any, Value], Value]] = {}
    methods: Collection[str] = ()
    call: Callable[[Call, Value, str], Value] = lambda *_: None
    without: str = "an operand is one number and has no attribute {!r} here"
    remedy: str = _FORMULA


def _method_of_number(call: Call, owner: Value, name: str) -> Value:
    """Return the value of a method of a number, by the function of that name."""
    return call.tracer.called(call.of(_NUMBER_METHODS[name], owner, *call.args, **call.kwargs))


_part = lambda name: lambda call, owner, _: complex_numbers.part(call.graph, owner, name)
_PARTS = {name: _part(name) for name in ("real", "imag")}
_NUMBER_METHODS: dict[str, Any] = {  # functions whose first argument is the number
    "conjugate": np.conjugate,
    "bit_length": int.bit_length,
    "bit_count": int.bit_count,
    "to_bytes": int.to_bytes,
    **typed.METHODS,
}
_ARRAY_ATTRIBUTES: dict[str, Callable[[Call, Any, Value], Value]] = {
    "T": lambda call, owner, referred: view(call, referred, np.transpose),
    "shape": lambda call, owner, _: tuple(map(call.graph.const, arrays.shape(owner))),
    "size": lambda call, owner, _: call.graph.const(int(np.prod(arrays.shape(owner)))),
    "ndim": lambda call, owner, _: call.graph.const(arrays.depth(owner)),
}
_SEQUENCE_METHODS = {*arrays.METHODS, *METHODS, *lists.CHANGES, *arrays.STEPS}
_sequence = lambda *types, **attributes: Sort(
    types,
    attributes,
    _SEQUENCE_METHODS,
    sequences.method,
    "a tuple of values has no attribute {!r} here (a list is one, too)",
    "name each value, or build the tuple at once",
)
_SORTS = (
    _sequence(Array, **_ARRAY_ATTRIBUTES),
    Sort((Mapping, Pairs), {}, DICT_METHODS, method_of_dict),
    _sequence(tuple, Resizable),
    Sort((Node,), {**_PARTS, **typed.ATTRIBUTES}, _NUMBER_METHODS, _method_of_number),
    Sort((Complex,), _PARTS, _NUMBER_METHODS, _method_of_number),
    Sort(
        (digits.Digits,),
        {},
        digits.METHODS,
        digits.method,
        "a string of digits has no attribute {!r} here",
        "write a loop over them",
    ),
)
_OTHERS = Sort((object,))
