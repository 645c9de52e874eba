"""Checks and conversions of the results of differentiated functions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from types import FunctionType
from typing import Any, Protocol

import numpy as np

from nbgraph.array.core import Array
from nbgraph.autograd.scope import record
from nbgraph.autograd.tape import bare
from nbgraph.autograd.tree import Place, like, places
from nbgraph.errors import ArgumentError, ShapeError, function_name, noun, require_shape
from nbgraph.operator.call import carrier_of, differentiating, recording, training
from nbgraph.operator.lazy import is_lazy
from nbgraph.ops.define import library
from nbgraph.signatures import Function


class _Variables(Protocol):
    """Variables of a tape, or of a graph."""

    def tracking(self) -> AbstractContextManager[None]:
        """Have operations on the variables followed within the block."""
        ...


def run(f: Function, variables: _Variables, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Return the result of a function of its variables, recorded."""
    before = differentiating.get()
    try:
        differentiating.set(True)
        with variables.tracking(), record(train_mode=training.get(True)):
            return f(*args, **kwargs)
    finally:
        differentiating.set(before)


def scalar(name: str, f: Function, out: Any) -> Any:
    """Return the result; raise unless it is one that has a gradient."""
    _require_followed(name, function_name(f), out)
    if not is_array(out):
        several = "the value alone, or (value, other) with has_aux=True"
        one = "an NDArray, without item(), float() or asnumpy() on the way"
        raise ArgumentError(
            f"{name}: {function_name(f)} returned {noun(out)}, through which no gradient flows; "
            f"return {several if isinstance(out, tuple) else one}"
        )
    if out.size != 1:
        raise ShapeError(
            f"{name}: {function_name(f)} returned shape {out.shape}; a gradient needs a result of "
            "one element: sum it, or use ng.vjp with the gradient of each element"
        )
    _require_floating(name, function_name(f), out)
    if out.dtype.kind == "c":
        raise ArgumentError(
            f"{name}: {function_name(f)} gives {out.dtype}; a gradient is that of a real number: "
            "return ng.real(y), ng.imag(y) or ng.abs(y), or use ng.vjp"
        )
    return out


def auxiliary(name: str, f: Function, out: Any) -> tuple[Any, Any]:
    """Return the value and the other result of a function that returns a pair of them."""
    if not isinstance(out, tuple) or len(out) != 2:
        raise ArgumentError(
            f"{name}: with has_aux=True {function_name(f)} has to return (value, other); it "
            f"returned {noun(out)}"
        )
    return out


def is_array(value: Any) -> bool:
    """Return whether gradients can flow through a value: an NDArray, or a symbol."""
    return isinstance(value, Array) or carrier_of((value,)) is not None


def lazy_among(values: Any) -> bool:
    """Return whether a structure outside of traces has a Dask array."""
    recorder = recording.get()
    if "dask.array" not in sys.modules or (recorder is not None and recorder.traces):
        return False
    return any(is_lazy(place.value) for place in places(values, ""))


def no_derivative(name: str, path: str, dtype: Any) -> ArgumentError:
    """Return the error for a value that is not floating, as differentiation requires."""
    return ArgumentError(
        f"{name}: {path} has dtype {dtype}, with respect to which there is no derivative; give it "
        "a floating dtype (2.0 rather than 2), or leave it out of what is differentiated"
    )


def not_a_value(name: str, place: Place) -> ArgumentError:
    """Return the error for a value that is nothing to differentiate with respect to."""
    return ArgumentError(
        f"{name}: {place.path} is {noun(place.value)}; what is differentiated is an array, a "
        "float, or a dict, list or tuple of those"
    )


def outputs(name: str, out: Any) -> list[Any]:
    """Return the arrays of a result that may be a structure."""
    leaves = places(out, "out")
    for place in leaves:
        _require_followed(name, place.path, place.value)
        if not is_array(place.value):
            raise ArgumentError(
                f"{name}: {place.path} is {noun(place.value)}; the function has to "
                "return NDArrays, or a dict, list or tuple of those"
            )
        _require_floating(name, place.path, place.value)
    return [place.value for place in leaves]


