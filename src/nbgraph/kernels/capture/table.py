"""The table from Python objects to operations: `math`, NumPy, SciPy and the built-ins.

Functions of SciPy are recognised by name, so that SciPy is not imported.
"""

import builtins
import functools
import math
import operator
from collections.abc import Iterator
from types import FunctionType
from typing import Any

import numpy as np

from nbgraph.kernels.capture import complex_numbers, composed, integers, special, vectors
from nbgraph.kernels.capture.special import Special
from nbgraph.kernels.scalar.functions import FUNCTIONS, ROUNDING

# A row: how calls are captured, the owner of the objects, and their names there, each with the name
# of the operation if that is different. "builtin" operations are in `Builtins`, "operator" is a
# method of `Graph`, "whole" is for Python's unbounded integers, and "static" computes constants of
# types and texts.
_TABLE = """
builtin builtins: abs min max pow float int bool round divmod
builtin math: fabs pow=fpow isnan isinf isfinite log
builtin np: abs fabs power=pow float_power=fpow round=npround around=npround rint fmod=npfmod
    square reciprocal where isnan isinf isfinite signbit sign
    logical_and logical_or logical_not logical_xor
    float16 float32 float64 bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64
builtin operator: abs
builtin special: floating
operator np: add subtract=sub multiply=mul divide=div floor_divide=floordiv remainder=mod
    less=lt less_equal=le greater=gt greater_equal=ge equal=eq not_equal=ne negative=neg invert
    bitwise_and=band bitwise_or=bor bitwise_xor=bxor left_shift=shl right_shift=shr
operator operator: add sub mul truediv=div floordiv mod pow neg invert lt le gt ge eq ne
    and_=band or_=bor xor=bxor lshift=shl rshift=shr
composed np: maximum minimum fmax fmin clip heaviside logaddexp logaddexp2 sinc
    degrees rad2deg=degrees radians deg2rad=radians modf ldexp frexp spacing nan_to_num fix
    isclose=close allclose=close isposinf isneginf positive=itself divmod=floor_and_rest
composed math: degrees radians remainder=ieee_remainder modf ldexp frexp isclose ulp
composed operator: pos=itself not_=isnot truth=istrue getitem=item contains
integers np: gcd lcm bitwise_count=bit_count
whole math: gcd lcm isqrt factorial comb perm
whole int: bit_length bit_count
static np: finfo iinfo dtype
static float: fromhex
"""
_MODULES: dict[str, Any] = {"math": math, "np": np, "operator": operator, "special": special}
_OWNERS: dict[str, Any] = {**_MODULES, "builtins": builtins, "int": int, "float": float}
_TEXTS: dict[str, Any] = {"composed": composed, "integers": integers, "whole": integers}


def _rows() -> Iterator[tuple[object, tuple[str, object]]]:
    """Yield the objects of the table with their operations."""
    for row in _TABLE.replace("\n    ", " ").strip().splitlines():
        (sort, owner), names = row.partition(":")[0].split(), row.partition(":")[2].split()
        for name, _, operation in (part.partition("=") for part in names):
            target, detail = getattr(_OWNERS[owner], name), operation or name
            if sort == "static":
                yield target, (sort, target)
            elif sort in _TEXTS:
                text = getattr(_TEXTS[sort], detail)
                yield target, ("composed" if sort == "integers" else sort, text)
            else:
                yield target, (sort, detail)


@functools.cache
def operations() -> dict[object, tuple[str, object]]:
    """Return the table from objects to (sort, detail): "call", "composed", "whole" or "builtin"."""
    table: dict[object, tuple[str, object]] = {}
    for name, row in FUNCTIONS.items():
        for module in (math, np):
            for alias in row.names:
                if hasattr(module, alias):
                    sort = "to_int" if module is math and name in ROUNDING else "call"
                    table[getattr(module, alias)] = (sort, name)
        if hasattr(special, name):
            table[getattr(special, name)] = ("call", name)
    table.update(_rows())
    table.update(dict.fromkeys(complex_numbers.OPERATIONS, ("complex", None)))
    return table


_CALLS = {  # name in scipy.special -> name in vector_math
    alias: name for name, row in FUNCTIONS.items() for alias in row.scipy
}


@functools.cache
def _composed() -> dict[str, Any]:
    """Return the texts of `scipy.special` by name."""
    from nbgraph.kernels.capture.library import special as texts  # few programs use them

    names = ("xlogy", "xlog1py", "logit", "ndtr", "entr", "rel_entr", "exprel", "cosm1", "sinc")
    own = {name: getattr(composed, name) for name in names} | {"log_expit": composed.log_sigmoid}
    of_module = {n: t for n, t in vars(texts).items() if isinstance(t, FunctionType)}
    return own | {n: t for n, t in of_module.items() if t.__module__ == texts.__name__}


@functools.cache
def solvers() -> dict[str, Any]:
    """Return the texts of `scipy.optimize` and `scipy.integrate` by name."""
    from nbgraph.kernels.capture.library import solvers as texts  # importing computes abscissae

    names = ("bisect", "newton", "quad", "fixed_quad", "simpson", "brentq")
    own = {name: getattr(texts, name) for name in names} | {"trapezoid": vectors.trapezoid}
    return own | dict.fromkeys(("brenth", "ridder", "toms748"), texts.brentq)


def text_of(fn: Any) -> Any:
    """Return the text of a function of `scipy.optimize`, `scipy.integrate`, `heapq` or `bisect`, or
    the function or class for one of `datetime`; None for other objects."""
    module, name = str(getattr(fn, "__module__", "")), getattr(fn, "__name__", "")
    if module.startswith(("scipy.optimize", "scipy.integrate")):
        return solvers().get(name)
    if module in ("_bisect", "_heapq", "heapq"):
        from nbgraph.kernels.capture.library import heaps  # few programs have them

        return getattr(heaps, name, None)
    if getattr(getattr(fn, "__self__", fn), "__module__", "") == "datetime":
        from nbgraph.kernels.capture.library import dates  # few programs have them

        return getattr(dates, getattr(fn, "__qualname__", "").removeprefix("date."), None)
    return None


def scipy_operation(fn: object) -> tuple[str, object] | None:
    """Return the operation of a function of `scipy.special`, or None."""
    if isinstance(fn, Special):
        return ("call", fn.__name__)
    name = getattr(fn, "__name__", "")
    if isinstance(fn, np.ufunc):
        known = getattr(np, name, None) is not fn
    else:
        known = str(getattr(fn, "__module__", "")).startswith("scipy.special")
    if not known or name.startswith("_"):
        return None
    if name in _CALLS:
        return ("call", _CALLS[name])
    return ("composed", _composed()[name]) if name in _composed() else None
