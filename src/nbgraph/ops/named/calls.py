"""Calls of operators by MXNet's names: parameters, and variables for missing operands.

Parameters are values or text, as "(3,3)". A missing operand on a symbol becomes a variable named by
the node's `name` and its own, as `conv1_weight`, with a shape that follows from the data.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.call import carrier_of
from nbgraph.operator.declared import DOCS, parse
from nbgraph.operator.expected import with_shape
from nbgraph.operator.layout import keep
from nbgraph.operator.parameters import Param
from nbgraph.operator.spec import Attributes, Spec, items_of
from nbgraph.ops.define import as_array, complete_documentation, define_rows, library

Known = Mapping[str, tuple[Any, Any]]  # of a new variable: its shape and its initial value
Axes = tuple[int, ...]
Layout = Literal["NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC"] | None
_OPERANDS = frozenset(
    "data condition sequence_length lhs mhs rhs a indices rois A B C grid loc data1 data2 index "
    "new like anchor label cls_pred cls_prob loc_pred queries_keys_values queries keys_values "
    "attention".split()
)  # of MXNet's operators
_DOCS = {
    **DOCS,
    "data": "array",
    "name": "of the node, where data is a symbol",
    "num_args": "ignored, as MXNet's scripts give it",
    "num_arrays": "ignored, as MXNet's scripts give it",
}
_EXACT, _INTS = frozenset((bool, int, float, str, type(None))), frozenset((int,))
_read: dict[Any, Param] = {}  # cache of parameters
_Function = TypeVar("_Function", bound=Callable[..., Any])


def read(name: str, kind: type[Param], arguments: Mapping[str, Any]) -> Any:
    """Return the parameters of a call; ArgumentError names operator and field."""
    exact = all(
        type(v) in _EXACT or (type(v) is tuple and _INTS.issuperset(map(type, v)))
        for v in arguments.values()
    )
    key = (kind, *items_of(arguments), *map(type, arguments.values())) if exact else None
    known = _read.get(key)
    if known is not None:
        return known
    try:
        parameters = kind(**arguments)
        return keep(_read, key, parameters, 1024) if exact else parameters
    except ArgumentError as error:
        message = str(error).removeprefix(f"{kind.__name__}: ")
        raise ArgumentError(f"{name}: {message}") from None


def documented(kind: type[Param]) -> Callable[[_Function], _Function]:
    """Decorate an operator that takes these parameters as keywords: list them in its text."""

    def decorate(function: _Function) -> _Function:
        complete_documentation(function)
        own = inspect.cleandoc(function.__doc__ or "")
        listed = "\n".join(f.describe() for f in kind.__fields__.values())
        function.__doc__ = f"{own}\n\nOther Parameters\n----------------\n{listed}\n"
        return function

    return decorate


def channels_last(call: str, data: Any, layout: str | None) -> tuple[Axes, Axes] | None:
    """Return the orders of axes that put last channels second, and back; None where they are."""
    if layout is None or layout[-1] != "C":
        return None
    if len(getattr(data, "shape", None) or layout) != len(layout):
        raise ShapeError(f"{call}: data has shape {data.shape}, not the axes of layout={layout!r}")
    last = len(layout) - 1
    return (0, last, *range(1, last)), (0, *range(2, last + 1), 1)


def composer(*values: Any) -> Any:
    """Return the function that makes nodes with variables, if a value is a symbol; else None."""
    carrier = carrier_of([v for v in values if v is not None])
    return getattr(carrier, "__nbgraph_compose__", None)


def applied(
    op: Any,
    values: Sequence[Any],
    attributes: Attributes,
    name: str | None = None,
    known: Known | None = None,
    call: tuple[str, Mapping[str, Any]] | None = None,
    *,
    inner: bool = False,
) -> Any:
    """Apply the operator to arrays, or to symbols with variables for None.

    `call` has the name that users know and the parameters from which `known` shapes follow:
    existing operands must have these, and they are attributes of the node. `inner`: `name` is for
    the variables alone, as the result is a part of a call.
    """
    compose = composer(*values)
    if call is not None and known is not None:
        shapes = [known.get(label, (None, None))[0] for label in op.operands]
        values = [
            v if v is None or shape is None else with_shape(v, shape, call[0], label, call[1])
            for label, v, shape in zip(op.operands, values, shapes, strict=True)
        ]
    if compose is not None:
        shown = {} if call is None else call[1]
        return compose(op, values, name, op.normalise(attributes), known or {}, shown, inner)
    require_arrays(op, values)
    composition = None if op.is_loss else getattr(op, "composition", None)
    if composition is None or op.kernels or carrier_of(values) is None:
        return op(*values, **attributes)
    op.infer([Spec.of(v) for v in map(as_array, values)], attributes)
    return composition(*values, **attributes)  # which has fast paths


def require_arrays(op: Any, values: Iterable[Any]) -> None:
    """Raise ArgumentError if an operand is missing."""
    for label, value in zip(op.operands, values, strict=True):
        if value is None:
            raise ArgumentError(
                f"{op.__name__}: no array is given for {label}; give it (on symbols, what is not "
                "given becomes a variable)"
            )


def named(result: Any, name: str | None) -> Any:
    """Return a symbol under the name of the call; arrays have none."""
    if name is None or not hasattr(result, "named"):
        return result
    return (library.copy(result) if result.get_children() is None else result).named(name)


def define_named(
    text: str,
    scope: dict[str, Any],
    by_shape: Collection[str] | Mapping[str, Any] = (),
    like: Collection[str] = (),
) -> None:
    """Define and register the operators of a table of MXNet's names in a module's globals."""
    rows = [
        row._replace(call=f"named({row.call}, name)") if "name=None" in row.parameters else row
        for row in parse(text, "library")
    ]
    define_rows(rows, scope, _OPERANDS, by_shape, _DOCS, like)
