"""Elements by indices, as kernels with a unit for each element of the result.

Elements are moved as they are, whatever they mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.operator.arrays.tiled_op import INDICES
from nbgraph.operator.arrays.units import Units, raw, threads
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import Shape, axis_of
from nbgraph.ops.indexing.addressing import (
    ARRAY,
    Chosen,
    Dim,
    Template,
    along,
    chosen,
    counted,
    extents,
    indexed,
    looked_at,
    merged,
    steps,
    strides,
    total,
)
from nbgraph.ops.shapes.slicing import ALL, at_axis, full_key

_SEVERAL = 4  # index arrays that one kernel adds at, at most
_MOVED, _LEAST = 1 << 16, 1024  # bytes that a tile adds, roughly; of a line at once
NOWHERE = f"(0 - {1 << 62})"  # as text; places are negative where steps are


def units_of(name: str, kind: str | None, indices: Sequence[Spec], places: Chosen) -> Units:
    """Return the kernel that stores the chosen elements, or, without a kind, their places."""
    dims, count = merged(places.dims), math.prod(dim.extent for dim in places.dims)
    words = {"total": count, "base": places.base}
    words |= {f"e{k}": n for k, n in enumerate(extents(dims), 1)} | steps(dims, 0, "s")
    arrays = {f"from{k}": (f"i{k}", spec.dtype.name) for k, spec in enumerate(indices)}
    lines, place = list[str](), f"base + {total(dims, 0, 's')}"
    for k in range(len(indices)):
        size, step = places.axes[k]
        words |= {f"n{k}": size} | ({} if step == 1 else {f"m{k}": step})
        words |= steps(dims, 1 + k, f"t{k}_")
        looks = looked_at if kind is None else indexed
        lines += looks(k, f"n{k}", total(dims, 1 + k, f"t{k}_"))
        place += f" + a{k}" if step == 1 else f" + a{k} * m{k}"
    if kind is None:
        lines = ["fits = i >= 0", *lines, f"store(y, i, select(fits, {place}, {NOWHERE}))"]
    else:
        lines.append(f"store_output(y, i, load_input(source, {place}))")
    run = dims[-1].extent if dims and not any(dims[-1].steps[1:]) else 1
    return threads(
        name,
        words,
        {**({"x": ("source", kind)} if kind else {}), **arrays, "out": ("y", kind or "int64")},
        *lines,
        parts=counted(dims),
        before=[] if kind else ["wrong = 0"],
        fails=bool(indices),
        end="0" if kind else "wrong",
        cost=1 + count // run * 3 * len(indices) + count // 3,
    )


def gathered(operands: Sequence[Spec], outputs: Sequence[Spec], *, key: Template) -> Units:
    """x[key]."""
    x, *indices = operands
    places = chosen(key, x.shape, [spec.shape for spec in indices])
    return units_of("gather", raw(x), indices, places)


def taken(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> Units:
    """x[:, indices]."""
    x, indices = operands
    key = at_axis(axis_of("take", axis, len(x.shape)), "array")
    return units_of("take", raw(x), [indices], chosen(key, x.shape, [indices.shape]))


def taken_along(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> Units:
    """out[o, k, c] = x[o, indices[o, k, c], c]."""
    (x, indices), (out,) = operands, outputs
    places = _lined(x.shape, indices.shape, out.shape, axis)
    return units_of("take_along_axis", raw(x), [indices], places)


def _lined(shape: Shape, indices: Shape, out: Shape, axis: int) -> Chosen:
    """What indices of an axis choose that have lines of their own."""
    place = axis_of("take_along_axis", axis, len(shape))
    own = [0 if d == place else step for d, step in enumerate(along(shape, out))]
    dims = [Dim(n, (a, b)) for n, a, b in zip(out, own, along(indices, out), strict=True)]
    return Chosen(0, (), tuple(dims), (), ((shape[place], strides(shape)[place]),))


def signed(operands: Sequence[Spec], outputs: Sequence[Spec], **_: object) -> bool:
    """Return whether indices are of dtypes that a signed word holds."""
    return all(spec.dtype.name != "uint64" for spec in operands[1:])


# added up, on hosts ------------------------------------------------------------------------------


def add_tiling(
    specs: Sequence[Spec], dtype: str, *, shape: Shape, key: Template
) -> KernelCall | None:
    """The call for `scatter_add` of whole lines at indices of adjacent axes, or None."""
    value, *indices = specs
    place = _adjacent(full_key("scatter_add", key, shape), indices)
    if place is None or value.shape != _lines(shape, indices, place):
        return None
    return _added("scatter_add", dtype, indices, shape, place, math.prod(indices[0].shape))


def _adjacent(full: Sequence[object], indices: Sequence[Spec | Layout]) -> int | None:
    """Return the first axis of those side by side at which a key has whole lines, or None."""
    several, place = len(indices), full.index(ARRAY)
    beside = {*full[:place], *full[place + several :]}
    if (*full[place : place + several],) != (ARRAY,) * several or several > _SEVERAL:
        return None
    same = all((x.shape, x.dtype) == (indices[0].shape, indices[0].dtype) for x in indices)
    return place if same and not beside - {ALL} else None


def _line(several: int, place: str) -> tuple[str, list[str]]:
    """Return the number of a line at indices of so many axes, and the lines that look them up at a
    place of theirs."""
    lines, number = list[str](), "o"
    for j in range(several):
        lines += indexed(j, f"n{j}", place)
        number = f"({number}) * n{j} + a{j}"
    return number, lines


def _lines(shape: Shape, indices: Sequence[Spec | Layout], place: int) -> Shape:
    """The shape of whole lines at indices of axes from `place` on."""
    return (*shape[:place], *indices[0].shape, *shape[place + len(indices) :])


def add_along_tiling(
    specs: Sequence[Spec], dtype: str, *, shape: Shape, axis: int
) -> KernelCall | None:
    """The call for `scatter_along_axis`; None where something broadcasts."""
    (_, indices), place = specs, axis_of("scatter_along_axis", axis, len(shape))
    own = indices.shape
    if own[:place] != shape[:place] or own[place + 1 :] != shape[place + 1 :]:
        return None
    return _added("add_along", dtype, [indices], shape, place, own[place], along=True)


def _added(
    name: str,
    dtype: str,
    indices: Sequence[Spec],
    shape: Shape,
    place: int,
    count: int,
    *,
    along: bool = False,
) -> KernelCall:
    """Zeros with `count` lines added in their order at indices of axes from `place` on; `along`:
    at one for each element. Tiles depend on shapes alone."""
    extents = shape[place : place + len(indices)]
    outer, inner = math.prod(shape[:place]), math.prod(shape[place + len(indices) :])
    size, item, kind = math.prod(extents), ITEMSIZE[dtype], indices[0].dtype.name
    share = min(inner, max(_LEAST // item, _MOVED // (item * (count + size))))
    share = inner if along else share
    width = "1" if inner == 1 else "inner"
    at = f"(o * count + k) * {width} + c"  # of a value
    line, lines = _line(len(indices), at if along else "k")
    lines += [f"at = ({line}) * {width} + c"]
    lines += [f"store_output(y, at, load(y, at) + load_input(source, {at}))"]
    clear = ("s", "size", [f"store_output(y, (o * size + s) * inner + c, {dtype}(0))"])
    if share == inner:  # all of it, as one run
        clear = ("s", "size * inner", [f"store_output(y, o * size * inner + s, {dtype}(0))"])
    words = {"total": outer * inner, "inner": inner, "size": size, "count": count}
    call = threads(
        name,
        words | {f"n{j}": n for j, n in enumerate(extents)},
        {
            "value": ("source", dtype),
            **{f"from{j}": (f"i{j}", kind) for j in range(len(indices))},
            "out": ("y", dtype),
        },
        parts=[("o", ""), ("c", width)],
        steps=[clear, ("k", "count", lines)],
        compute="float64" if dtype == "float64" else "float32",
        cost=1 + outer * count * (6 + inner * item // 5),
        share=share,
    )
    return call.on_host(0)


# written, on hosts -------------------------------------------------------------------------------


def put_call(own: Layout, value: Layout, indices: Sequence[Layout], key: Any) -> KernelCall | None:
    """Return the call that writes a value over whole lines at indices of adjacent axes, in their
    order; None for other keys, and values that are broadcast otherwise."""
    item, place = own.dtype.itemsize, _adjacent(full_key("setitem", key, own.shape), indices)
    fits = all(x.contiguous and x.size for x in (own, value, *indices)) and own.dtype == value.dtype
    if place is None or not fits or item > 8 or indices[0].dtype not in INDICES:
        return None
    behind, count = own.shape[place + len(indices) :], indices[0].size
    outer, inner = math.prod(own.shape[:place]), math.prod(behind)
    steps = {
        _lines(own.shape, indices, place): (count * inner, inner, 1),
        behind: (0, 0, 1),
        (): (0, 0, 0),
    }.get(value.shape)
    if steps is None:
        return None
    (line, lines), kind = _line(len(indices), "k"), raw(Spec(own.shape, own.dtype))
    source = "o * by_o + k * by_k + c * by_c"
    lines += [f"store_output(y, ({line}) * inner + c, load_input(source, {source}))"]
    words = {"total": outer * inner, "inner": inner, "count": count}
    words |= dict(zip(("by_o", "by_k", "by_c"), steps, strict=True))
    call = threads(
        "put",
        words | {f"n{j}": own.shape[place + j] for j in range(len(indices))},
        {
            "value": ("source", kind),
            **{f"from{j}": (f"i{j}", x.dtype.name) for j, x in enumerate(indices)},
            "out": ("y", kind),
        },
        parts=[("o", ""), ("c", "1" if inner == 1 else "inner")],
        steps=[("k", "count", lines)],
        cost=1 + outer * count * (6 + inner * item // 5),
        share=inner,
    ).on_host(0)
    return replace(call, name="setitem", order=tuple(range(len(indices) + 2)))
