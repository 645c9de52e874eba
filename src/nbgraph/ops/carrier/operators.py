"""Python's operators: `a + b`, `a @ b`, `a < b`, `-a`. Classes with memory add those in place."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from nbgraph import ops
from nbgraph.errors import NbgraphError
from nbgraph.operator.call import call
from nbgraph.operator.lazy import adopted, foreign

Method = Callable[..., Any]


class Way(NamedTuple):
    """The operator of the library that a method of `Operators` applies, and how."""

    name: str
    operands: int
    swapped: bool = False  # whether the object is the right operand


# attributes, any of which marks classes of possible operands
_OPERANDS = tuple(
    f"__{name}__"
    for name in (
        "float index complex len array array_ufunc array_interface array_struct dlpack buffer"
    ).split()
)
_ARRAYS = [name for name in _OPERANDS if "array" in name or "dlpack" in name]


@functools.cache
def operator_of(name: str) -> Any:
    """Return the operator behind a public function of the library, as `call` takes it."""
    public = getattr(ops, name)
    return getattr(public, "op", public)


def weak(operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return operands, with a NumPy scalar converted to a Python number if it has the dtype of the
    only array: the result is the same, and its fast path is known."""
    for k, value in enumerate(operands):
        if isinstance(value, np.generic) and len(operands) == 2:
            own = getattr(operands[1 - k], "_layout", None)
            if own is not None and own.dtype == value.dtype and own.dtype.kind in "iuf":
                return (value.item(), operands[1]) if k == 0 else (operands[0], value.item())
    return operands


def takes_part(other: Any, name: str) -> bool:
    """Return whether a value may be an operand together with a carrier. A class that declines, or
    that keeps masks, units or labels, is asked first; pandas' classes are for products alone, since
    their other methods take carriers for lists."""
    return _takes_part(type(other), name)


@functools.lru_cache(512)
def _takes_part(kind: type, name: str) -> bool:
    if getattr(kind, "__nbgraph_priority__", None) is not None or adopted[kind] is not None:
        return True
    if foreign[kind]:
        return name != "matmul" and hasattr(kind, "__pandas_priority__")
    if kind is str or not any(hasattr(kind, name) for name in _OPERANDS):
        return False  # Python raises its own error, and `a == None` is False
    if hasattr(kind, "__array_priority__") and not any(hasattr(kind, n) for n in _ARRAYS):
        return name not in ("multiply", "matmul")  # sparse matrices compute products
    return getattr(kind, "__array_ufunc__", ...) is not None


def _binary(name: str, *, swapped: bool = False) -> Method:
    def method(self: Any, other: Any) -> Any:
        if not takes_part(other, name):
            return NotImplemented
        return call(operator_of(name), (other, self) if swapped else (self, other), {})

    named = _named(method, Way(name, 2, swapped))
    return named if name != "power" or swapped else powers(named)


def _unary(name: str) -> Method:
    def method(self: Any) -> Any:
        return call(operator_of(name), (self,), {})

    return _named(method, Way(name, 1))


def _named(method: Method, way: Way) -> Method:
    method.__name__ = method.__qualname__ = f"{way.name}_method"
    setattr(method, "way", way)  # noqa: B010  (functions have no such attribute by type)
    return method


_POWERS: dict[float, str] = {-1: "reciprocal", 0.5: "sqrt", 2: "square", 3: "third_power"}


def powers(general: Method, *, over: bool = False) -> Method:
    """Return the method of `x ** y`, or (`over`) of `x **= y`: a few powers by numbers are
    operators of their own if x has floats, as in NumPy, which is ten times as fast."""

    def method(self: Any, exponent: Any) -> Any:
        name = _POWERS.get(exponent) if type(exponent) is int or type(exponent) is float else None
        if name is None or not _floating(self, type(exponent) is int or exponent == 0.5):
            return general(self, exponent)
        return getattr(ops, name)(self, out=self if over else None)

    return _named(method, Way("power", 2))


def _floating(x: Any, unknown: bool) -> bool:
    """Return whether x has floats; `unknown` is the result for an unknown dtype."""
    try:
        return x.dtype.kind in "fV"
    except (AttributeError, NbgraphError):  # a row operator's value, or a symbol without shapes
        return unknown


class Operators:
    """Python's operators, each an operator of the library."""

    __slots__ = ()
    __hash__ = object.__hash__

    __add__: Method = _binary("add")
    __radd__: Method = _binary("add", swapped=True)
    __sub__: Method = _binary("subtract")
    __rsub__: Method = _binary("subtract", swapped=True)
    __mul__: Method = _binary("multiply")
    __rmul__: Method = _binary("multiply", swapped=True)
    __truediv__: Method = _binary("divide")
    __rtruediv__: Method = _binary("divide", swapped=True)
    __floordiv__: Method = _binary("floor_divide")
    __rfloordiv__: Method = _binary("floor_divide", swapped=True)
    __mod__: Method = _binary("remainder")
    __rmod__: Method = _binary("remainder", swapped=True)
    __divmod__: Method = _binary("divmod")
    __rdivmod__: Method = _binary("divmod", swapped=True)
    __pow__: Method = _binary("power")
    __rpow__: Method = _binary("power", swapped=True)
    __and__: Method = _binary("bitwise_and")
    __rand__: Method = _binary("bitwise_and", swapped=True)
    __or__: Method = _binary("bitwise_or")
    __ror__: Method = _binary("bitwise_or", swapped=True)
    __xor__: Method = _binary("bitwise_xor")
    __rxor__: Method = _binary("bitwise_xor", swapped=True)
    __lshift__: Method = _binary("bitwise_left_shift")
    __rlshift__: Method = _binary("bitwise_left_shift", swapped=True)
    __rshift__: Method = _binary("bitwise_right_shift")
    __rrshift__: Method = _binary("bitwise_right_shift", swapped=True)
    __matmul__: Method = _binary("matmul")
    __rmatmul__: Method = _binary("matmul", swapped=True)
    __lt__: Method = _binary("less")
    __le__: Method = _binary("less_equal")
    __gt__: Method = _binary("greater")
    __ge__: Method = _binary("greater_equal")
    __eq__: Method = _binary("equal")
    __ne__: Method = _binary("not_equal")
    __neg__: Method = _unary("negative")
    __pos__: Method = _unary("positive")
    __abs__: Method = _unary("absolute")
    __invert__: Method = _unary("bitwise_invert")


def ways() -> Iterator[tuple[str, Way]]:
    """Yield each method of `Operators` by name, with what it applies.

    >>> dict(ways())["__rsub__"]
    Way(name='subtract', operands=2, swapped=True)
    """
    for written, method in vars(Operators).items():
        way = getattr(method, "way", None)
        if way is not None:
            yield written, way
