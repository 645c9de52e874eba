"""Small NumPy arrays of known shape: made, broadcast, put together, reduced along axes.

Their shapes are known while a function is captured, so an operation of arrays is as many
operations of numbers.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, cast

import numpy as np

from nbgraph.errors import DTypeError
from nbgraph.kernels.capture import vectors
from nbgraph.kernels.capture.containers import Array, List
from nbgraph.kernels.capture.context import Call
from nbgraph.kernels.capture.values import Node, Static, Value, flatten, is_none
from nbgraph.kernels.scalar.kinds import kind_of_dtype, promote

MAX_SIZE = 1024  # entries of an array that a function makes
Step = Callable[..., Any]  # arranges the numbers of an array as a function of NumPy does
_STRONG = {"i": "int64", "b": "bool"}  # kinds that Python's numbers get in an array


def spread(call: Call, fn: Callable[..., Value], *values: Value) -> Value:
    """Return a function of numbers over arrays that are broadcast against each other."""
    deepest = max(map(depth, values))
    if not deepest:
        return fn(*values)
    rows = [v for v in values if depth(v) == deepest]
    count = max(map(len, rows)) if all(rows) else 0
    if any(len(row) not in (1, count) for row in rows):
        lengths = " and ".join(str(len(row)) for row in rows)
        call.refuse(f"arrays of {lengths} entries meet", "use arrays of one shape")
    columns = [
        [v[k if len(v) > 1 else 0] for k in range(count)] if depth(v) == deepest else [v] * count
        for v in values
    ]
    return Array(spread(call, fn, *row) for row in zip(*columns, strict=True))


def whole(
    call: Call, value: Value, what: str, remedy: str = "use a constant, so that it is known"
) -> int:
    """Return `value`, a constant integer, as an int; refuse other values."""
    if not (isinstance(value, Node) and value.op == "const" and value.kind != "f"):
        call.refuse(f"{what} is not a constant integer", remedy)
    return int(value.data)


def shape_of(call: Call, value: Value) -> tuple[int, ...]:
    """Return a shape, a constant integer or a tuple of these, as a tuple."""
    parts = value if isinstance(value, tuple) else (value,)
    return tuple(whole(call, part, "the shape of an array") for part in parts)


def kind_of(call: Call, dtype: Value) -> str | None:
    """Return the kind of a dtype; None for no dtype."""
    asked = dtype.value if isinstance(dtype, Static) else None
    if asked is None:
        return None
    try:
        kind = kind_of_dtype(np.dtype(asked))
    except (TypeError, DTypeError):
        kind = ""
    if not kind or (kind == "f" and np.dtype(asked) != np.float64):
        what = f"an array of dtype {getattr(asked, '__name__', asked)} is made"
        call.refuse(what, "leave out dtype=: the precision is that of the operands")
    return kind


def _rows(call: Call, value: Value) -> Value:
    return array_of(call, value)  # an axis is refused


def array_of(call: Call, value: Value, dtype: Value = None) -> Value:
    """Return a number, or an array of nested lists and tuples; all entries have one kind."""
    nodes = flatten(value) or []
    if flatten(value) is None or len(nodes) > MAX_SIZE:
        what = f"this is not an array of up to {MAX_SIZE} numbers"
        call.refuse(what, "give a tuple, a list or an array of numbers")
    kinds = {_STRONG.get(n.kind, n.kind) for n in nodes} or {"f"}
    kind = kind_of(call, dtype) or functools.reduce(promote, sorted(kinds))

    def entries(part: Value) -> Value:
        if not isinstance(part, tuple):
            return call.tracer.as_kind(part, kind)
        rows = [entries(row) for row in part]
        if len({shape(row) for row in rows}) > 1:
            call.refuse("the rows of an array have different lengths", "give rows of one")
        return Array(rows)

    return entries(value)


def filled_with(call: Call, shape: Sequence[int], value: Node, dtype: Value = None) -> Value:
    """Return an array that holds one number throughout."""
    if int(np.prod(shape)) > MAX_SIZE:
        call.refuse(f"an array of more than {MAX_SIZE} entries is made", "use fewer entries")
    kind = kind_of(call, dtype) or _STRONG.get(value.kind, value.kind)
    entry: Value = call.tracer.as_kind(value, kind)
    for extent in reversed(shape):
        entry = Array([entry] * extent)
    return entry


def axes(call: Call, fn: Callable[[Array], Value], value: Value, axis: Value) -> Value:
    """Return a function of one axis applied along it, or to all entries."""
    array = cast("Array", array_of(call, value))
    if axis is None or is_none(axis):
        return fn(Array(leaves(array)))
    place = whole(call, axis, "axis") % max(1, depth(array))
    if depth(array) == 1:
        return fn(array)
    if depth(array) > 2:
        call.refuse("a reduction along an axis of more than two", "reduce matrices")
    rows = transposed(array) if place == 0 else array
    return Array(fn(cast("Array", row)) for row in rows)


def depth(value: Value) -> int:
    """Return the number of dimensions of a value."""
    return 1 + (depth(value[0]) if value else 0) if isinstance(value, tuple) else 0


def shape(value: Value) -> tuple[int, ...]:
    """Return the lengths of nested tuples."""
    return (len(value), *(shape(value[0]) if value else ())) if isinstance(value, tuple) else ()


def leaves(value: Value) -> Iterator[Node]:
    """Return the numbers of an array in their order."""
    if isinstance(value, tuple):
        for item in cast("tuple[Value, ...]", value):
            yield from leaves(item)
    else:
        yield value


def transposed(value: Value) -> Value:
    """Return a matrix with its columns as rows."""
    return arranged(value, np.transpose)


def arranged(array: Value, step: Step, new: Value = None) -> Value:
    """Return an array arranged by `step`, or with `new` stored where `step` puts its entries."""
    extents, entries = shape(array), [*leaves(array)]
    places = step(np.arange(len(entries)).reshape(extents))
    if new is not None:
        for place, entry in zip(places.flat, leaves(new), strict=True):
            entries[place] = entry
        places = np.arange(len(entries)).reshape(extents)
    nested = lambda part: Array(map(nested, part)) if isinstance(part, list) else entries[part]
    return nested(places.tolist())


def keeps(array: Value, steps: Sequence[Any]) -> bool:
    """Return whether the result of these steps is part of the array itself, as in NumPy."""
    whole: Any = np.empty(shape(array))
    part = whole
    for step in steps:  # the value of an index does not change the strides
        places = () if callable(step) else tuple(0 if isinstance(p, Node) else p for p in step)
        part = cast("Step", step)(part) if callable(step) else part[places]
    return isinstance(array, Array) and np.may_share_memory(whole, part)


def matmul(call: Call, a: Value, b: Value) -> Value:
    """Return the product of vectors and matrices."""
    if not (depth(a) and depth(b)):
        return spread(call, lambda x, y: call.graph.arithmetic("mul", x, y), a, b)
    if depth(a) > 1:
        return Array(matmul(call, row, b) for row in a)
    if depth(b) > 1:
        return Array(matmul(call, a, column) for column in transposed(b))
    if len(a) != len(b):
        call.refuse(f"vectors of {len(a)} and {len(b)} entries are multiplied", "use equal lengths")
    return call.text(vectors.dot, a, b)


def _reshaped(call: Call, *extents: Value) -> Step:
    """Return the step that gives an array another shape; one extent may be -1."""
    asked = shape_of(call, extents[0] if len(extents) == 1 else tuple(extents))

    def step(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        try:
            return array.reshape(asked)
        except ValueError as error:
            call.refuse(str(error), "use a shape with as many entries")

    return step


def exchanges(count: int) -> Iterator[tuple[int, int]]:
    """Return the pairs that Batcher's network compares to sort so many numbers."""
    span = 1
    while span < count:
        step = span
        while step:
            for start in range(step % span, count - step, 2 * step):
                for k in range(min(step, count - start - step)):
                    if (k + start) // (2 * span) == (k + start + step) // (2 * span):
                        yield k + start, k + start + step
            step //= 2
        span *= 2


