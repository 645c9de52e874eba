"""Means and deviations over axes; integers give float64."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.operator.reduce_op import ReduceOp
from nbgraph.ops.define import (
    Axis,
    Shape,
    axes_of,
    cast,
    hashable_axis,
    library,
    optional_dtype,
    public,
)
from nbgraph.ops.elementwise.arithmetic import divide, multiply, subtract
from nbgraph.ops.reductions.reductions import (
    accumulator,
    combined,
    mean_dtype,
    reduced,
    reduction_infer,
    spread,
)
from nbgraph.ops.reductions.rows import deviation_rows, mean_rows

Array = np.ndarray[Any, Any]


def _count(spec: Spec, axis: Axis) -> int:
    return math.prod(spec.shape[d] for d in axes_of("mean", axis, len(spec.shape)))


def _options(g: Gradients) -> dict[str, Any]:
    return {"axis": g.attributes["axis"], "keepdims": g.attributes["keepdims"]}


def nonzero_divisor(x: Any, spec: Spec) -> Any:
    """`x` with ones for zeros: a divisor where the slope at zero is zero."""
    return library.add(x, library.astype(library.equal(x, 0), spec.dtype))


# mean -------------------------------------------------------------------------------------------


def _mean(x: Array, axes: Shape, out: Array) -> None:
    total = np.empty(out.shape, accumulator(out.dtype))
    combined("add", x, axes, total)
    with np.errstate(divide="ignore", invalid="ignore"):
        out[...] = total / total.dtype.type(math.prod(x.shape[d] for d in axes))


def _mean_rule(g: Gradients) -> list[Any]:
    (spec,) = g.specs
    count = _count(spec, g.attributes["axis"])
    return [cast(divide(spread(g.out_grad, spec, **_options(g)), float(count)), spec)]


_MEAN = ReduceOp(
    "mean",
    reduction_infer("mean", mean_dtype),
    reduced("mean", _mean),
    combine="add",
    averages=True,
    rows=mean_rows,
    gradient=_mean_rule,
)


@public(_MEAN)
def mean(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    keepdims: bool = False,
    exclude: bool = False,
    out: Any = None,
) -> Any:
    """The mean over axes; NaN of no elements.

    Parameters
    ----------
    x : array
    axis : int, several ints, or None for all
    dtype : of the sum and the result; by default that of x, of integers and bool float64
    keepdims : whether these axes stay, with size 1
    exclude : whether it is over all axes but these

    >>> mean([[1, 2], [3, 5]], axis=0)
    array([2. , 3.5])
    """
    if exclude:
        return library.reduce_others(x, "mean", axis, dtype=dtype, keepdims=keepdims, out=out)
    axis, dtype = hashable_axis("mean", axis), optional_dtype(dtype)
    return _MEAN(x, axis=axis, dtype=dtype, keepdims=bool(keepdims), out=out)


# deviations -------------------------------------------------------------------------------------


def _variance(x: Array, axes: Shape, out: Array, correction: float) -> Array:
    """By its definition, in NumPy's order: of no elements, and for integers."""
    wide = accumulator(out.dtype)
    x, count = x.astype(wide, copy=False), math.prod(x.shape[d] for d in axes)
    with np.errstate(divide="ignore", invalid="ignore"):
        away = x - np.add.reduce(x, axis=axes, keepdims=True) / count
        total = np.add.reduce(away * away, axis=axes).reshape(out.shape)
        return np.divide(total, max(count - correction, 0), dtype=wide)


def _deviation(name: str, *, root: bool) -> ReduceOp:
    def compute(
        inputs: list[Array], outputs: list[Array], *, axis: Axis, correction: float, **_: Any
    ) -> None:
        axes = axes_of(name, axis, inputs[0].ndim)
        found = _variance(inputs[0], axes, outputs[0], correction)
        outputs[0][...] = np.sqrt(found) if root else found

    def rule(g: Gradients) -> list[Any]:
        (x,), (spec,) = g.inputs, g.specs
        axis, correction = g.attributes["axis"], g.attributes["correction"]
        slope = 1.0 if root else 2.0
        out_grad = g.out_grad
        if root:
            out_grad = divide(out_grad, nonzero_divisor(g.outputs[0], spec))
        away = subtract(x, mean(x, axis, keepdims=True))
        free = _count(spec, axis) - correction
        factor = slope / free if free > 0 else math.nan
        whole = multiply(spread(out_grad, spec, **_options(g)), away)
        return [cast(multiply(whole, factor), spec)]

    def infer(x: Spec, *, correction: float, **attributes: Any) -> Spec:
        return check(x, **attributes)

    check = reduction_infer(name, mean_dtype)
    keeps = ("x", "out") if root else ("x",)
    rows = partial(deviation_rows, name)
    return ReduceOp(name, infer, compute, rows=rows, gradient=rule, keeps=keeps)


_VAR, _STD = _deviation("var", root=False), _deviation("std", root=True)


def _correction(name: str, ddof: float, correction: float | None) -> float:
    if correction is not None and ddof:
        raise ArgumentError(f"{name}: ddof and correction mean the same; give one of them")
    return float(ddof if correction is None else correction)


@public(_VAR)
def var(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    correction: float | None = None,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """The mean squared distance from the mean, divided by n - ddof (or n - correction).

    Parameters
    ----------
    x : array
    axis, dtype, keepdims : as those of `mean`
    ddof : number; `correction` is its other name

    >>> var([1.0, 3.0]), var([1.0, 3.0], ddof=1)
    (np.float64(1.0), np.float64(2.0))
    """
    axis, dtype = hashable_axis("var", axis), optional_dtype(dtype)
    by = _correction("var", ddof, correction)
    return _VAR(x, axis=axis, dtype=dtype, correction=by, keepdims=bool(keepdims), out=out)


@public(_STD)
def std(
    x: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: float = 0,
    correction: float | None = None,
    keepdims: bool = False,
    out: Any = None,
) -> Any:
    """The root of `var`. Its slope where all elements are equal is taken as 0.

    Parameters
    ----------
    x : array
    axis, dtype, keepdims : as those of `mean`
    ddof : number; `correction` is its other name

    >>> std([1.0, 3.0])
    np.float64(1.0)
    """
    axis, dtype = hashable_axis("std", axis), optional_dtype(dtype)
    by = _correction("std", ddof, correction)
    return _STD(x, axis=axis, dtype=dtype, correction=by, keepdims=bool(keepdims), out=out)
