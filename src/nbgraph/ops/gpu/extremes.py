"""Indices of extremes: a thread per row; in stages for long rows.

A stage divides a row into parts: part p of P has elements p, p + P, ..., so that adjacent threads
read adjacent elements. It stores the index of the best element of each part, and the next stage
compares those. The first of equal elements wins, and NaN is above numbers, as on the host.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.kernels.scalar.kinds import widened
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import axis_of, library
from nbgraph.ops.ordering.placing import argmax, argmin

_SHORT = 512  # elements of a row for a single thread
_MOST = 1 << 17  # parts of all rows together: threads that occupy a large GPU
_LOOP = (
    "at = {first}",
    "best = {value_at}",
    "j = p + parts",
    "while j < {elements}:",
    "    k = {place}",
    "    c = {value_k}",
    "    same = (c == best) | ((c != c) & (best != best))",
    "    better = (c {sign} best) | ((c != c) & (best == best)) | (same & (k < at))",
    "    at = select(better, k, at)",
    "    best = select(better, c, best)",
    "    j += parts",
    "store(y, i, at)",
)


def _value(dtype: str, place: str) -> str:
    return widened(f"load(source, row + {place} * inner)", dtype)


def _call(x: Spec, out: Spec, sign: str, shape: Sequence[int], *, later: bool) -> Units:
    """Return a stage over (outer, size, inner); a later one gets `count` indices per row."""
    size, count, parts, inner = shape
    dtype = x.dtype.name
    known = {"first": "p", "place": "j", "elements": "size"}
    if later:
        own = "(o * count + {}) * inner + c0"
        known = {
            "first": f"load(earlier, {own.format('p')})",
            "place": f"load(earlier, {own.format('j')})",
            "elements": "count",
        }
    known |= {"value_at": _value(dtype, "at"), "value_k": _value(dtype, "k"), "sign": sign}
    words = {"total": math.prod(out.shape), "size": size, "parts": parts, "inner": inner}
    pointers = {"places": ("earlier", "int64")} if later else {}
    return threads(
        "places",
        words | ({"count": count} if later else {}),
        {"x": ("source", dtype), **pointers, "out": ("y", "int64")},
        "row = o * size * inner + c0",
        *(line.format(**known) for line in _LOOP),
        parts=[("o", ""), ("p", "parts"), ("c0", "inner")],
    )


def _parts_infer(x: Spec, *places: Spec, place: int, parts: int, sign: str) -> Spec:
    return Spec((*x.shape[:place], parts, *x.shape[place + 1 :]), np.dtype("int64"))


PARTS = ArrayOp("places_of_parts", _parts_infer, operands=("x", "*places"))


@device_forms.unit(PARTS)
def of_parts(operands: Specs, outputs: Specs, *, place: int, parts: int, sign: str) -> Units:
    """Return the kernel of the best element's index in each part of a row, or of its candidates."""
    x, *places = operands
    count = places[0].shape[place] if places else 0
    shape = x.shape[place], count, parts, math.prod(x.shape[place + 1 :])
    return _call(x, outputs[0], sign, shape, later=bool(places))


def _staged(x: Any, sign: str, axis: int | None, keepdims: bool) -> Any:
    if x.dtype.kind == "c":
        return None
    rank = len(x.shape)
    place = 0 if axis is None else axis_of("argmax", axis, rank)
    flat = library.reshape(x, (-1,)) if axis is None else x
    size = left = flat.shape[place]
    rows = math.prod(flat.shape) // size
    places: list[Any] = []
    while left > _SHORT:
        parts = max(1, min(-(-left // (_SHORT // 8)), _MOST // max(rows, 1)))
        if parts == 1:
            break
        places = [PARTS(flat, *places, place=place, parts=parts, sign=sign)]
        left = parts
    places_of = PARTS(flat, *places, place=place, parts=1, sign=sign)
    kept = tuple(1 if axis is None or d == place else n for d, n in enumerate(x.shape))
    left_out = () if axis is None else tuple(n for d, n in enumerate(x.shape) if d != place)
    return library.reshape(places_of, kept if keepdims else left_out)


@device_forms.composed(argmax)
def largest(x: Any, *, axis: int | None, keepdims: bool) -> Any:
    """Return the index of the largest element."""
    return _staged(x, ">", axis, keepdims)


@device_forms.composed(argmin)
def smallest(x: Any, *, axis: int | None, keepdims: bool) -> Any:
    """Return the index of the smallest element."""
    return _staged(x, "<", axis, keepdims)
