"""The calls of kernels that take lines of an array, or add at them; see `kernels.lines.picking`.

Tiles depend on shapes alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.ops.define import Shape, axis_of
from nbgraph.ops.shapes.slicing import ALL, full_key

_SEVERAL = 4  # index arrays of one kernel, at most
_TILE = 1 << 16  # bytes that a tile moves, roughly
_LEAST = 256  # bytes of a line that are added at once


def take_tiling(specs: Sequence[Spec], dtype: Any, *, axis: int) -> KernelCall:
    """The call for `take`."""
    return _lines_tiling(specs, axis_of("take", axis, len(specs[0].shape)))


def gather_tiling(specs: Sequence[Spec], dtype: Any, *, key: tuple[Any, ...]) -> KernelCall | None:
    """The call for `gather` of whole lines at the indices of one axis, or at indices of one shape
    of axes side by side; None for other keys."""
    place = _place("gather", key, specs[0].shape, specs[1:])
    return None if place is None else _lines_tiling(specs, place)


def _place(name: str, key: tuple[Any, ...], shape: Shape, indices: Sequence[Spec]) -> int | None:
    """Return the first axis of those side by side that a key takes lines at, or None."""
    full, several = full_key(name, key, shape), len(indices)
    if any(part not in ("array", ALL) for part in full):  # `keys.ARRAY`; that file needs ours
        return None
    place = full.index("array")
    if full[place : place + several] != ("array",) * several or several > _SEVERAL:
        return None
    return place if all(spec == indices[0] for spec in indices) else None


def _lines_tiling(specs: Sequence[Spec], place: int) -> KernelCall:
    """The call that takes lines at the indices of axes from `place` on."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.lines.picking import take_text

    (x, indices, *_), several = specs, len(specs) - 1
    outer, inner = math.prod(x.shape[:place]), math.prod(x.shape[place + several :])
    count, nbytes = math.prod(indices.shape), inner * x.dtype.itemsize
    share = max(1, min(count, _TILE // nbytes))
    parts = -(-count // share)
    bits = f"uint{8 * x.dtype.itemsize}"  # elements are moved as they are
    text = take_text(bits, indices.dtype.name, several, single=inner == 1)
    words = share, parts, *x.shape[place : place + several]
    cost = _cost(outer * count * several, nbytes)
    return tile_call(written("take", text, "float32"), (count, inner), words, outer * parts, cost)


def add_tiling(
    specs: Sequence[Spec], dtype: Any, *, shape: Shape, key: tuple[Any, ...]
) -> KernelCall | None:
    """The call for `scatter_add` of whole lines at indices of adjacent axes, or None."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.lines.picking import add_text

    value, *indices = specs
    place = _place("scatter_add", key, shape, indices)
    if place is None:
        return None
    behind = place + len(indices)
    if value.shape != (*shape[:place], *indices[0].shape, *shape[behind:]):
        return None
    outer, inner = math.prod(shape[:place]), math.prod(shape[behind:])
    size, count = math.prod(shape[place:behind]), math.prod(indices[0].shape)
    item = value.dtype.itemsize
    share = min(inner, max(_LEAST // item, _TILE // (item * (count + size))))
    parts = -(-inner // share)
    text = add_text(dtype, indices[0].dtype.name, len(indices), single=inner == 1)
    code = written("scatter_add", text, dtype)
    head, words = (size, count), (inner, share, parts, *shape[place:behind])
    return tile_call(code, head, words, outer * parts, _cost(outer * count * 2, inner * item))


def take_along_tiling(specs: Sequence[Spec], dtype: Any, *, axis: int) -> KernelCall | None:
    """The call for `take_along_axis`; None where something broadcasts."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.lines.picking import take_along_text

    x, indices = specs
    place = axis_of("take_along_axis", axis, len(x.shape))
    sizes = _sizes(x.shape, indices.shape, place)
    if sizes is None or x.dtype.itemsize > 8:
        return None
    outer, inner = sizes
    count = indices.shape[place]
    share = max(1, min(count, _TILE // (inner * x.dtype.itemsize)))
    parts = -(-count // share)
    text = take_along_text(f"uint{8 * x.dtype.itemsize}", indices.dtype.name)
    code, words = written("take_along", text, "float32"), (inner, share, parts)
    cost = outer * count * inner
    return tile_call(code, (x.shape[place], count), words, outer * parts, cost)


def add_along_tiling(
    specs: Sequence[Spec], dtype: Any, *, shape: Shape, axis: int
) -> KernelCall | None:
    """The call for `scatter_along_axis`."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.lines.picking import add_along_text

    place = axis_of("scatter_along_axis", axis, len(shape))
    sizes = _sizes(shape, specs[1].shape, place)
    if sizes is None:
        return None
    outer, inner = sizes
    count = specs[1].shape[place]
    code = written("add_along", add_along_text(dtype, specs[1].dtype.name), dtype)
    cost = 2 * outer * (count + shape[place]) * inner
    return tile_call(code, (shape[place], count), (inner, count, 1), outer, cost)


def _sizes(shape: Shape, chosen: Shape, place: int) -> tuple[int, int] | None:
    """Elements before and behind an axis; None where two shapes differ in them."""
    if shape[:place] != chosen[:place] or shape[place + 1 :] != chosen[place + 1 :]:
        return None
    return math.prod(shape[:place]), math.prod(shape[place + 1 :])


def _cost(lines: int, nbytes: int) -> int:
    """Nanoseconds, roughly."""
    return int(lines * (3 + nbytes / 10))
