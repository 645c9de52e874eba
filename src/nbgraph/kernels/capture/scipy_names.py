"""Which function of SciPy means which operation, recognised by name: SciPy stays unimported."""

from __future__ import annotations

from types import FunctionType

import numpy as np

from nbgraph.kernels.capture import composed, vectors
from nbgraph.kernels.capture.library import solvers, special
from nbgraph.kernels.capture.special import Special
from nbgraph.kernels.functions import FUNCTIONS

Operation = tuple[str, object]
_CALLS = {  # name in scipy.special -> in vector_math
    alias: name for name, row in FUNCTIONS.items() for alias in row.scipy
}
_COMPOSED = {
    **{
        name: getattr(composed, name)
        for name in ("xlogy", "xlog1py", "logit", "ndtr", "entr", "rel_entr", "exprel", "cosm1")
    },
    "log_expit": composed.log_sigmoid,
    "sinc": composed.sinc,
    **{
        name: text
        for name, text in vars(special).items()
        if isinstance(text, FunctionType) and text.__module__ == special.__name__
    },
}


SOLVERS = {
    "trapezoid": vectors.trapezoid,
    **dict.fromkeys(("brentq", "brenth", "ridder", "toms748"), solvers.brentq),
    **{
        name: getattr(solvers, name)
        for name in ("bisect", "newton", "quad", "fixed_quad", "simpson")
    },
}


def solver(fn: object) -> FunctionType | None:
    """The text of a function of `scipy.optimize` or `scipy.integrate`, None for others."""
    module = str(getattr(fn, "__module__", ""))
    if module.startswith(("scipy.optimize", "scipy.integrate")):
        return SOLVERS.get(getattr(fn, "__name__", ""))
    return None


def scipy_operation(fn: object) -> Operation | None:
    """The operation of a function of `scipy.special`, None where there is none."""
    if isinstance(fn, Special):
        return ("call", fn.__name__)
    name = getattr(fn, "__name__", "")
    if isinstance(fn, np.ufunc):
        known = getattr(np, name, None) is not fn
    else:
        known = str(getattr(fn, "__module__", "")).startswith("scipy.special")
    if not known or name.startswith("_"):
        return None
    if name in _CALLS:
        return ("call", _CALLS[name])
    return ("composed", _COMPOSED[name]) if name in _COMPOSED else None
