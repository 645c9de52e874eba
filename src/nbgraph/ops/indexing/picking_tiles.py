"""The calls of kernels that add at lines of an array; see `kernels.lines.picking`.

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


def _place(name: str, key: tuple[Any, ...], shape: Shape, indices: Sequence[Spec]) -> int | None:
    """Return the first axis of those side by side that a key takes lines at, or None."""
    full, several = full_key(name, key, shape), len(indices)
    if any(part not in ("array", ALL) for part in full):  # `keys.ARRAY`; that file needs ours
        return None
    place = full.index("array")
    if full[place : place + several] != ("array",) * several or several > _SEVERAL:
        return None
    return place if all(spec == indices[0] for spec in indices) else None


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
