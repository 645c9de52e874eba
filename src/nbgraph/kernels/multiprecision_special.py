"""Special functions with many digits, by mpmath; arguments whose evaluation takes long are refused.

mpmath's sums may fail to converge: `Unreached`, too.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from nbgraph.kernels.outside import Undetermined, Unreached
from nbgraph.kernels.vector_math.names import SPECIAL

_MAGNITUDE = dict.fromkeys(SPECIAL, 12) | {"incomplete": 9, "beta": 9}  # of two, of arguments
_LEAST = -1074  # of two, of arguments other than 0


def special_functions(mp: Any) -> dict[str, Callable[..., Any]]:
    """The functions of `vector_math`'s special families in an mpmath context."""
    table = {**_normal(mp), **_incomplete(mp), **_bessel(mp), **_integrals(mp), **_elliptic(mp)}
    families = {name: family for family, names in SPECIAL.items() for name in names}
    assert table.keys() == families.keys()

    def limited(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        high = _MAGNITUDE[families[name]]

        @functools.wraps(function)
        def value(*args: Any) -> Any:
            for a in args:
                if not mp.isfinite(a) or (a and not _LEAST < mp.mag(a) <= high):
                    raise Unreached(f"{name} of {mp.nstr(a)}")
            try:
                return _real(mp, function(*(mp.mpf(a) for a in args)))
            except (mp.NoConvergence, NotImplementedError) as error:
                raise Unreached(f"{name}: {error}") from error

        return value

    return {name: limited(name, function) for name, function in table.items()}


_LOCAL = threading.local()  # mpmath changes a context's precision during a call


def special_context() -> Any:
    """An mpmath context of a few more digits than floats, with its special functions, that the
    calling thread has for itself."""
    made: Any = getattr(_LOCAL, "context", None)
    if made is None:
        import mpmath

        made = mpmath.mp.clone()
        made.prec = 80
        made.functions = special_functions(made)
        _LOCAL.context = made
    return made


def _real(mp: Any, y: Any) -> Any:
    if isinstance(y, mp.mpc):
        if y.imag != 0:
            raise Undetermined(f"{mp.nstr(y)} is outside the real numbers")
        y = y.real
    return y


def _inverse(mp: Any, function: Callable[..., Any], slope: Callable[..., Any], start: Any) -> Any:
    """The zero of a function by Newton's method."""
    x = mp.mpf(start)
    if not mp.isfinite(x) or x == 0:
        raise Unreached("an inverse that is 0 or infinite")
    for _ in range(12):
        step = function(x) / slope(x)
        x -= step
        if abs(step) < abs(x) * mp.ldexp(1, -mp.prec // 2):  # the next one has all digits
            return x - function(x) / slope(x)
    raise Unreached("Newton's method does not settle")


def _normal(mp: Any) -> dict[str, Callable[..., Any]]:
    def erfcinv(p: Any) -> Any:
        from scipy.special import erfcinv

        if not 0 < p < 2:
            raise Undetermined("erfcinv is for 0 < p < 2")
        if p > 0.5:
            return mp.erfinv(1 - p)
        rate = -2 / mp.sqrt(mp.pi)
        return _inverse(
            *(mp, lambda y: mp.log(mp.erfc(y)) - mp.log(p)),
            *(lambda y: rate * mp.exp(-y * y) / mp.erfc(y), float(erfcinv(float(p)))),
        )

    return {
        "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x),
        "erfcinv": erfcinv,
        "ndtri": lambda p: -mp.sqrt(2) * erfcinv(2 * p),
    }


def _incomplete(mp: Any) -> dict[str, Callable[..., Any]]:
    import scipy.special

    def positive(*args: Any) -> None:
        if not all(a > 0 for a in args):
            raise Undetermined("an argument is not positive")

    def lower(a: Any, x: Any) -> Any:
        positive(a, x)
        return mp.gammainc(a, 0, x, regularized=True)

    def upper(a: Any, x: Any) -> Any:
        positive(a, x)
        return mp.gammainc(a, x, mp.inf, regularized=True)

    def density(a: Any, x: Any) -> Any:
        positive(a, x)
        return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))

    def inverse(function: Callable[..., Any], start: Any, sign: int) -> Callable[..., Any]:
        def value(a: Any, p: Any) -> Any:
            positive(a, p, 1 - p)
            near = float(start(float(a), float(p)))
            return _inverse(mp, lambda x: function(a, x) - p, lambda x: sign * density(a, x), near)

        return value

    def share(a: Any, b: Any, x: Any, *, above: bool = False) -> Any:
        positive(a, b, x, 1 - x)
        if above:
            a, b, x = b, a, 1 - x
        return mp.betainc(a, b, 0, x, regularized=True)

    def beta_density(a: Any, b: Any, x: Any) -> Any:
        positive(a, b, x, 1 - x)
        return x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b)

    def quantile(a: Any, b: Any, p: Any) -> Any:
        positive(a, b, p, 1 - p)
        near = float(scipy.special.betaincinv(float(a), float(b), float(p)))
        return _inverse(mp, lambda x: share(a, b, x) - p, lambda x: beta_density(a, b, x), near)

    return {
        "gammainc": lower,
        "gammaincc": upper,
        "gammaincinv": inverse(lower, scipy.special.gammaincinv, 1),
        "gammainccinv": inverse(upper, scipy.special.gammainccinv, -1),
        "gamma_density": density,
        "beta": mp.beta,
        "betaln": lambda a, b: mp.log(abs(mp.beta(a, b))),
        "betainc": share,
        "betaincc": lambda a, b, x: share(a, b, x, above=True),
        "betaincinv": quantile,
        "beta_density": beta_density,
    }


