"""Formulas of functions that mpmath lacks, with many digits, in an mpmath context `mp`.

Arguments outside a function's domain raise `Undetermined`; divergence raises `Unreached`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph.kernels.scalar.kinds import Undetermined, Unreached


def whole(mp: Any, x: Any) -> Any:
    """Return the number without its fraction."""
    return mp.floor(x) if x >= 0 else mp.ceil(x)


def softplus(mp: Any, x: Any) -> Any:
    """Return log(1 + e**x)."""
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def trigamma(mp: Any, x: Any) -> Any:
    """Return the slope of digamma."""
    if x >= 0:
        return mp.psi(1, x)
    return (mp.pi / mp.sinpi(x)) ** 2 - mp.psi(1, 1 - x)  # mpmath would take |x| steps


def lgamma(mp: Any, x: Any) -> Any:
    """Return the logarithm of |gamma(x)|."""
    if x > 0:
        return mp.loggamma(x)
    return mp.log(mp.pi / abs(mp.sinpi(x))) - mp.loggamma(1 - x)


def _inverse(mp: Any, function: Callable[..., Any], slope: Callable[..., Any], start: Any) -> Any:
    """Return the zero of a function by Newton's method."""
    x = mp.mpf(start)
    if not mp.isfinite(x) or x == 0:
        raise Unreached("an inverse that is 0 or infinite")
    for _ in range(12):
        step = function(x) / slope(x)
        x -= step
        if abs(step) < abs(x) * mp.ldexp(1, -mp.prec // 2):  # the next iteration has all digits
            return x - function(x) / slope(x)
    raise Unreached("Newton's method does not settle")


def erfcinv(mp: Any, p: Any) -> Any:
    """Return the number whose complementary error function is p."""
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


def _positive(*args: Any) -> None:
    if not all(a > 0 for a in args):
        raise Undetermined("an argument is not positive")


def gammainc(mp: Any, a: Any, x: Any) -> Any:
    """Return the share of the gamma function's integral below x."""
    _positive(a, x)
    return mp.gammainc(a, 0, x, regularized=True)


def gammaincc(mp: Any, a: Any, x: Any) -> Any:
    """Return the share of the gamma function's integral above x."""
    _positive(a, x)
    return mp.gammainc(a, x, mp.inf, regularized=True)


def gamma_density(mp: Any, a: Any, x: Any) -> Any:
    """Return the slope of `gammainc`."""
    _positive(a, x)
    return mp.exp((a - 1) * mp.log(x) - x - mp.loggamma(a))


def gamma_quantile(mp: Any, a: Any, p: Any, *, above: bool = False) -> Any:
    """Return the inverse of `gammainc`, or of `gammaincc`."""
    import scipy.special

    _positive(a, p, 1 - p)
    share, sign = (gammaincc, -1) if above else (gammainc, 1)
    start = scipy.special.gammainccinv if above else scipy.special.gammaincinv
    near = float(start(float(a), float(p)))
    return _inverse(
        *(mp, lambda x: share(mp, a, x) - p, lambda x: sign * gamma_density(mp, a, x), near)
    )


def betainc(mp: Any, a: Any, b: Any, x: Any) -> Any:
    """Return the share of the beta function's integral below x."""
    _positive(a, b, x, 1 - x)
    return mp.betainc(a, b, 0, x, regularized=True)


def beta_density(mp: Any, a: Any, b: Any, x: Any) -> Any:
    """Return the slope of `betainc`."""
    _positive(a, b, x, 1 - x)
    return x ** (a - 1) * (1 - x) ** (b - 1) / mp.beta(a, b)


def beta_quantile(mp: Any, a: Any, b: Any, p: Any) -> Any:
    """Return the inverse of `betainc`."""
    import scipy.special

    _positive(a, b, p, 1 - p)
    near = float(scipy.special.betaincinv(float(a), float(b), float(p)))
    return _inverse(
        *(mp, lambda x: betainc(mp, a, b, x) - p, lambda x: beta_density(mp, a, b, x), near)
    )


def bessel(kind: str, order: int | None = None, *, scaled: int = 0) -> Callable[..., Any]:
    """Return a Bessel function "j", "y", "i" or "k" of a fixed or any order, optionally scaled."""

    def value(mp: Any, *args: Any) -> Any:
        n, x = args if order is None else (order, *args)
        result = getattr(mp, f"bessel{kind}")(n, x)
        return result * mp.exp(scaled * (abs(x) if scaled < 0 else x)) if scaled else result

    return value


def spence(mp: Any, x: Any) -> Any:
    """Return the dilogarithm of 1 - x."""
    if x < 0:
        raise Undetermined("spence is for x >= 0")
    return mp.re(mp.polylog(2, 1 - x))


def zeta(mp: Any, s: Any, q: Any) -> Any:
    """Return Hurwitz' zeta function."""
    if not (s > 1 and q > 0):
        raise Undetermined("zeta is for s > 1 and q > 0")
    with mp.extraprec(int(s * abs(mp.log(q, 2))) + 20):  # errors of mpmath's are absolute
        return mp.zeta(s, q)


def elliptic(formula: Callable[..., Any]) -> Callable[..., Any]:
    """Return an elliptic integral for parameters, the last argument, below 1."""

    def value(mp: Any, *args: Any) -> Any:
        if args[-1] >= 1:
            raise Undetermined("an elliptic integral is for m < 1")
        return formula(mp, *args)

    return value


ellipk = elliptic(lambda mp, m: mp.ellipk(m))
ellipe = elliptic(lambda mp, m: mp.ellipe(m))
ellipd = elliptic(lambda mp, m: (mp.ellipk(m) - mp.ellipe(m)) / m)
ellipkinc = elliptic(lambda mp, phi, m: mp.ellipf(phi, m))
ellipeinc = elliptic(lambda mp, phi, m: mp.ellipe(phi, m))
