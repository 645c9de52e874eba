"""An independent judge: the user's own text run on mpmath numbers, no graph in between."""

import math
from types import FunctionType, SimpleNamespace

import mpmath
import numpy as np

from nbgraph.kernels.capture.names import names_of

mp = mpmath.mp.clone()
mp.dps = 50


def _shim():
    names = (
        "exp expm1 log log1p sqrt sin cos tan asin acos atan atan2 sinh cosh tanh erf erfc gamma"
    )
    table = {n: getattr(mp, n) for n in names.split()}
    table |= {
        "pi": mp.pi,
        "nan": mp.nan,
        "log2": lambda x: mp.log(x, 2),
        "hypot": mp.hypot,
        "lgamma": lambda x: mp.log(abs(mp.gamma(x))),
        "fabs": abs,
        "floor": lambda x: int(mp.floor(x)),
        "radians": lambda x: x * mp.pi / 180,
        "copysign": lambda a, b: abs(a) if b >= 0 else -abs(a),
        "clip": lambda x, low, high: min(max(x, low), high),
    }
    return table


MATH = SimpleNamespace(**_shim())
_FUNCTIONS = {
    getattr(math, name): value
    for name, value in vars(MATH).items()
    if hasattr(math, name) and callable(getattr(math, name))
}


def in_mpmath(fn, seen=None):
    """A copy of a function, its helpers included, whose `math` and `np` compute with mpmath."""
    seen = {} if seen is None else seen
    fn = getattr(fn, "py_func", fn)
    if fn not in seen:
        seen[fn] = made = FunctionType(
            fn.__code__, space := dict(fn.__globals__), fn.__name__, fn.__defaults__, fn.__closure__
        )
        made.__kwdefaults__ = fn.__kwdefaults__
        for name in names_of(fn.__code__):
            value = space.get(name)
            if value is math or value is np:
                space[name] = MATH
            elif value is math.pi:
                space[name] = mp.pi
            elif getattr(value, "__module__", None) == "math":
                space[name] = _FUNCTIONS[value]
            elif type(value).__name__ == "module":
                space[name] = SimpleNamespace(
                    **{
                        k: in_mpmath(v, seen)
                        for k, v in vars(value).items()
                        if k in fn.__code__.co_names and callable(v)
                    }
                )
            elif callable(value) and hasattr(getattr(value, "py_func", value), "__code__"):
                space[name] = in_mpmath(value, seen)
    return seen[fn]


def values(fn, points, parameters, index=None):
    """The function at points (tuples of floats), as floats; one output of several by index."""
    text = in_mpmath(fn)

    def one(point):
        numbers = (p if isinstance(p, int) else mp.mpf(p) for p in point)  # bools are ints
        result = text(*numbers, **parameters)
        return float(result if index is None else result[index])

    return np.array([one(p) for p in points])


def slopes(fn, points, parameters, wrt, order, index=None):
    """Derivatives of the text by differences with 50 digits."""
    text = in_mpmath(fn)

    def one(point):
        fixed = [mp.mpf(float(p)) for p in point]

        def along(t):
            result = text(*fixed[:wrt], t, *fixed[wrt + 1 :], **parameters)
            return mp.mpf(result if index is None else result[index])

        h = mp.mpf(10) ** -12
        x = fixed[wrt]
        if order == 1:
            return float((along(x + h) - along(x - h)) / (2 * h))
        return float((along(x + h) - 2 * along(x) + along(x - h)) / (h * h))

    return np.array([one(p) for p in points])
