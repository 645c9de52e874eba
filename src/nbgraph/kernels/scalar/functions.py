"""The table of scalar functions: a new one is a row here and a body in `vector_math`.

Capture, derivatives, the interpreters and printing read all properties of a function here.
"""

import functools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.errors import DerivativeError
from nbgraph.kernels.scalar import multiprecision_special as digits
from nbgraph.kernels.scalar import rules
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.kinds import MAX_BITS
from nbgraph.kernels.scalar.nodes import Node
from nbgraph.kernels.scalar.rules import Term, call

# a formula over the value and the arguments; None: 0 everywhere
Slope = Callable[..., "Term | float"] | None
ROUNDING = ("floor", "ceil", "trunc", "round")  # Python's forms return an int, NumPy's a float
# exponential, tame: how an infinite value has grown, other than to a pole
# fades, fades_slowly: the slope vanishes, faster than any power or not
# pole: the slope has one where the function itself has a value
# odd: and increasing; positive; exact: the result has the digits of the arguments
# branches: has branches and loops, so it does not suit vector code
_TRAITS = frozenset("exponential tame fades fades_slowly pole odd positive exact branches".split())
_SPECIAL = ("normal", "incomplete", "beta", "bessel", "orders", "integrals", "elliptic")


@dataclass(eq=False)
class Function:
    """The properties of a function, whose last argument is x. Formulas are compiled at first
    use."""

    name: str
    family: str  # the file of `vector_math` with its body
    arguments: tuple[str, ...]
    traits: frozenset[str]
    texts: dict[str, str]

    @property
    def arity(self) -> int:
        """Number of arguments."""
        return len(self.arguments)

    @property
    def is_special(self) -> bool:
        """Return whether the function is implemented for float64 alone."""
        return self.family in _SPECIAL

    @functools.cached_property
    def slopes(self) -> dict[int, Slope]:
        """The known slopes by argument; those by x may read the value alone, and so may
        backward."""
        texts = enumerate(self.texts["slopes"].split("; "))
        return {
            k: None if text == "0" else self._formula(text, "y") for k, text in texts if text != "-"
        }

    @functools.cached_property
    def accurate(self) -> Slope:
        """The slope by x to full accuracy, from x alone."""
        text = self.texts.get("accurate")
        return None if text is None else self._formula(text, "y")

    @functools.cached_property
    def digits(self) -> str | Callable[..., Any]:
        """A function of an mpmath context `mp` and the arguments, or its name in mpmath, or ""."""
        text = self.texts["digits"]
        if text.isidentifier() or not text:
            return text
        of_arguments = {"mp", *self.arguments} & set(re.findall(r"\w+", text))
        return self._formula(text, "mp") if of_arguments else _compiled(text)

    @property
    def limit(self) -> int | None:
        """The power of two of x beyond which the value overflows or costs too much, or None."""
        if self.is_special:
            return 9 if self.family in ("incomplete", "beta") else 12
        return _compiled(self.texts.get("limit", "None"))

    @property
    def names(self) -> tuple[str, ...]:
        """The function's names in `math` and NumPy, where they have it."""
        return (self.name, *self.texts.get("aliases", "").split())

    @property
    def scipy(self) -> tuple[str, ...]:
        """The function's names in scipy.special."""
        return tuple(self.texts.get("scipy", self.name if self.is_special else "").split())

    @functools.cached_property
    def floats(self) -> Callable[..., float] | None:
        """The function for Python floats, if it differs from `math`'s."""
        text = self.texts.get("floats")
        return None if text is None else self._formula(text)

    @functools.cached_property
    def numpy(self) -> Callable[..., Any] | None:
        """The function for NumPy numbers, if the one for Python floats raises."""
        text = self.texts.get("numpy")
        return None if text is None else self._formula(text)

    def _formula(self, text: str, *before: str) -> Any:
        parameters = ", ".join((*before, *self.arguments))
        return _compiled(f"lambda {parameters}: {text}", calls="y" in before)


@functools.cache
def _compiled(text: str, *, calls: bool = False) -> Any:
    """Return the value of an expression; with `calls`, function names are those over terms."""
    space: dict[str, Any] = {"digits": digits, "rules": rules, "math": math, "np": np}
    space |= {name: functools.partial(call, name) for name in FUNCTIONS if calls}
    space |= {"root_pi": math.sqrt(math.pi), "MAX_BITS": MAX_BITS}
    space |= {"polygamma_at": _polygamma, "erfinv_at": _erfinv}
    exec(f"value = {text}", space)
    return space["value"]


