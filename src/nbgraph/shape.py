"""Shapes and strides: broadcasting, memory overlap, and iteration spaces of loops."""

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, AxisError, ShapeError

Array = np.ndarray[Any, Any]
Arrays = Sequence[Array]
Shape = tuple[int, ...]
PartialShape = tuple[int | None, ...] | None  # None: an unknown shape, or an unknown extent
Shapes = Sequence[PartialShape]
Axis = int | tuple[int, ...] | None
Overlap = Literal["none", "exact", "partial"]
_MAX_WORK = 1000  # NumPy's effort to decide whether strided arrays share an element


def broadcast(name: str, operands: Sequence[tuple[str, tuple[int, ...]]]) -> tuple[int, ...]:
    """Return the broadcast shape of labelled shapes; raise ShapeError if they do not broadcast.

    >>> broadcast("f", [("x", (3, 1)), ("y", (4,))])
    (3, 4)
    """
    shapes = [shape for _, shape in operands]
    first = shapes[0]
    if all(shape == first for shape in shapes):
        return first
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{label}{shape}" for label, shape in operands)
        raise ShapeError(
            f"{name}: shapes do not broadcast: {listed}; align trailing axes, sizes must be equal "
            "or 1"
        ) from None


def spreads(shape: Sequence[int], wide: Sequence[int]) -> bool:
    """Return whether `shape` broadcasts to `wide`."""
    lead = len(wide) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, wide[lead:], strict=True))


def merged(a: PartialShape, b: PartialShape, what: str) -> PartialShape:
    """Combine the known extents of two partial shapes; raise ShapeError if they disagree.

    None stands for an unknown shape or an unknown extent.

    >>> merged((None, 3), (2, None), "x")
    (2, 3)
    """
    if a is None or b is None:
        return b if a is None else a
    if a == b:
        return a
    if len(a) != len(b) or any(None not in (m, n) and m != n for m, n in zip(a, b, strict=True)):
        raise ShapeError(
            f"{what}: shape {partial_text(b)} does not agree with {partial_text(a)}; extents must "
            "be equal where both are known"
        )
    return tuple([n if m is None else m for m, n in zip(a, b, strict=True)])


def same_shape(
    in_shapes: Shapes, out_shapes: Shapes, *, op: str = "operator", **_: Any
) -> tuple[Shapes, Shapes]:
    """Infer the shapes of operands and outputs that all have one shape; raise ShapeError if the
    known ones differ.

    >>> same_shape([(2, None), None], [(None, 3)])
    ([(2, 3), (2, 3)], [(2, 3)])
    """
    shape: PartialShape = None
    for known in (*in_shapes, *out_shapes):
        shape = merged(shape, known, op)
    return [shape] * len(in_shapes), [shape] * len(out_shapes)


def same_size(in_shapes: Shapes, out_shapes: Shapes) -> tuple[Shapes, Shapes]:
    """Infer the shapes of an operand and a result with equally many elements: a single unknown
    extent follows from the others.

    >>> same_size([(2, None)], [(3, 4)])
    ([(2, 6)], [(3, 4)])
    """
    (x,), (out,) = in_shapes, out_shapes
    return [_completed(x, out)], [_completed(out, x)]


