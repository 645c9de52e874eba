"""What each elementwise operator of the library must be: references, bounds, domains.

NumPy is the reference wherever it has a function of the name; the others are written here.
"""

import math
import zlib

import numpy as np
import scipy.special

from nbgraph import ops
from nbgraph.ops.families import ARRAY_FAMILIES

FAMILIES = {  # by their files, whatever room these are in
    f.rpartition(".")[2]: names.split()
    for f, names in ops.FAMILIES.items()
    if f not in ARRAY_FAMILIES
}


def _distinct():
    """One name for each operator: aliases are the same object."""
    found = {}
    for names in FAMILIES.values():
        for name in names:
            found.setdefault(id(getattr(ops, name)), name)
    return sorted(found.values())


NAMES = _distinct()
FAMILY = {name: family for family, names in FAMILIES.items() for name in names}
DTYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "e", "f", "d"]
INTEGERS = "bBhHiIlL"

# references that NumPy lacks; activations are written with what SciPy offers -------------------

_expit, _erfc = scipy.special.expit, scipy.special.erfc


def _softplus(x):
    return np.logaddexp(0.0, x)


def _elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(x))


_xlogy, _gammaln = scipy.special.xlogy, scipy.special.gammaln


def _supported(outside, value):
    return np.where(outside, -np.inf, value)


def _ways(x, count):
    return _gammaln(x + count) - _gammaln(x + 1) - _gammaln(count)


def _positive(x):
    return np.where(x <= 0, 0, x)


def _huber(distance):
    return np.where(distance < 1, distance**2 / 2, distance - 0.5)


WRITTEN = {
    "erf": scipy.special.erf,
    "erfc": _erfc,
    "erfinv": lambda x: np.copysign(scipy.special.erfinv(x), x),  # SciPy drops the sign of 0
    "gamma": scipy.special.gamma,
    "lgamma": lambda x: np.where(np.isinf(x), np.inf, scipy.special.gammaln(x)),
    "digamma": scipy.special.psi,
    "polygamma": lambda x: scipy.special.polygamma(1, x),
    "xlogy": scipy.special.xlogy,
    "xlog1py": scipy.special.xlog1py,
    "logit": scipy.special.logit,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "third_power": lambda x: x * x * x,
    "replace_nan": lambda x, value: np.where(x == x, x, value),
    "replace_nonfinite": lambda x, nan, high, low: np.where(
        x == np.inf, high, np.where(x == -np.inf, low, np.where(x == x, x, nan))
    ),
    "relu": lambda x: np.where(x <= 0, 0, x),
    "relu6": lambda x: np.clip(np.where(x <= 0, 0, x), 0, 6),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "prelu": lambda x, slope: np.where(x > 0, x, slope * x),
    "highway": lambda x, y, gate: _expit(gate) * x + _expit(-gate) * y,
    "elu": _elu,
    "celu": _elu,
    "selu": lambda x: 1.0507009873554805 * _elu(x, 1.6732632423543772),
    "gelu": lambda x: 0.5 * x * _erfc(-x * math.sqrt(0.5)),
    "silu": lambda x: x * _expit(x),
    "mish": lambda x: x * np.tanh(_softplus(x)),
    "sigmoid": _expit,
    "log_sigmoid": lambda x: -_softplus(-x),
    "softplus": _softplus,
    "softsign": lambda x: x / (1 + np.abs(x)),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_swish": lambda x: np.where(x <= -3, -0.0, x) * (np.clip(x + 3, 0, 6) / 6),  # so of -inf
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "sinc": np.sinc,
    "smooth_l1": lambda x: _huber(np.abs(x)),
    "l1_term": lambda x, t: np.abs(x - t),
    "l2_term": lambda x, t: (x - t) ** 2 / 2,
    "smooth_l1_term": lambda x, t: _huber(np.abs(x - t)),
    "huber_term": lambda x, t: _huber(np.abs(x - t)),
    "hinge_term": lambda x, t: _positive(1 - x * t),
    "squared_hinge_term": lambda x, t: _positive(1 - x * t) ** 2,
    "cosine_term": lambda x, t: np.where(t > 0, 1 - x, _positive(x)),
    "binary_term": lambda p, t: (
        np.where(t != 0, -np.log(p) * t, 0) + np.where(t != 1, -np.log1p(-p) * (1 - t), 0)
    ),
    "binary_logits_term": lambda x, t: (1 - t) * x + _softplus(-x),
    "logistic_term": lambda x, t: _softplus(-x * t),
    "focal_term": lambda x, t: (
        (_expit(x) * (1 - t) + (1 - _expit(x)) * t) ** 2 * (_softplus(x) - x * t)
    ),
    "divergence_term": lambda x, t: np.where(t != 0, t * (np.log(t) - x), 0),
    "log_divergence_term": lambda x, t: np.exp(t) * (t - x),
    "unlikelihood_term": lambda x: -np.log(-np.expm1(-x)),
    "uniform_log_density": lambda x, low, high: _supported(
        (x < low) | (x > high), x - x - np.log(high - low)
    ),
    "normal_log_density": lambda x, mean, deviation: (
        -(((x - mean) / deviation) ** 2) / 2 - np.log(deviation) - np.log(2 * np.pi) / 2
    ),
    "exponential_log_density": lambda x, rate: _supported(x < 0, np.log(rate) - rate * x),
    "gamma_log_density": lambda x, shape, rate: _supported(
        x < 0, _xlogy(shape - 1, x) + shape * np.log(rate) - rate * x - _gammaln(shape)
    ),
    "poisson_log_density": lambda x, mean: _supported(
        x < 0, _xlogy(x, mean) - mean - _gammaln(x + 1)
    ),
    "negative_binomial_log_density": lambda x, count, chance: _supported(
        x < 0, _ways(x, count) + count * np.log(chance) + scipy.special.xlog1py(x, -chance)
    ),
    "dispersed_log_density": lambda x, mean, spread: _supported(
        x < 0,
        _ways(x, 1 / spread)
        + _xlogy(x, mean * spread)
        - (x + 1 / spread) * np.log1p(mean * spread),
    ),
}


