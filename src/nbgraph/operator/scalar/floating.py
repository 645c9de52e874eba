"""`np.errstate` for calls on NumPy arrays: "raise", "call", "print" and "log".

Kernels compute both sides of a branch, so the processor's flags report values that are not results.
A call under an explicit setting is judged exactly: by NumPy's own ufunc of that name, or by the
operator's text in NumPy's numbers, for the elements that are not finite although their operands
are. NumPy's default, "warn", is ignored here: checking every result would cost four times a short
call.

>>> import nbgraph as ng
>>> with np.errstate(divide="raise"):
...     ng.log(np.zeros(2))
Traceback (most recent call last):
FloatingPointError: divide by zero encountered in log
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.operator.call import carrier_of
from nbgraph.operator.scalar import arguments, overrides
from nbgraph.scopes import load

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

_ASKING = frozenset(("raise", "call", "print", "log"))
# np.geterr() takes longer than a short call; reading its variable takes 10 ns
_variable: Any = getattr(getattr(np, "_core").umath, "_extobj_contextvar", None)  # noqa: B009
state: Callable[[], Any] = (lambda: None) if _variable is None else _variable.get
USUAL: Any = contextvars.Context().run(state)  # the state if it was never set
_latest: list[tuple[Any, Any]] = [(USUAL, None)]


def judge(op: Elementwise, operands: tuple[Any, ...], options: Mapping[str, Any]) -> None:
    """Let NumPy report a call's floating-point errors, if `np.errstate` requests that."""
    modes = _asked()
    if modes is None or carrier_of(operands) is not None or any(map(overrides.claims, operands)):
        return
    values, call, parameters = arguments.split(op, operands[: op.nin], dict(options))
    like = overrides.twin(op)
    if op.scalar.draws or any(getattr(np.asarray(v).dtype, "kind", "O") in "VO" for v in values):
        return
    where, dtype = call.get("where", True), call.get("dtype")
    if where is not True:
        *values, mask = np.broadcast_arrays(*values, where)
        values = [value[mask] for value in values]
    with np.errstate(**modes):
        if like is not None and not parameters:
            like(*values, dtype=dtype)
        elif isinstance(op.scalar, WrittenFunction):
            _by_text(op, values, op.parameters_of(parameters), dtype)


def _asked() -> Any:
    """Return what this context requests besides warnings, by kind, or None."""
    now, (known, asked) = state(), _latest[0]
    if now is not known:
        modes = np.geterr()
        asked = {kind: mode if mode in _ASKING else "ignore" for kind, mode in modes.items()}
        asked = None if _ASKING.isdisjoint(modes.values()) else asked
        _latest[0] = now, asked
    return asked


def _by_text(op: Elementwise, values: Any, parameters: Mapping[str, Any], dtype: Any) -> None:
    """Run an operator's text for the elements whose results are not finite."""
    with np.errstate(all="ignore"):
        none = (None,) * op.nout
        results = op.invoker.call(values, parameters, out=none, dtype=dtype)
        arrays = np.broadcast_arrays(*map(np.asarray, values), *results)
        finite = [np.isfinite(array) for array in arrays]
        count = len(values)
        doubtful = np.logical_and.reduce(finite[:count]) & ~np.logical_and.reduce(finite[count:])
    if doubtful.any():
        chosen = [
            value if isinstance(value, (int, float)) else np.broadcast_to(value, doubtful.shape)
            for value in values
        ]
        chosen = [v if isinstance(v, (int, float)) else v[doubtful] for v in chosen]
        run = load("nbgraph.operator.scalar.naive").call
        run(op.scalar, chosen, parameters, out=none, dtype=dtype, quiet=False)
