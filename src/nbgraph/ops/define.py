"""Definition of families of array operators: public functions over operators, and axes.

Docstrings are in the format of `operator/declared`; users see all sections. A public function has
NumPy's signature and converts its arguments to hashable form; its ArrayOp (`function.op`) has the
same name and checks them against shapes, in `infer`. Called with the operator's own attributes the
function applies the operator. Gradient rules access other operators through `library`, so that
families need not import each other.
"""

from __future__ import annotations

import ast
import functools
import inspect
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype, inexact, is_float
from nbgraph.errors import ArgumentError, DTypeError, ShapeError, require_word
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp, Specs
from nbgraph.operator.call import carrier_of
from nbgraph.operator.declared import (
    DOCS,
    Row,
    build,
    documentation,
    parameters_of,
    parse,
    postpone,
)
from nbgraph.operator.deferred import UnknownShape
from nbgraph.operator.deferred import deferrable as deferrable
from nbgraph.operator.lazy import refuse_foreign
from nbgraph.operator.namespace import Namespace
from nbgraph.shape import Axis as Axis
from nbgraph.shape import Shape
from nbgraph.shape import axes_of as axes_of
from nbgraph.shape import axis_of as axis_of
from nbgraph.signatures import checked

_Function = TypeVar("_Function", bound=Callable[..., Any])

_INT = {int}
library = Namespace("nbgraph.ops")


def public(op: ArrayOp, *aliases: str) -> Callable[[_Function], _Function]:
    """Decorate the public function of an operator: register it under its name and aliases."""

    def decorate(function: _Function) -> _Function:
        complete_documentation(function)
        function = checked(function)
        op.__doc__ = function.__doc__
        setattr(function, "op", op)  # noqa: B010  (functions have no such attribute by type)
        return registry.register(function, op.__name__, *aliases)

    return decorate


def composed(*operands: str, aliases: Sequence[str] = ()) -> Callable[[_Function], _Function]:
    """Decorate and register a function composed of operators; `operands` names its arrays."""

    def decorate(function: _Function) -> _Function:
        complete_documentation(function)
        function = checked(function)
        setattr(function, "operands", operands)  # noqa: B010  (functions have none by type)
        return registry.register(function, function.__name__, *aliases)

    return decorate


def kept(composition: _Function) -> _Function:
    """Decorate a composition of operators that returns new arrays: repeated calls on arrays of the
    same layouts run a graph (`array.composition_cache`). All arguments are positional."""

    @functools.wraps(composition)
    def call(*args: Any) -> Any:
        repeated = getattr(carrier_of(args), "__nbgraph_repeated__", None)
        return composition(*args) if repeated is None else repeated(composition, args, {})

    return call  # type: ignore[return-value]


def complete_documentation(function: Callable[..., Any]) -> None:
    """Convert a function's docstring from the format of rows to complete sections."""
    text = inspect.getdoc(function) or ""
    if "\n---" not in text:  # already has sections
        function.__doc__ = documentation(text, inspect.signature(function).parameters)


# Conversion of options for an operator, by name or by the type that a row states; common values
# need no call.
_CONVERSIONS: Mapping[str, str] = {
    "axis": "{name} if {name} is None or type({name}) is int else "
    'hashable_axis("{row}", {name}, "{name}")',
    "dtype": "{name} if {name} is None else optional_dtype({name})",
    "shape": 'shape_tuple("{row}", {name}, "{name}")',
    "bool": "bool({name})",
    "float": 'float(number("{row}", "{name}", {name}))',
    "int": '{name} if type({name}) is int else whole("{row}", "{name}", {name})',
    "ints": 'whole_tuple("{row}", "{name}", {name})',
}

_WITHIN_ROWS = (  # available in expressions of rows without an import
    "as_array as_known hashable_axis library not_negative number one_of optional_dtype shape_tuple "
    "whole whole_tuple"
).split()
_OF_FUNCTIONS = ("ddof", "exclude", "initial", "name", "where")  # parameters that no operator has
# further arguments of a reduction's call, and when they need `reduce_others`
_OTHERS = {"exclude": "exclude", "where": "where is not True", "initial": "initial is not None"}


