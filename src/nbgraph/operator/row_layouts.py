"""How kernels of row programs go over arrays: along a row, over rows, and in which classes.

The kernel is that of row-major arrays of the same shapes, so the order of elements does not depend
on strides; `takes` says whether arrays that lie otherwise can be given to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.operator.layout import Class, Layout, classes_of, layout, merged, packed
from nbgraph.shape import Space, space

Shape = tuple[int, ...]

_BESIDE = 16  # rows side by side from which they are worked on together


def spaces_of(
    arrays: Sequence[Layout], one: Sequence[bool], shape: Shape, axes: Shape
) -> tuple[Space, Space] | None:
    """Along a row, and over rows; None where a row's elements, in the order of its axes, do not lie
    one step apart."""
    strides = [_strides(a, shape, axes, row=row) for a, row in zip(arrays, one, strict=True)]
    if not all(merged(shape, axes, s) for s in strides):
        return None
    kept = [d for d in range(len(shape)) if d not in axes]
    run, outer = (
        space([shape[d] for d in own], [[s[d] for d in own] for s in strides])
        for own in (axes, kept)
    )
    return run, outer


def dimensions(outer: Space) -> tuple[tuple[int, Shape], ...]:
    """Extents and steps of a space, innermost first."""
    return (outer.inner, outer.steps), *outer.outer


def form_of_rows(
    arrays: Sequence[Layout], one: Sequence[bool], operands: int, shape: Shape, axes: Shape
) -> tuple[tuple[Class, ...], bool]:
    """Compile-time classes of steps along a row, or from row to row: of rows side by side."""
    spaces = spaces_of(arrays, one, shape, axes)
    assert spaces is not None, shape
    run, outer = spaces
    classes = classes_of(arrays, run, operands, one)
    beside = _beside(arrays, run, outer, operands) if "s" in classes else None
    return (classes, False) if beside is None else (beside, True)


def takes(classes: Sequence[Class], along: Space, arrays: Sequence[Layout]) -> bool:
    """Whether a kernel of these classes takes arrays with such steps."""
    return along.inner == 1 or all(
        c == "s" or step == (a.dtype.itemsize if c == "c" else 0)
        for c, step, a in zip(classes, along.steps, arrays, strict=True)
    )


def row_major(
    arrays: Sequence[Layout], one: Sequence[bool], shape: Shape, axes: Shape
) -> list[Layout]:
    """The arrays row by row; with the axes of a row behind the others where those do not merge,
    and repeated along them where that alone does not help."""
    places = [layout(a.shape, a.dtype) for a in arrays]
    if spaces_of(places, one, shape, axes) is not None:
        return places
    return [p if row else _behind(p, shape, axes) for p, row in zip(places, one, strict=True)]


def _behind(a: Layout, shape: Shape, axes: Shape) -> Layout:
    lead = len(shape) - len(a.shape)
    order = sorted(range(len(a.shape)), key=lambda d: (d + lead in axes, d))
    own = packed(a.shape, a.dtype, order)
    if merged(shape, axes, _strides(own, shape, axes, row=False)):
        return own
    return _behind(layout(shape, a.dtype), shape, axes)


def row_shape(shape: Shape, axes: Shape, *, keepdims: bool) -> Shape:
    """The shape of what has one value a row."""
    if keepdims:
        return tuple(1 if d in axes else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in axes)


def _strides(a: Layout, shape: Shape, axes: Shape, *, row: bool) -> Shape:
    """Byte strides along the axes of `shape`; 0 where the array has one value."""
    steps = [0 if n == 1 else s for n, s in zip(a.shape, a.strides, strict=True)]
    if row and len(a.shape) == len(shape):  # keepdims
        return tuple(0 if d in axes else s for d, s in enumerate(steps))
    if row:
        each = iter(steps)
        return tuple(0 if d in axes else next(each) for d in range(len(shape)))
    return (0,) * (len(shape) - len(steps)) + tuple(steps)


def _beside(
    arrays: Sequence[Layout], run: Space, outer: Space, operands: int
) -> tuple[Class, ...] | None:
    """Return classes of the steps from row to row, where enough rows lie side by side in memory."""
    if outer.inner < _BESIDE or not run.inner:
        return None
    found = classes_of(arrays, outer, operands)
    return None if "s" in found else found