def _bessel(mp: Any) -> dict[str, Callable[..., Any]]:
    plain = {"j": mp.besselj, "y": mp.bessely, "i": mp.besseli, "k": mp.besselk}
    found: dict[str, Callable[..., Any]] = {f"{k}v": f for k, f in plain.items()}
    for letter, function in plain.items():
        for order in (0, 1):
            found[f"{letter}{order}"] = functools.partial(function, order)
    for letter, sign in (("i", -1), ("k", 1)):
        found[f"{letter}ve"] = functools.partial(_scaled, mp, plain[letter], sign)
        for order in (0, 1):
            found[f"{letter}{order}e"] = functools.partial(_scaled, mp, plain[letter], sign, order)
    for name, function in (("ai", mp.airyai), ("bi", mp.airybi)):
        found[f"airy_{name}"] = function
        found[f"airy_{name}_slope"] = functools.partial(function, derivative=1)
    return found


def _scaled(mp: Any, function: Callable[..., Any], sign: int, order: Any, x: Any) -> Any:
    return mp.exp(sign * (abs(x) if sign < 0 else x)) * function(order, x)


def _integrals(mp: Any) -> dict[str, Callable[..., Any]]:
    def spence(x: Any) -> Any:
        if x < 0:
            raise Undetermined("spence is for x >= 0")
        return mp.re(mp.polylog(2, 1 - x))

    return {
        "exp1": mp.e1,
        "expi": lambda x: mp.re(mp.ei(x)),
        "expn": mp.expint,
        "sine_integral": mp.si,
        "cosine_integral": mp.ci,
        "dawsn": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
        "fresnel_sine": mp.fresnels,
        "fresnel_cosine": mp.fresnelc,
        "spence": spence,
    }


def _elliptic(mp: Any) -> dict[str, Callable[..., Any]]:
    def zeta(s: Any, q: Any) -> Any:
        if not (s > 1 and q > 0):
            raise Undetermined("zeta is for s > 1 and q > 0")
        with mp.extraprec(int(s * abs(mp.log(q, 2))) + 20):  # its errors are absolute
            return mp.zeta(s, q)

    def below_one(function: Callable[..., Any]) -> Callable[..., Any]:
        def value(*args: Any) -> Any:
            if args[-1] >= 1:
                raise Undetermined("an elliptic integral is for m < 1")
            return function(*args)

        return value

    return {
        "ellipk": below_one(mp.ellipk),
        "ellipkm1": lambda p: below_one(mp.ellipk)(1 - p),
        "ellipe": below_one(mp.ellipe),
        "ellipd": below_one(lambda m: (mp.ellipk(m) - mp.ellipe(m)) / m),
        "ellipkinc": below_one(mp.ellipf),
        "ellipeinc": below_one(mp.ellipe),
        "zeta": zeta,
        "lambertw": lambda x, k: mp.lambertw(x, int(k)),
    }