def define_rows(
    rows: str | Iterable[Row],
    scope: dict[str, Any],
    operands: Collection[str] = (),
    by_shape: Collection[str] | Mapping[str, Any] = (),
    docs: Mapping[str, str] = DOCS,
    like: Collection[str] = (),
) -> None:
    """Define and register the functions of a table in a module's globals.

    A row with the name of an ArrayOp among these globals is that operator's public function; its
    options are converted by type, and `where`, `exclude` and `initial` are for `reduce_others`. The
    arrays of other rows are the parameters in `operands`. Those in `by_shape` read shapes: on
    symbols without them calls become nodes; a mapping has for each a function that counts its
    results (see `deferrable`), or None. Those in `like` read only the shape of some operand: on
    symbols calls become nodes, which keep it.
    """
    for label in _WITHIN_ROWS:
        scope.setdefault(label, globals()[label])
    labels = {  # the first name of an operator is the function's
        op.__name__: label for label, op in reversed(scope.items()) if isinstance(op, ArrayOp)
    }

    def make(row: Row) -> dict[str, Any]:
        label = labels.get(row.name)
        row = _applied(row, label, scope[label]) if label else row
        function = build(row, scope, docs=docs)
        if row.name in by_shape or row.name in like:
            count = by_shape.get(row.name) if isinstance(by_shape, Mapping) else None
            function = deferrable(count, ordered=row.name in like)(function)
        arrays = [n for n in parameters_of(row.parameters) if n in operands]
        decorate = composed(*arrays, aliases=row.aliases)
        if label:
            decorate = public(scope[label], *row.aliases)
        return {row.name: decorate(function)}

    postpone(parse(rows) if isinstance(rows, str) else rows, scope, make)


