"""Where the extremes along an axis are: argmax, argmin. NaN counts as the extreme, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.declared import DOCS, Row, parse
from nbgraph.operator.tiled_op import PlacingOp
from nbgraph.ops.define import Axis, axis_of, define_rows
from nbgraph.ops.indexing.picking_tiles import place_tiling
from nbgraph.ops.reductions.reductions import reduction_infer
from nbgraph.shape import Array


def _place(name: str, sign: str, find: Callable[..., Any]) -> ArrayOp:
    def infer(x: Spec, *, axis: Axis, keepdims: bool) -> Spec:
        if isinstance(axis, tuple):
            raise ShapeError(f"{name}: axis={axis} names several axes; give one, or None for all")
        spec = check(x, axis=axis, keepdims=keepdims)
        return Spec(spec.shape, np.dtype("int64"))

    def naive(x: Array, *, axis: int | None, keepdims: bool) -> Array:
        if axis is not None:
            axis = axis_of(name, axis, x.ndim)
        return np.asarray(find(x, axis=axis, keepdims=keepdims))

    def tiling(specs: Sequence[Spec], dtype: Any, *, axis: int | None, **_: Any) -> Any:
        return place_tiling(name, sign, specs[0], dtype, axis)

    check = reduction_infer(name, lambda given, asked: given, empty=False)
    return PlacingOp(name, infer, tiling, naive)


_ARGMAX, _ARGMIN = _place("argmax", ">", np.argmax), _place("argmin", "<", np.argmin)
_TABLE = """
argmax(x): Where the largest element is along an axis, by default among all in C order; the first.
    >>> argmax([[1, 4], [3, 2]], axis=0)
    array([1, 0])
argmin(x): Where the smallest element is along an axis, by default among all in C order; the first.
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