def in_order(call: Call, items: Sequence[Value], reverse: bool = False) -> list[Value]:
    """Return numbers from the least to the largest; NaN comes last."""
    ordered = list(items)
    if not all(isinstance(item, Node) for item in ordered) or len(ordered) > MAX_SORTED:
        call.refuse(f"what is sorted is not up to {MAX_SORTED} numbers", "sort before the call")
    for i, j in exchanges(len(ordered)):
        ordered[i], ordered[j] = cast(
            "tuple[Value, Value]", call.text(vectors.ordered, ordered[i], ordered[j])
        )
    return ordered[::-1] if reverse else ordered


MAX_SORTED = 64  # numbers that are sorted by comparing pairs


def _arange(call: Call, *bounds: Value, dtype: Value = None) -> Value:
    numbers = [b for b in bounds if isinstance(b, Node) and b.op == "const"]
    if len(numbers) < len(bounds):
        call.refuse("a bound of arange() is not constant", "use constants, so that it is known")
    values = np.arange(*(n.data for n in numbers), dtype=getattr(dtype, "value", None))
    return array_of(call, tuple(call.graph.const(v) for v in values.tolist()))


def _linspace(call: Call, start: Value, stop: Value, num: Value = None) -> Value:
    count = 50 if num is None else whole(call, num, "the number of points")
    ends = [call.graph.float(v) for v in (start, stop)]
    values = [
        call.text(vectors.between, *ends, call.graph.const(k), call.graph.const(count))
        for k in range(count)
    ]
    return Array(values)


