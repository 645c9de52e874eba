"""Offsets of elements that indices select, for kernels with a thread per selected element.

A selection has dimensions; each advances by a step in the array, and by steps in the index arrays.
Dimensions that are contiguous in all of these are merged.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from nbgraph.errors import IndexingError, ShapeError
from nbgraph.kernel_errors import INDEX_CODE
from nbgraph.ops.define import Shape
from nbgraph.ops.shapes.slicing import full_key, sliced_shape
from nbgraph.shape import broadcast

ARRAY: Final = "array"
Template = tuple[Any, ...]  # of slicing.Part and ARRAY; see `keys`


class Dim(NamedTuple):
    """A dimension: its extent, and its steps, in elements, in each array that is read."""

    extent: int
    steps: tuple[int, ...]


class Chosen(NamedTuple):
    """The selection of an index: dimensions `before`, those of the index arrays `together`, and
    `after`. `steps` of a dimension: in the array, then in each index array; `axes`: extent and step
    of the axis that each index array indexes."""

    base: int
    before: tuple[Dim, ...]
    together: tuple[Dim, ...]
    after: tuple[Dim, ...]
    axes: tuple[tuple[int, int], ...]

    @property
    def dims(self) -> tuple[Dim, ...]:
        """All dimensions, in the order of the result."""
        return (*self.before, *self.together, *self.after)


def strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return strides of a row-major array, in elements.

    >>> strides((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(shape[d + 1 :]) for d in range(len(shape)))


def along(shape: Sequence[int], wide: Sequence[int]) -> tuple[int, ...]:
    """Return strides of a row-major array that is broadcast.

    >>> along((3, 1), (2, 3, 4))
    (0, 1, 0)
    """
    lead = len(wide) - len(shape)
    own = (0 if n == 1 else s for n, s in zip(shape, strides(shape), strict=True))
    return (*(0,) * lead, *own)


def merged(dims: Sequence[Dim]) -> tuple[Dim, ...]:
    """Return equal dimensions, merged where contiguous.

    >>> merged([Dim(2, (12, 0)), Dim(3, (4, 0)), Dim(1, (9, 9)), Dim(4, (1, 1))])
    (Dim(extent=6, steps=(4, 0)), Dim(extent=4, steps=(1, 1)))
    """
    dims_of: list[Dim] = []
    for dim in dims:
        if dim.extent == 1:
            continue
        last = dims_of[-1] if dims_of else None
        if last and all(a == b * dim.extent for a, b in zip(last.steps, dim.steps, strict=True)):
            dims_of[-1] = Dim(last.extent * dim.extent, dim.steps)
        else:
            dims_of.append(dim)
    return tuple(dims_of)


def chosen(
    key: Template, shape: Shape, arrays: Sequence[Shape], steps: Sequence[int] | None = None
) -> Chosen:
    """Return the selection of `x[key]` for an x of a shape, with index arrays of these shapes.
    `steps`: of its axes, in elements; row-major by default."""
    nothing = (0,) * len(arrays)
    base, parts, axes = 0, list[Dim | None](), list[tuple[int, int]]()
    pairs = iter(zip(shape, steps or strides(shape), strict=True))
    for part in full_key("index", key, shape):
        if part is None or part is Ellipsis:
            parts.append(Dim(1, (0, *nothing)))
            continue
        size, step = next(pairs)
        if isinstance(part, tuple):
            taken = range(size)[slice(*part)]
            base += taken.start * step if taken else 0
            parts.append(Dim(len(taken), (taken.step * step, *nothing)))
            continue
        parts.append(None)
        if part == ARRAY:
            axes.append((size, step))
        else:
            base += part % size * step
    before, after = _around(parts) if arrays else ([d for d in parts if d], [])
    return Chosen(base, tuple(before), together(arrays), tuple(after), tuple(axes))


def _around(parts: list[Dim | None]) -> tuple[list[Dim], list[Dim]]:
    """Return dimensions before and after those of index arrays, which take the place of the first
    None, or come first if a slice is between them; see `keys.selected_shape`."""
    kept = [d for d in parts if d is not None]
    first = parts.index(None)
    last = len(parts) - parts[::-1].index(None)
    place = first if all(d is None for d in parts[first:last]) else 0
    return kept[:place], kept[place:]


def together(arrays: Sequence[Shape]) -> tuple[Dim, ...]:
    """Return the dimensions of broadcast index arrays."""
    if not arrays:
        return ()
    wide = np.broadcast_shapes(*arrays)
    each = zip(*(along(shape, wide) for shape in arrays), strict=True)
    return tuple(Dim(n, (0, *own)) for n, own in zip(wide, each, strict=True))


def selected_shape(name: str, key: Template, shape: Shape, arrays: Sequence[Shape]) -> Shape:
    """Return the shape of `x[key]` for x of `shape` and index arrays of these shapes."""
    full = full_key(name, key, shape)
    if sum(part == ARRAY for part in full) != len(arrays):
        raise IndexingError(
            f"{name}: {len(arrays)} index arrays for a key that has "
            f"{sum(part == ARRAY for part in full)} places for them"
        )
    if not arrays:
        return sliced_shape(name, full, shape)
    try:
        together = broadcast(name, [(f"index_arrays[{i}]", s) for i, s in enumerate(arrays)])
    except ShapeError:
        shapes = ", ".join(map(str, arrays))
        raise IndexingError(
            f"index: arrays of shapes {shapes} do not broadcast against each other; give shapes "
            "that do, or take one axis after the other"
        ) from None
    chosen = [part == ARRAY or isinstance(part, int) for part in full]
    first, last = chosen.index(True), len(chosen) - chosen[::-1].index(True)
    axes = iter(shape)
    kept: list[int | None] = []
    for taken, part in zip(chosen, full, strict=True):
        n = 1 if part is None or part is Ellipsis else next(axes)
        slices = isinstance(part, tuple)
        kept.append(None if taken or part is Ellipsis else _length(part, n) if slices else 1)
    place = first if all(chosen[first:last]) else 0
    before = [n for n in kept[:place] if n is not None]
    after = [n for n in kept[place:] if n is not None]
    return (*before, *together, *after)


def _length(part: Any, n: int) -> int:
    return len(range(*slice(*part).indices(n)))


# texts -------------------------------------------------------------------------------------------


def counted(dims: Sequence[Dim]) -> list[tuple[str, str]]:
    """Return the parts d0, d1, ... of an element's index by dimension; extents are e1, e2, ..."""
    return [(f"d{k}", f"e{k}" if k else "") for k in range(len(dims))]


