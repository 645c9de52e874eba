"""`debug`: reports a value, and its gradient, when they are computed."""

import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.engine import Variable, current
from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Spec
from nbgraph.operator.environment import Turn
from nbgraph.ops.define import differentiable, public
from nbgraph.shape import Array, Arrays, same_shape


def figures(values: Array) -> str:
    """Return least and largest element, and the L2 norm, as a summary of an array.

    >>> figures(np.array([3.0, -4.0]))
    'min -4, max 3, L2 5'
    """
    if not values.size:
        return "empty"
    wide = values.astype(np.float64)
    with np.errstate(all="ignore"):  # NaN and infinity are part of the report
        length = np.sqrt(np.square(wide).sum())
        return f"min {wide.min():.6g}, max {wide.max():.6g}, L2 {length:.6g}"


@cache
def turn() -> Variable:
    """Return the variable that all reports write to, for the order of pushes or steps."""
    return current().new_variable("debug", immune=True)


class _Debug(ArrayOp):
    """An operator with an effect: it is not merged or reordered."""

    effect = True

    def grant(self, device: Context, attributes: Attributes | None = None) -> tuple[Any, ...]:
        """Return the turn of the report."""
        return (Turn(turn()),)

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        """Report, and copy the values to the output."""
        values, callback = inputs[0], attributes["callback"]
        message, what = attributes["message"], attributes["what"]
        if callback is not None:
            callback(message, what, values.copy())  # a copy, as the memory is reused
        else:
            head = f"{message}: {what}" if message else what
            spec = Spec.of(values)
            sys.stdout.write(f"{head}: {spec}: {figures(values)}\n")
        np.copyto(outputs[0], values)


def _infer(x: Spec, *, message: str, what: str, callback: Any) -> Spec:
    return Spec(x.shape, x.dtype)


def _gradient(g: Gradients) -> Sequence[Any]:
    if g.out_grad is None or not differentiable(g.specs):
        return [None]
    attributes = {**g.attributes}
    before = attributes.pop("what")
    what = "gradient" if before == "value" else f"gradient of {before}"
    return [_DEBUG(g.out_grad, what=what, **attributes)]


_DEBUG = _Debug("debug", _infer, gradient=_gradient, inplace=[(0, 0)], partial=same_shape)


@public(_DEBUG)
def debug(
    x: Any,
    message: str = "",
    callback: Callable[[str, str, Array], None] | None = None,
    *,
    what: str = "value",
) -> Any:
    """Return `x`, and print a line whenever its value or its gradient is computed: dtype, shape,
    smallest and largest element, L2 norm.

    In a graph it is never merged with equal calls, and lines appear in the same order in each run.
    It is dropped only if its result is not needed; each recomputation prints again.

    x : array of any kind, Symbol or Expr
        A gradient is told where the result is part of what is differentiated.
    message : str
        What the line begins with.
    callback : callable, optional
        `callback(message, what, values)` is called instead, with a NumPy array; `what` is "value"
        or "gradient". It runs in a worker.
    what : str
        The name under which it is reported.
    >>> import numpy as np, nbgraph as ng
    >>> ng.debug(np.float32([3, 4]), "input")
    input: value: float32[2]: min 3, max 4, L2 5
    array([3., 4.], dtype=float32)
    """
    if callback is not None and not callable(callback):
        raise ArgumentError(f"debug: callback={callback!r} is not a function; give one, or None")
    return _DEBUG(x, message=str(message), what=what, callback=callback)