def reference(name):
    """The function that an operator must equal; a name without one is an error of this table."""
    return WRITTEN[name] if name in WRITTEN else getattr(np, name)


# units in the last place; 0 where the operation is exact
ULPS = {
    "exponential": 4,
    "trigonometric": 4,
    "special": 8,
    "activation": 8,
    "terms": 16,
    "log_densities": 64,
    "power": 2,
    "third_power": 1,
    "sqrt": 0,
    "digamma": 128,  # SciPy's own error near its zeros
    "gelu": 256,  # SciPy's erfc far out
    "gamma": 12,
}
CANCELLING = {
    *FAMILIES["terms"],
    *FAMILIES["log_densities"],
    "highway",
}  # differences: tried with everyday numbers
# near these the reference's own cancellation is seen: an absolute bound, in units of eps
ABSOLUTE = {
    "lgamma": 8,
    "digamma": 8,
    "sinc": 4,
    **dict.fromkeys(CANCELLING, 64),
    **dict.fromkeys(FAMILIES["log_densities"], 512),
}
# which of two equal zeros comes out is left open by NumPy (it differs by dtype and machine)
OPEN_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip", "nextafter", "relu", "relu6",
             "hard_sigmoid", "hard_swish", "hard_tanh", "sinc", "unlikelihood_term"}  # fmt: skip


def bound(name):
    """How many units in the last place an operator may be off."""
    return ULPS.get(name, ULPS.get(FAMILY[name], 0))


# operands ---------------------------------------------------------------------------------------


def samples(dtype):
    """Small and extreme values of a dtype; for floats zeros, subnormals, infinities and NaN."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = {0, 1, 2, 3, 5, 7, 31, 63, 64, 100, -1, -2, -7, -64}
        values |= {info.min, info.min + 1, info.max - 1, info.max}
        return np.array(sorted(v for v in values if info.min <= v <= info.max), dtype)
    info = np.finfo(dtype)
    plain = [0, 0.1, 0.3, 0.5, 0.7, 0.99, 1, 1.01, 1.5, 2.5, 3, 7.25, 10, 30, 1000]
    limits = [info.max, info.tiny, info.smallest_subnormal, info.eps, np.inf, np.nan]
    positive = np.array([*plain, *limits], dtype)
    return np.concatenate([positive, -positive])


def operands(name, dtype):
    """All combinations of samples, without those for which NumPy has no meaning."""
    op = getattr(ops, name)
    arrays = [m.ravel() for m in np.meshgrid(*[samples(dtype)] * op.nin, indexing="ij")]
    kind = np.dtype(dtype).kind
    keep = np.ones(arrays[0].shape, bool)
    if name == "power" and kind == "i":
        keep = arrays[1] >= 0  # NumPy raises
    if name == "reciprocal" and kind in "biu":
        keep = arrays[0] != 0  # undefined in C
    if name in ("expm1", "lgamma") and kind == "f":  # subnormals: to zero here, a pole in SciPy
        keep = ~((arrays[0] != 0) & (np.abs(arrays[0]) < np.finfo(dtype).tiny))
    if name in CANCELLING and kind == "f":  # squares overflow, differences lose digits
        keep = np.all([np.isnan(a) | (np.abs(a) <= 30) for a in arrays], axis=0)
        keep &= ~np.any([(a != 0) & (np.abs(a) < 1e-3) for a in arrays], axis=0)
    if name == "binary_term" and kind == "f":
        keep &= np.isnan(arrays[0]) | ((arrays[0] >= 0) & (arrays[0] <= 1))
    if name == "dispersed_log_density" and kind == "f":  # poles beside parameters out of bounds
        keep &= np.all([np.isnan(a) | (a >= 0) for a in arrays[1:]], axis=0)
    if name == "polygamma" and kind == "f":  # SciPy takes as many steps as x is below 0
        keep = ~(arrays[0] < -100)
    if name == "sinc" and kind == "f":  # pi times the largest number overflows, in NumPy too
        keep = np.abs(arrays[0]) != np.finfo(dtype).max
    arrays = [a[keep] for a in arrays]
    if name == "where":
        arrays[0] = arrays[0].astype(bool)
    return arrays


def expected(name, arrays):
    """The reference's outputs, computed in float64 where NumPy has no loop of that dtype."""
    fn = reference(name)
    written = name in WRITTEN
    if written and arrays[0].dtype.kind == "f":
        arrays = [a.astype(np.float64) for a in arrays]
    with np.errstate(all="ignore"):
        result = fn(*arrays)
    return result if isinstance(result, tuple) else (result,)


