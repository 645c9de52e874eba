"""Kernels of hosts that write values at indices, or add them there.

A kernel iterates over the index arrays in order, for each element of the dimensions that they do
not select; so the last value at a repeated index remains, and sums have one order.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from nbgraph.kernels.compiler.units import split
from nbgraph.operator.arrays.units import raw, threads
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, Layouts
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import Shape, axis_of
from nbgraph.ops.indexing.addressing import (
    ARRAY,
    Dim,
    Template,
    along,
    chosen,
    indexed,
    merged,
    selected_shape,
    strides,
)
from nbgraph.ops.shapes.slicing import ALL, full_key

_MOVED, _LEAST = 1 << 16, 1024  # rough bytes that a tile writes; bytes of a line at once
_ADDED = "float32", "float64", "int32", "int64"  # dtypes that kernels add
_WIDEST = 8  # bytes of an element that is copied as a word


class _Scatter(NamedTuple):
    """A write at indices: `lanes`, dimensions that never select an element twice, with steps in the
    result, in the index arrays and in the value; `turns`, those iterated in order; extent and step
    of each index array's axis; `cleared`: positions, and the step between them, that are zeroed
    before, per lane."""

    base: int
    lanes: tuple[Dim, ...]
    turns: tuple[Dim, ...]
    axes: tuple[tuple[int, int], ...]
    cleared: tuple[int, int] = (0, 0)


def write_call(
    own: Layout, value: Layout, indices: Layouts, key: Template, *, adds: bool
) -> KernelCall | None:
    """Return the call that writes a value at a key, or adds it, over the value, index arrays and
    `own`, in order; None for other layouts."""
    item = own.dtype.itemsize
    fits = own.size and all(x.contiguous and x.size for x in (value, *indices))
    if not fits or own.dtype != value.dtype or any(step % item for step in own.strides):
        return None
    shapes, steps = [x.shape for x in indices], [step // item for step in own.strides]
    scatter = _at_key(own.shape, steps, value.shape, shapes, key)
    return _call(scatter, Spec(own.shape, own.dtype), [x.dtype.name for x in indices], adds=adds)


def add_tiling(specs: Specs, dtype: str, *, shape: Shape, key: Template) -> KernelCall | None:
    """Return the call of `scatter_add` for whole lines at indices of adjacent axes, or None."""
    (value, *indices), axes = specs, whole_lines(key, shape)
    shapes = [spec.shape for spec in indices]
    if axes is None or value.shape != selected_shape("scatter_add", key, shape, shapes):
        return None
    scatter = _at_key(shape, strides(shape), value.shape, shapes, key)
    size = math.prod([shape[axis] for axis in axes])
    scatter = scatter._replace(cleared=(size, strides(shape)[axes[-1]]))
    return _call(scatter, Spec(shape, value.dtype), [x.dtype.name for x in indices], adds=True)


def add_along_tiling(specs: Specs, dtype: str, *, shape: Shape, axis: int) -> KernelCall | None:
    """Return the call of `scatter_along_axis`; None if an operand broadcasts."""
    (value, indices), place = specs, axis_of("scatter_along_axis", axis, len(shape))
    own = indices.shape
    if own[:place] != shape[:place] or own[place + 1 :] != shape[place + 1 :]:
        return None
    steps = zip(own, strides(shape), strides(own), strides(own), strict=True)
    dims = [Dim(n, tuple(each)) for n, *each in steps]
    line, (_, by_index, by_value) = strides(shape)[place], dims[place].steps
    turns = (Dim(own[place], (0, by_index, by_value)),)
    lanes = (*merged(dims[:place]), *merged(dims[place + 1 :]))
    scatter = _Scatter(0, lanes, turns, ((shape[place], line),), (shape[place], line))
    return _call(scatter, Spec(shape, value.dtype), [indices.dtype.name], adds=True)


@functools.lru_cache(1024)
def whole_lines(key: Template, shape: Shape) -> range | None:
    """Return the axes that a key's index arrays index, if these are adjacent and the key takes all
    others in full."""
    full = full_key("scatter_add", key, shape)
    first, count = full.index(ARRAY), full.count(ARRAY)
    whole = full == (*(ALL,) * first, *(ARRAY,) * count, *(ALL,) * (len(shape) - first - count))
    return range(first, first + count) if whole else None


def core_shape(shape: Shape, rank: int) -> Shape:
    """Return the shape of a value without leading axes of size 1 that the selection lacks."""
    return shape[max(0, len(shape) - rank) :]


def _at_key(
    shape: Shape, steps: Sequence[int], value: Shape, indices: Sequence[Shape], key: Template
) -> _Scatter:
    """Return where a key writes a value that may broadcast; `steps`: of the result's axes."""
    places = chosen(key, shape, indices, steps)
    wide = selected_shape("setitem", key, shape, indices)
    each = zip(wide, along(core_shape(value, len(wide)), wide), strict=True)
    from_value = [step for n, step in each if n != 1]

    def with_value(dims: Sequence[Dim]) -> tuple[Dim, ...]:
        own = [dim for dim in dims if dim.extent != 1]
        return merged([Dim(n, (*each, from_value.pop(0))) for n, each in own])

    before, turns, after = map(with_value, (places.before, places.together, places.after))
    return _Scatter(places.base, (*before, *after), turns, places.axes)


