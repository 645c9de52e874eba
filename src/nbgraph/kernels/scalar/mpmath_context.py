"""Contexts of mpmath with the scalar functions.

mpmath uses as much precision as an argument needs: exp(1e300) would be computed with the digits of
1e300. Here every function refuses arguments whose result or cost is hopeless, so each call takes
milliseconds.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.kinds import Undetermined, Unreached

BITS = 122  # 36 decimal digits
EXPONENT = 1 << 64  # of two: results beyond count neither as overflow nor as 0, but are refused
_LEAST = -1074  # of two, of nonzero arguments of special functions
_LOCAL = threading.local()  # mpmath changes a context's precision during a call


def context(bits: int = BITS) -> Any:
    """Return the calling thread's own mpmath context of a precision."""
    contexts: dict[int, Any] = _LOCAL.__dict__.setdefault("contexts", {})
    if bits not in contexts:
        import mpmath

        precise: Any = mpmath.mp.clone()
        precise.prec = bits
        power = _power(precise)
        precise.mpf.__pow__ = power
        precise.mpf.__rpow__ = lambda a, b: power(precise.convert(b), a)
        precise.mpf.__floordiv__ = lambda a, b: precise.floor(a / b)
        precise.mpf.__rfloordiv__ = lambda a, b: precise.floor(b / a)
        precise.mpf.__mod__ = lambda a, b: a - b * precise.floor(a / b)
        contexts[bits] = precise
    return contexts[bits]


def magnitude(x: Any) -> int:
    """Return the exponent of two above |x|; 0 for 0, infinities and NaN."""
    if isinstance(x, (int, float)):
        return math.frexp(x)[1]
    if not hasattr(x, "_mpf_"):
        raise Undetermined(f"{x} is outside the real numbers")
    _, mantissa, exponent, bits = x._mpf_
    return exponent + bits if mantissa else 0


def _power(mp: Any) -> Callable[[Any, Any], Any]:
    plain = mp.mpf.__pow__

    def power(a: Any, b: Any) -> Any:
        b = mp.convert(b)
        if mp.sign(a) == 0:
            if b < 0:
                raise Undetermined("0 to a negative power")
            return mp.mpf(b == 0)
        if magnitude(b) > 0:
            _, mantissa, exponent, bits = a._mpf_
            logarithm = math.log2(math.ldexp(mantissa >> max(0, bits - 60), -min(bits, 60)))
            if magnitude(b) > 64 or abs((logarithm + exponent + bits) * float(b)) > EXPONENT:
                raise Unreached("a power beyond all exponents")
        result = plain(a, b)
        if isinstance(result, mp.mpc):
            raise Undetermined("a power leaves the real numbers")
        return result

    return power


def within(name: str, function: Callable[..., Any], limit: int) -> Callable[..., Any]:
    """Return a function that refuses arguments beyond 2**limit."""

    @functools.wraps(function)
    def bounded(*args: Any) -> Any:
        if magnitude(args[-1]) > limit:
            raise Unreached(f"{name} of an argument around 2**{magnitude(args[-1])}")
        return function(*args)

    return bounded


def _limited(mp: Any, name: str, function: Callable[..., Any], high: int) -> Callable[..., Any]:
    """Return a special function that refuses slow arguments and sums that diverge."""

    @functools.wraps(function)
    def value(*args: Any) -> Any:
        for a in args:
            if not mp.isfinite(a) or (a and not _LEAST < mp.mag(a) <= high):
                raise Unreached(f"{name} of {mp.nstr(a)}")
        try:
            y = function(*(mp.mpf(a) for a in args))
        except (mp.NoConvergence, NotImplementedError) as error:
            raise Unreached(f"{name}: {error}") from error
        if isinstance(y, mp.mpc):
            if y.imag != 0:
                raise Undetermined(f"{mp.nstr(y)} is outside the real numbers")
            y = y.real
        return y

    return value


def _functions(mp: Any) -> dict[str, Callable[..., Any]]:
    formulas: dict[str, Callable[..., Any]] = {}
    for name, row in FUNCTIONS.items():
        if not row.digits:
            continue
        formula: Any = row.digits
        function = getattr(mp, formula) if isinstance(formula, str) else partial(formula, mp)
        if row.is_special and row.limit is not None:
            function = _limited(mp, name, function, row.limit)
        elif row.limit is not None:
            function = within(name, function, row.limit)
        formulas[name] = function
    return formulas


def special_context() -> Any:
    """Return the calling thread's own context of a few more digits, with the functions."""
    mp = context(80)
    mp.functions = table(mp)
    return mp


def table(mp: Any) -> dict[str, Callable[..., Any]]:
    """Return the scalar functions in a context, created once."""
    if not hasattr(mp, "nbgraph_functions"):
        mp.nbgraph_functions = _functions(mp)
    functions: dict[str, Callable[..., Any]] = mp.nbgraph_functions
    return functions