def _require_followed(name: str, what: str, out: Any) -> None:
    if is_lazy(out):
        raise ArgumentError(
            f"{name}: {what} gives a Dask array, but no argument is one, so that the gradient was "
            "not followed through it; give the Dask arrays as arguments, or decorate the function "
            "with ng.jit"
        )


def _require_floating(name: str, what: str, out: Any) -> None:
    if out.dtype.kind not in "cfV":
        raise ArgumentError(
            f"{name}: {what} gives {out.dtype}, which has no derivative; return a floating dtype"
        )


def matching(name: str, what: str, value: Any, structure: Any) -> list[Any]:
    """Return the values of a structure that has to be like another."""
    leaves, targets = places(value, ""), places(structure, "")
    if [place.path for place in leaves] != [place.path for place in targets]:
        has, needs = (", ".join(p.path or "one array" for p in ps) for ps in (leaves, targets))
        raise ArgumentError(f"{name}: {what} has the structure ({has}); expected ({needs})")
    for place, like_it in zip(leaves, targets, strict=True):
        shape = place.value.shape if is_array(place.value) else np.shape(place.value)
        require_shape(f"{name}: {what}{place.path}", shape, like_it.value.shape)
    return [place.value for place in leaves]


def outside(result: Any, arguments: Sequence[Any]) -> Any:
    """Return a function's result without its inner tape, copied where it shares memory with an
    argument; outer tapes still record it."""
    if recording.get() is not None:
        return result
    taken = {id(array._chunk) for array in arguments}
    values = [place.value for place in places(result, "")]
    return like(result, [_bare(v, taken) for v in values], objects=True)


def _bare(value: Any, taken: set[int]) -> Any:
    if not isinstance(value, Array):
        return value
    if id(value._chunk) in taken:
        return library.copy(value)
    return value if value._node is None else bare(value)


def require_function(name: str, f: Any, form: str = "") -> None:
    """Raise ArgumentError where a value cannot be called as in `form`, and for symbols."""
    array = getattr(type(f), "stands_for_array", False)  # of a function that is traced
    if callable(f) and not array and carrier_of([f]) is not None:
        raise ArgumentError(
            f"{name}: f is {noun(f)}, a graph and no function; give a Python function, "
            "such as lambda x: ..., which is called with arrays or symbols. The gradients of a "
            "symbol itself come from simple_bind(x=shape): forward_backward(x=...), grad_dict['x']"
        )
    if array or not callable(f):
        kind = "an array" if array else type(f).__name__
        raise ArgumentError(
            f"{name}: {kind} is not a function; give the function itself, not its value"
        )
    if form and not takes(f, form.count(",") + 1 - form.endswith("()")):
        own = ", ".join(inspect.signature(f).parameters)
        raise ArgumentError(
            f"{name}: {form} is called, but the function takes ({own}); values that belong "
            "together are one argument, a tuple or dict"
        )


def takes(f: Any, count: int) -> bool:
    """Return whether so many arguments by position fit a Python function; True for others."""
    if type(f) is not FunctionType:
        return True
    code, defaults, named = f.__code__, f.__defaults__ or (), f.__kwdefaults__ or ()
    many = bool(code.co_flags & inspect.CO_VARARGS) or count <= code.co_argcount
    return (
        many and code.co_argcount - len(defaults) <= count and code.co_kwonlyargcount == len(named)
    )


def at_places(
    f: Function, args: Sequence[Any], numbers: Sequence[int], kwargs: Mapping[str, Any]
) -> Function:
    """Return `f` as a function of the arguments at these places alone."""

    def call(*values: Any) -> Any:
        arguments = list(args)
        for i, value in zip(numbers, values, strict=True):
            arguments[i] = value
        return f(*arguments, **kwargs)

    return call
