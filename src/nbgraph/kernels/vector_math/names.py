"""What the room offers, and in which file each function is; no Numba is needed to read this."""

from __future__ import annotations

FAMILIES = {
    "exp": ("exp", "exp2", "expm1", "sigmoid"),
    "log": ("log", "log2", "log10", "log1p", "softplus"),
    "rounding": (
        *("floor", "ceil", "trunc", "round", "sign", "copysign", "sqrt", "rsqrt"),
        *("fmod", "fmod_small"),
    ),
    "trigonometric": ("sin", "cos", "tan", "sin_small", "cos_small", "tan_small"),
    "arc": ("asin", "acos", "atan", "atan2"),
    "hyperbolic": ("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    "error_function": ("erf", "erfc", "erfinv"),
    "gamma": ("gamma", "lgamma", "digamma", "trigamma", "polygamma"),
    "power": ("pow", "cbrt", "hypot"),
    "neighbours": ("nextafter", "nextafter_float16", "nextafter_bfloat16"),
}

# Special functions: written for float64 alone (see `wide`), they loop and branch.
SPECIAL = {
    "normal": ("erfcx", "erfcinv", "ndtri"),
    "incomplete": ("gammainc", "gammaincc", "gammaincinv", "gammainccinv", "gamma_density"),
    "beta": ("beta", "betaln", "betainc", "betaincc", "betaincinv", "beta_density"),
    "bessel": (
        *("j0", "j1", "y0", "y1", "i0", "i0e", "i1", "i1e"),
        *("k0", "k0e", "k1", "k1e"),
    ),
    "orders": (
        *("jv", "yv", "iv", "ive", "kv", "kve"),
        *("airy_ai", "airy_bi", "airy_ai_slope", "airy_bi_slope"),
    ),
    "integrals": (
        *("exp1", "expi", "expn", "sine_integral", "cosine_integral"),
        *("dawsn", "fresnel_sine", "fresnel_cosine", "spence"),
    ),
    "elliptic": (
        *("ellipk", "ellipkm1", "ellipe", "ellipd", "ellipkinc", "ellipeinc"),
        *("zeta", "lambertw"),
    ),
}
WIDE = frozenset(name for names in SPECIAL.values() for name in names)
NARROW = frozenset(("gamma", "digamma", "trigamma", "polygamma"))  # they branch and loop
BRANCHING = WIDE | NARROW  # they are not made for vector code

FAMILY = {name: family for family, names in (FAMILIES | SPECIAL).items() for name in names}
NAMES = frozenset(FAMILY)
_BINARY = {
    *("atan2", "pow", "hypot", "copysign", "fmod", "fmod_small", "polygamma"),
    *FAMILIES["neighbours"],
    *SPECIAL["incomplete"],
    *("beta", "betaln", "expn", "zeta", "lambertw", "ellipkinc", "ellipeinc"),
    *("jv", "yv", "iv", "ive", "kv", "kve"),
}
_TERNARY = {"betainc", "betaincc", "betaincinv", "beta_density"}
ARITY = {name: 3 if name in _TERNARY else 2 if name in _BINARY else 1 for name in NAMES}

# Largest |x| for the `_small` variants.  n = x * 2/pi is computed with a relative error of one
# unit in the last place, which must not move r by more than the 1 % beyond pi/4 that the
# polynomials allow.
TRIG_BOUND = {"float32": 2.0**17, "float64": 2.0**40}

# Largest |x / y| for `fmod_small`: below a unit in its last place the quotient may be one too many.
FMOD_BOUND = {"float32": 2.0**22, "float64": 2.0**51}
