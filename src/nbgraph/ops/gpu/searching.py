"""Searches in sorted vectors, membership, counts between edges; one-hot rows and triangles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.kernels.cuda.unit import is_narrow, split, text, unit
from nbgraph.kernels.written import Record
from nbgraph.operator import elsewhere
from nbgraph.operator.elsewhere import unit_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import library
from nbgraph.ops.gpu.addressing import indexed, raw
from nbgraph.ops.indexing.indexing import one_hot
from nbgraph.ops.indexing.sets import isin
from nbgraph.ops.ordering.sorting import searchsorted
from nbgraph.ops.products.linalg import tril, triu

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
    wide = [np.dtype("float32") if _is_half(x.dtype) else x.dtype for x in arrays]
    return np.result_type(*wide)


def _is_half(dtype: np.dtype[Any]) -> bool:
    return dtype.name in ("float16", "bfloat16")


@elsewhere.composed(searchsorted)
def in_one_dtype(x1: Any, x2: Any, *sorter: Any, side: str) -> Any:
    """The same of arrays of one dtype; None where they are."""
    dtype = sorts_as(x1, x2)
    if x1.dtype == x2.dtype == dtype:
        return None
    given = library.astype(x1, dtype), library.astype(x2, dtype)
    order = {"sorter": sorter[0]} if sorter else {}
    return library.searchsorted(*given, side=side, **order)


@elsewhere.unit(searchsorted)
def found(operands: Sequence[Spec], outputs: Sequence[Spec], *, side: str) -> KernelCall:
    """Where elements would go into a sorted vector: by halves."""
    x1, x2, *sorter = operands
    kind, names = x1.dtype.name, ["x1", "x2", *["sorter"][: len(sorter)], "out"]
    lines = "\n    ".join(indexed(0, "size", "middle")) if sorter else "at = middle"
    made = text(
        "searchsorted",
        Record(("total", "size"), names, ()),
        "total",
        _SEARCH.format(sorted=lines, at="a0" if sorter else "at", before=_BEFORE[side]),
        before=(
            f"given = {kind}_pointer(x1)",
            f"wanted = {kind}_pointer(x2)",
            *(f"i0 = {spec.dtype.name}_pointer(sorter)" for spec in sorter),
            "y = int64_pointer(out)",
        ),
    )
    count = math.prod(x2.shape)
    code = unit("searchsorted", made, len(names), 0, fails=bool(sorter))
    return unit_call(code, (count, x1.shape[0]), (), count)


@elsewhere.composed(isin)
def member(x1: Any, x2: Any, *, invert: bool) -> Any:
    """By a search among the sorted elements; NaN is none of them."""
    dtype, last = sorts_as(x1, x2), math.prod(x2.shape) - 1
    if last < 0:
        return library.full_like(x1, invert, "bool")
    x1 = library.astype(x1, dtype)
    known = library.sort(library.astype(library.reshape(x2, (-1,)), dtype))
    places = library.minimum(library.searchsorted(known, x1), last)
    compare = library.not_equal if invert else library.equal
    return compare(library.take(known, places, 0), x1)


# one in a row ------------------------------------------------------------------------------------


def _bits(number: Any, dtype: np.dtype[Any]) -> int:
    """The word that holds a number of a dtype."""
    made = np.zeros(1, dtype)
    made[0] = number
    return int(made.view(f"u{dtype.itemsize}")[0].astype("int64"))


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
    total = math.prod(out.shape)
    made = text(
        "one_hot",
        Record(("total", "depth"), ("indices", "out"), ("on_value", "off_value")),
        "total",
        *split("i", ("row", ""), ("column", "depth"), narrow=is_narrow(total)),
        "hit = int64(load(index, row)) == column",
        "store(y, i, select(hit, on_value, off_value))",
        before=(f"index = {indices.dtype.name}_pointer(indices)", f"y = {raw(out)}_pointer(out)"),
    )
    words = _bits(on_value, out.dtype), _bits(off_value, out.dtype)
    return unit_call(unit("one_hot", made, 2, 2), (total, depth), words, total)


# triangles ---------------------------------------------------------------------------------------


def _triangle(name: str, x: Spec, k: int, holds: str) -> KernelCall:
    rows, columns = x.shape[-2:]
    total, kind = math.prod(x.shape), raw(x)
    made = text(
        name,
        Record(("total", "rows"), ("x", "out"), ("columns", "k")),
        "total",
        *split("i", ("o", ""), ("row", "rows"), ("column", "columns"), narrow=is_narrow(total)),
        f"store(y, i, select(column - row {holds} k, load(given, i), {kind}(0)))",
        before=(f"given = {kind}_pointer(x)", f"y = {kind}_pointer(out)"),
    )
    return unit_call(unit(name, made, 2, 2), (total, rows), (columns, k), total)


@elsewhere.unit(tril)
def lower(operands: Sequence[Spec], outputs: Sequence[Spec], *, k: int) -> KernelCall:
    """Zeros above a diagonal."""
    return _triangle("tril", operands[0], k, "<=")


@elsewhere.unit(triu)
def upper(operands: Sequence[Spec], outputs: Sequence[Spec], *, k: int) -> KernelCall:
    """Zeros below a diagonal."""
    return _triangle("triu", operands[0], k, ">=")
