"""The interpreter's numbers with many digits, by mpmath.

mpmath takes as much precision as an argument asks for: exp(1e300) would be computed with the
digits of 1e300. Here every function refuses an argument that its value or its cost makes hopeless,
and results whose exponent is beyond `EXPONENT` are refused, so that each call takes milliseconds.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from nbgraph.kernels.interpret import MAX_BITS, Budget, Domain, Undetermined, Unreached
from nbgraph.kernels.multiprecision_special import special_functions
from nbgraph.kernels.scalar import ARITHMETIC, Node

BITS = 122  # 36 decimal digits
EXPONENT = 1 << 64  # of two: results beyond are neither overflow nor 0 here, but refused
_MAGNITUDE = {  # of two, of arguments: beyond, the value overflows, or costs too much
    **dict.fromkeys("exp exp2 expm1 sinh cosh tanh sigmoid softplus".split(), 64),
    **dict.fromkeys("sin cos tan".split(), MAX_BITS),
    **dict.fromkeys("gamma lgamma digamma trigamma".split(), 56),
    "polygamma": 12,
    "erfc": 32,
}
_EXACT = frozenset("floor ceil trunc round sign copysign".split())  # of the results' digits
_SHAKE = 5  # bits of a result that `noise` changes
_SHORT = 30  # bits of literals that are exact
_WHOLE = 60  # bits of integers whose sums and products are exact
_CONSTANTS: dict[float, Callable[[Any], Any]] = {  # in the rules of derivatives
    math.log(2): lambda mp: mp.log(2),
    1 / math.log(2): lambda mp: 1 / mp.log(2),
    1 / math.log(10): lambda mp: 1 / mp.log(10),
    math.sqrt(math.pi) / 2: lambda mp: mp.sqrt(mp.pi) / 2,
    2 / math.sqrt(math.pi): lambda mp: 2 / mp.sqrt(mp.pi),
}
_LOCAL = threading.local()  # mpmath changes a context's precision during a call


def context(bits: int = BITS) -> Any:
    """Return the mpmath context of that precision that the calling thread has for itself."""
    contexts: dict[int, Any] = _LOCAL.__dict__.setdefault("contexts", {})
    if bits not in contexts:
        import mpmath

        made: Any = mpmath.mp.clone()
        made.prec = bits
        power = _power(made)
        made.mpf.__pow__ = power
        made.mpf.__rpow__ = lambda a, b: power(made.convert(b), a)
        made.mpf.__floordiv__ = lambda a, b: made.floor(a / b)
        made.mpf.__rfloordiv__ = lambda a, b: made.floor(b / a)
        made.mpf.__mod__ = lambda a, b: a - b * made.floor(a / b)
        contexts[bits] = made
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


def _within(name: str, function: Callable[..., Any], limit: int) -> Callable[..., Any]:
    @functools.wraps(function)
    def bounded(*args: Any) -> Any:
        if magnitude(args[-1]) > limit:
            raise Unreached(f"{name} of an argument around 2**{magnitude(args[-1])}")
        return function(*args)

    return bounded


def _functions(mp: Any) -> dict[str, Callable[..., Any]]:
    names = (
        "exp expm1 sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf "
        "erfc erfinv gamma hypot floor ceil sign"
    ).split()
    table: dict[str, Callable[..., Any]] = {n: getattr(mp, n) for n in names}

    def log(x: Any, base: Any = None) -> Any:
        value = mp.log(x)
        return value if base is None else value / mp.log(base)

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + mp.exp(-x))

    def whole(x: Any) -> Any:
        return mp.floor(x) if x >= 0 else mp.ceil(x)

    def trigamma(x: Any) -> Any:
        if x >= 0:
            return mp.psi(1, x)
        return (mp.pi / mp.sinpi(x)) ** 2 - mp.psi(1, 1 - x)  # mpmath would take |x| steps

    def lgamma(x: Any) -> Any:
        if x > 0:
            return mp.loggamma(x)
        return mp.log(mp.pi / abs(mp.sinpi(x))) - mp.loggamma(1 - x)

    table.update(
        exp2=lambda x: mp.mpf(2) ** x,
        log=log,
        log2=lambda x: log(x, 2),
        log10=lambda x: log(x, 10),
        log1p=mp.log1p,
        cbrt=lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        rsqrt=lambda x: 1 / mp.sqrt(x),
        lgamma=lgamma,
        digamma=mp.digamma,
        trigamma=trigamma,
        polygamma=lambda n, x: mp.psi(int(mp.nint(n)), x),
        pow=lambda a, b: a**b,
        sigmoid=sigmoid,
        softplus=lambda x: mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x)),
        trunc=whole,
        round=mp.nint,
        fmod=lambda a, b: a - b * whole(a / b),
        copysign=lambda a, b: abs(a) if b >= 0 else -abs(a),
    )
    table = {n: _within(n, f, _MAGNITUDE[n]) if n in _MAGNITUDE else f for n, f in table.items()}
    return table | special_functions(mp)


class MultiDomain(Domain):
    """Real numbers of `bits` bits; complex results and extreme exponents are refused.

    With `noise` each result that was rounded is moved by up to `2**_SHAKE` of its last bits: what
    differs between two evaluations are digits that rounding has lost (Vignes, "Discrete stochastic
    arithmetic for validating results of numerical software", 2004).
    """

    def __init__(
        self, bits: int = BITS, budget: Budget | None = None, noise: Random | None = None
    ) -> None:
        super().__init__(budget)
        self.mp, self.bits, self.noise = context(bits), bits, noise
        self.units = bits / 128
        self.functions: Mapping[str, Callable[..., Any]] = _table(self.mp)
        self._literals: dict[float, Any] = {}

    def literal(self, value: Any, kind: str) -> Any:
        """A literal: its float64 value, or the constant of a rule that it is rounded from.

        Literals of many digits may be rounded products of others, as 2 / 25 is in a slope of
        `x * x / 25`: with noise their last digit is as uncertain, and the same wherever they stand.
        """
        if kind != "f":
            return value
        constant = _CONSTANTS.get(abs(value))
        if constant is not None:
            return constant(self.mp) if value > 0 else -constant(self.mp)
        number = self.mp.mpf(value)
        if self.noise is None or number._mpf_[3] <= _SHORT:
            return number
        if value not in self._literals:
            self._literals[value] = self._moved(number, 52 + _SHAKE)
        return self._literals[value]

    def number(self, value: Any) -> Any:
        """As a real number."""
        return self.mp.mpf(value)

    def _apply(self, node: Node, op: str, args: Sequence[Any]) -> Any:
        if op == "cast" and node.kind != "f" and isinstance(args[0], self.mp.mpf):
            _within(op, abs, MAX_BITS)(args[0])
        if op == "extern" and node.data.wrt and self.noise is not None:
            args = [self._moved(a, 50) for a in args]  # computed in float64
            return self._moved(super()._apply(node, op, args), 48)
        result = super()._apply(node, op, args)
        if node.kind != "f":
            return result
        if isinstance(result, self.mp.mpc):
            raise Undetermined(f"{op} leaves the real numbers")
        if not self.mp.isfinite(result) and all(map(self.mp.isfinite, args)):
            raise Undetermined(f"{op} has no finite value")
        if abs(magnitude(result)) > EXPONENT:
            raise Unreached(f"{op} gives a value around 2**{magnitude(result)}")
        rounded = op in ARITHMETIC or op == "extern" or (op == "call" and node.data not in _EXACT)
        if self.noise is None or not rounded or all(map(_is_whole, args)):
            return result
        return self._moved(result, self.bits - 1)

    def _moved(self, x: Any, bits: int) -> Any:
        """`x` with some of its last bits changed, of that many."""
        assert self.noise is not None
        steps = self.noise.randint(-(1 << _SHAKE), 1 << _SHAKE)
        return x * (1 + self.mp.ldexp(steps, -bits))


def _is_whole(x: Any) -> bool:
    """A small integer."""
    return x._mpf_[2] >= 0 and magnitude(x) <= _WHOLE


def _table(mp: Any) -> dict[str, Callable[..., Any]]:
    if not hasattr(mp, "nbgraph_functions"):
        mp.nbgraph_functions = _functions(mp)
    table: dict[str, Callable[..., Any]] = mp.nbgraph_functions
    return table