def _polygamma(order: int, x: float) -> float:
    from mpmath import fp

    if order == 1 and x < 0:  # mpmath would take |x| steps
        return float((fp.pi / fp.sinpi(x)) ** 2 - fp.psi(1, 1 - x))
    return float(fp.psi(order, x))


def _erfinv(x: float) -> float:
    from scipy.special import erfinv

    return float(erfinv(x))


# name(arguments) | slope by each, "0" everywhere or "-" not known | digits | traits | ...
_TABLE = """
exp:
exp(x) | y | exp | exponential fades positive | limit 64
exp2(x) | math.log(2) * y | mp.mpf(2) ** x | exponential fades positive | limit 64 | scipy exp2
expm1(x) | y + 1.0 | expm1 | exponential odd | accurate exp(x) | limit 64 | scipy expm1
sigmoid(x) | y * (1.0 - y) | 1 / (1 + mp.exp(-x)) | tame fades positive | limit 64 | scipy expit
    | accurate rules.logistic_slope(x) | floats 1 / (1 + math.exp(-x)) if x > -700 else math.exp(x)
log:
log(x) | 1.0 / x | log
log2(x) | 1 / math.log(2) / x | mp.log(x) / mp.log(2)
log10(x) | 1 / math.log(10) / x | mp.log(x) / mp.log(10)
log1p(x) | 1.0 / (1.0 + x) | log1p | | scipy log1p
softplus(x) | -expm1(-y) | digits.softplus | tame positive | accurate sigmoid(x) | limit 64
    | scipy softplus | floats max(x, 0.0) + math.log1p(math.exp(-abs(x)))
rounding:
floor(x) | 0 | floor | exact | floats float(math.floor(x))
ceil(x) | 0 | ceil | exact | floats float(math.ceil(x))
trunc(x) | 0 | digits.whole | exact | floats float(math.trunc(x))
round(x) | 0 | nint | exact | floats float(round(x)) | numpy np.rint(x)
sign(x) | 0 | sign | exact | floats float((x > 0) - (x < 0))
copysign(a, b) | rules.sign_ratio(y, a, b); 0 | abs(a) if b >= 0 else -abs(a) | exact
sqrt(x) | 0.5 / y | sqrt | tame pole
rsqrt(x) | y * y * (-0.5 * y) | 1 / mp.sqrt(x) | | accurate -0.5 * y / x
    | floats 1 / math.sqrt(x) | numpy 1 / np.sqrt(x)
fmod(a, b) | 1.0; -trunc(a / b) | a - b * digits.whole(mp, a / b)
fmod_small(a, b) | -; - |
trigonometric:
sin(x) | cos(x) | sin | tame | limit MAX_BITS
cos(x) | -sin(x) | cos | tame | limit MAX_BITS
tan(x) | 1.0 + y * y | tan | | limit MAX_BITS
sin_small(x) | - |
cos_small(x) | - |
tan_small(x) | - |
arc:
asin(x) | rsqrt(rules.one_minus_square(x)) | asin | pole | aliases arcsin
acos(x) | -rsqrt(rules.one_minus_square(x)) | acos | pole | aliases arccos
atan(x) | 1.0 / (1.0 + x * x) | atan | tame odd fades_slowly | aliases arctan
atan2(a, b) | rules.by_angle(b, a, b); -rules.by_angle(a, a, b) | atan2 | | aliases arctan2
hyperbolic:
sinh(x) | cosh(x) | sinh | exponential odd | limit 64
cosh(x) | sinh(x) | cosh | exponential | limit 64
tanh(x) | 1.0 - y * y | tanh | tame fades odd | limit 64
    | accurate 4.0 * rules.logistic_slope(2.0 * x)
asinh(x) | 1.0 / hypot(x, 1.0) | asinh | tame odd | aliases arcsinh
acosh(x) | rsqrt(x - 1.0) * rsqrt(x + 1.0) | acosh | pole | aliases arccosh
atanh(x) | 1.0 / rules.one_minus_square(x) | atanh | | aliases arctanh
error_function:
erf(x) | 2 / root_pi * exp(-(x * x)) | erf | tame fades odd | scipy erf
erfc(x) | -2 / root_pi * exp(-(x * x)) | erfc | tame fades | limit 32 | scipy erfc
erfinv(x) | root_pi / 2 * exp(y * y) | erfinv | | scipy erfinv | floats erfinv_at(x)
gamma:
gamma(x) | y * digamma(x) | gamma | branches | limit 56 | scipy gamma
    | numpy np.where(x > 0, np.inf, np.where(x == 0, 1 / x, np.nan))
lgamma(x) | digamma(x) | digits.lgamma | | limit 56 | scipy gammaln
    | numpy np.where(np.isnan(x), x, np.inf)
digamma(x) | trigamma(x) | digamma | branches | limit 56 | scipy digamma psi
    | floats polygamma_at(0, x)
trigamma(x) | polygamma(2.0, x) | digits.trigamma | branches | limit 56 | floats polygamma_at(1, x)
polygamma(n, x) | -; polygamma(n + 1.0, x) | mp.psi(int(mp.nint(n)), x) | branches | limit 12
    | scipy polygamma | floats polygamma_at(round(n), x)
power:
pow(a, b) | rules.pow_by_base(y, a, b); rules.pow_by_exponent(y, a, b) | a**b | pole
    | numpy np.power(a, b)
pow_short(a, b) | -; - |
pow_whole(a, b) | -; - |
cbrt(x) | 1.0 / (3.0 * (y * y)) | mp.sign(x) * mp.cbrt(abs(x)) | pole odd | scipy cbrt
hypot(a, b) | y.at_zero(0.0, a / y); y.at_zero(0.0, b / y) | hypot | tame
neighbours:
nextafter(a, b) | 1.0; 0
    | a + (math.nextafter(float(a), float(b)) - mp.mpf(float(a))) | exact
nextafter_float16(a, b) | -; - |
nextafter_bfloat16(a, b) | -; - |
normal:
erfcx(x) | 2.0 * x * y - 2 / root_pi | mp.exp(x * x) * mp.erfc(x)
erfcinv(p) | -root_pi / 2 * exp(y * y) | digits.erfcinv
ndtri(p) | math.sqrt(2 * math.pi) * exp(0.5 * y * y) | -mp.sqrt(2) * digits.erfcinv(mp, 2 * p)
incomplete:
gammainc(a, x) | -; gamma_density(a, x) | digits.gammainc
gammaincc(a, x) | -; -gamma_density(a, x) | digits.gammaincc
gammaincinv(a, p) | -; 1.0 / gamma_density(a, y) | digits.gamma_quantile
gammainccinv(a, p) | -; -1.0 / gamma_density(a, y) | digits.gamma_quantile(mp, a, p, above=True)
gamma_density(a, x) | y * (log(x) - digamma(a)); y * ((a - 1.0) / x - 1.0)
    | digits.gamma_density | | scipy
beta:
beta(a, b) | rules.beta_difference(a, b) * y; rules.beta_difference(b, a) * y | beta
betaln(a, b) | rules.beta_difference(a, b); rules.beta_difference(b, a)
    | mp.log(abs(mp.beta(a, b)))
betainc(a, b, x) | -; -; beta_density(a, b, x) | digits.betainc
betaincc(a, b, x) | -; -; -beta_density(a, b, x) | digits.betainc(mp, b, a, 1 - x)
betaincinv(a, b, p) | -; -; 1.0 / beta_density(a, b, y) | digits.beta_quantile
beta_density(a, b, x) | y * (log(x) - digamma(a) + digamma(a + b));
    y * (log1p(-x) - digamma(b) + digamma(a + b)); y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
    | digits.beta_density | | scipy
bessel:
j0(x) | -j1(x) | digits.bessel("j", 0)
j1(x) | x.at_zero(0.5, j0(x) - y / x) | digits.bessel("j", 1)
y0(x) | -y1(x) | digits.bessel("y", 0)
y1(x) | y0(x) - y / x | digits.bessel("y", 1)
i0(x) | i1(x) | digits.bessel("i", 0)
i0e(x) | i1e(x) - sign(x) * y | digits.bessel("i", 0, scaled=-1)
i1(x) | x.at_zero(0.5, i0(x) - y / x) | digits.bessel("i", 1)
i1e(x) | x.at_zero(0.5, i0e(x) - y / x - sign(x) * y) | digits.bessel("i", 1, scaled=-1)
k0(x) | -k1(x) | digits.bessel("k", 0)
k0e(x) | y - k1e(x) | digits.bessel("k", 0, scaled=1)
k1(x) | -k0(x) - y / x | digits.bessel("k", 1)
k1e(x) | y - k0e(x) - y / x | digits.bessel("k", 1, scaled=1)
orders:
jv(n, x) | -; rules.middle("jv", -1.0, n, x) | digits.bessel("j") | | scipy jv jn
yv(n, x) | -; rules.middle("yv", -1.0, n, x) | digits.bessel("y") | | scipy yv yn
iv(n, x) | -; rules.middle("iv", 1.0, n, x) | digits.bessel("i")
ive(n, x) | -; rules.middle("ive", 1.0, n, x) - sign(x) * y | digits.bessel("i", scaled=-1)
kv(n, x) | -; -rules.middle("kv", 1.0, n, x) | digits.bessel("k") | | scipy kv kn
kve(n, x) | -; y - rules.middle("kve", 1.0, n, x) | digits.bessel("k", scaled=1)
airy_ai(x) | airy_ai_slope(x) | airyai | | scipy
airy_bi(x) | airy_bi_slope(x) | airybi | | scipy
airy_ai_slope(x) | x * airy_ai(x) | mp.airyai(x, derivative=1) | | scipy
airy_bi_slope(x) | x * airy_bi(x) | mp.airybi(x, derivative=1) | | scipy
integrals:
exp1(x) | -exp(-x) / x | e1
expi(x) | exp(x) / x | mp.re(mp.ei(x))
expn(n, x) | -; n.at_zero(-y * (1.0 + 1.0 / x), -expn(n - 1.0, x)) | expint
sine_integral(x) | x.at_zero(1.0, sin(x) / x) | si | | scipy
cosine_integral(x) | cos(x) / x | ci | | scipy
dawsn(x) | 1.0 - 2.0 * x * y | mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x)
fresnel_sine(x) | sin(math.pi / 2 * (x * x)) | fresnels
fresnel_cosine(x) | cos(math.pi / 2 * (x * x)) | fresnelc
spence(x) | (1.0 - x).at_zero(-1.0, log(x) / (1.0 - x)) | digits.spence
elliptic:
ellipk(m) | (y - ellipd(m)) / (2.0 * (1.0 - m)) | digits.ellipk
ellipkm1(p) | (ellipd(1.0 - p) - y) / (2.0 * p) | digits.ellipk(mp, 1 - p)
ellipe(m) | -0.5 * ellipd(m) | digits.ellipe
ellipd(m) | (0.5 * (ellipk(m) - y) / (1.0 - m) - 0.5 * y) / m | digits.ellipd | | scipy
ellipkinc(phi, m) | 1.0 / rules.root(phi, m); rules.ellipkinc_by_m(y, phi, m) | digits.ellipkinc
ellipeinc(phi, m) | rules.root(phi, m); (y - ellipkinc(phi, m)) / (2.0 * m) | digits.ellipeinc
zeta(s, q) | -; -s * zeta(s + 1.0, q) | digits.zeta | | scipy
lambertw(x, k) | exp(-y) / (1.0 + y); - | mp.lambertw(x, int(k)) | | scipy
"""


