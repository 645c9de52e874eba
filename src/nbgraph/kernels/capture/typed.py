"""Casts to the type of a number, and questions about it, decided by the number's kind.

An element is one number, which has every type of its kind at once: a floating value is a `float`,
a `np.float64` and a `np.float32`, as the kernel may compute in either precision.
"""

import ast
import copy
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.kernels.capture import objects
from nbgraph.kernels.capture.classes import of_record
from nbgraph.kernels.capture.containers import Array, List, Mapping, Record, Resizable, sort_of
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.inlining import LocalFunction
from nbgraph.kernels.capture.number_types import NumberDtype, NumberType, is_instance, types_of
from nbgraph.kernels.capture.values import Complex, Node, Static, Value
from nbgraph.kernels.scalar.kinds import INTEGERS, is_boolean

_IGNORED = ("copy", "order", "subok", "ndmin", "shape", "casting", "like")  # no effect on a number


# casts ------------------------------------------------------------------------------------------


def numba_name(target: object) -> str | None:
    """Return the dtype's name of a Numba type that is used as a cast; None for other objects."""
    if not type(target).__module__.startswith("numba.core.types"):
        return None
    name = {"boolean": "bool"}.get(str(target), str(target))
    return name if name in (*INTEGERS, "bool", "float32", "float64", "float16") else None


def cast(call: Call, value: Value, target: Any) -> Node | None:
    """Return a number cast to a type or dtype; None if that is not one of real numbers."""
    if isinstance(target, (NumberType, NumberDtype)):
        kind = target.kind if isinstance(target, NumberType) else target.number_kind
    else:
        try:
            name = numba_name(target) or np.dtype(target).name
        except TypeError:
            return None
        kind = "f" if name == "float64" else name
    graph, number = call.graph, call.tracer.number_of(call, value)
    if kind in ("float32", "float16"):
        return graph.narrow(number, kind)
    if kind == "f":
        return graph.float(number)
    if kind not in ("i", "b", "bool", *INTEGERS):
        return None
    if is_boolean(kind):
        return graph.cast(graph.truth(number), kind)
    return graph.cast(graph.call("trunc", number) if number.kind == "f" else number, kind)


# functions of one number ------------------------------------------------------------------------


def _same(call: Call, x: Node, dtype: Value = None, axis: Value = None) -> Value:
    """Return the number, cast to `dtype` if there is one."""
    target = dtype.value if isinstance(dtype, Static) else None
    if target is None:
        return x
    number = cast(call, x, target)
    if number is None:
        name = getattr(target, "__name__", target)
        call.refuse(f"the dtype {name} is not one of real numbers", "use float")
    return number


def _like(value: float) -> Callable[..., Value]:
    """Return a function such as `np.zeros_like`."""
    graph_like = lambda graph, x: graph.cast(graph.const(value), x.kind)
    return lambda call, x, dtype=None: _same(call, graph_like(call.graph, x), dtype)


def _full_like(call: Call, x: Node, fill_value: Value, dtype: Value = None) -> Value:
    value = cast(call, fill_value, NumberType(x.kind))
    assert value is not None
    return _same(call, value, dtype)


def _has_no_fraction(call: Call, x: Node) -> Value:
    graph = call.graph
    if x.kind != "f":
        return graph.const(True)
    finite = graph.compare("lt", graph.absolute(x), graph.const(float("inf")))
    return graph.logical_and(finite, graph.compare("eq", graph.call("trunc", x), x))


def _answer(value: Any) -> Callable[..., Value]:
    return lambda call, x: value if isinstance(value, tuple) else call.graph.const(value)


FUNCTIONS: dict[object, Callable[..., Value]] = {
    **dict.fromkeys(
        (
            *(np.asarray, np.array, np.asanyarray, np.ascontiguousarray, np.atleast_1d, np.copy),
            *(np.squeeze, np.ravel, copy.copy, copy.deepcopy),
        ),
        _same,
    ),
    np.ones_like: _like(1),
    np.zeros_like: _like(0),
    np.empty_like: _like(0),
    np.full_like: _full_like,
    **dict.fromkeys((np.isscalar, np.isreal, np.isrealobj), _answer(True)),
    **dict.fromkeys((np.iscomplex, np.iscomplexobj), _answer(False)),
    np.ndim: _answer(0),
    np.size: _answer(1),
    np.shape: _answer(()),
    **dict.fromkeys((np.any, np.all), lambda call, x, axis=None: call.graph.truth(x)),
    float.is_integer: _has_no_fraction,
}
ATTRIBUTES: dict[str, Callable[[Call, Any, Value], Value]] = {
    "shape": lambda call, x, _: (),
    "ndim": lambda call, x, _: call.graph.const(0),
    "size": lambda call, x, _: call.graph.const(1),
    "T": lambda call, x, _: x,
    "dtype": lambda call, x, _: Static(NumberDtype(x.kind)),
}
METHODS: dict[str, Any] = {  # the number is the first argument
    **dict.fromkeys(("astype", "item", "copy", "tolist", "squeeze", "ravel", "flatten"), np.array),
    **{name: getattr(np, name) for name in ("any", "all", "clip", "round")},
    "is_integer": float.is_integer,
}


