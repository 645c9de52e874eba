"""Checks of the values for a run: numbers of the shapes that were bound."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.errors import ArgumentError, DTypeError, ShapeError, noun

if TYPE_CHECKING:
    from nbgraph.graph.symbol import Symbol

_NUMBERS = "biufV"  # kinds of dtypes; bfloat16 is a V


def shape_of(call: str, label: str, value: Any, target: Array) -> tuple[int, ...]:
    """Return the shape of a value; raise ArgumentError or DTypeError unless `target` can hold its
    numbers.

    `label` names the argument in errors.
    """
    bound = target.shape
    if isinstance(value, Array):
        return value.shape
    if hasattr(type(value), "__nbgraph_call__"):
        raise ArgumentError(
            f"{call}: {label} is {noun(value)}, which has no values; give an NDArray "
            f"of shape {bound}"
        )
    try:
        values = np.asarray(value)
    except ValueError:
        raise ShapeError(
            f"{call}: {label}={reprlib.repr(value)} has rows of different lengths; give numbers "
            f"of shape {bound}"
        ) from None
    if values.dtype.kind not in _NUMBERS and not values.dtype.kind == target.dtype.kind == "c":
        raise DTypeError(
            f"{call}: {label}={reprlib.repr(value)} has dtype {values.dtype}; give real numbers "
            f"of shape {bound}"
        )
    return values.shape


def require_shape(call: str, name: str, value: Any, target: Array) -> None:
    """Raise ShapeError unless a value has the bound shape, or is a number for all elements."""
    shape, bound = shape_of(call, name, value, target), target.shape
    if shape not in (bound, ()):
        raise ShapeError(
            f"{call}: {name} has shape {shape}, it was bound with {bound}; reshape(...) the "
            "executor for another one"
        )


def require_seed(call: str, output: int, value: Any, symbol: Symbol, target: Array) -> None:
    """Raise ShapeError unless a gradient has the shape of its output, given by number."""
    shape, bound = shape_of(call, f"out_grads[{output}]", value, target), target.shape
    if shape != bound:
        text = f"={reprlib.repr(value)}" if shape == () else ""
        name = symbol.list_outputs()[output]
        raise ShapeError(
            f"{call}: out_grads[{output}]{text} has shape {shape}, output {name!r} has {bound}; "
            "give one of that shape"
        )


def require_train(call: str, is_train: Any) -> None:
    """Raise ArgumentError unless `is_train` is a bool: it may be an input without its name."""
    if not isinstance(is_train, (bool, np.bool_)):
        raise ArgumentError(
            f"{call}: is_train={reprlib.repr(is_train)}; give True or False. Values of arguments "
            "are given by name, as forward(x=...)"
        )
