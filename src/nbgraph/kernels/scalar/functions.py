"""The scalar functions, a row each: adding one is a row here and its body in `vector_math`.

What capture, derivatives, the interpreters and printing know of a function is read off its row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import DerivativeError
from nbgraph.kernels.scalar import multiprecision_special as digits
from nbgraph.kernels.scalar import rules
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.kinds import MAX_BITS
from nbgraph.kernels.scalar.nodes import Node
from nbgraph.kernels.scalar.rules import Term, call

# of the value and the arguments; None: 0 everywhere
Slope = Callable[..., "Term | float"] | None
ROUNDING = ("floor", "ceil", "trunc", "round")  # Python's forms return an int, NumPy's a float


class Function(NamedTuple):
    """What is known of a function; of its arguments the last one is x."""

    family: str  # the file of `vector_math` that holds its body
    arity: int
    slopes: dict[int, Slope]  # by argument; those by x may read the value alone, as backward then
    digits: str | Callable[..., Any]  # a function of an mpmath context `mp`, or its name there
    traits: frozenset[str]
    accurate: Slope  # the slope by x with all digits, from x alone
    limit: int | None  # of two, of x: beyond, the value overflows, or costs too much
    names: tuple[str, ...]  # in `math` and NumPy, where these have it
    scipy: tuple[str, ...]  # in scipy.special
    floats: Callable[..., float] | None  # of Python floats, where not as `math` has it
    numpy: Callable[..., Any] | None  # where that raises

    @property
    def is_special(self) -> bool:
        """Whether it is written for float64 alone."""
        return self.family in _SPECIAL


# exponential, tame: how a value that is infinite has grown, other than to a pole
# fades, fades_slowly: how its slope vanishes, faster than any power or not
# pole: its slope has one where the function itself has a value
# odd: and rising; positive; exact: the result has the digits of the arguments
# branches: it branches and loops, so that it is not made for vector code
_TRAITS = frozenset("exponential tame fades fades_slowly pole odd positive exact branches".split())
_SPECIAL = ("normal", "incomplete", "beta", "bessel", "orders", "integrals", "elliptic")


def _row(
    slope: Slope | dict[int, Slope],
    formula: str | Callable[..., Any],
    traits: str = "",
    *,
    arity: int = 1,
    accurate: Slope = None,
    limit: int | None = None,
    aliases: str = "",
    scipy: str | None = None,
    floats: Callable[..., float] | None = None,
    numpy: Callable[..., Any] | None = None,
) -> Function:
    """Return a row, whose family and own name the table says. A slope has the value and all
    arguments, so it tells how many there are; names are apart by spaces."""
    slopes = slope if isinstance(slope, dict) else {0: slope}
    for each in filter(None, slopes.values()):
        arity = each.__code__.co_argcount - 1
    words = frozenset(traits.split())
    assert words <= _TRAITS, traits
    names, others = tuple(aliases.split()), ("$",) if scipy is None else tuple(scipy.split())
    rest = (accurate, limit, names, others, floats, numpy)
    return Function("", arity, slopes, formula, words, *rest)


def _placed(family: str, name: str, row: Function) -> Function:
    special = family in _SPECIAL
    limit = 9 if family in ("incomplete", "beta") else 12
    own = (name,) if special else ()  # special functions have SciPy's names
    return row._replace(
        family=family,
        limit=limit if special else row.limit,
        traits=row.traits | {"branches"} if special else row.traits,
        names=(name, *row.names),
        scipy=own if row.scipy == ("$",) else row.scipy,
    )


def _polygamma(order: int, x: float) -> float:
    from mpmath import fp

    if order == 1 and x < 0:  # mpmath would take |x| steps
        return float((fp.pi / fp.sinpi(x)) ** 2 - fp.psi(1, 1 - x))
    return float(fp.psi(order, x))


def _erfinv(x: float) -> float:
    from scipy.special import erfinv

    return float(erfinv(x))


_ELLIPK = digits.elliptic(lambda mp, m: mp.ellipk(m))
_ROOT_PI, _ROOT_TAU = math.sqrt(math.pi), math.sqrt(2 * math.pi)
_FAMILIES: dict[str, dict[str, Function]] = {
    "exp": {
        "exp": _row(lambda y, x: y, "exp", "exponential fades positive", limit=64),
        "exp2": _row(
            lambda y, x: math.log(2) * y,
            lambda mp, x: mp.mpf(2) ** x,
            "exponential fades positive",
            limit=64,
            scipy="exp2",
        ),
        "expm1": _row(
            lambda y, x: y + 1.0,
            "expm1",
            "exponential odd",
            accurate=lambda y, x: call("exp", x),
            limit=64,
            scipy="expm1",
        ),
        "sigmoid": _row(
            lambda y, x: y * (1.0 - y),
            lambda mp, x: 1 / (1 + mp.exp(-x)),
            "tame fades positive",
            accurate=lambda y, x: rules.logistic_slope(x),
            limit=64,
            scipy="expit",
            floats=lambda x: 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x),
        ),
    },
    "log": {
        "log": _row(lambda y, x: 1.0 / x, "log"),
        "log2": _row(lambda y, x: 1 / math.log(2) / x, lambda mp, x: mp.log(x) / mp.log(2)),
        "log10": _row(lambda y, x: 1 / math.log(10) / x, lambda mp, x: mp.log(x) / mp.log(10)),
        "log1p": _row(lambda y, x: 1.0 / (1.0 + x), "log1p", scipy="log1p"),
        "softplus": _row(
            lambda y, x: -call("expm1", -y),
            digits.softplus,
            "tame positive",
            accurate=lambda y, x: call("sigmoid", x),
            limit=64,
            scipy="softplus",
            floats=lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x))),
        ),
    },
    "rounding": {
        "floor": _row(None, "floor", "exact", floats=lambda x: float(math.floor(x))),
        "ceil": _row(None, "ceil", "exact", floats=lambda x: float(math.ceil(x))),
        "trunc": _row(None, digits.whole, "exact", floats=lambda x: float(math.trunc(x))),
        "round": _row(None, "nint", "exact", floats=lambda x: float(round(x)), numpy=np.rint),
        "sign": _row(None, "sign", "exact", floats=lambda x: float((x > 0) - (x < 0))),
        "copysign": _row(
            {0: rules.sign_ratio, 1: None}, lambda mp, a, b: abs(a) if b >= 0 else -abs(a), "exact"
        ),
        "sqrt": _row(lambda y, x: 0.5 / y, "sqrt", "tame pole"),
        "rsqrt": _row(
            lambda y, x: y * y * (-0.5 * y),
            lambda mp, x: 1 / mp.sqrt(x),
            accurate=lambda y, x: -0.5 * y / x,
            floats=lambda x: 1 / math.sqrt(x),
            numpy=lambda x: 1 / np.sqrt(x),
        ),
        "fmod": _row(
            {0: lambda y, a, b: 1.0, 1: lambda y, a, b: -call("trunc", a / b)},
            lambda mp, a, b: a - b * digits.whole(mp, a / b),
        ),
        "fmod_small": _row({}, "", arity=2),
    },
    "trigonometric": {
        "sin": _row(lambda y, x: call("cos", x), "sin", "tame", limit=MAX_BITS),
        "cos": _row(lambda y, x: -call("sin", x), "cos", "tame", limit=MAX_BITS),
        "tan": _row(lambda y, x: 1.0 + y * y, "tan", limit=MAX_BITS),
        # for arguments within a bound
        **{name: _row({}, "") for name in ("sin_small", "cos_small", "tan_small")},
    },
    "arc": {
        "asin": _row(
            lambda y, x: call("rsqrt", rules.one_minus_square(x)), "asin", "pole", aliases="arcsin"
        ),
        "acos": _row(
            lambda y, x: -call("rsqrt", rules.one_minus_square(x)), "acos", "pole", aliases="arccos"
        ),
        "atan": _row(
            lambda y, x: 1.0 / (1.0 + x * x), "atan", "tame odd fades_slowly", aliases="arctan"
        ),
        "atan2": _row(
            {
                0: lambda y, a, b: rules.by_angle(b, a, b),
                1: lambda y, a, b: -rules.by_angle(a, a, b),
            },
            "atan2",
            aliases="arctan2",
        ),
    },
    "hyperbolic": {
        "sinh": _row(lambda y, x: call("cosh", x), "sinh", "exponential odd", limit=64),
        "cosh": _row(lambda y, x: call("sinh", x), "cosh", "exponential", limit=64),
        "tanh": _row(
            lambda y, x: 1.0 - y * y,
            "tanh",
            "tame fades odd",
            accurate=lambda y, x: 4.0 * rules.logistic_slope(2.0 * x),
            limit=64,
        ),
        "asinh": _row(
            lambda y, x: 1.0 / call("hypot", x, 1.0), "asinh", "tame odd", aliases="arcsinh"
        ),
        "acosh": _row(
            lambda y, x: call("rsqrt", x - 1.0) * call("rsqrt", x + 1.0),
            "acosh",
            "pole",
            aliases="arccosh",
        ),
        "atanh": _row(lambda y, x: 1.0 / rules.one_minus_square(x), "atanh", aliases="arctanh"),
    },
    "error_function": {
        "erf": _row(
            lambda y, x: 2 / _ROOT_PI * call("exp", -(x * x)), "erf", "tame fades odd", scipy="erf"
        ),
        "erfc": _row(
            lambda y, x: -2 / _ROOT_PI * call("exp", -(x * x)),
            "erfc",
            "tame fades",
            limit=32,
            scipy="erfc",
        ),
        "erfinv": _row(
            lambda y, x: _ROOT_PI / 2 * call("exp", y * y), "erfinv", scipy="erfinv", floats=_erfinv
        ),
    },
    "gamma": {
        "gamma": _row(
            lambda y, x: y * call("digamma", x),
            "gamma",
            "branches",
            limit=56,
            scipy="gamma",
            numpy=lambda x: np.where(x > 0, np.inf, np.where(x == 0, 1 / x, np.nan)),
        ),
        "lgamma": _row(
            lambda y, x: call("digamma", x),
            digits.lgamma,
            limit=56,
            scipy="gammaln",
            numpy=lambda x: np.where(np.isnan(x), x, np.inf),
        ),
        "digamma": _row(
            lambda y, x: call("trigamma", x),
            "digamma",
            "branches",
            limit=56,
            scipy="digamma psi",
            floats=lambda x: _polygamma(0, x),
        ),
        "trigamma": _row(
            lambda y, x: call("polygamma", 2.0, x),
            digits.trigamma,
            "branches",
            limit=56,
            floats=lambda x: _polygamma(1, x),
        ),
        "polygamma": _row(
            {1: lambda y, n, x: call("polygamma", n + 1.0, x)},
            lambda mp, n, x: mp.psi(int(mp.nint(n)), x),
            "branches",
            limit=12,
            scipy="polygamma",
            floats=lambda n, x: _polygamma(round(n), x),
        ),
    },
    "power": {
        "pow": _row(
            {0: rules.pow_by_base, 1: rules.pow_by_exponent},
            lambda mp, a, b: a**b,
            "pole",
            numpy=np.power,
        ),
        "cbrt": _row(
            lambda y, x: 1.0 / (3.0 * (y * y)),
            lambda mp, x: mp.sign(x) * mp.cbrt(abs(x)),
            "pole odd",
            scipy="cbrt",
        ),
        "hypot": _row(
            {0: lambda y, a, b: y.at_zero(0.0, a / y), 1: lambda y, a, b: y.at_zero(0.0, b / y)},
            "hypot",
            "tame",
        ),
    },
    "neighbours": {
        "nextafter": _row(
            {0: lambda y, a, b: 1.0, 1: None},
            lambda mp, a, b: a + (math.nextafter(float(a), float(b)) - mp.mpf(float(a))),
            "exact",
        ),
        **{f"nextafter{of}": _row({}, "", arity=2) for of in ("_float16", "_bfloat16")},
    },
    "normal": {
        "erfcx": _row(
            lambda y, x: 2.0 * x * y - 2 / _ROOT_PI, lambda mp, x: mp.exp(x * x) * mp.erfc(x)
        ),
        "erfcinv": _row(lambda y, p: -_ROOT_PI / 2 * call("exp", y * y), digits.erfcinv),
        "ndtri": _row(
            lambda y, p: _ROOT_TAU * call("exp", 0.5 * y * y),
            lambda mp, p: -mp.sqrt(2) * digits.erfcinv(mp, 2 * p),
        ),
    },
    "incomplete": {
        "gammainc": _row({1: lambda y, a, x: call("gamma_density", a, x)}, digits.gammainc),
        "gammaincc": _row({1: lambda y, a, x: -call("gamma_density", a, x)}, digits.gammaincc),
        "gammaincinv": _row(
            {1: lambda y, a, p: 1.0 / call("gamma_density", a, y)}, digits.gamma_quantile
        ),
        "gammainccinv": _row(
            {1: lambda y, a, p: -1.0 / call("gamma_density", a, y)},
            lambda mp, a, p: digits.gamma_quantile(mp, a, p, above=True),
        ),
        "gamma_density": _row(
            {
                0: lambda y, a, x: y * (call("log", x) - call("digamma", a)),
                1: lambda y, a, x: y * ((a - 1.0) / x - 1.0),
            },
            digits.gamma_density,
            scipy="",
        ),
    },
    "beta": {
        "beta": _row(
            {
                0: lambda y, a, b: rules.beta_difference(a, b) * y,
                1: lambda y, a, b: rules.beta_difference(b, a) * y,
            },
            "beta",
        ),
        "betaln": _row(
            {
                0: lambda y, a, b: rules.beta_difference(a, b),
                1: lambda y, a, b: rules.beta_difference(b, a),
            },
            lambda mp, a, b: mp.log(abs(mp.beta(a, b))),
        ),
        "betainc": _row({2: lambda y, a, b, x: call("beta_density", a, b, x)}, digits.betainc),
        "betaincc": _row(
            {2: lambda y, a, b, x: -call("beta_density", a, b, x)},
            lambda mp, a, b, x: digits.betainc(mp, b, a, 1 - x),
        ),
        "betaincinv": _row(
            {2: lambda y, a, b, p: 1.0 / call("beta_density", a, b, y)}, digits.beta_quantile
        ),
        "beta_density": _row(
            {
                0: lambda y, a, b, x: (
                    y * (call("log", x) - call("digamma", a) + call("digamma", a + b))
                ),
                1: lambda y, a, b, x: (
                    y * (call("log1p", -x) - call("digamma", b) + call("digamma", a + b))
                ),
                2: lambda y, a, b, x: y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)),
            },
            digits.beta_density,
            scipy="",
        ),
    },
    "bessel": {
        "j0": _row(lambda y, x: -call("j1", x), digits.bessel("j", 0)),
        "j1": _row(lambda y, x: x.at_zero(0.5, call("j0", x) - y / x), digits.bessel("j", 1)),
        "y0": _row(lambda y, x: -call("y1", x), digits.bessel("y", 0)),
        "y1": _row(lambda y, x: call("y0", x) - y / x, digits.bessel("y", 1)),
        "i0": _row(lambda y, x: call("i1", x), digits.bessel("i", 0)),
        "i0e": _row(
            lambda y, x: call("i1e", x) - rules.sign(x) * y, digits.bessel("i", 0, scaled=-1)
        ),
        "i1": _row(lambda y, x: x.at_zero(0.5, call("i0", x) - y / x), digits.bessel("i", 1)),
        "i1e": _row(
            lambda y, x: x.at_zero(0.5, call("i0e", x) - y / x - rules.sign(x) * y),
            digits.bessel("i", 1, scaled=-1),
        ),
        "k0": _row(lambda y, x: -call("k1", x), digits.bessel("k", 0)),
        "k0e": _row(lambda y, x: y - call("k1e", x), digits.bessel("k", 0, scaled=1)),
        "k1": _row(lambda y, x: -call("k0", x) - y / x, digits.bessel("k", 1)),
        "k1e": _row(lambda y, x: y - call("k0e", x) - y / x, digits.bessel("k", 1, scaled=1)),
    },
    "orders": {
        "jv": _row(
            {1: lambda y, n, x: rules.middle("jv", -1.0, n, x)}, digits.bessel("j"), scipy="jv jn"
        ),
        "yv": _row(
            {1: lambda y, n, x: rules.middle("yv", -1.0, n, x)}, digits.bessel("y"), scipy="yv yn"
        ),
        "iv": _row({1: lambda y, n, x: rules.middle("iv", 1.0, n, x)}, digits.bessel("i")),
        "ive": _row(
            {1: lambda y, n, x: rules.middle("ive", 1.0, n, x) - rules.sign(x) * y},
            digits.bessel("i", scaled=-1),
        ),
        "kv": _row(
            {1: lambda y, n, x: -rules.middle("kv", 1.0, n, x)}, digits.bessel("k"), scipy="kv kn"
        ),
        "kve": _row(
            {1: lambda y, n, x: y - rules.middle("kve", 1.0, n, x)}, digits.bessel("k", scaled=1)
        ),
        "airy_ai": _row(lambda y, x: call("airy_ai_slope", x), "airyai", scipy=""),
        "airy_bi": _row(lambda y, x: call("airy_bi_slope", x), "airybi", scipy=""),
        "airy_ai_slope": _row(
            lambda y, x: x * call("airy_ai", x), lambda mp, x: mp.airyai(x, derivative=1), scipy=""
        ),
        "airy_bi_slope": _row(
            lambda y, x: x * call("airy_bi", x), lambda mp, x: mp.airybi(x, derivative=1), scipy=""
        ),
    },
    "integrals": {
        "exp1": _row(lambda y, x: -call("exp", -x) / x, "e1"),
        "expi": _row(lambda y, x: call("exp", x) / x, lambda mp, x: mp.re(mp.ei(x))),
        "expn": _row(
            {1: lambda y, n, x: n.at_zero(-y * (1.0 + 1.0 / x), -call("expn", n - 1.0, x))},
            "expint",
        ),
        "sine_integral": _row(lambda y, x: x.at_zero(1.0, call("sin", x) / x), "si", scipy=""),
        "cosine_integral": _row(lambda y, x: call("cos", x) / x, "ci", scipy=""),
        "dawsn": _row(
            lambda y, x: 1.0 - 2.0 * x * y,
            lambda mp, x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x),
        ),
        "fresnel_sine": _row(lambda y, x: call("sin", math.pi / 2 * (x * x)), "fresnels"),
        "fresnel_cosine": _row(lambda y, x: call("cos", math.pi / 2 * (x * x)), "fresnelc"),
        "spence": _row(
            lambda y, x: (1.0 - x).at_zero(-1.0, call("log", x) / (1.0 - x)), digits.spence
        ),
    },
    "elliptic": {
        "ellipk": _row(rules.ellipk, _ELLIPK),
        "ellipkm1": _row(
            lambda y, p: (call("ellipd", 1.0 - p) - y) / (2.0 * p), lambda mp, p: _ELLIPK(mp, 1 - p)
        ),
        "ellipe": _row(
            lambda y, m: -0.5 * call("ellipd", m), digits.elliptic(lambda mp, m: mp.ellipe(m))
        ),
        "ellipd": _row(
            rules.ellipd, digits.elliptic(lambda mp, m: (mp.ellipk(m) - mp.ellipe(m)) / m), scipy=""
        ),
        "ellipkinc": _row(
            {0: lambda y, phi, m: 1.0 / rules.root(phi, m), 1: rules.ellipkinc_by_m},
            digits.elliptic(lambda mp, phi, m: mp.ellipf(phi, m)),
        ),
        "ellipeinc": _row(
            {
                0: lambda y, phi, m: rules.root(phi, m),
                1: lambda y, phi, m: (y - call("ellipkinc", phi, m)) / (2.0 * m),
            },
            digits.elliptic(lambda mp, phi, m: mp.ellipe(phi, m)),
        ),
        "zeta": _row({1: lambda y, s, q: -s * call("zeta", s + 1.0, q)}, digits.zeta, scipy=""),
        "lambertw": _row(
            lambda y, x, k: call("exp", -y) / (1.0 + y),
            lambda mp, x, k: mp.lambertw(x, int(k)),
            scipy="",
        ),
    },
}
FUNCTIONS: dict[str, Function] = {
    name: _placed(family, name, row)
    for family, rows in _FAMILIES.items()
    for name, row in rows.items()
}


def named(trait: str) -> frozenset[str]:
    """Return the names of the functions that have a trait.

    >>> sorted(named("exponential"))
    ['cosh', 'exp', 'exp2', 'expm1', 'sinh']
    """
    return frozenset(name for name, row in FUNCTIONS.items() if trait in row.traits)


PIECEWISE_CONSTANT = frozenset(name for name, row in FUNCTIONS.items() if row.slopes == {0: None})


def slope_of(graph: Graph, node: Node, index: int, *, accurate: bool) -> Node | None:
    """Return the partial of a `call` node by its argument `index`; None where it is zero."""
    name = node.data
    row = FUNCTIONS[name]
    formula: Any = row.accurate if accurate and row.accurate else row.slopes.get(index, name)
    if formula is None:
        return None
    if formula is name:
        where = f" (used at {node.line})" if node.line else ""
        raise DerivativeError(
            f"the derivative of {name}() by its argument {index + 1}{where} is not known; give the "
            "whole gradient by hand with @op.gradient"
        )
    result = formula(Term(graph, node), *(Term(graph, a) for a in node.args))
    return result.node if isinstance(result, Term) else graph.const(result)
