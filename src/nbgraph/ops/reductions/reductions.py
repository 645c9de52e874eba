"""Reductions: sums, products, extremes, and tests over axes, with NumPy's dtypes.

`axis` is None (all), an int or a tuple; reduced axes are dropped unless `keepdims`. Floating sums
are blocked and pairwise, in an order that depends on shape and dtype alone; 16-bit floats
accumulate in float32. The slope of an extreme is shared equally by the elements that attain it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import inexact, name_of
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.operator.rows.row_op import row_shape
from nbgraph.ops.define import Axis, Shape, axes_of, define_rows, library, public, shape_tuple
from nbgraph.ops.reductions.rows import product_rows, sum_rows
from nbgraph.shape import Array, spreads

# shapes and dtypes ------------------------------------------------------------------------------


def reduced_shape(name: str, shape: Shape, axis: Axis, *, keepdims: bool) -> Shape:
    """Return the shape without the reduced axes."""
    return row_shape(shape, axes_of(name, axis, len(shape)), keepdims=keepdims)


def total_dtype(dtype: np.dtype[Any], asked: np.dtype[Any] | None) -> np.dtype[Any]:
    """Return sums' and products' dtype: a float's own; of integers and bool, 64 bits."""
    if asked is not None:
        return asked
    if inexact(dtype):
        return dtype
    return np.dtype("uint64" if dtype.kind == "u" else "int64")


def mean_dtype(dtype: np.dtype[Any], asked: np.dtype[Any] | None) -> np.dtype[Any]:
    """Return the dtype of means and deviations: floats keep theirs, others become float64."""
    return asked or (dtype if inexact(dtype) else np.dtype("float64"))


