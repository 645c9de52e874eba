"""Writes and additions at indices: a thread per element of a group's first position.

Positions with the same target form a group. One position of a group does the work, over all
positions in order: so results do not depend on the order of threads, and sums have the host's bits.
Many positions are sorted first, by a library, so that groups are adjacent; few ones are searched in
full, which saves a kernel and can be captured.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.kernels.scalar.kinds import FLOATS, narrowed, widened
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.units import Units, raw, threads
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import Shape, axis_of, library
from nbgraph.ops.gpu.complexes import by_parts
from nbgraph.ops.indexing.addressing import (
    Chosen,
    Dim,
    chosen,
    counted,
    extents,
    merged,
    steps,
    strides,
    together,
    total,
)
from nbgraph.ops.indexing.gathering import scatter_add
from nbgraph.ops.indexing.indexing import scatter_along_axis
from nbgraph.ops.indexing.keys import ARRAY, Template
from nbgraph.ops.indexing.places import NOWHERE, units_of
from nbgraph.ops.indexing.writing import index_add, index_update
from nbgraph.ops.reductions.reductions import accumulator

_FEW = 1 << 28  # comparisons for a search in all positions: about 40 us of a large GPU


def _places_infer(*indices: Spec, base: int, axes: tuple[tuple[int, int], ...]) -> Spec:
    return Spec(np.broadcast_shapes(*(spec.shape for spec in indices)), np.dtype("int64"))


PLACES = ArrayOp("places", _places_infer, operands=("*indices",))


@device_forms.unit(PLACES)
def placed(
    operands: Specs, outputs: Specs, *, base: int, axes: tuple[tuple[int, int], ...]
) -> Units:
    """Return the kernel of a base plus indices, in bounds, times the steps of their axes."""
    dims = together([spec.shape for spec in operands])
    return units_of("places", None, operands, Chosen(base, (), dims, (), axes))


# the kernel --------------------------------------------------------------------------------------

_FIRST_OF_SORTED = f"""\
own = load(lines, l0 + s * ls)
work = (own != {NOWHERE}) & ((load(lines, l0 + max(s - 1, 0) * ls) != own) | (s == 0))"""
_FIRST_OF_ALL = f"""\
own = load(lines, l0 + s * ls)
work = own != {NOWHERE}
for q in range(s):
    if load(lines, l0 + q * ls) == own:
        work = False
        break"""
_SUM = """\
if work:
    acc = {from_result}
    r = s
    while r < count:
        if load(lines, l0 + r * ls) == own:
            acc = acc {plus} {from_value}
        {otherwise}
        r += 1
    store(y, own + y0, {to_result})"""
_LAST = """\
if work:
    last = s
    r = s + 1
    while r < count:
        if load(lines, l0 + r * ls) == own:
            last = r
        {otherwise}
        r += 1
    store(y, own + y0, load(source, v0 + {place} * vs))"""
_GO_ON, _BEHIND = "r = r", "else:\n            break"


def _read(dtype: str, text: str) -> str:
    """Return a loaded element in the dtype of its sum."""
    return widened(text, dtype) if dtype in FLOATS else f"int64({text})"


def _body(value: Spec, out: Spec, *, sums: bool, ordered: bool) -> list[str]:
    place = "load(order, l0 + r * ls)" if ordered else "r"
    begin = _FIRST_OF_SORTED if ordered else _FIRST_OF_ALL
    otherwise = _BEHIND if ordered else _GO_ON
    if not sums:
        place = place.replace("r *", "last *") if ordered else "last"
        return [begin, _LAST.format(place=place, otherwise=otherwise)]
    name = out.dtype.name
    loaded = _read(value.dtype.name, f"load(source, v0 + {place} * vs)")
    return [
        begin,
        _SUM.format(
            from_result=_read(name, "load(y, own + y0)"),
            from_value=loaded,
            plus="|" if name == "bool" else "+",
            to_result=narrowed("acc", name),
            otherwise=otherwise,
        ),
    ]


def _infer(*arrays: Spec, based: bool, shape: Shape, **_: Any) -> Spec:
    return arrays[0] if based else Spec(shape, arrays[0].dtype)


GROUPS = ArrayOp("scattered", _infer, operands=("*arrays",))


def _begin(out: Any, *arrays: Any, based: bool, **_: Any) -> Iterator[tuple[Any, int | None, Any]]:
    yield (out, 0, arrays[0]) if based else (out, None, 0)


@device_forms.unit(GROUPS, first=_begin)
def grouped(
    operands: Specs,
    outputs: Specs,
    *,
    based: bool,
    sums: bool,
    shape: Shape,
    dims: tuple[Dim, ...],
    at: int,
) -> Units:
    """Return the kernel of values at lines, position after position of each group.

    Operands: the initial result, if `based`; values; the line of each position, an offset in the
    result; if these are sorted, their original order. `dims`: of the values, with steps in the
    result, the values and the lines; dimension `at` is that of positions.
    """
    value, ordered, (out,) = operands[based], len(operands) - based == 3, outputs
    words = {"total": math.prod(dim.extent for dim in dims), "count": dims[at].extent}
    words |= {f"e{k}": n for k, n in enumerate(extents(dims), 1)}
    lines = [f"s = d{at}"]
    others = [dim if k != at else Dim(dim.extent, (0, 0, 0)) for k, dim in enumerate(dims)]
    for which, name in enumerate(("y", "v", "l")):
        words |= steps(others, which, f"{name}_step")
        lines.append(f"{name}0 = {total(others, which, f'{name}_step')}")
    kinds = [spec.dtype.name if sums else raw(spec) for spec in (value, out)]
    arrays = {"base": ("", "")} if based else {}
    arrays |= {"values": ("source", kinds[0]), "places": ("lines", "int64")}
    arrays |= {"ordered": ("order", "int64")} if ordered else {}
    return threads(
        "scattered",
        words | dict(zip(("vs", "ls"), dims[at].steps[1:], strict=True)),
        {**arrays, "out": ("y", kinds[1])},
        *lines,
        *_body(value, out, sums=sums, ordered=ordered),
        parts=counted(dims),
    )


# what is scattered -------------------------------------------------------------------------------


def _scattered(
    base: Any, value: Any, lines: Any, places: Chosen, *, axis: int, shape: Shape, sums: bool
) -> tuple[list[Any], dict[str, Any]]:
    """Return operands and attributes of GROUPS for values at lines: along this axis of `lines`,
    whose other axes are dimensions of `places` before and after."""
    (middle,) = places.together
    before, after = merged(places.before), merged(places.after)
    dims = (*before, middle, *after)
    arrays = [value, lines] if base is None else [base, value, lines]
    if math.prod(dim.extent for dim in dims) * middle.extent > _FEW:
        order = library.argsort(lines, axis)
        arrays[-1:] = [library.take_along_axis(lines, order, axis), order]
    how = {"based": base is not None, "sums": sums, "shape": shape}
    return arrays, {**how, "dims": dims, "at": len(before)}


def at_index(
    base: Any,
    value: Any,
    arrays: Sequence[Any],
    *,
    shape: Shape,
    key: Template,
    sums: bool,
    steps: Sequence[int] | None = None,
) -> tuple[list[Any], dict[str, Any]]:
    """Return operands and attributes of GROUPS for a value written or added at an index. `steps`:
    of the result's axes, in elements; row-major by default."""
    shapes = [tuple(a.shape) for a in arrays]
    places = positioned(chosen(key, shape, shapes, steps))
    lines = PLACES(*arrays, base=places.base, axes=places.axes)
    value = library.broadcast_to(value, _extents(key, shape, shapes))
    lines = library.reshape(lines, (-1,))
    return _scattered(base, value, lines, places, axis=0, shape=shape, sums=sums)


