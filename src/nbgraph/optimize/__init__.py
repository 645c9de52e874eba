"""Minima, roots and fits by SciPy, with exact derivatives of functions of NDArrays.

The names, methods and results are those of `scipy.optimize`; the unknown may be a structure of
arrays. Functions are traced by `ng.jit` where they can be. SciPy computes in float64, so the
function gets float64, and results have the dtypes and kinds of the start.

>>> import nbgraph as ng
>>> found = ng.optimize.minimize(lambda p: (p["w"] - 2.0) ** 2 + p["b"] ** 2, {"w": 0.0, "b": 1.0})
>>> {name: round(value, 3) + 0.0 for name, value in found.x.items()}
{'w': 2.0, 'b': 0.0}
"""

from nbgraph.foreign import published
from nbgraph.optimize.fitting import curve_fit as curve_fit
from nbgraph.optimize.fitting import least_squares as least_squares
from nbgraph.optimize.fitting import root as root
from nbgraph.optimize.minimizing import minimize as minimize

__dir__, __getattr__ = published("ng.optimize", globals())
