"""Searches in sorted vectors, and membership."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.operator.arrays import elsewhere
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import library
from nbgraph.ops.indexing.addressing import indexed
from nbgraph.ops.indexing.sets import isin
from nbgraph.ops.ordering.sorting import searchsorted
from nbgraph.ops.reductions.reductions import accumulator

_SEARCH = """\
value = load(wanted, i)
low = 0
high = size
while low < high:
    middle = (low + high) >> 1
    {sorted}
    c = load(given, {at})
    before = {before}
    low = select(before, middle + 1, low)
    high = select(before, high, middle)
store(y, i, low)"""
# NaN comes behind all numbers
_BEFORE = {
    "left": "(c < value) | ((value != value) & (c == c))",
    "right": "((value < c) | ((c != c) & (value == value))) == False",
}


def sorts_as(*arrays: Any) -> np.dtype[Any]:
    """The dtype in which arrays are compared; 16-bit floats as float32."""
    return np.result_type(*(accumulator(x.dtype) for x in arrays))


@elsewhere.composed(searchsorted)
def in_one_dtype(x1: Any, x2: Any, *sorter: Any, side: str) -> Any:
    """The same of arrays of one dtype; None where they are."""
    dtype = sorts_as(x1, x2)
    if x1.dtype == x2.dtype == dtype:
        return None
    cast_operands = library.astype(x1, dtype), library.astype(x2, dtype)
    order = {"sorter": sorter[0]} if sorter else {}
    return library.searchsorted(*cast_operands, side=side, **order)


@elsewhere.unit(searchsorted)
def search(operands: Sequence[Spec], outputs: Sequence[Spec], *, side: str) -> Units | None:
    """Where elements would go into a sorted vector: by halves."""
    x1, x2, *sorter = operands
    if x1.dtype.kind == "c":
        return None
    kind = x1.dtype.name
    order = {"sorter": ("i0", sorter[0].dtype.name)} if sorter else {}
    lines = "\n    ".join(indexed(0, "size", "middle")) if sorter else "at = middle"
    return threads(
        "searchsorted",
        {"total": math.prod(x2.shape), "size": x1.shape[0]},
        {"x1": ("given", kind), "x2": ("wanted", kind), **order, "out": ("y", "int64")},
        _SEARCH.format(sorted=lines, at="a0" if sorter else "at", before=_BEFORE[side]),
        fails=bool(sorter),
    )


@elsewhere.composed(isin)
def member(x1: Any, x2: Any, *, invert: bool) -> Any:
    """By a search among the sorted elements; NaN is none of them."""
    dtype, last = sorts_as(x1, x2), math.prod(x2.shape) - 1
    if dtype.kind == "c":
        return None
    if last < 0:
        return library.full_like(x1, invert, "bool")
    x1 = library.astype(x1, dtype)
    known = library.sort(library.astype(library.reshape(x2, (-1,)), dtype))
    places = library.minimum(library.searchsorted(known, x1), last)
    compare = library.not_equal if invert else library.equal
    return compare(library.take(known, places, 0), x1)
