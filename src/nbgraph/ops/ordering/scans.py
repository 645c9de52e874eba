"""Running sums and products along an axis, linear recurrences, and differences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import inexact
from nbgraph.errors import DTypeError, ShapeError, require_shape
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.ops.define import (
    as_known,
    axis_of,
    composed,
    deferrable,
    define_rows,
    library,
    optional_dtype,
    whole,
)
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.ordering.in_order import recurrence, totals
from nbgraph.ops.reductions.reductions import accumulator, total_dtype
from nbgraph.ops.shapes.joining import concatenate
from nbgraph.ops.shapes.shape import ravel
from nbgraph.ops.shapes.slicing import at_axis, flip, slice_view
from nbgraph.shape import Array


def _scan(
    name: str, ufunc: np.ufunc, rule: Callable[[Gradients], list[Any]], *, keeps: Any = ()
) -> ArrayOp:
    """A running sum or product; `include_initial` puts the value of no elements first."""

    def infer(x: Spec, *, axis: int, dtype: Any, include_initial: bool) -> Spec:
        place = axis_of(name, axis, len(x.shape))
        size = x.shape[place] + include_initial
        shape = (*x.shape[:place], size, *x.shape[place + 1 :])
        return Spec(shape, total_dtype(x.dtype, dtype))

    def compute(
        inputs: list[Array], outputs: list[Array], *, axis: int, dtype: Any, include_initial: bool
    ) -> None:
        out = np.moveaxis(outputs[0], axis, 0)
        if include_initial:
            out[0] = ufunc.identity
            out = out[1:]
        wide = accumulator(out.dtype)
        x = np.moveaxis(inputs[0], axis, 0)
        if wide == out.dtype:
            ufunc.accumulate(x, axis=0, dtype=wide, out=out)
        else:
            out[...] = ufunc.accumulate(x, axis=0, dtype=wide)

    units = partial(totals, name=name, sign="+" if ufunc is np.add else "*")
    return UnitOp(name, infer, compute, units=units, gradient=rule, keeps=keeps)


def _later(x: Any, axis: int) -> Any:
    """Without the first along an axis."""
    return slice_view(x, at_axis(axis, slice(1, None)))


def _shifted_back(x: Any, axis: int) -> Any:
    """x[k + 1] for k from the last to the first; what stands for the last is never read."""
    later = concatenate([_later(x, axis), slice_view(x, at_axis(axis, slice(0, 1)))], axis)
    return flip(later, axis)


# running sums -----------------------------------------------------------------------------------


def _cumsum_rule(g: Gradients) -> list[Any]:
    """Each element goes into all later sums."""
    axis = axis_of("cumulative_sum", g.attributes["axis"], len(g.specs[0].shape))
    out_grad = _later(g.out_grad, axis) if g.attributes["include_initial"] else g.out_grad
    summed = library.cumulative_sum(flip(out_grad, axis), axis=axis)
    return [flip(summed, axis)]


_CUMSUM = _scan("cumulative_sum", np.add, _cumsum_rule)


def _only_axis(name: str, x: Any, axis: int | None) -> tuple[Any, int]:
    """None is the only axis of a vector."""
    if axis is not None:
        return x, whole(name, "axis", axis)
    x = as_known(name, x)
    if len(x.shape) > 1:
        raise ShapeError(f"{name}: axis is needed for shape {x.shape}; name the axis")
    return ravel(x), 0


def running(op: UnitOp, x: Any, axis: Any, dtype: Any, first: bool, out: Any) -> Any:
    """Sums or products of the first elements along an axis; None: of a vector."""
    x, axis = _only_axis(op.__name__, x, axis)
    dtype, first = optional_dtype(dtype), bool(first)
    return op(x, axis=axis, dtype=dtype, include_initial=first, out=out)


# running products -------------------------------------------------------------------------------


def _cumprod_rule(g: Gradients) -> list[Any]:
    """The product before each element, times a recurrence over all after it: zeros are right."""
    (x,), (spec,) = g.inputs, g.specs
    axis = axis_of("cumulative_prod", g.attributes["axis"], len(spec.shape))
    if spec.shape[axis] == 0:
        return [library.zeros_like(x)]
    out_grad = _later(g.out_grad, axis) if g.attributes["include_initial"] else g.out_grad
    products = library.cumulative_prod(x, axis=axis, include_initial=True)
    before = slice_view(products, at_axis(axis, slice(None, -1)))
    # after[k] = out_grad[k] + x[k + 1] * after[k + 1], run backwards
    factors = _shifted_back(x, axis)
    after = flip(library.linear_recurrence(factors, flip(out_grad, axis), axis=axis), axis)
    return [multiply(before, after)]


_CUMPROD = _scan("cumulative_prod", np.multiply, _cumprod_rule, keeps=("x",))


# linear recurrences -----------------------------------------------------------------------------


def _recurrence_infer(a: Spec, b: Spec, *, axis: int) -> Spec:
    axis_of("linear_recurrence", axis, len(b.shape))
    require_shape("linear_recurrence: a", a.shape, b.shape, of="b has")
    dtype = np.result_type(a.dtype, b.dtype)
    if not inexact(dtype):
        raise DTypeError(f"linear_recurrence: {dtype} is not a floating dtype; cast a or b to one")
    return Spec(b.shape, dtype)


def _recurrence(inputs: list[Array], outputs: list[Array], *, axis: int) -> None:
    wide = accumulator(outputs[0].dtype)
    a, b = (np.moveaxis(x, axis, 0).astype(wide, copy=False) for x in inputs)
    out = np.moveaxis(outputs[0], axis, 0)
    state = np.zeros(b.shape[1:], wide)
    for k in range(len(b)):
        state = a[k] * state + b[k] if k else b[k].copy()
        out[k] = state


def _recurrence_rule(g: Gradients) -> list[Any]:
    (a, _), (out,), shape = g.inputs, g.outputs, g.specs[0].shape
    axis = axis_of("linear_recurrence", g.attributes["axis"], len(shape))
    if shape[axis] == 0:
        return [library.zeros_like(a), g.out_grad]
    first = at_axis(axis, slice(0, 1))
    factors = _shifted_back(a, axis)
    total = flip(library.linear_recurrence(factors, flip(g.out_grad, axis), axis=axis), axis)
    nothing = library.zeros_like(slice_view(out, first))
    earlier = concatenate([nothing, slice_view(out, at_axis(axis, slice(None, -1)))], axis)
    return [multiply(total, earlier), total]


_RECURRENCE = UnitOp(
    "linear_recurrence",
    _recurrence_infer,
    _recurrence,
    units=recurrence,
    operands=("a", "b"),
    gradient=_recurrence_rule,
    keeps=("a", "out"),
)


# differences ------------------------------------------------------------------------------------


@composed("x")
@deferrable()
def diff(x: Any, n: int = 1, axis: int = -1, *, prepend: Any = None, append: Any = None) -> Any:
    """Each element less the one before, `n` times; of bool whether they differ.

    n : int, how often
    axis : int
    prepend, append : arrays or numbers that are put before and behind x first, optional
    >>> diff([1, 2, 4])
    array([1, 2])
    """
    x = as_known("diff", x)
    place = axis_of("diff", whole("diff", "axis", axis), len(x.shape))
    if (count := whole("diff", "n", n)) < 0:
        raise ShapeError(f"diff: n={n} is negative; give how often, from 0")
    ends = [end if end is None else _end(x, end, place) for end in (prepend, append)]
    parts = [part for part in (ends[0], x, ends[1]) if part is not None]
    x = concatenate(parts, place) if len(parts) > 1 else x
    for _ in range(count):
        less = library.not_equal if np.dtype(x.dtype).kind == "b" else subtract
        x = less(_later(x, place), slice_view(x, at_axis(place, slice(None, -1))))
    return x


def _end(x: Any, value: Any, axis: int) -> Any:
    """What is put before or behind: a number becomes one element along the axis."""
    value = as_known("diff", value)
    if len(value.shape):
        return value
    return library.broadcast_to(value, tuple(1 if d == axis else m for d, m in enumerate(x.shape)))


_TABLE = """
cumulative_sum(x, /, *, axis: int | None = None, dtype=None, include_initial=False, out=None): The
    sums of the first 1, 2, ... elements along an axis, as in the Array API standard.
    axis : int; it may be left out for a vector
    dtype : of the sums, by default that of x; int64 or uint64 for integers and bool
    include_initial : whether the sum of none comes first
    >>> cumulative_sum([1, 2, 3], include_initial=True)
    array([0, 1, 3, 6])
    = running(_CUMSUM, x, axis, dtype, include_initial, out)
cumulative_prod(x, /, *, axis: int | None = None, dtype=None, include_initial=False, out=None): The
    products of the first 1, 2, ... elements along an axis; its slope is right at zeros.
    x, axis, dtype, include_initial : as those of `cumulative_sum`
    >>> cumulative_prod([2, 3, 4])
    array([ 2,  6, 24])
    = running(_CUMPROD, x, axis, dtype, include_initial, out)
linear_recurrence(a, b, *, axis: int = -1, out=None): s[k] = a[k] * s[k - 1] + b[k] along an axis,
    beginning with s[0] = b[0].
    a, b : arrays of one shape, floats
    axis : int
    >>> linear_recurrence([9.0, 2.0, 2.0], [1.0, 1.0, 1.0])
    array([1., 3., 7.])
"""
define_rows(_TABLE, globals())