def function_of_number(call: Call) -> Value | None:
    """Return the value of a function of one number's type, dtype or shape, else None."""
    target, args, kwargs = call.target, call.args, call.kwargs
    first = args[0] if args else None
    if isinstance(target, NumberType) or numba_name(target) is not None:
        if isinstance(target, NumberType) and first is None:
            return call.graph.cast(call.graph.const(0), target.kind)
        return cast(call, first, target) if len(args) == 1 and not kwargs else None
    if not callable(target) or not type(target).__hash__:
        return None
    question, *counts = _QUESTIONS.get(target, (None,))
    if question is not None and not kwargs:
        return question(call, *args) if len(args) in counts else None
    function = FUNCTIONS.get(target)
    named = {k: v for k, v in kwargs.items() if k not in _IGNORED}
    if function is None or not isinstance(first, Node):
        return None
    if not set(named) <= {"dtype", "axis", "fill_value"}:
        return None
    return call.answer(function, first, *args[1:], **named)


# questions --------------------------------------------------------------------------------------


def _type(call: Call, value: Value) -> Value | None:
    if isinstance(value, tuple):
        return None
    if isinstance(value, Complex):
        return Static(complex)
    return Static(NumberType(value.kind) if isinstance(value, Node) else type(value.value))


def _isinstance(call: Call, value: Value, target: Value) -> Value | None:
    classes = _classes(target)
    if classes is None:
        return None
    graph = call.graph
    if isinstance(value, Node):
        return graph.const(is_instance(value.kind, classes))
    if isinstance(value, Complex):
        return graph.const(any(issubclass(complex, c) for c in classes))
    if isinstance(value, (Record, Array, Mapping)):
        cls = dict if isinstance(value, Mapping) else getattr(value, "cls", np.ndarray)
        return graph.const(issubclass(cls, classes))
    if isinstance(value, (tuple, Resizable)):
        if sort_of(value) is List and list in classes:
            return graph.const(True)
        if (tuple in classes) != (list in classes) or {set, frozenset} & {*classes}:
            text = "whether a sequence is a tuple or a list is not kept here"
            call.refuse(text, "ask for both: isinstance(x, (tuple, list))")
        return graph.const(any(issubclass(tuple, c) for c in classes))
    return graph.const(isinstance(value.value, classes)) if isinstance(value, Static) else None


def _classes(target: Value) -> tuple[type, ...] | None:
    """Return the classes in a type, a union of types, or a tuple of these."""
    if isinstance(target, tuple):
        parts = [_classes(part) for part in target]
        return None if None in parts else tuple(c for part in parts for c in part or ())
    if not isinstance(target, Static):
        return None
    if isinstance(target.value, NumberType):
        return types_of(target.value.kind)
    cls = typing.get_origin(target.value) or target.value  # for typing.Sequence
    if cls in (types.UnionType, typing.Union):
        return tuple(typing.get_args(target.value))
    return (cls,) if isinstance(cls, type) else None


def _hasattr(call: Call, value: Value, name: Value) -> Value | None:
    """Return whether a Python number has the attribute `name`."""
    if not isinstance(name, Static) or not isinstance(value, (Node, Static)):
        return None
    owner = types_of(value.kind)[0] if isinstance(value, Node) else value.value
    return call.graph.const(hasattr(owner, name.value))


def _getattr(call: Call, owner: Value, name: Value, default: Value = None) -> Value | None:
    if default is None and isinstance(owner, Record) and (known := objects.known(name)):
        node = ast.copy_location(ast.Attribute(call.node.args[0], known[0], ast.Load()), call.node)
        return of_record(call._replace(node=node), owner, owner)
    if not isinstance(owner, Static) or not isinstance(name, Static):
        return None
    if default is not None and not hasattr(owner.value, name.value):
        return default
    return call.tracer.attribute(call.node, owner.value, name.value)


def _callable(call: Call, value: Value) -> Value | None:
    known = value.value if isinstance(value, Static) else None
    return call.graph.const(callable(known) or isinstance(known, LocalFunction))


def _issubdtype(call: Call, dtype: Value, target: Value) -> Value | None:
    if not isinstance(dtype, Static) or not isinstance(target, Static):
        return None
    asked = dtype.value.type if isinstance(dtype.value, NumberDtype) else dtype.value
    types = types_of(asked.kind) if isinstance(asked, NumberType) else (asked,)
    return call.graph.const(any(np.issubdtype(t, target.value) for t in types))


# function -> its implementation, and its number of arguments
_QUESTIONS: dict[object, tuple[Any, ...]] = {
    type: (_type, 1),
    isinstance: (_isinstance, 2),
    hasattr: (_hasattr, 2),
    getattr: (_getattr, 2, 3),
    callable: (_callable, 1),
    np.issubdtype: (_issubdtype, 2),
}