def _completed(shape: PartialShape, other: PartialShape) -> PartialShape:
    """Return `shape` with its only unknown extent computed from the size of `other`."""
    if shape is None or other is None or None in other or shape.count(None) != 1:
        return shape
    size = math.prod(n for n in other if n is not None)
    known = math.prod(n for n in shape if n is not None)
    if not known or size % known:
        return shape
    return tuple([size // known if n is None else n for n in shape])


def partial_text(shape: Sequence[int | None]) -> str:
    """Format a partial shape for messages.

    >>> partial_text((2, None)), partial_text((3,))
    ('(2, ?)', '(3,)')
    """
    listed = ", ".join("?" if n is None else str(n) for n in shape)
    return f"({listed},)" if len(shape) == 1 else f"({listed})"


def axis_of(name: str, axis: int, ndim: int, argument: str = "axis") -> int:
    """Return `axis` counted from 0; raise AxisError if it does not exist, ArgumentError if it is
    not a whole number."""
    try:
        exists = -ndim <= axis < ndim
    except TypeError:
        raise ArgumentError(f"{name}: {argument}={axis!r}; expected a whole number") from None
    if not exists:
        has = f"expected {-ndim} to {ndim - 1}" if ndim else "it has no axes"
        raise AxisError(f"{name}: {argument}={axis} does not exist in a {ndim}-d array; {has}")
    return axis % ndim


def axes_of(name: str, axis: Axis, ndim: int, argument: str = "axis") -> tuple[int, ...]:
    """Return axes counted from 0, all for None; raise ShapeError for a repeated axis."""
    if axis is None:
        return tuple(range(ndim))
    listed = axis if isinstance(axis, tuple | list) else (axis,)
    axes = tuple(axis_of(name, d, ndim, argument) for d in listed)
    if len(set(axes)) != len(axes):
        raise ShapeError(f"{name}: {argument}={axis} names an axis twice; name each once")
    return axes


def overlap(a: Array, b: Array) -> Overlap:
    """Return how the memory of two arrays overlaps; "exact": element by element."""
    if a is b:
        return "exact"
    if not np.may_share_memory(a, b):
        return "none"
    if (
        address(a) == address(b)
        and a.itemsize == b.itemsize
        and a.shape == b.shape
        and a.strides == b.strides
    ):
        return "exact"
    try:
        shared = np.shares_memory(a, b, max_work=_MAX_WORK)  # type: ignore[arg-type]
        return "partial" if shared else "none"
    except np.exceptions.TooHardError:
        return "partial"


def address(a: Array) -> int:
    """Return the address of an array's first element."""
    return a.__array_interface__["data"][0]


def overlaps_itself(a: Array) -> bool:
    """Return whether two elements of an array may share memory (zero or interleaved strides)."""
    if a.flags.forc:
        return False
    reach = a.itemsize
    for step, size in sorted((abs(s), n) for s, n in zip(a.strides, a.shape, strict=True) if n > 1):
        if step < reach:
            return True
        reach = step * (size - 1) + reach
    return False


class Space(NamedTuple):
    """An iteration space: an inner run and outer dimensions, innermost first; steps in bytes."""

    inner: int
    steps: tuple[int, ...]  # one per array, along the inner run
    outer: tuple[tuple[int, tuple[int, ...]], ...]  # (extent, steps)

    @property
    def rows(self) -> int:
        """Number of inner runs."""
        return math.prod(extent for extent, _ in self.outer)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.inner * self.rows


def space(shape: Sequence[int], strides: Sequence[Sequence[int]], *, sort: bool = True) -> Space:
    """Return an iteration space: axes sorted by the last array's strides, without axes of size 1,
    and merged where contiguous. `sort=False` keeps the order of axes."""
    axes = [d for d in range(len(shape)) if shape[d] != 1]
    if not axes:
        return Space(1, (0,) * len(strides), ())
    if sort:
        axes.sort(key=lambda d: tuple(-abs(s[d]) for s in reversed(strides)))
    dims = [(shape[d], tuple(s[d] for s in strides)) for d in axes]
    merged = [dims[-1]]
    for extent, steps in reversed(dims[:-1]):
        size, inner = merged[-1]
        if all(s == i * size for s, i in zip(steps, inner, strict=True)):
            merged[-1] = (extent * size, inner)
        else:
            merged.append((extent, steps))
    return Space(merged[0][0], merged[0][1], tuple(merged[1:]))


def is_ordered(where: Space, shape: Sequence[int], strides: Sequence[Sequence[int]]) -> bool:
    """Return whether a space iterates in C order, with the last axis fastest."""
    return where.size == 1 or where == space(shape, strides, sort=False)


_SHORT = 16  # length of an inner run below which a longer axis becomes the inner one
_TILE = 256  # greatest length of an inner run, so that adjacent rows share cache lines
_FAR, _PAGE = 512, 4096  # strides in bytes that defeat prefetching, and that collide in the cache


def tiled(where: Space) -> Space:
    """Return a space with the same elements in an order that suits the cache. If an array is read
    across its rows, runs are cut so that cache lines are reused by the next row; if runs are very
    short, as over the channels of an image, another axis becomes the inner one.

    >>> tiled(Space(2000, (8000, 4), ((2000, (4, 8000)),)))
    Space(inner=250, steps=(8000, 4), outer=((2000, (4, 8000)), (8, (2000000, 1000))))
    >>> tiled(Space(3, (4096, 4), ((1024, (4, 12)),)))
    Space(inner=256, steps=(4, 12), outer=((3, (4096, 4)), (4, (1024, 3072))))
    """
    if where.outer and where.inner < _SHORT:
        return _with_longer_runs(where)
    if not where.outer or where.inner < 2 * _TILE:
        return where
    rows, steps = where.outer[0]
    across = any(abs(s) >= _FAR > abs(r) for s, r in zip(where.steps, steps, strict=True))
    most = _TILE // 16 if any(s and s % _PAGE == 0 for s in where.steps) else _TILE
    cut = next((n for n in range(most, most // 8, -1) if where.inner % n == 0), 0)
    if not across or rows < _TILE // 16 or not cut:
        return where
    far = where.inner // cut, tuple(s * cut for s in where.steps)
    return Space(cut, where.steps, ((rows, steps), far, *where.outer[1:]))


def _with_longer_runs(where: Space) -> Space:
    """Return a space of short runs with a longer axis as the inner one, that of smallest steps, cut
    so that cache lines are reused by the other axes."""
    longer = [k for k, (n, _) in enumerate(where.outer) if n >= max(_SHORT, 2 * where.inner)]
    if not longer:
        return where
    at = min(longer, key=lambda k: sum(map(abs, where.outer[k][1])))
    extent, steps = where.outer[at]
    cut = next((n for n in range(min(extent, _TILE), _SHORT - 1, -1) if extent % n == 0), extent)
    outer = [(where.inner, where.steps), *where.outer]
    outer[at + 1] = extent // cut, tuple(s * cut for s in steps)
    return Space(cut, steps, tuple(dim for dim in outer if dim[0] != 1))
