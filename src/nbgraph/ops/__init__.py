"""The library of operators, one family per file; a file loads when one of its names is used.

>>> from nbgraph.ops import add
>>> add([1, 2], [3.5, 4.5])
array([4.5, 6.5])
"""

from typing import Any

from nbgraph.errors import MissingName
from nbgraph.ops.families import ARRAY_FAMILIES, EFFECT_FAMILIES, NAMED_FAMILIES, RANDOM_FAMILIES
from nbgraph.ops.families import INTERNAL as INTERNAL
from nbgraph.ops.families import OTHER_SPELLINGS as OTHER_SPELLINGS
from nbgraph.scopes import load

# All names, by family; the names of one operator are adjacent.
FAMILIES: dict[str, str] = {
    "elementwise.arithmetic": (
        "add subtract multiply divide true_divide floor_divide remainder mod fmod divmod negative "
        "positive absolute abs conjugate conj fabs sign power pow square third_power reciprocal"
    ),
    "elementwise.comparison": (
        "equal not_equal less less_equal greater greater_equal maximum minimum fmax fmin clip "
        "where heaviside replace_nan replace_nonfinite"
    ),
    "elementwise.logic": (
        "logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor "
        "bitwise_invert invert bitwise_not bitwise_left_shift left_shift bitwise_right_shift "
        "right_shift gcd lcm isnan isinf isfinite signbit"
    ),
    "elementwise.rounding": ("floor ceil trunc fix rint round around modf copysign nextafter"),
    "elementwise.exponential": (
        "exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 sqrt rsqrt cbrt erf erfc erfinv "
        "gamma lgamma gammaln digamma psi polygamma xlogy xlog1py logit"
    ),
    "elementwise.trigonometric": (
        "sin cos tan asin arcsin acos arccos atan arctan atan2 arctan2 hypot sinh cosh tanh asinh "
        "arcsinh acosh arccosh atanh arctanh degrees rad2deg radians deg2rad sinc"
    ),
    "elementwise.activation": (
        "relu relu6 leaky_relu prelu elu celu selu gelu silu swish mish sigmoid expit log_sigmoid "
        "softplus softsign hard_sigmoid hard_swish hard_tanh highway"
    ),
    "losses.terms": (
        "smooth_l1 l1_term l2_term smooth_l1_term huber_term hinge_term squared_hinge_term "
        "cosine_term binary_term binary_logits_term logistic_term focal_term divergence_term "
        "log_divergence_term unlikelihood_term"
    ),
    "draws.log_densities": (
        "uniform_log_density normal_log_density exponential_log_density gamma_log_density "
        "poisson_log_density negative_binomial_log_density dispersed_log_density"
    ),
    **ARRAY_FAMILIES,
}
_FAMILIES = FAMILIES | NAMED_FAMILIES | RANDOM_FAMILIES | EFFECT_FAMILIES
_ROOMS = {family.partition(".")[0] for family in _FAMILIES} - {"debug"}  # `debug` is also a name
PLACES: dict[str, str] = {
    name: f"{__name__}.{family}" for family, names in _FAMILIES.items() for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Return a name of the library, which loads at its first use (PEP 562)."""
    if name in _ROOMS:  # `from nbgraph.ops import reductions` calls this
        return load(f"{__name__}.{name}")
    registry = load("nbgraph.operator.registry")
    if name not in PLACES:
        suggestion = registry.suggestion(name, PLACES)
        raise MissingName(f"nbgraph.ops has no operator {name!r}; {suggestion}")
    value = registry.find(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*PLACES} - INTERNAL)