def chosen(name, choices):
    """One of the choices, fixed for a name and spread over all names."""
    return choices[zlib.crc32(name.encode()) % len(choices)]


def everyday_dtype(name):
    """The dtype with which an operator is tried everyday."""
    if name in INTEGER_ONLY:
        return chosen(name, INTEGERS)
    return chosen(name, "fde" if name in WRITTEN else "fdelBhLI?b")


# the doctests compile every operator; of their extremes everyday takes three fifths
EVERYDAY = [n for n in NAMES if zlib.crc32(n.encode()) // 100 % 5 < 3]


# derivatives ------------------------------------------------------------------------------------

NO_FLOAT_RESULT = {
    *("equal not_equal less less_equal greater greater_equal isnan isinf isfinite signbit "
      "logical_and logical_or logical_xor logical_not").split()}  # fmt: skip
INTEGER_ONLY = {
    *("bitwise_and bitwise_or bitwise_xor bitwise_invert bitwise_left_shift "
      "bitwise_right_shift gcd lcm").split()}  # fmt: skip
REFUSED = NO_FLOAT_RESULT | INTEGER_ONLY
DIFFERENTIABLE = [n for n in NAMES if n not in REFUSED]

_ANY = (
    [0.31, 0.72, -0.43, 1.9, -2.6],
    [0.64, -1.23, 0.9, 2.3, 0.87],
    [1.4, 0.4, 3.2, -2.1, 1.7],
    [0.2, -0.7, 1.1, 0.6, -1.9],
)
_UNIT = ([0.31, 0.72, -0.43, 0.05, -0.9],)
_POSITIVE = ([0.31, 0.72, 1.43, 5.2, 12.6], [0.64, -1.23, 0.9, 2.3, 0.87])
POINTS = {
    **dict.fromkeys(("asin", "acos", "atanh", "erfinv"), _UNIT),
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt", "power", "digamma"), _POSITIVE),
    "log1p": _POSITIVE,
    "acosh": ([1.31, 1.72, 2.43, 5.2, 12.6],),
    "logit": ([0.31, 0.72, 0.43, 0.05, 0.9],),
    "xlogy": (_ANY[0], _POSITIVE[0]),
    "binary_term": ([0.31, 0.72, 0.43, 0.05, 0.9], _ANY[1]),
    "divergence_term": (_ANY[0], _POSITIVE[0]),
    "unlikelihood_term": _POSITIVE,
    "xlog1py": (_ANY[0], _POSITIVE[0]),
    "uniform_log_density": (_UNIT[0], [-1.0] * 5, [1.5, 2.0, 1.0, 0.5, 3.0]),
    **dict.fromkeys(
        ("gamma_log_density", "dispersed_log_density"),
        (_POSITIVE[0], [1.4, 0.4, 3.2, 2.1, 1.7], [0.64, 1.23, 0.9, 2.3, 0.87]),
    ),
    "exponential_log_density": (_POSITIVE[0], [1.4, 0.4, 3.2, 2.1, 1.7]),
    "poisson_log_density": (_POSITIVE[0], [1.4, 0.4, 3.2, 2.1, 1.7]),
    "negative_binomial_log_density": (
        *(_POSITIVE[0], [1.4, 0.4, 3.2, 2.1, 1.7]),
        [0.31, 0.72, 0.43, 0.05, 0.9],
    ),
    "normal_log_density": (_ANY[0], _ANY[1], [1.4, 0.4, 3.2, 2.1, 1.7]),
    "where": ([1.0, 0.0, 1.0, 0.0, 1.0], _ANY[1], _ANY[2]),
}


def points(name):
    """Operands in the inside of the domain and away from kinks."""
    rows = POINTS.get(name, _ANY)
    return [np.array(row) for row in rows[: getattr(ops, name).nin]]


def slope(name, wrt):
    """Central differences of the reference, one for each output."""
    fn, at, step = reference(name), points(name), 1e-6
    sides = []
    for sign in (1, -1):
        moved = [a + sign * step if i == wrt else a for i, a in enumerate(at)]
        if name == "where":  # the condition is not a number
            moved[0] = at[0] != 0
        result = fn(*moved)
        sides.append(result if isinstance(result, tuple) else (result,))
    return [(high - low) / (2 * step) for high, low in zip(*sides, strict=True)]