def _applied(row: Row, label: str, op: ArrayOp) -> Row:
    """Return a row that applies an operator, under its label, to the row's parameters."""
    parameters = list(parameters_of(row.parameters).items())
    operands = [name for name, _ in parameters[: len(op.operands)]]
    options = {
        name: _CONVERSIONS.get(kind or name, "{name}").format(row=row.name, name=name)
        for name, kind in parameters[len(op.operands) :]
        if name not in _OF_FUNCTIONS
    }

    def call(**others: str) -> str:
        passed = (f"{name}={value}" for name, value in {**options, **others}.items())
        return f"{label}({', '.join([*operands, *passed])})"

    others = [test for name, test in _OTHERS.items() if any(name == n for n, _ in parameters)]
    if others and not row.call:
        x, axis, *more = (name for name, _ in parameters)
        passed = ", ".join(f"{name}={name}" for name in more)
        beside = f'library.reduce_others({x}, "{row.name}", {axis}, {passed})'
        return row._replace(call=f"{beside} if {' or '.join(others)} else {call()}")
    if "op(..., " not in row.call:
        return row._replace(call=row.call.replace("op(...)", call()) or call())
    tree = ast.parse(row.call, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "op":
            inner = call(**{str(k.arg): ast.unparse(k.value) for k in node.keywords})
            parsed = ast.parse(inner, mode="eval").body
            assert isinstance(parsed, ast.Call)
            node.func, node.args, node.keywords = parsed.func, parsed.args, parsed.keywords
    return row._replace(call=ast.unparse(tree))


def operator_of(function: Any) -> Any:
    """Return the operator behind a public function."""
    return function.op


def whole(name: str, argument: str, value: object) -> int:
    """Return an integer, or raise ArgumentError."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(
            f"{name}: {argument}={value!r} is not a whole number; give an int"
        ) from None


def number(name: str, argument: str, value: Any, *, real: bool = True) -> Any:
    """Return a Python number, also from a NumPy scalar or 0-d array; complex unless `real`. Raise
    ArgumentError for other values, so that no array loses its gradient."""
    if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0:
        value = value.item()
    if not isinstance(value, (bool, int, float) if real else (bool, int, float, complex)):
        kind = "a real number" if real else "a number"
        lost = ", through which no gradient flows" * hasattr(type(value), "__nbgraph_priority__")
        raise ArgumentError(f"{name}: {argument}={value!r}; expected {kind}{lost}")
    return value


def not_negative(name: str, argument: str, value: Any) -> float:
    """Return a number that is not negative, as a float, or raise ArgumentError."""
    if isinstance(value, (str, bool)) or not number(name, argument, value) >= 0:
        raise ArgumentError(f"{name}: {argument}={value!r}; expected a number from 0 on")
    return float(value)


def one_of(name: str, argument: str, value: Any, words: Sequence[str]) -> str:
    """Return one of several words, or raise ArgumentError."""
    return str(require_word(f"{name}: {argument}", value, words))


def whole_tuple(name: str, argument: str, value: Any) -> Shape:
    """Return a tuple of integers from one or a sequence of them."""
    if type(value) is tuple and set(map(type, value)) <= _INT:
        return value
    if isinstance(value, (tuple, list, range)) or getattr(value, "ndim", 0):
        return tuple(whole(name, argument, v) for v in value)
    return (whole(name, argument, value),)


def shape_tuple(name: str, value: Any, argument: str = "shape") -> Shape:
    """Return a shape without negative sizes."""
    shape = whole_tuple(name, argument, value)
    if shape and min(shape) < 0:
        raise ShapeError(f"{name}: {argument}={value!r} has a negative size; sizes start at 0")
    return shape


def hashable_axis(name: str, axis: Any, argument: str = "axis") -> Axis:
    """Return None, an int or a tuple of ints."""
    if axis is None:
        return None
    if isinstance(axis, (tuple, list, range)):
        return whole_tuple(name, argument, axis)
    return whole(name, argument, axis)


def optional_dtype(dtype: Any) -> np.dtype[Any] | None:
    """Return a supported dtype, or None for None."""
    return None if dtype is None else as_dtype(dtype)


def as_array(x: Any) -> Any:
    """Return arrays of every kind unchanged, lists and numbers as NumPy arrays. The `shape` of a
    symbol may be None."""
    if type(x) is np.ndarray or carrier_of((x,)) is not None:
        return x
    refuse_foreign("array", "x", x)
    return np.asarray(x)


def as_known(name: str, x: Any) -> Any:
    """Return `as_array(x)`; raise UnknownShape if its shape is unknown, which makes the call of a
    `deferrable` function a node."""
    array = as_array(x)
    if array.shape is None:
        raise UnknownShape(
            f"{name}: an operand's shape is not known yet, and what to do depends on it; give the "
            "shape, as in ng.var(name, shape=...)"
        )
    return array


def is_elsewhere(x: Any) -> bool:
    """Return whether `x` is an array with values on a device other than the host."""
    device = getattr(x, "device", None)
    return isinstance(device, Context) and not device.host and hasattr(x, "asnumpy")


def added(a: Any, b: Any) -> Any:
    """Return a sum of which parts may be None, meaning nothing."""
    if a is None or b is None:
        return b if a is None else a
    return library.add(a, b)


def require_floats(name: str, *operands: Any, label: str = "x") -> np.dtype[Any]:
    """Return the common dtype of floats; DTypeError names an operand of another by its label."""
    if not all(is_float(x.dtype) for x in operands):
        listed = ", ".join(str(x.dtype) for x in operands)
        subject = f"{label} has dtype" if len(operands) == 1 else "operands have dtypes"
        raise DTypeError(f"{name}: {subject} {listed}; expected floats: use astype")
    return np.result_type(*(x.dtype for x in operands))


def differentiable(specs: Specs) -> bool:
    """Return whether every operand is floating."""
    return all(inexact(spec.dtype) for spec in specs)


def by_numpy(run: Callable[..., None]) -> Callable[..., None]:
    """Return the `compute` of an operator from `run(xp, *inputs, *outputs, **attributes)`, which
    array libraries of devices can also run: it is the operator's Library form, too."""

    def compute(inputs: Sequence[Any], outputs: Sequence[Any], **attributes: Any) -> None:
        run(np, *inputs, *outputs, **attributes)

    vars(compute)["library"] = run
    return compute