def accumulator(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype in which totals are accumulated."""
    return np.dtype("float32") if name_of(dtype) in ("float16", "bfloat16") else dtype


def spread(g: Gradients, out_grad: Any = None) -> Any:
    """Return the out-gradient of a reduction, or another one, broadcast along the reduced axes."""
    value = kept(g.out_grad if out_grad is None else out_grad, g)
    return library.broadcast_to(value, g.specs[0].shape)


def kept(value: Any, g: Gradients) -> Any:
    """Return a value per result of a reduction, with the reduced axes as axes of size 1."""
    if g.attributes["keepdims"]:
        return value
    shape = g.specs[0].shape
    return library.reshape(
        value, reduced_shape("reduction", shape, g.attributes["axis"], keepdims=True)
    )


# sums -------------------------------------------------------------------------------------------


def total(x: Array, axes: Shape, dtype: np.dtype[Any], ufunc: np.ufunc = np.add) -> Array:
    """Return the sum or product over axes for a result of this dtype, by NumPy."""
    return ufunc.reduce(x, axis=axes, dtype=accumulator(dtype))


Fold = Callable[[Array, Shape, np.dtype[Any]], Any]


def reduction_infer(
    name: str, result: Callable[..., np.dtype[Any]], *, empty: bool = True
) -> Callable[..., Spec]:
    """Return the infer of a reduction; `empty`: whether it is defined for no elements."""

    def infer(x: Spec, *, axis: Axis, keepdims: bool, dtype: np.dtype[Any] | None = None) -> Spec:
        shape = reduced_shape(name, x.shape, axis, keepdims=keepdims)
        if not empty and math.prod(shape) and not math.prod(x.shape):
            raise ShapeError(
                f"{name}: no elements along axis {axis} of shape {x.shape}, and {name} of none "
                "has no value; give an array that is not empty"
            )
        return Spec(shape, result(x.dtype, dtype))

    return infer


def reduced(name: str, fold: Fold) -> Callable[..., None]:
    """Return the compute of a reduction by `fold(x, axes, dtype)`; the result may keep axes."""

    def compute(
        inputs: list[Array], outputs: list[Array], *, axis: Axis, **attributes: Any
    ) -> None:
        (x,), (out,) = inputs, outputs
        with np.errstate(all="ignore"):  # as in kernels: infinities show it
            out[...] = np.reshape(fold(x, axes_of(name, axis, x.ndim), out.dtype), out.shape)

    return compute


_SUM = ReduceOp(
    "sum",
    reduction_infer("sum", total_dtype),
    reduced("sum", total),
    combine="add",
    rows=sum_rows,
    gradient=lambda g: [spread(g)],
)


# the reverse of broadcasting --------------------------------------------------------------------


def _summed_axes(extents: Shape, shape: Shape) -> Shape:
    """Return the axes along which `shape` was broadcast to `extents`."""
    lead = len(extents) - len(shape)
    if not spreads(shape, extents):
        raise ShapeError(
            f"sum_to: shape {extents} is not a broadcast of {shape}; give a shape that broadcasts "
            "to it"
        )
    ones = (d + lead for d, n in enumerate(shape) if n == 1 and extents[d + lead] != 1)
    return (*range(lead), *ones)


def _sum_to(inputs: list[Array], outputs: list[Array], *, shape: Shape) -> None:
    (x,), (out,) = inputs, outputs
    axes = _summed_axes(x.shape, shape)
    out[...] = np.reshape(total(x, axes, out.dtype), shape) if axes else x


def _sum_to_infer(x: Spec, *, shape: Shape) -> Spec:
    _summed_axes(x.shape, shape)
    return Spec(shape, x.dtype)


_SUM_TO = ReduceOp(
    "sum_to",
    _sum_to_infer,
    _sum_to,
    combine="add",
    rows=sum_rows,
    axes=lambda shape, attributes: _summed_axes(shape, attributes["shape"]),
    gradient=lambda g: [library.broadcast_to(g.out_grad, g.specs[0].shape)],
)


@public(_SUM_TO)
def sum_to(x: Any, shape: Any, *, out: Any = None) -> Any:
    """Summed over the axes that broadcasting `shape` to x's shape repeats; the dtype stays."""
    shape = shape_tuple("sum_to", shape)
    if out is None and getattr(x, "shape", None) == shape:
        return x
    return _SUM_TO(x, shape=shape, out=out)


# products ---------------------------------------------------------------------------------------


def _prod_rule(g: Gradients) -> list[Any]:
    """Multiply all other elements, from the left and from the right, so that zeros are handled.

    There is no division, so this holds for derivatives of every order.
    """
    (x,), (spec,) = g.inputs, g.specs
    axes = axes_of("prod", g.attributes["axis"], len(spec.shape))
    rest = tuple(d for d in range(len(spec.shape)) if d not in axes)
    count = math.prod(spec.shape[d] for d in axes)
    order = (*rest, *axes)
    moved = tuple(spec.shape[d] for d in order)
    run = library.reshape(library.transpose(x, order), (*(spec.shape[d] for d in rest), count))
    others = library.multiply(_before(run), library.flip(_before(library.flip(run, -1)), -1))
    others = library.transpose(
        library.reshape(others, moved), tuple(order.index(d) for d in range(len(order)))
    )
    return [library.multiply(spread(g), others)]


def _before(run: Any) -> Any:
    """Return the product of all earlier elements along the last axis."""
    products = library.cumulative_prod(run, axis=-1, include_initial=True)
    return library.slice_view(products, (Ellipsis, slice(None, -1)))


_PROD = ReduceOp(
    "prod",
    reduction_infer("prod", total_dtype),
    reduced("prod", partial(total, ufunc=np.multiply)),
    combine="multiply",
    rows=product_rows,
    gradient=_prod_rule,
    keeps=("x",),
)

_TABLE = """
sum(x, axis=None, dtype=None, *, keepdims=False, initial: Any = None, where: Any = True,
    exclude=False, out=None): The sum over axes, in 64 bits for integers and bool.
    dtype : of the sum and the result; by default that of x; int64 or uint64 for integers and bool
    where : array of bool that broadcasts to x: which elements count; by default all
    initial : number that counts as one more element
    ! AxisError where there is no such axis.
    >>> sum([[1, 2], [3, 4]], axis=0)
    array([4, 6])
    >>> sum([1, 2, 3], where=[True, False, True], initial=10)
    np.int64(14)
prod(x, axis=None, dtype=None, *, keepdims=False, initial: Any = None, where: Any = True,
    exclude=False, out=None): The product over axes, in 64 bits for integers and bool.
    Its slope is right at zeros.
    axis, dtype, keepdims, initial, where, exclude, out : as those of `sum`
    >>> prod([[1, 2], [3, 4]], axis=0)
    array([3, 8])
"""
define_rows(_TABLE, globals())