def by_index(base: Any, value: Any, arrays: Sequence[Any], **how: Any) -> Any:
    """Return `base`, or zeros, with a value written or added at an index."""
    operands, attributes = at_index(base, value, arrays, **how)
    return GROUPS(*operands, **attributes)


def _extents(key: Template, shape: Shape, arrays: Sequence[Shape]) -> Shape:
    return tuple(dim.extent for dim in chosen(key, shape, arrays).dims)


def positioned(places: Chosen) -> Chosen:
    """Return the same with all dimensions of index arrays merged, and three kinds of steps."""
    count = math.prod(dim.extent for dim in places.together)
    all_extents = [d.extent for d in places.before], [count], [d.extent for d in places.after]
    steps = iter(strides([n for part in all_extents for n in part]))
    before = tuple(Dim(d.extent, (d.steps[0], next(steps), 0)) for d in places.before)
    middle = Dim(count, (0, next(steps), 1))
    after = tuple(Dim(d.extent, (d.steps[0], next(steps), 0)) for d in places.after)
    return places._replace(before=before, together=(middle,), after=after)


def _wide(base: Any, value: Any) -> Any:
    """Return a value to be added to an array, in the dtype of the array or of its sums."""
    if base.dtype == value.dtype:
        return value
    return library.astype(value, accumulator(base.dtype))


@device_forms.composed(scatter_add)
def added(value: Any, *arrays: Any, shape: Shape, key: Template) -> Any:
    """Return zeros with a value added at an index."""
    if value.dtype.kind == "c":
        return by_parts(scatter_add, value, *arrays, shape=shape, key=key)
    if ARRAY not in key:
        return library.slice_scatter(value, shape, key)
    return by_index(None, value, arrays, shape=shape, key=key, sums=True)


@device_forms.composed(index_add)
def added_to(x: Any, value: Any, *arrays: Any, key: Template) -> Any:
    """Return an array with a value added at an index."""
    if x.dtype.kind == "c" and ARRAY in key:
        value = library.astype(value, x.dtype)
        return library.add(x, by_parts(scatter_add, value, *arrays, shape=tuple(x.shape), key=key))
    value = _wide(x, value)
    if ARRAY not in key:
        part = library.slice_view(x, key)
        return library.index_update(x, library.add(part, value), key=key)
    return by_index(x, value, arrays, shape=tuple(x.shape), key=key, sums=True)


@device_forms.composed(index_update)
def updated(x: Any, value: Any, *arrays: Any, key: Template) -> Any:
    """Return an array with a value written at an index; None without index arrays."""
    if ARRAY not in key:
        return None
    value = library.astype(value, x.dtype)
    return by_index(x, value, arrays, shape=tuple(x.shape), key=key, sums=False)


@device_forms.composed(scatter_along_axis)
def added_along(value: Any, indices: Any, *, shape: Shape, axis: int) -> Any:
    """Return zeros with a value added at indices along an axis, line by line."""
    if value.dtype.kind == "c":
        return by_parts(scatter_along_axis, value, indices, shape=shape, axis=axis)
    place = axis_of("scatter_along_axis", axis, len(shape))
    extents = tuple(value.shape)
    indices = library.broadcast_to(indices, extents)
    lines = PLACES(indices, base=0, axes=((shape[place], strides(shape)[place]),))
    steps = zip(extents, strides(shape), strides(extents), strict=True)
    dims = [Dim(n, (0 if d == place else a, b, b)) for d, (n, a, b) in enumerate(steps)]
    middle = (dims[place],)
    places = Chosen(0, tuple(dims[:place]), middle, tuple(dims[place + 1 :]), ())
    operands, how = _scattered(None, value, lines, places, axis=place, shape=shape, sums=True)
    return GROUPS(*operands, **how)
