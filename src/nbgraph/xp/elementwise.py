"""Element-wise functions: the library's operators under the standard's signatures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph import ops

__all__ = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_invert", "ceil", "cos",
    "cosh", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log1p", "log2", "log10",
    "logical_not", "negative", "positive", "reciprocal", "round", "sign", "signbit", "sin", "sinh",
    "sqrt", "square", "tan", "tanh", "trunc", "add", "atan2", "bitwise_and", "bitwise_left_shift",
    "bitwise_or", "bitwise_right_shift", "bitwise_xor", "copysign", "divide", "equal",
    "floor_divide", "greater", "greater_equal", "hypot", "less", "less_equal", "logaddexp",
    "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply", "nextafter",
    "not_equal", "pow", "remainder", "subtract", "conj", "imag", "real", "clip",
]  # fmt: skip

_Unary = Callable[[Any], Any]
_Binary = Callable[[Any, Any], Any]


def _unary(name: str) -> _Unary:
    def function(x: Any, /) -> Any:
        return getattr(ops, name)(x)

    return _named(function, name)


def _binary(name: str) -> _Binary:
    def function(x1: Any, x2: Any, /) -> Any:
        return getattr(ops, name)(x1, x2)

    return _named(function, name)


def _named(function: Any, name: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`nbgraph.{name}`, element by element; operands broadcast and promote."
    return function


abs = _unary("abs")
acos = _unary("acos")
acosh = _unary("acosh")
asin = _unary("asin")
asinh = _unary("asinh")
atan = _unary("atan")
atanh = _unary("atanh")
bitwise_invert = _unary("bitwise_invert")
ceil = _unary("ceil")
cos = _unary("cos")
cosh = _unary("cosh")
exp = _unary("exp")
expm1 = _unary("expm1")
floor = _unary("floor")
isfinite = _unary("isfinite")
isinf = _unary("isinf")
isnan = _unary("isnan")
log = _unary("log")
log1p = _unary("log1p")
log2 = _unary("log2")
log10 = _unary("log10")
logical_not = _unary("logical_not")
negative = _unary("negative")
positive = _unary("positive")
reciprocal = _unary("reciprocal")
round = _unary("round")
sign = _unary("sign")
signbit = _unary("signbit")
sin = _unary("sin")
sinh = _unary("sinh")
sqrt = _unary("sqrt")
square = _unary("square")
tan = _unary("tan")
tanh = _unary("tanh")
trunc = _unary("trunc")

add = _binary("add")
atan2 = _binary("atan2")
bitwise_and = _binary("bitwise_and")
bitwise_left_shift = _binary("bitwise_left_shift")
bitwise_or = _binary("bitwise_or")
bitwise_right_shift = _binary("bitwise_right_shift")
bitwise_xor = _binary("bitwise_xor")
copysign = _binary("copysign")
divide = _binary("divide")
equal = _binary("equal")
floor_divide = _binary("floor_divide")
greater = _binary("greater")
greater_equal = _binary("greater_equal")
hypot = _binary("hypot")
less = _binary("less")
less_equal = _binary("less_equal")
logaddexp = _binary("logaddexp")
logical_and = _binary("logical_and")
logical_or = _binary("logical_or")
logical_xor = _binary("logical_xor")
maximum = _binary("maximum")
minimum = _binary("minimum")
multiply = _binary("multiply")
nextafter = _binary("nextafter")
not_equal = _binary("not_equal")
pow = _binary("pow")
remainder = _binary("remainder")
subtract = _binary("subtract")


def conj(x: Any, /) -> Any:
    """The array itself: there are no complex dtypes."""
    return x


def imag(x: Any, /) -> Any:
    """Zeros: there are no complex dtypes."""
    return ops.zeros_like(x)


def real(x: Any, /) -> Any:
    """The array itself: there are no complex dtypes."""
    return x


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """`x` limited to [min, max], where None is no limit; the dtype of `x` stays.

    >>> from nbgraph import xp
    >>> xp.clip(xp.arange(5), 1, 3)
    array([1, 1, 2, 3, 3])
    """
    if min is None and max is None:
        return ops.positive(x)
    if min is None:
        limited = ops.minimum(x, max)
    elif max is None:
        limited = ops.maximum(x, min)
    else:
        limited = ops.clip(x, min, max)
    return ops.astype(limited, x.dtype, copy=False)
