"""Flat indices and coordinates, and counts of values between edges, by MXNet's names.

Indices are integers: floats are truncated, as in MXNet, and results are int64. All of these are
constants for derivatives.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float, name_of
from nbgraph.errors import ArgumentError, IndexingError, ShapeError
from nbgraph.kernel_errors import INDEX_CODE, matrix_code
from nbgraph.operator.arrays.array_op import ArrayOp, Spec, Specs, constant
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.arrays.unit_op import UnitOp
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.call import carrier_of
from nbgraph.operator.kernel_call import Application, Lowered, scalar_word
from nbgraph.ops.define import Shape, as_array, define_rows, library, whole, whole_tuple
from nbgraph.shape import Array, Arrays

WHOLE = np.dtype("int64")
_OF_DATA: dict[str, Any] = {"gradient": constant, "operands": ("data",)}
_ARRAYS = {"data": ("source", "int64"), "out": ("y", "int64")}


def extents(name: str, shape: Any) -> Shape:
    """Return a shape whose first size may be -1: unknown, and not needed."""
    sizes = whole_tuple(name, "shape", shape)
    if not sizes or min(sizes[1:], default=0) < 0 or sizes[0] < -1:
        raise ShapeError(f"{name}: shape={shape!r}; give sizes from 0, the first of them may be -1")
    return sizes


def _require_below(name: str, places: Array, size: int, what: str) -> None:
    low, high = (int(places.min()), int(places.max())) if places.size else (0, -1)
    if low < 0 or 0 <= size <= high:
        wanted = f"0 to {size - 1}" if size >= 0 else "numbers from 0"
        raise IndexingError(f"{name}: {low if low < 0 else high} {what}; expected {wanted}")


# numbers and coordinates ------------------------------------------------------------------------


def _ravel_infer(data: Spec, *, shape: Shape) -> Spec:
    if data.shape[:1] != (len(shape),):
        raise ShapeError(
            f"ravel_multi_index: data has shape {data.shape}, shape={shape} has {len(shape)} axes; "
            "expected the coordinates of each axis in a row of data"
        )
    return Spec(data.shape[1:], WHOLE)


def _ravel(inputs: Arrays, outputs: Arrays, *, shape: Shape) -> None:
    total = np.zeros_like(outputs[0])
    for axis, (row, size) in enumerate(zip(inputs[0], shape, strict=True)):
        _require_below("ravel_multi_index", row, size, f"is out of bounds for axis {axis}")
        total = total * max(size, 0) + row
    outputs[0][...] = total


def _below(name: str, size: str) -> tuple[str, str]:
    """Lines that end the kernel for a number that is out of bounds; a size below 0 is none."""
    return (
        f"if {name} < 0 or ({size} >= 0 and {name} >= {size}):",
        f"    return {name} * 256 + {INDEX_CODE}",
    )


def _numbers(operands: Specs, outputs: Specs, *, shape: Shape) -> Units:
    """A unit for each place."""
    lines = ["at = 0"]
    for k in range(len(shape)):
        lines += [f"c{k} = load(source, {k} * count + i)", *_below(f"c{k}", f"n{k}")]
        lines.append(f"at = at * n{k} + c{k}" if k else "at = c0")
    words = {"count": math.prod(outputs[0].shape), "none": 0}
    words |= {f"n{k}": n for k, n in enumerate(shape)}
    return threads("ravel_multi_index", words, _ARRAYS, *lines, "store(y, i, at)", fails=True)


_RAVEL = UnitOp("ravel_multi_index", _ravel_infer, _ravel, units=_numbers, **_OF_DATA)


def _unravel(inputs: Arrays, outputs: Arrays, *, shape: Shape) -> None:
    rest, size = inputs[0], -1 if shape[0] < 0 else math.prod(shape)
    _require_below("unravel_index", rest, size, f"is not a number of an element of {shape}")
    for axis in reversed(range(1, len(shape))):
        rest, outputs[0][axis, ...] = np.divmod(rest, max(shape[axis], 1))
    outputs[0][0, ...] = rest


def _places(operands: Specs, outputs: Specs, *, shape: Shape) -> Units:
    """A unit for each number."""
    size = -1 if shape[0] < 0 else math.prod(shape)
    lines = ["at = load(source, i)", *_below("at", "size")]
    for k in reversed(range(1, len(shape))):
        lines += [f"r{k} = at // n{k}", f"store(y, {k} * count + i, at - r{k} * n{k})"]
        lines.append(f"at = r{k}")
    words = {"count": math.prod(operands[0].shape), "size": size}
    words |= {f"n{k}": n for k, n in enumerate(shape) if k}
    return threads("unravel_index", words, _ARRAYS, *lines, "store(y, i, at)", fails=True)


_UNRAVEL = UnitOp(
    "unravel_index",
    lambda data, *, shape: Spec((len(shape), *data.shape), WHOLE),
    _unravel,
    units=_places,
    **_OF_DATA,
)


def whole_numbers(data: Any) -> Any:
    """Return arrays, side by side where there are several, as int64."""
    several = isinstance(data, (tuple, list)) and carrier_of(data) is not None
    return library.astype(library.stack(data) if several else as_array(data), WHOLE)


# counts -----------------------------------------------------------------------------------------


def _counts_infer(a: Spec, *edges: Spec, bins: int | None, range: Any) -> tuple[Spec, Spec]:
    if bins is not None:
        dtype = a.dtype if is_float(a.dtype) else np.dtype("float64")
        return Spec((bins,), WHOLE), Spec((bins + 1,), dtype)
    (edge,) = edges
    if len(edge.shape) != 1 or edge.shape[0] < 2:
        raise ShapeError(
            f"histogram: bins has shape {edge.shape}; give a number, or at least two edges"
        )
    return Spec((edge.shape[0] - 1,), WHOLE), edge


def _counts(
    inputs: Arrays, outputs: Arrays, *, bins: int | None, range: tuple[float, float] | None
) -> None:
    a, *edges = (x.astype(compute_dtype(x.dtype)) if is_float(x.dtype) else x for x in inputs)
    a = a.view(np.uint8) if a.dtype.kind == "b" else a
    try:
        counts_and_edges = np.histogram(a, edges[0] if bins is None else bins, range)
    except ValueError as error:
        raise ArgumentError(f"histogram: {error}") from None
    outputs[0][...], outputs[1][...] = counts_and_edges


class HistogramOp(ArrayOp):
    """Counts between edges; see `kernels.lines.counting`."""

    kernels = ("host",)

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel of contiguous arrays."""
        from nbgraph.kernels.compiler.written import written
        from nbgraph.kernels.lines.counting import MOST, counting_text

        (a, *edges), limits = case.operands, case.attributes["range"]
        bins = case.outputs[0].size
        narrow = a.dtype.itemsize == 2 and is_float(a.dtype)
        unlike = any(x.dtype != a.dtype or x.dtype.kind == "b" for x in edges)
        if narrow or unlike or a.dtype.kind == "c" or not a.size or not (edges or bins <= MOST):
            return None
        words = [scalar_word(x, "f", "float64") for x in limits or () if not edges]
        finite = (
            "the range of a is not finite: it has NaN or infinite values; give range=(low, high)"
        )
        what = "the edges `bins` must increase monotonically" if edges else finite
        dtype = "uint8" if a.dtype.kind == "b" else name_of(a.dtype)
        kind, form = name_of(case.outputs[1].dtype), {"edges": bool(edges), "limits": bool(words)}
        text = counting_text("histogram", dtype, kind, **form)
        kernel = written("histogram", text, "float64" if "64" in kind else "float32")
        call = tile_call(
            kernel, (a.size, bins), (matrix_code(what, ArgumentError), *words), 1, 3 * a.size + bins
        )
        call = replace(call, order=tuple(range(len(case.arrays))), writes=2)
        return Lowered((call,), case.contiguous(), adds=False)


