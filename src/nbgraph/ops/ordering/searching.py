"""Searches in sorted vectors, and membership. NaN comes after all numbers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.array_op import Spec, Specs
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.ops.define import as_array, define_rows, library, one_of
from nbgraph.ops.indexing.addressing import indexed
from nbgraph.ops.reductions.reductions import accumulator
from nbgraph.shape import Array

_FEW = 64  # elements up to which each is compared with all
_STEP = 2  # nanoseconds per comparison
_SEARCH = """\
value = load(wanted, i)
low = 0
high = size
while low < high:
    middle = (low + high) >> 1
    {sorted}
    c = load(vector, {at})
    before = {before}
    low = select(before, middle + 1, low)
    high = select(before, high, middle)
store(y, i, low)"""
_BEFORE = {
    "left": "(c < value) | ((value != value) & (c == c))",
    "right": "((value < c) | ((c != c) & (value == value))) == False",
}


def sorts_as(*arrays: Any) -> np.dtype[Any]:
    """Return the dtype in which arrays are compared; 16-bit floats as float32."""
    return np.result_type(*(accumulator(x.dtype) for x in arrays))


# searches ---------------------------------------------------------------------------------------


def _search_infer(x1: Spec, x2: Spec, *sorter: Spec, side: str) -> Spec:
    if len(x1.shape) != 1:
        raise ShapeError(f"searchsorted: x1 has shape {x1.shape}; give a sorted vector")
    if len(sorter) > 1 or any(spec.shape != x1.shape for spec in sorter):
        raise ShapeError(f"searchsorted: sorter has to have the shape {x1.shape} of x1")
    return Spec(x2.shape, np.dtype("int64"))


def _search(inputs: list[Array], outputs: list[Array], *, side: Any) -> None:
    x1, x2, *sorter = inputs
    outputs[0][...] = np.searchsorted(x1, x2, side, *sorter)


def _by_halves(operands: Specs, outputs: Specs, *, side: str) -> Units | None:
    x1, x2, *sorter = operands
    if x1.dtype.kind == "c":
        return None
    kind = x1.dtype.name
    order = {"sorter": ("i0", sorter[0].dtype.name)} if sorter else {}
    lines = "\n    ".join(indexed(0, "size", "middle")) if sorter else "at = middle"
    count = math.prod(x2.shape)
    return threads(
        "searchsorted",
        {"total": count, "size": x1.shape[0]},
        {"x1": ("vector", kind), "x2": ("wanted", kind), **order, "out": ("y", "int64")},
        _SEARCH.format(sorted=lines, at="a0" if sorter else "at", before=_BEFORE[side]),
        fails=bool(sorter),
        cost=1 + count * _STEP * x1.shape[0].bit_length(),
    )


def _one_dtype(operands: Specs, outputs: Specs, *, side: str) -> bool:
    """Return whether operands have one dtype that kernels compare."""
    x1, x2 = operands[:2]
    return x1.dtype.kind != "c" and x1.dtype == x2.dtype == sorts_as(x1, x2)


_SEARCHSORTED = UnitOp(
    "searchsorted",
    _search_infer,
    _search,
    units=_by_halves,
    suits=_one_dtype,
    operands=("x1", "x2", "*sorter"),
)


@device_forms.composed(_SEARCHSORTED)
def in_one_dtype(x1: Any, x2: Any, *sorter: Any, side: str) -> Any:
    """Return the search with arrays cast to one dtype; None if they have one."""
    dtype = sorts_as(x1, x2)
    if x1.dtype == x2.dtype == dtype or dtype.kind == "c":
        return None
    return _SEARCHSORTED(library.astype(x1, dtype), library.astype(x2, dtype), *sorter, side=side)


def searched(x1: Any, x2: Any, sorter: Any, side: str, out: Any) -> Any:
    """Return the positions of elements; arrays of two dtypes are cast for a kernel."""
    one_of("searchsorted", "side", side, ("left", "right"))
    sorters = [] if sorter is None else [sorter]
    if out is None and any(hasattr(x, "asnumpy") for x in (x1, x2)):
        x1, x2 = as_array(x1), as_array(x2)
        if all(isinstance(x, np.ndarray) or hasattr(x, "asnumpy") for x in (x1, x2)):
            result = in_one_dtype(x1, x2, *sorters, side=side)
            if result is not None:
                return result
    return _SEARCHSORTED(x1, x2, *sorters, side=side, out=out)


# membership -------------------------------------------------------------------------------------


def _one_by_one(operands: Specs, outputs: Specs, *, invert: bool) -> Units:
    kind = operands[0].dtype.name
    count, size = (math.prod(x.shape) for x in operands)
    return threads(
        "isin",
        {"total": count, "size": size, "inside": int(not invert), "outside": int(invert)},
        {"x1": ("wanted", kind), "x2": ("others", kind), "out": ("y", "uint8")},
        "value = load(wanted, i)\nsame = False",
        "for k in range(size):\n    same = same | (load(others, k) == value)",
        "store(y, i, select(same, inside, outside))",
        cost=1 + count * size,
    )


def _few(operands: Sequence[Any], outputs: Sequence[Any] = (), *, invert: bool = False) -> bool:
    """Return whether elements are compared one by one: few of them, of one dtype."""
    x1, x2 = operands
    alike = x1.dtype.kind != "c" and x1.dtype == x2.dtype == sorts_as(x1, x2)
    return alike and math.prod(x2.shape) <= _FEW


_ISIN = UnitOp(
    "isin",
    lambda x1, x2, *, invert: Spec(x1.shape, np.dtype(bool)),
    lambda inputs, outputs, *, invert: np.copyto(outputs[0], np.isin(*inputs, invert=invert)),
    units=_one_by_one,
    suits=_few,
    operands=("x1", "x2"),
)


@device_forms.composed(_ISIN)
def member(x1: Any, x2: Any, *, invert: bool) -> Any:
    """Return membership by a search in the sorted elements, never for NaN; None for few ones."""
    dtype, last = sorts_as(x1, x2), math.prod(x2.shape) - 1
    if dtype.kind == "c" or (last >= 0 and _few((x1, x2))):
        return None
    if last < 0:
        return library.full_like(x1, invert, "bool")
    x1 = library.astype(x1, dtype, copy=False)
    known = library.sort(library.astype(library.reshape(x2, (-1,)), dtype, copy=False))
    places = library.minimum(library.searchsorted(known, x1), last)
    compare = library.not_equal if invert else library.equal
    return compare(library.take(known, places, 0), x1)


_TABLE = """
searchsorted(x1, x2, /, side: str = "left", sorter=None, *, out=None): Indices at which elements of
    `x2` would be inserted in the sorted vector `x1`.
    x1 : array (n,) in increasing order; `sorter`: indices that sort it
    x2 : array of any shape
    side : "left" (before equals) or "right" (behind them)
    -> array of int64 of the shape of x2, a constant for derivatives
    >>> searchsorted([1, 2, 4], [2, 3], side="right")
    array([2, 2])
    = searched(x1, x2, sorter, side, out)
isin(x1, x2, *, invert=False, out=None): Whether each element of `x1` is among those of `x2`, or is
    not (`invert`).
    x1, x2 : arrays of any shapes
    invert : bool
    -> array of bool of the shape of x1
    >>> isin([1, 2, 3], [3, 1])
    array([ True, False,  True])
"""
define_rows(_TABLE, globals())
