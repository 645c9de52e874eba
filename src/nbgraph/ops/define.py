"""How a family of array operators is written: public functions over operators, and axes.

A public function has NumPy's signature and brings its arguments into hashable form; the ArrayOp
behind it (`function.op`) has the same name and checks them against shapes, in `infer`. Called with
the operator's own attributes the function applies the operator. Gradient rules find other
operators through `library`, so that families need not import each other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype, is_float
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator import registry
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.call import carrier_of
from nbgraph.operator.deferred import UnknownShape
from nbgraph.operator.deferred import deferrable as deferrable
from nbgraph.operator.namespace import Namespace
from nbgraph.shape import Axis as Axis
from nbgraph.shape import axes_of as axes_of
from nbgraph.shape import axis_of as axis_of

Shape = tuple[int, ...]
_Function = TypeVar("_Function", bound=Callable[..., Any])

_INT = {int}
library = Namespace("nbgraph.ops")


def public(op: ArrayOp, *aliases: str) -> Callable[[_Function], _Function]:
    """Decorate the public function of an operator: registered under its name and aliases."""

    def decorate(function: _Function) -> _Function:
        op.__doc__ = function.__doc__
        setattr(function, "op", op)  # noqa: B010  (functions have no such attribute by type)
        return registry.register(function, op.__name__, *aliases)

    return decorate


def composed(*operands: str, aliases: Sequence[str] = ()) -> Callable[[_Function], _Function]:
    """Decorate a function made of operators: registered; of its arguments these are arrays."""

    def decorate(function: _Function) -> _Function:
        setattr(function, "operands", operands)  # noqa: B010  (functions have none by type)
        return registry.register(function, function.__name__, *aliases)

    return decorate


def operator_of(function: Any) -> Any:
    """The operator behind a public function."""
    return function.op


def whole(name: str, argument: str, value: object) -> int:
    """A whole number, or ArgumentError."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(
            f"{name}: {argument}={value!r} is no whole number; give an int"
        ) from None


def whole_tuple(name: str, argument: str, value: Any) -> Shape:
    """A tuple of whole numbers from one or a sequence of them."""
    if type(value) is tuple and set(map(type, value)) <= _INT:
        return value
    if isinstance(value, (tuple, list, range)) or (isinstance(value, np.ndarray) and value.ndim):
        return tuple(whole(name, argument, v) for v in value)
    return (whole(name, argument, value),)


def shape_tuple(name: str, value: Any, argument: str = "shape") -> Shape:
    """A shape without negative sizes."""
    shape = whole_tuple(name, argument, value)
    if any(n < 0 for n in shape):
        raise ShapeError(f"{name}: {argument}={value!r} has a negative size; sizes start at 0")
    return shape


def hashable_axis(name: str, axis: Any, argument: str = "axis") -> Axis:
    """None, an int or a tuple of ints."""
    if axis is None:
        return None
    if isinstance(axis, (tuple, list, range)):
        return whole_tuple(name, argument, axis)
    return whole(name, argument, axis)


def optional_dtype(dtype: Any) -> np.dtype[Any] | None:
    """A supported dtype, or None where none is asked for."""
    return None if dtype is None else as_dtype(dtype)


def as_array(x: Any) -> Any:
    """Arrays of every kind as they are, lists and numbers as NumPy arrays. The `shape` of one that
    stands for values to come may be None."""
    return np.asarray(x) if carrier_of((x,)) is None else x


def as_known(name: str, x: Any) -> Any:
    """`as_array` where the shape decides what is to be done; UnknownShape where it is not known,
    which makes a node of the call of a `deferrable` function."""
    found = as_array(x)
    if found.shape is None:
        raise UnknownShape(
            f"{name}: an operand's shape is not known yet, and what to do depends on it; give the "
            "shape, as in ng.var(name, shape=...)"
        )
    return found


def is_elsewhere(x: Any) -> bool:
    """Whether it is an array with values on a device that is not the host."""
    device = getattr(x, "device", None)
    return isinstance(device, Context) and not device.host and hasattr(x, "asnumpy")


def cast(gradient: Any, spec: Spec) -> Any:
    """A gradient in its operand's dtype."""
    dtype = getattr(gradient, "dtype", None)
    return gradient if dtype == spec.dtype else library.astype(gradient, spec.dtype)


def differentiable(specs: Sequence[Spec]) -> bool:
    """Whether every operand is floating."""
    return all(is_float(spec.dtype) for spec in specs)