_HISTOGRAM = HistogramOp(
    "histogram", _counts_infer, _counts, gradient=constant, operands=("a", "*bins"), nout=2
)


def counted(a: Any, bins: Any, range: Any) -> tuple[Any, Any]:
    """Return counts of values, and the edges between them."""
    if isinstance(bins, (list, tuple)) or getattr(bins, "shape", ()) != ():
        return _HISTOGRAM(a, as_array(bins), bins=None, range=None)
    count = whole("histogram", "bins", bins)
    if count < 1:
        raise ArgumentError(f"histogram: bins={bins}; give at least 1")
    return _HISTOGRAM(a, bins=count, range=None if range is None else _two(range))


def _two(bounds: Any) -> tuple[float, float]:
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        raise ArgumentError(f"histogram: range={bounds!r}; give (lowest, highest)") from None
    if not -math.inf < low <= high < math.inf:
        raise ArgumentError(
            f"histogram: range={bounds!r}; give finite numbers, the lower one first"
        )
    return low, high


_TABLE = """
histogram(a, bins=10, range=None) -> tuple[Any, Any]: How many values there are in each bin, and the
    edges of the bins, as in NumPy. Both are constants for derivatives.
    a : array of any shape
    bins : int, that many equal bins; or an array of edges with increasing values, two or more
    range : (lowest, highest) edge of equal bins, by default the least and the largest value
    -> counts and edges: arrays (bins,) of int64, and (bins + 1,) of floats of a's dtype, or bins as
        they are. A bin holds its lower edge, the last one its upper edge too.
    ! ArgumentError for no bins, decreasing edges, an infinite or NaN range; ShapeError for edges of
        several axes.
    >>> histogram([0, 1, 2, 3, 4, 5], bins=2)
    (array([3, 3]), array([0. , 2.5, 5. ]))
    = counted(as_array(a), bins, range)
ravel_multi_index(data, shape): The numbers, in C order, of elements at these coordinates of an
    array of `shape`.
    data : array (axes, ...), a row of coordinates for each axis; floats are cut to whole numbers
    shape : sizes; the first may be -1, not known
    -> array (...) of int64, a constant for derivatives
    ! IndexingError for a coordinate out of bounds; ShapeError for another number of rows.
    >>> ravel_multi_index([[3, 6, 6], [4, 5, 1]], shape=(7, 6))
    array([22, 41, 37])
    = _RAVEL(whole_numbers(data), shape=extents("ravel_multi_index", shape))
unravel_index(data, shape): The coordinates of the elements with these numbers, in C order, of an
    array of `shape`.
    data : array (...) of numbers from 0; floats are cut to whole numbers
    shape : sizes; the first may be -1, not known
    -> array (axes, ...) of int64, a row for each axis; a constant for derivatives
    ! IndexingError for a number out of bounds.
    >>> unravel_index([22, 41, 37], shape=(7, 6))
    array([[3, 6, 6],
           [4, 5, 1]])
    = _UNRAVEL(whole_numbers(data), shape=extents("unravel_index", shape))
"""
define_rows(_TABLE, globals())