def _cumulative(op: str) -> Callable[[Call, Value], Value]:
    def totals(call: Call, a: Value) -> Value:
        totals: list[Node] = []
        for item in leaves(array_of(call, a)):
            totals.append(call.graph.arithmetic(op, totals[-1], item) if totals else item)
        return Array(totals)

    return totals


def _joined(call: Call, parts: Value) -> Value:
    arrays = [array_of(call, part) for part in parts]
    return array_of(call, Array(item for part in arrays for item in part))


def _identity(call: Call, n: Value) -> Value:
    size = whole(call, n, "the size of a matrix")
    one, zero = call.graph.const(1.0), call.graph.const(0.0)
    return Array(Array(one if i == j else zero for j in range(size)) for i in range(size))


def _like(value: float) -> Callable[..., Value]:
    def filled(call: Call, a: Value, dtype: Value = None) -> Value:
        array = array_of(call, a)
        kind = next(leaves(array)).kind
        entry = call.tracer.as_kind(call.graph.const(value), kind_of(call, dtype) or kind)
        return filled_with(call, shape(array), entry)

    return filled


def _full(value: float) -> Callable[..., Value]:
    return lambda call, extents, dtype=None: _filled(call, extents, call.graph.const(value), dtype)


def _filled(call: Call, extents: Value, value: Value, dtype: Value = None) -> Value:
    return filled_with(call, shape_of(call, extents), value, dtype)


def _reduction(fn: Callable[..., Any]) -> Callable[..., Value]:
    def reduced(call: Call, a: Value, axis: Value = None, **how: Value) -> Value:
        return axes(call, lambda entries: call.text(fn, entries, **how), a, axis)

    return reduced


REDUCTIONS = vectors.table(
    "sum=total prod=product mean var=variance std ptp=extent max=largest min=smallest any=some "
    "all=every argmax=place_of_largest argmin=place_of_smallest"
)
FUNCTIONS: dict[Any, Callable[..., Value]] = {
    **{getattr(np, name): _reduction(fn) for name, fn in REDUCTIONS.items()},
    np.amax: _reduction(vectors.largest),
    np.amin: _reduction(vectors.smallest),
    np.median: lambda call, a: call.text(vectors.middle, Array(in_order(call, [*leaves(a)]))),
    **dict.fromkeys((np.zeros, np.empty), _full(0.0)),
    np.ones: _full(1.0),
    np.full: _filled,
    **dict.fromkeys((np.zeros_like, np.empty_like), _like(0.0)),
    np.ones_like: _like(1.0),
    **dict.fromkeys((np.array, np.asarray), array_of),
    **dict.fromkeys((np.copy, np.vstack, np.stack), _rows),
    np.arange: _arange,
    np.linspace: _linspace,
    **dict.fromkeys((np.eye, np.identity), _identity),
    **dict.fromkeys((np.concatenate, np.hstack), _joined),
    np.append: lambda call, a, b: _joined(call, (a, b if isinstance(b, tuple) else (b,))),
    **dict.fromkeys((np.dot, np.matmul, np.inner, np.vdot), matmul),
    np.outer: lambda call, a, b: Array(
        spread(call, lambda x, y: call.graph.arithmetic("mul", x, y), item, b) for item in leaves(a)
    ),
    np.sort: lambda call, a: Array(in_order(call, a)),
    np.cumsum: _cumulative("add"),
    np.cumprod: _cumulative("mul"),
    np.diff: lambda call, a: Array(
        call.graph.arithmetic("sub", y, x) for x, y in itertools.pairwise(a)
    ),
}
MAKERS = frozenset(
    (np.zeros, np.empty, np.ones, np.full, np.arange, np.linspace, np.eye, np.identity)
)
METHODS: dict[str, Callable[..., Value]] = {
    **{name: _reduction(fn) for name, fn in REDUCTIONS.items()},
    "dot": matmul,
    "copy": lambda call, a: type(a)(a) if isinstance(a, List) else array_of(call, a),
    "tolist": lambda call, a: _listed(a),
    "astype": array_of,
    "flatten": lambda call, a: Array(leaves(a)),
    "cumsum": _cumulative("add"),
    "trace": lambda call, a: call.text(vectors.trace, a),
    "item": lambda call, a, *place: next(leaves(a)) if not place else [*leaves(a)][place[0].data],
}
# how functions and methods of NumPy that make no copy arrange the numbers of an array
STEPS: dict[Any, Callable[..., Step]] = {
    np.asarray: lambda call: np.asarray,
    **dict.fromkeys((np.transpose, "transpose", "T"), lambda call: np.transpose),
    **dict.fromkeys((np.reshape, "reshape"), _reshaped),
    **dict.fromkeys((np.ravel, "ravel"), lambda call: np.ravel),
    np.flip: lambda call: np.flip,
}


def _listed(value: Value) -> Value:
    return List(map(_listed, value)) if isinstance(value, tuple) else value
