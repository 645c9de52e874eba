"""Order: sort, argsort, topk. NaN sorts last, or first if descending."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from nbgraph.dtype import name_of
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.layout import layout
from nbgraph.ops.define import (
    as_known,
    axis_of,
    by_numpy,
    deferrable,
    define_rows,
    library,
    one_of,
    public,
    whole,
)
from nbgraph.ops.indexing.indexing import scatter_along_axis
from nbgraph.ops.shapes.shape import ravel

_LONG = 512  # elements of a line up to which NumPy's networks of vectors are the quickest
_FEWEST = {"float16": 16, "int8": _LONG, "uint8": _LONG}  # and beyond which; of others, 4
_INSERTED = 8  # elements for each byte of one, up to which a line is sorted by insertion
_TILES = 16  # into which lines are cut at most, each with memory of its own
_PASSED = 1 << 14  # elements that are passed at most when the first of a line are found so
_FOREMOST = 1024  # elements up to which blocks are searched, in lines of four times as many blocks


class OrderingOp(ArrayOp):
    """An operator of an order: by insertion where lines are short or little is asked for, else by
    the digits of keys."""

    kernels = ("host",)

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel of contiguous arrays."""
        from nbgraph.kernels.compiler.written import written
        from nbgraph.kernels.lines.insertion_sort import BLOCK, insertion_sort_text
        from nbgraph.kernels.lines.radix_sort import digits, radix_sort_text

        (x,), name = case.operands, self.__name__
        axis = axis_of(name, case.attributes["axis"], len(x.shape))
        size, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
        k = case.attributes.get("k", size)
        few = k * size <= ((_INSERTED * x.dtype.itemsize) ** 2 if k == size else _PASSED)
        blocks = name == "topk" and inner == 1 and 0 < k <= min(_FOREMOST, size // (4 * BLOCK))
        least = _FEWEST.get(x.dtype.name, 4)
        short = name == "sort" and least < size < _LONG < x.size // 8
        if not x.size or not k or size >> 31 or short:
            return None
        arrays = {"sort": ["out"], "argsort": ["places"], "topk": ["out", "places"]}[name]
        descending = case.attributes["largest" if name == "topk" else "descending"]
        dtype = "uint8" if x.dtype.kind == "b" else name_of(x.dtype)
        lines = x.size // size
        if few or blocks:
            arrays = ["places", "out"] if name == "argsort" else arrays
            text = insertion_sort_text(name, dtype, arrays, descending=descending, blocks=blocks)
            words, tiles, cost = (inner,), lines, lines * size * (1 if blocks else k // 4 + 1)
            scratch = (layout(x.shape, x.dtype),) if name == "argsort" else ()
        else:
            bits, turns, nbytes = digits(dtype, size, places="places" in arrays)
            text = radix_sort_text(
                name, dtype, arrays, descending=descending, bits=bits, turns=turns
            )
            share = -(-lines // _TILES)
            tiles = -(-lines // share)
            words, cost = (inner, lines, share, nbytes), 2 * turns * (x.size + (lines << bits) // 4)
            scratch = (layout((tiles, nbytes), np.dtype("int8")),)
        code = written(name, text, "float64" if dtype == "float64" else "float32")
        call = tile_call(code, (size, k), words, tiles, cost)
        order = tuple(range(len(case.arrays) + len(scratch)))
        call = replace(call, order=order, writes=len(order) - 1)
        return Lowered((call,), case.contiguous(), scratch, adds=False)


def _sortable(x: Any) -> Any:
    """Return an array of a dtype that array libraries sort: for bfloat16, float32."""
    return x.astype("float32") if x.dtype.kind == "V" else x


def _order(xp: Any, x: Any, axis: int, *, descending: bool, stable: bool = True) -> Any:
    x, kind = _sortable(x), "stable" if stable else None
    if not descending:
        return xp.argsort(x, axis=axis, kind=kind)
    # the order of the reversed array, read backwards, keeps equal elements in their order
    backwards = xp.flip(xp.argsort(xp.flip(x, axis), axis=axis, kind=kind), axis)
    return x.shape[axis] - 1 - backwards


def _sort(xp: Any, x: Any, out: Any, *, axis: int, descending: bool, stable: bool) -> None:
    axis = axis_of("sort", axis, x.ndim)
    ordered = xp.sort(_sortable(x), axis=axis)  # equal numbers are identical
    out[...] = xp.flip(ordered, axis) if descending else ordered


def _sort_infer(x: Spec, *, axis: int, descending: bool, stable: bool) -> Spec:
    axis_of("sort", axis, len(x.shape))
    return x


def _argsort_infer(x: Spec, *, axis: int, descending: bool, stable: bool) -> Spec:
    axis_of("argsort", axis, len(x.shape))
    return Spec(x.shape, np.dtype("int64"))


def _argsort(xp: Any, x: Any, out: Any, *, axis: int, descending: bool, stable: bool) -> None:
    axis = axis_of("argsort", axis, x.ndim)
    out[...] = _order(xp, x, axis, descending=descending, stable=stable)


def _sort_rule(g: Gradients) -> list[Any]:
    axis, descending = g.attributes["axis"], g.attributes["descending"]
    order = library.argsort(g.inputs[0], axis, descending=descending)
    return [scatter_along_axis(g.out_grad, order, g.specs[0].shape, axis)]


def in_order(op: ArrayOp, x: Any, axis: Any, descending: bool, stable: bool, out: Any) -> Any:
    """Apply an operator of an order along an axis; None: to the flattened array."""
    x, axis = (ravel(x), 0) if axis is None else (x, whole(op.__name__, "axis", axis))
    return op(x, axis=axis, descending=bool(descending), stable=bool(stable), out=out)


_SORT = OrderingOp("sort", _sort_infer, by_numpy(_sort), gradient=_sort_rule, keeps=("x",))
_ARGSORT = OrderingOp("argsort", _argsort_infer, by_numpy(_argsort))


# the first k ------------------------------------------------------------------------------------


def _topk_infer(x: Spec, *, k: int, axis: int, largest: bool) -> tuple[Spec, Spec]:
    place = axis_of("topk", axis, len(x.shape))
    if not 0 <= k <= x.shape[place]:
        raise ShapeError(
            f"topk: k={k} for axis {place} of shape {x.shape}; expected 0 to {x.shape[place]}"
        )
    shape = (*x.shape[:place], k, *x.shape[place + 1 :])
    return Spec(shape, x.dtype), Spec(shape, np.dtype("int64"))


def _topk(xp: Any, x: Any, values: Any, places: Any, *, k: int, axis: int, largest: bool) -> None:
    axis = axis_of("topk", axis, x.ndim)
    first = _order(xp, x, axis, descending=largest)[(slice(None),) * axis + (slice(k),)]
    places[...] = first
    values[...] = xp.take_along_axis(x, first, axis)


def _topk_rule(g: Gradients) -> list[Any]:
    if g.out_grads[0] is None:
        return [None]
    shape, axis = g.specs[0].shape, g.attributes["axis"]
    return [scatter_along_axis(g.out_grads[0], g.outputs[1], shape, axis)]


_TOPK = OrderingOp(
    "topk", _topk_infer, by_numpy(_topk), gradient=_topk_rule, keeps=("out1",), nout=2
)


@public(_TOPK)
@deferrable(lambda *_, ret_typ="both", **__: 2 if ret_typ == "both" else 0)
def topk(
    x: Any,
    k: int,
    axis: int = -1,
    *,
    largest: bool = True,
    ret_typ: str = "both",
    is_ascend: bool | None = None,
    out: Any = None,
) -> Any:
    """The `k` largest (or smallest) elements along an axis in order, and their indices.

    k : int, 0 up to the size of the axis
    axis : int
    largest : bool; MXNet's `is_ascend` is the opposite
    ret_typ : "both", "value", "indices", or "mask": ones at these elements, in the shape of x
    -> two arrays with size k along the axis, values and int64 indices, or one of them. Gradients go
        to the selected elements.
    ! ShapeError where k is larger than the axis.
    >>> topk([3, 1, 2], 2)
    (array([3, 2]), array([0, 2]))
    >>> topk([3, 1, 2], 2, ret_typ="mask")
    array([1, 0, 1])
    """
    one_of("topk", "ret_typ", ret_typ, ("both", "value", "indices", "mask"))
    k, axis = whole("topk", "k", k), whole("topk", "axis", axis)
    largest = bool(largest) if is_ascend is None else not is_ascend
    values, places = _TOPK(x, k=k, axis=axis, largest=largest, out=out)
    if ret_typ == "mask":
        x = as_known("topk", x)
        ones = library.ones_like(places)
        return library.astype(scatter_along_axis(ones, places, x.shape, axis), x.dtype)
    both = values, places
    return {"both": both, "value": values, "indices": places}[ret_typ]


_TABLE = """
sort(x, axis: int | None = -1, *, descending=False, stable=True, out=None): The elements sorted
    along an axis; NaN counts as the largest.
    axis : int; None sorts the flattened array
    descending : whether the largest comes first
    stable : without effect: equal elements are interchangeable, and -0.0 equals 0.0
    -> array of the shape of x, or (n,). Each element's gradient goes to its place in x.
    >>> sort([3, 1, 2], descending=True)
    array([3, 2, 1])
    = in_order(_SORT, x, axis, descending, stable, out)
argsort(x, axis: int | None = -1, *, descending=False, stable=True, out=None): The indices that sort
    an array along an axis.
    x, axis, descending : as those of `sort`
    stable : whether equal elements keep their order
    -> array of int64 of the shape of x, or (n,); a constant for derivatives
    >>> argsort([3, 1, 2])
    array([1, 2, 0])
    = in_order(_ARGSORT, x, axis, descending, stable, out)
"""
define_rows(_TABLE, globals())
