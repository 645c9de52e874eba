"""Reductions of contiguous arrays along any axes, as kernels one after another.

Along the last axes a reduction is a loop and an end (`reduce`). Along others rows are combined
column by column: groups of GROUP rows, then the groups' totals in the same way, and last what is
left, with the rows that fill no group behind. That is how `ops.reductions` cuts long axes, so sums
of one axis have its bits; adjacent axes count as one. In sums no element takes part in more than
2 GROUP + GROUP * levels additions one after another, with levels = log of rows to base GROUP.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.push import same
from nbgraph.array.reduce import in_order_loop, prepare_reduction
from nbgraph.dtype import is_float, name_of
from nbgraph.errors import ShapeError
from nbgraph.kernels.kernel import kernel
from nbgraph.kernels.loops import BLOCK, GROUP, STRIP, Combine
from nbgraph.operator.reduce_op import runs
from nbgraph.shape import Space


class Staged(NamedTuple):
    """Kernels one after another: each has the addresses of what it reads and of what it writes.

    The first reads the operand, the last writes the result; between them is scratch memory.
    """

    stages: tuple[Prepared, ...]
    scratch: tuple[Layout, ...]


def prepare_axes(
    x: Layout,
    axes: Sequence[int],
    out: Layout,
    request: str = "write",
    combine: Combine = "add",
    block: int = BLOCK,
) -> Staged:
    """`combine` of a contiguous array over axes (counted from 0) into a contiguous result.

    The result's dtype is out's; 16-bit floats are added up in float32; `block`: see
    `reduce.block_on`. ShapeError where there is no element or a layout is not contiguous.

    >>> x, out = layout((40_000, 3), np.dtype("float32")), layout((3,), np.dtype("float32"))
    >>> [step.shape for step in prepare_axes(x, (0,), out).scratch]
    [(1, 313, 3), (1, 4, 3)]
    """
    if not x.contiguous or not out.contiguous or not math.prod(x.shape):
        raise ShapeError(
            f"{combine}: an array of {x.shape}, contiguous and with elements, is needed; copy it"
        )
    steps, shapes = runs(x.shape, axes), [x.shape]
    held = held_dtype(x.dtype, out.dtype, combine)
    stages: list[Prepared] = []
    scratch: list[Layout] = []
    for k, (first, last) in enumerate(steps):
        shape = shapes[-1]
        shapes.append((*shape[:first], *shape[last:]))
        end = k == len(steps) - 1
        given = x if k == 0 else scratch[-1]
        target = out if end else layout(shapes[-1], held)
        own, between = _along(
            given, shape, first, last, target, request if end else "write", combine, block
        )
        stages += own
        scratch += between if end else [*between, target]
    return Staged(tuple(stages), tuple(scratch))


def held_dtype(given: np.dtype[Any], made: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
    """What partial results are kept in."""
    if combine in ("max", "min"):
        return np.dtype("uint8") if given.kind == "b" else _wide(given)
    if is_float(made):
        return np.dtype("float64") if "float64" in (name_of(given), name_of(made)) else _wide(made)
    return np.dtype("uint64" if made.kind == "u" else "int64")


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("float32") if is_float(dtype) and dtype.itemsize == 2 else dtype


def _along(
    given: Layout,
    shape: tuple[int, ...],
    first: int,
    last: int,
    out: Layout,
    request: str,
    combine: Combine,
    block: int,
) -> tuple[list[Prepared], list[Layout]]:
    """The stages of one run of axes, and the scratch memory between them."""
    batches, rows, columns = (
        math.prod(shape[:first]),
        math.prod(shape[first:last]),
        math.prod(shape[last:]),
    )
    if columns == 1:
        return _trailing(given, (batches, rows), out, request, combine, block)
    held = held_dtype(given.dtype, out.dtype, combine)
    stages: list[Prepared] = []
    scratch: list[Layout] = []
    main, carried, dtype = rows, 0, given.dtype
    while True:
        full = main // GROUP if main >= 2 * GROUP else 0
        rest = int(main > full * GROUP) if full else 0
        groups = full + rest + carried if full else 1
        end = not full
        if end:
            main, carried = main + carried, 0
        made, asked = (out.dtype, request) if end else (held, "write")
        loop = in_order_loop("leading", combine, dtype, held, made, asked, _WORDS)
        width = columns * dtype.itemsize, columns * made.itemsize
        total = main + carried
        dims = ((total, width), (batches, (total * width[0], groups * width[1])))
        where = Space(columns, (dtype.itemsize, made.itemsize), dims)
        prepared = Prepared(
            f"{combine}_leading", kernel(loop), where, (full, main, carried, groups), (), 1
        )
        prepared.hi = batches * groups * -(-columns // STRIP)
        prepared.cost = max(1, int(batches * total * columns * dtype.itemsize * 0.05))
        stages.append(prepared)
        if end:
            return stages, scratch
        scratch.append(layout((batches, groups, columns), held))
        main, carried, dtype = full, rest + carried, held


_WORDS = ("full", "main", "carried", "groups")


def _trailing(
    given: Layout, shape: tuple[int, int], out: Layout, request: str, combine: Combine, block: int
) -> tuple[list[Prepared], list[Layout]]:
    plan = same.invoker.plan_of([given.dtype], {})
    flat = layout(shape, given.dtype)
    found = prepare_reduction(
        same, plan, shape, [flat], [out], [request], [combine], 1, block=block
    )
    (totals,), (end,) = found.totals, found.ends
    if totals is None or end is None:
        return [found.loop], []
    return [found.loop, end], [totals]