def _parsed(table: str) -> dict[str, Function]:
    functions: dict[str, Function] = {}
    family = ""
    for line in re.sub(r"\n {4}", " ", table.strip()).splitlines():
        if line.endswith(":"):
            family = line[:-1]
            continue
        head, slopes, *rest = (column.strip() for column in line.split("|"))
        formula, words, *more = *rest, *[""] * (2 - len(rest))
        name, _, arguments = head[:-1].partition("(")
        traits = frozenset(words.split())
        assert traits <= _TRAITS, line
        traits |= {"branches"} if family in _SPECIAL else frozenset()
        options = {key: text for key, _, text in (each.partition(" ") for each in more)}
        texts = {"slopes": slopes, "digits": formula, **options}
        functions[name] = Function(name, family, tuple(arguments.split(", ")), traits, texts)
    return functions


FUNCTIONS: dict[str, Function] = _parsed(_TABLE)


def named(trait: str) -> frozenset[str]:
    """Return the names of the functions with a trait.

    >>> sorted(named("exponential"))
    ['cosh', 'exp', 'exp2', 'expm1', 'sinh']
    """
    return frozenset(name for name, row in FUNCTIONS.items() if trait in row.traits)


PIECEWISE_CONSTANT = frozenset(name for name, f in FUNCTIONS.items() if f.texts["slopes"] == "0")


def slope_of(graph: Graph, node: Node, index: int, *, accurate: bool) -> Node | None:
    """Return the partial of a `call` node by its argument `index`; None if it is zero."""
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
