"""Searches in sorted vectors, membership, counts between edges; one-hot rows and triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.operator.arrays import elsewhere
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import library
from nbgraph.ops.gpu.addressing import indexed, raw, threads
from nbgraph.ops.indexing.indexing import one_hot
from nbgraph.ops.indexing.sets import isin
from nbgraph.ops.ordering.sorting import searchsorted
from nbgraph.ops.reductions.reductions import accumulator
from nbgraph.ops.shapes.slicing import tril, triu

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
def found(operands: Sequence[Spec], outputs: Sequence[Spec], *, side: str) -> KernelCall | None:
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


def _bits(number: Any, dtype: np.dtype[Any]) -> int:
    """The word that holds a number of a dtype."""
    number_of = np.zeros(1, dtype)
    number_of[0] = number
    return int(number_of.view(f"u{dtype.itemsize}")[0].astype("int64"))


@elsewhere.unit(one_hot)
def hot(
    operands: Sequence[Spec],
    outputs: Sequence[Spec],
    *,
    depth: int,
    dtype: Any,
    on_value: float = 1,
    off_value: float = 0,
) -> KernelCall:
    """A number at the index of a row, another one elsewhere."""
    (indices,), (out,) = operands, outputs
    values = {"on_value": _bits(on_value, out.dtype), "off_value": _bits(off_value, out.dtype)}
    return threads(
        "one_hot",
        {"total": math.prod(out.shape), "depth": depth, **values},
        {"indices": ("index", indices.dtype.name), "out": ("y", raw(out))},
        "hit = int64(load(index, row)) == column",
        "store(y, i, select(hit, on_value, off_value))",
        parts=[("row", ""), ("column", "depth")],
    )


def _triangle(name: str, x: Spec, k: int, holds: str) -> KernelCall:
    (rows, columns), kind = x.shape[-2:], raw(x)
    return threads(
        name,
        {"total": math.prod(x.shape), "rows": rows, "columns": columns, "k": k},
        {"x": ("given", kind), "out": ("y", kind)},
        f"store(y, i, select(column - row {holds} k, load(given, i), {kind}(0)))",
        parts=[("o", ""), ("row", "rows"), ("column", "columns")],
    )


@elsewhere.unit(tril)
def lower(operands: Sequence[Spec], outputs: Sequence[Spec], *, k: int) -> KernelCall:
    """Zeros above a diagonal."""
    return _triangle("tril", operands[0], k, "<=")


@elsewhere.unit(triu)
def upper(operands: Sequence[Spec], outputs: Sequence[Spec], *, k: int) -> KernelCall:
    """Zeros below a diagonal."""
    return _triangle("triu", operands[0], k, ">=")