def total(dims: Sequence[Dim], which: int, name: str) -> str:
    """Return the text of the offset in an array; steps are {name}0, {name}1, ..."""
    steps = [(k, dim.steps[which]) for k, dim in enumerate(dims)]
    terms = [f"d{k}" if step == 1 else f"d{k} * {name}{k}" for k, step in steps if step]
    return " + ".join(terms) or "0"


def steps(dims: Sequence[Dim], which: int, name: str) -> dict[str, int]:
    """Return the words of `total`, with their values."""
    own = [(k, dim.steps[which]) for k, dim in enumerate(dims)]
    return {f"{name}{k}": step for k, step in own if step not in (0, 1)}


def indexed(k: int, size: str, place: str) -> list[str]:
    """Return lines that set a{k} to an index of i{k}, from 0 on, or return if out of bounds."""
    from nbgraph.kernels.compiler.units import checked_index

    return checked_index(f"a{k}", f"i{k}", place, size)


def looked_at(k: int, size: str, place: str) -> list[str]:
    """Return such lines for other kernels: `wrong` is the code, and `fits` becomes false."""
    return [
        f"a{k} = int64(load(i{k}, {place}))",
        f"good = (a{k} >= 0 - {size}) & (a{k} < {size})",
        f"wrong = select(good, wrong, a{k} * 256 + {INDEX_CODE})",
        "fits = fits & good",
        f"a{k} = select(a{k} < 0, a{k} + {size}, a{k})",
    ]


def extents(dims: Sequence[Any]) -> list[int]:
    """Return the words of `counted`."""
    return [dim.extent for dim in dims[1:]]