def _call(scatter: _Scatter, out: Spec, indices: Sequence[str], *, adds: bool) -> KernelCall | None:
    """Return the call over the value, index arrays of these dtypes and the result, or None."""
    item, name = out.dtype.itemsize, out.dtype.name
    if item > _WIDEST or "uint64" in indices or (adds and name not in _ADDED):
        return None
    lanes, kind = scatter.lanes, name if adds else raw(out)
    total, count = (math.prod([n for n, _ in dims]) for dims in (lanes, scatter.turns))
    size = scatter.cleared[0]
    if not total * (count + size):
        return None
    parts = [(f"d{k}", f"e{k}") for k in range(len(lanes))]
    if not lanes or lanes[-1].steps[0] != 1:  # a tile writes a whole line before the next one
        parts.append(("c", "1"))
    run = lanes[-1].extent if parts[-1][0] != "c" else 1
    share = min(run, max(_LEAST // item, _MOVED // (item * (count + size))))
    words = {"total": total, "count": count, "base": scatter.base}
    steps = _steps(scatter, words, kind, adds=adds, whole=run == share)
    units = threads(
        "add_at" if adds else "write_at",
        words,
        {
            "value": ("source", kind),
            **{f"from{j}": (f"i{j}", each) for j, each in enumerate(indices)},
            "out": ("y", kind),
        },
        parts=[(parts[0][0], ""), *parts[1:]] if len(parts) > 1 else [("o", ""), *parts],
        steps=steps,
        compute="float64" if kind == "float64" else "float32",
        fails=bool(indices),
        cost=1 + count * (6 * (total // run) + total * item // 5),
        share=share,
    )
    return replace(units.on_host(0), order=tuple(range(len(indices) + 2)))


def _steps(
    scatter: _Scatter, words: dict[str, int], kind: str, *, adds: bool, whole: bool
) -> list[tuple[str, str, Sequence[str]]]:
    """Return the loops of a tile: zeroing, then the turns. Extents and steps become `words`;
    `whole`: a tile has all of the last lane."""
    _, lanes, turns, axes, (size, line) = scatter
    turn = [f"k{k}" for k in range(len(turns))] if len(turns) > 1 else ["k"]
    numbers = [(n, f"t{k}") for k, n in enumerate(turn)] if len(turns) > 1 else []
    lines = split("k", *numbers, narrow=False) if numbers else []
    words |= {f"e{k}": dim.extent for k, dim in enumerate(lanes)}
    words |= {f"t{k}": dim.extent for k, dim in enumerate(turns)}

    def place(which: int, label: str, dims: Sequence[tuple[str, Dim]]) -> str:
        """Return the offset in an array as text; the steps become words."""
        words.update({f"{label}_{n}": dim.steps[which] for n, dim in dims})
        steps = [(n, dim.steps[which]) for n, dim in dims]
        return " + ".join([_times(n, step, f"{label}_{n}") for n, step in steps if step] or ["0"])

    named = [(f"d{k}", dim) for k, dim in enumerate(lanes)]
    every = [*named, *zip(turn, turns)]
    for j, (extent, step) in enumerate(axes):
        words |= {f"n{j}": extent, f"m{j}": step}
        lines += indexed(j, f"n{j}", place(1 + j, f"i{j}", every))
    by_index = [_times(f"a{j}", step, f"m{j}") for j, (_, step) in enumerate(axes)]
    value = f"load_input(source, {place(-1, 'v', every)})"
    lines += [f"at = {' + '.join(['base', place(0, 'y', every), *by_index])}"]
    lines += [f"store_output(y, at, {'load(y, at) + ' * adds}{value})"]
    steps: list[tuple[str, str, Sequence[str]]] = [("k", "count", lines)]
    if size:
        run = lanes[-1].extent if lanes else 1
        flat = whole and 1 < run == line  # a tile clears contiguous elements
        size, line = (size * run, 1) if flat else (size, line)
        words |= {"size": size, "line": line}
        at = f"{place(0, 'y', named[: len(named) - flat])} + {_times('s', line, 'line')}"
        steps.insert(0, ("s", "size", [f"store_output(y, {at}, {kind}(0))"]))
    return steps


def _times(name: str, step: int, word: str) -> str:
    """Return a number times a step, which is this word, as text."""
    return name if step == 1 else f"{name} * {word}"
