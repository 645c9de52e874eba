"""Which Python object means which operation: `math`, NumPy, SciPy and the built-ins."""

from __future__ import annotations

import builtins
import functools
import math
import operator

import numpy as np

from nbgraph.kernels.capture import complex_numbers, composed, integers, special

# vector_math name -> names under which `math` and NumPy offer it
_CALLS: dict[str, tuple[str, ...]] = {
    **{
        name: (name,)
        for name in (
            "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh erf erfc "
            "gamma lgamma atan2 hypot copysign fmod nextafter ceil floor trunc"
        ).split()
    },
    "asin": ("asin", "arcsin"),
    "acos": ("acos", "arccos"),
    "atan": ("atan", "arctan"),
    "asinh": ("asinh", "arcsinh"),
    "acosh": ("acosh", "arccosh"),
    "atanh": ("atanh", "arctanh"),
    "atan2": ("atan2", "arctan2"),
}
# names whose Python form returns an int, NumPy's a float
ROUNDING = ("floor", "ceil", "trunc", "round")


@functools.cache
def operations() -> dict[object, tuple[str, object]]:
    """Object -> (sort, detail): "call" of vector_math, "composed" function, one of "whole" numbers,
    or "builtin"."""
    table: dict[object, tuple[str, object]] = {}
    for name, aliases in _CALLS.items():
        for module in (math, np):
            for alias in aliases:
                if hasattr(module, alias):
                    sort = "to_int" if module is math and name in ROUNDING else "call"
                    table[getattr(module, alias)] = (sort, name)
    for name in ("sigmoid", "softplus", "rsqrt", "digamma", "polygamma", "erfinv"):
        table[getattr(special, name)] = ("call", name)
    table[np.i0] = ("call", "i0")
    table.update(_BUILTINS)
    table.update(_COMPOSED)
    table.update(_WHOLE)
    table.update(_STATIC)
    table.update(dict.fromkeys(complex_numbers.OPERATIONS, ("complex", None)))
    return table


def _builtin(name: str) -> tuple[str, object]:
    return ("builtin", name)


_BUILTINS: dict[object, tuple[str, object]] = {
    abs: _builtin("abs"),
    math.fabs: _builtin("fabs"),
    np.abs: _builtin("abs"),
    np.fabs: _builtin("fabs"),
    operator.abs: _builtin("abs"),
    min: _builtin("min"),
    max: _builtin("max"),
    pow: _builtin("pow"),
    math.pow: _builtin("fpow"),
    np.power: _builtin("pow"),
    np.float_power: _builtin("fpow"),
    float: _builtin("float"),
    int: _builtin("int"),
    bool: _builtin("bool"),
    round: _builtin("round"),
    np.round: _builtin("npround"),
    np.around: _builtin("npround"),
    np.rint: _builtin("rint"),
    np.fmod: _builtin("npfmod"),
    np.square: _builtin("square"),
    np.reciprocal: _builtin("reciprocal"),
    special.floating: _builtin("floating"),
    divmod: _builtin("divmod"),
    np.where: _builtin("where"),
    np.isnan: _builtin("isnan"),
    math.isnan: _builtin("isnan"),
    np.isinf: _builtin("isinf"),
    math.isinf: _builtin("isinf"),
    np.isfinite: _builtin("isfinite"),
    math.isfinite: _builtin("isfinite"),
    np.signbit: _builtin("signbit"),
    np.logical_and: _builtin("logical_and"),
    np.logical_or: _builtin("logical_or"),
    np.logical_not: _builtin("logical_not"),
    np.logical_xor: _builtin("logical_xor"),
    np.sign: _builtin("sign"),
    math.log: _builtin("log"),
    **{getattr(np, name): _builtin(name) for name in ("float16", "float32", "float64")},
    **{
        getattr(np, name): _builtin(name)
        for name in (
            *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
            "bool_",
        )
    },
    **{
        getattr(np, name): ("operator", op)
        for name, op in {
            "add": "add",
            "subtract": "sub",
            "multiply": "mul",
            "divide": "div",
            "floor_divide": "floordiv",
            "remainder": "mod",
            "less": "lt",
            "less_equal": "le",
            "greater": "gt",
            "greater_equal": "ge",
            "equal": "eq",
            "not_equal": "ne",
            "negative": "neg",
            "bitwise_and": "band",
            "bitwise_or": "bor",
            "bitwise_xor": "bxor",
            "left_shift": "shl",
            "right_shift": "shr",
            "invert": "invert",
        }.items()
    },
    **{
        getattr(operator, name): ("operator", op)
        for name, op in {
            **{n: n for n in ("add", "sub", "mul", "floordiv", "mod", "pow", "neg", "invert")},
            **{n: n for n in ("lt", "le", "gt", "ge", "eq", "ne")},
            "truediv": "div",
            "and_": "band",
            "or_": "bor",
            "xor": "bxor",
            "lshift": "shl",
            "rshift": "shr",
        }.items()
    },
}
_COMPOSED: dict[object, tuple[str, object]] = {
    target: ("composed", fn)
    for target, fn in (
        (np.maximum, composed.maximum),
        (np.minimum, composed.minimum),
        (np.fmax, composed.fmax),
        (np.fmin, composed.fmin),
        (np.clip, composed.clip),
        (np.heaviside, composed.heaviside),
        (np.logaddexp, composed.logaddexp),
        (np.logaddexp2, composed.logaddexp2),
        (np.sinc, composed.sinc),
        (np.degrees, composed.degrees),
        (np.rad2deg, composed.degrees),
        (math.degrees, composed.degrees),
        (np.radians, composed.radians),
        (np.deg2rad, composed.radians),
        (math.radians, composed.radians),
        (math.remainder, composed.ieee_remainder),
        (math.modf, composed.modf),
        (math.ldexp, composed.ldexp),
        (math.isclose, composed.isclose),
        (math.frexp, composed.frexp),
        (math.ulp, composed.ulp),
        (np.modf, composed.modf),
        (np.ldexp, composed.ldexp),
        (np.frexp, composed.frexp),
        (np.spacing, composed.spacing),
        (np.isclose, composed.close),
        (np.allclose, composed.close),
        (np.nan_to_num, composed.nan_to_num),
        (np.fix, composed.fix),
        (np.isposinf, composed.isposinf),
        (np.isneginf, composed.isneginf),
        (np.positive, composed.itself),
        (np.divmod, composed.floor_and_rest),
        (operator.pos, composed.itself),
        (operator.not_, composed.isnot),
        (operator.truth, composed.istrue),
        (operator.getitem, composed.item),
        (operator.contains, composed.contains),
        (np.gcd, integers.gcd),
        (np.lcm, integers.lcm),
        (np.bitwise_count, integers.bit_count),
    )
}
# of Python's integers, which have no width
_WHOLE: dict[object, tuple[str, object]] = {
    **{
        getattr(math, name): ("whole", getattr(integers, name))
        for name in ("gcd", "lcm", "isqrt", "factorial", "comb", "perm")
    },
    int.bit_length: ("whole", integers.bit_length),
    int.bit_count: ("whole", integers.bit_count),
}
# functions that make constants of types and texts
_STATIC: dict[object, tuple[str, object]] = {
    fn: ("static", fn) for fn in (np.finfo, np.iinfo, np.dtype, float.fromhex)
}


def is_library_module(name: str) -> bool:
    """Modules whose functions never change while a program runs: not watched."""
    return name.partition(".")[0] in ("math", "cmath", "numpy", "scipy", "builtins", "operator")


BUILTIN_NAMES: dict[str, object] = dict(vars(builtins))
