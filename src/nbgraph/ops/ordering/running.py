"""Running extremes along an axis, their indices, and logarithms of running sums.

Slopes of extremes go to the latest element that attains one.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec, Specs
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.operator.declared import DOCS
from nbgraph.ops.define import axis_of, define_rows, library, require_floats
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.elementwise.exponential import exp
from nbgraph.ops.indexing.indexing import scatter_along_axis
from nbgraph.ops.ordering.in_order import extremes, logarithm, places
from nbgraph.ops.shapes.joining import concatenate
from nbgraph.ops.shapes.slicing import at_axis, flip, slice_view
from nbgraph.shape import Array


def _running(name: str, ufunc: np.ufunc, finder: str) -> ArrayOp:
    def infer(x: Spec, *, axis: int) -> Spec:
        axis_of(name, axis, len(x.shape))
        return x

    def compute(inputs: list[Array], outputs: list[Array], *, axis: int) -> None:
        ufunc.accumulate(inputs[0], axis=axis, out=outputs[0])

    def rule(g: Gradients) -> list[Any]:
        """Route the gradient to the latest element that attained the extreme."""
        axis = g.attributes["axis"]
        places = getattr(library, finder)(g.inputs[0], axis=axis)
        return [scatter_along_axis(g.out_grad, places, g.specs[0].shape, axis)]

    how: Any = {"units": partial(extremes, name=name), "suits": partial(_is_brief, most=1 << 13)}
    return UnitOp(name, infer, compute, gradient=rule, keeps=("x",), **how)


def _is_brief(operands: Specs, outputs: Specs, *, axis: int, most: int) -> bool:
    """Return whether there are fewer than `most` elements, or adjacent lines: NumPy is faster along
    lines of many elements."""
    shape = outputs[0].shape
    beside = math.prod(shape[axis % len(shape) + 1 :])
    return beside > 1 or math.prod(shape) < most


def _running_place(name: str, ufunc: np.ufunc) -> ArrayOp:
    def infer(x: Spec, *, axis: int) -> Spec:
        axis_of(name, axis, len(x.shape))
        return Spec(x.shape, np.dtype("int64"))

    def compute(inputs: list[Array], outputs: list[Array], *, axis: int) -> None:
        x, out = np.moveaxis(inputs[0], axis, 0), np.moveaxis(outputs[0], axis, 0)
        best = ufunc.accumulate(x, axis=0)
        numbers = np.arange(len(x)).reshape(-1, *(1,) * (x.ndim - 1))
        reached = (x == best) | ((x != x) & (best != best))  # NaN attains NaN
        out[...] = np.maximum.accumulate(np.where(reached, numbers, 0), axis=0)

    return UnitOp(name, infer, compute, units=partial(places, name=name))


def _log_infer(x: Spec, *, axis: int) -> Spec:
    axis_of("logcumsumexp", axis, len(x.shape))
    require_floats("logcumsumexp", x)
    return x


def _log_compute(inputs: list[Array], outputs: list[Array], *, axis: int) -> None:
    with np.errstate(invalid="ignore"):
        wide = inputs[0].astype(compute_dtype(inputs[0].dtype), copy=False)
        outputs[0][...] = np.logaddexp.accumulate(wide, axis=axis)


def _log_rule(g: Gradients) -> list[Any]:
    """Return exp(x - out) * r, where r[k] = out_grad[k] + exp(out[k] - out[k + 1]) * r[k + 1]; no
    power exceeds 1. Elements of -inf have no slope."""
    (x,), (out,), (spec,) = g.inputs, g.outputs, g.specs
    axis = axis_of("logcumsumexp", g.attributes["axis"], len(spec.shape))
    finite = library.isfinite(out)
    level = library.where(finite, out, 0)
    first, last = at_axis(axis, slice(1, None)), at_axis(axis, slice(-1, None))
    later = concatenate([slice_view(level, first), slice_view(level, last)], axis)
    factors = exp(library.where(finite, subtract(level, later), 0))
    flipped = library.linear_recurrence(flip(factors, axis), flip(g.out_grad, axis), axis=axis)
    return [multiply(exp(subtract(x, level)), flip(flipped, axis))]


_CUMMAX = _running("cummax", np.maximum, "cumargmax")
_CUMMIN = _running("cummin", np.minimum, "cumargmin")
_CUMARGMAX = _running_place("cumargmax", np.maximum)
_CUMARGMIN = _running_place("cumargmin", np.minimum)
_LOGCUMSUMEXP = UnitOp(
    *("logcumsumexp", _log_infer, _log_compute),
    units=logarithm,
    suits=partial(_is_brief, most=1 << 10),
    gradient=_log_rule,
    keeps=("x", "out"),
)
_TABLE = """
cummax(x, axis: int = -1, *, out=None): The maximum of the elements so far along an axis. Gradients
    go to its last occurrence.
    >>> cummax([1, 3, 2, 4])
    array([1, 3, 3, 4])
cummin(x, axis: int = -1, *, out=None): The minimum of the elements so far along an axis. Gradients
    go to its last occurrence.
    >>> cummin([3, 1, 2, 0])
    array([3, 1, 1, 0])
cumargmax(x, axis: int = -1, *, out=None): The indices of the values of `cummax`, the last of equal
    ones.
    -> array of int64 of the shape of x, a constant for derivatives
    >>> cumargmax([1, 3, 2, 4])
    array([0, 1, 1, 3])
cumargmin(x, axis: int = -1, *, out=None): The indices of the values of `cummin`, the last of equal
    ones.
    -> array of int64 of the shape of x, a constant for derivatives
    >>> cumargmin([3, 1, 2, 0])
    array([0, 1, 1, 3])
logcumsumexp(x, axis: int = -1, *, out=None): log(cumsum(exp(x))) along an axis, without
    overflow.
    x : array, floats
    >>> logcumsumexp([1000.0, 1000.0]) - 1000
    array([0.        , 0.69314718])
"""
define_rows(_TABLE, globals(), docs={**DOCS, "axis": "int"})
