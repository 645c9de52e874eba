"""Means and deviations over axes; integers give float64."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.mapper.complex_call import is_complex as is_complex
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.ops.define import Axis, Shape, axes_of, define_rows, library
from nbgraph.ops.elementwise.arithmetic import divide, multiply, subtract
from nbgraph.ops.reductions.reductions import (
    accumulator,
    mean_dtype,
    reduced,
    reduction_infer,
    spread,
    total,
)
from nbgraph.ops.reductions.rows import deviation_rows, mean_rows
from nbgraph.shape import Array


def _count(spec: Spec, axis: Axis) -> int:
    return math.prod(spec.shape[d] for d in axes_of("mean", axis, len(spec.shape)))


def nonzero_divisor(x: Any, spec: Spec) -> Any:
    """Return `x` with zeros replaced by ones: a divisor that makes the slope at zero zero."""
    return library.add(x, library.astype(library.equal(x, 0), spec.dtype))


def complex_deviation(
    deviation: Any, x: Any, axis: Any, dtype: Any, correction: float, keepdims: bool, out: Any
) -> Any:
    """Return the variance of complex numbers, the sum of their parts', or its root, by `hypot`,
    whose slope at zero is zero."""
    how = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "correction": correction}
    joined = library.add if deviation is library.var else library.hypot
    return joined(*(deviation(part, **how) for part in (library.real(x), library.imag(x))), out=out)


def _mean(x: Array, axes: Shape, dtype: np.dtype[Any]) -> Array:
    return total(x, axes, dtype) / accumulator(dtype).type(math.prod(x.shape[d] for d in axes))


_MEAN = ReduceOp(
    "mean",
    reduction_infer("mean", mean_dtype),
    reduced("mean", _mean),
    combine="add",
    averages=True,
    rows=mean_rows,
    gradient=lambda g: [divide(spread(g), float(_count(g.specs[0], g.attributes["axis"])))],
)


def _variance(x: Array, axes: Shape, out: Array, correction: float) -> Array:
    """Compute the variance by definition, in NumPy's order: for no elements, and for integers."""
    wide = np.result_type(accumulator(out.dtype), np.float32)  # float64 for integers
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
        variance_of = _variance(inputs[0], axes, outputs[0], correction)
        outputs[0][...] = np.sqrt(variance_of) if root else variance_of

    def rule(g: Gradients) -> list[Any]:
        (x,), (spec,) = g.inputs, g.specs
        axis, correction = g.attributes["axis"], g.attributes["correction"]
        slope, out_grad = 2.0, g.out_grad
        if root:
            slope, out_grad = 1.0, divide(out_grad, nonzero_divisor(g.outputs[0], spec))
        away = subtract(x, library.mean(x, axis, keepdims=True))
        free = _count(spec, axis) - correction
        factor = slope / free if free > 0 else math.nan
        return [multiply(multiply(spread(g, out_grad), away), factor)]

    def infer(x: Spec, *, correction: float, **attributes: Any) -> Spec:
        return check(x, **attributes)

    check = reduction_infer(name, mean_dtype)
    keeps = ("x", "out") if root else ("x",)
    rows = partial(deviation_rows, name)
    return ReduceOp(name, infer, compute, rows=rows, gradient=rule, keeps=keeps)


_VAR, _STD = _deviation("var", root=False), _deviation("std", root=True)


def correction_of(name: str, ddof: float, correction: float | None) -> float:
    """Return the number to subtract from the count of elements, by either of its names."""
    if correction is not None and ddof:
        raise ArgumentError(f"{name}: ddof and correction mean the same; give one of them")
    return float(ddof if correction is None else correction)


_TABLE = """
mean(x, axis=None, dtype=None, *, keepdims=False, where: Any = True, exclude=False,
    out=None): The mean over axes; NaN of no elements.
    dtype : of the sum and the result; by default that of x; float64 for integers and bool
    where : array of bool that broadcasts to x: which elements count; by default all
    >>> mean([[1, 2], [3, 5]], axis=0)
    array([2. , 3.5])
var(x, axis=None, dtype=None, *, ddof: float = 0, correction: float | None = None, keepdims=False,
    out=None): The mean squared distance from the mean, divided by n - ddof (or n - correction).
    axis, dtype, keepdims : as those of `mean`
    ddof : number; `correction` is its other name
    >>> var([1.0, 3.0]), var([1.0, 3.0], ddof=1)
    (np.float64(1.0), np.float64(2.0))
    = complex_deviation(
        library.var, x, axis, dtype, correction_of("var", ddof, correction), keepdims, out
        ) if is_complex(x) else op(..., correction=correction_of("var", ddof, correction))
std(x, axis=None, dtype=None, *, ddof: float = 0, correction: float | None = None, keepdims=False,
    out=None): The root of `var`. Its slope where all elements are equal is taken as 0.
    axis, dtype, keepdims : as those of `mean`
    ddof : number; `correction` is its other name
    >>> std([1.0, 3.0])
    np.float64(1.0)
    = complex_deviation(
        library.std, x, axis, dtype, correction_of("std", ddof, correction), keepdims, out
        ) if is_complex(x) else op(..., correction=correction_of("std", ddof, correction))
"""
define_rows(_TABLE, globals())
