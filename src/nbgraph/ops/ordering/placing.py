"""Indices of extremes along an axis: argmax, argmin. NaN counts as the extreme, as in NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.operator.arrays.array_op import ArrayOp, Spec, Specs
from nbgraph.operator.arrays.tiled_op import PlacingOp, tile_call
from nbgraph.operator.declared import DOCS, Row, parse
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.ops.define import Axis, axis_of, define_rows
from nbgraph.ops.reductions.reductions import reduction_infer
from nbgraph.shape import Array

if TYPE_CHECKING:
    from nbgraph.kernels.lines.arg_extremes import Form

_SHARE = 512  # columns, or short rows, per tile
_FEW, _SHORT = 16, 16  # rows from which those of so many elements at most are searched together


def _place(name: str, find: Callable[..., Any]) -> ArrayOp:
    def infer(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
        if isinstance(axis, tuple):
            raise ShapeError(f"{name}: axis={axis} names several axes; give one, or None for all")
        spec = check(x, axis=axis, keepdims=keepdims)
        return Spec(spec.shape, np.dtype("int64"))

    def naive(x: Array, *, axis: int | None, keepdims: bool) -> Array:
        if axis is not None:
            axis = axis_of(name, axis, x.ndim)
        return np.asarray(find(x, axis=axis, keepdims=keepdims))

    def tiling(specs: Specs, dtype: str, *, axis: int | None, **_: Any) -> Any:
        return _tiling(name, specs[0], dtype, axis)

    check = reduction_infer(name, lambda operand, asked: operand, empty=False)
    return PlacingOp(name, infer, tiling, naive)


def _tiling(name: str, x: Spec, dtype: str, axis: int | None) -> KernelCall:
    """Return the call for an array of (outer, size, inner) elements."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.lines.arg_extremes import place_text

    place = 0 if axis is None else axis_of(name, axis, len(x.shape))
    behind = () if axis is None else x.shape[place + 1 :]
    outer, inner = math.prod(x.shape[:place]), math.prod(behind)
    size = math.prod(x.shape) // (outer * inner)
    form: Form = "rows" if inner == 1 else "columns"
    parts = -(-inner // _SHARE)
    words, tiles = () if inner == 1 else (inner, _SHARE, parts), outer * parts
    if inner == 1 and size <= _SHORT and outer >= _FEW and ITEMSIZE[dtype] <= 4:
        form, words, tiles = "short_rows", (_SHARE,), -(-outer // _SHARE)
    text = place_text(name, dtype, least=name == "argmin", form=form)
    cost = int(outer * inner * (3 + size * (0.2 if form == "rows" else 0.7)))
    return tile_call(written(name, text, "float32"), (outer, size), words, tiles, cost)


_ARGMAX, _ARGMIN = _place("argmax", np.argmax), _place("argmin", np.argmin)
_TABLE = """
argmax(x): The index of the largest element along an axis, by default in C order; the first.
    >>> argmax([[1, 4], [3, 2]], axis=0)
    array([1, 0])
argmin(x): The index of the smallest element along an axis, by default in C order; the first.
    >>> argmin([[1, 4], [3, 2]], axis=0)
    array([0, 1])
"""
_DOCS = {**DOCS, "axis": "int, or None for all", "keepdims": "whether the axis stays, with size 1"}


def _declared(row: Row) -> Row:
    text, example, code = row.doc.partition(">>> ")
    return row._replace(
        parameters="x, axis=None, *, keepdims=False, out=None",
        doc=f"{text}-> array of int64; a constant for derivatives\n{example}{code}",
    )


define_rows(map(_declared, parse(_TABLE)), globals(), docs=_DOCS)
