"""Reductions as kernel calls: of contiguous arrays along any axes, and at the end of a map.

A loop over the operands stores a total for each block of a row; if a row has several blocks, a
second kernel combines them. For a row of one block the loop writes the result. Within a block sums
are added in an order that LLVM chooses, block totals in float64 by NumPy's pairwise sum; 16-bit
results are rounded to float32 first. So the error is at most (block / lanes + log2 of blocks) eps
times the sum of magnitudes; a block is BLOCK elements, or more if threads of a GPU share it as
lanes. NaN counts as the extreme.

Along axes other than the last, rows are combined column by column: groups of GROUP rows, then the
groups' totals in the same way, and last the remainder, followed by rows that fill no group.
Adjacent axes count as one. In sums an element takes part in at most 2 GROUP + GROUP * levels
sequential additions, with levels = log of rows to base GROUP.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np

from nbgraph.dtype import inexact, is_float, name_of
from nbgraph.errors import ShapeError
from nbgraph.kernels.compiler.kernel import Kernel, kernel
from nbgraph.kernels.loops.cost import of_kernel, per_element
from nbgraph.kernels.loops.loop import BLOCK, GROUP, STRIP, Combine, Loop, Operand, Output, stretch
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.kinds import kind_of_dtype
from nbgraph.operator.kernel_call import KernelCall, Lowered, of_space
from nbgraph.operator.layout import Layout, Layouts, c_strides, classes_of, in_reals, layout
from nbgraph.operator.mapper.decorator import op as scalar_op
from nbgraph.operator.scalar.map_call import Plan, strides_in
from nbgraph.shape import Shape, Space, space

Stages = tuple[list[KernelCall], list[Layout]]  # calls, and the layouts of memory between them


@scalar_op
def same(x: Any) -> Any:
    """Return x: the operator of fills, copies and casts."""
    return x


def block_on(host: bool, elements: int) -> int:
    """Return the elements of a block of a reduction, on the host or on devices."""
    return BLOCK if host else stretch(elements)


def reduce_call(
    plan: Plan,
    shape: Shape,
    operands: Sequence[Layout | None],
    outputs: Layouts,
    requests: Sequence[str],
    combines: Sequence[Combine | None],
    axes: int,
    *,
    disjoint: bool = False,
    block: int = BLOCK,
) -> Lowered:
    """Return the kernels for operands of these layouts (None: a scalar), broadcast to `shape`.

    Outputs with a combine ("add", "multiply", "max", "min") are reduced over the last `axes` axes:
    contiguous results with one element per row, in any shape. The others have `shape`. Requests are
    "write", "add" or "null"; `disjoint` as in `map_call`; `block`: see `block_on`. Raises
    ShapeError if there are no elements.

    >>> from nbgraph.ops.elementwise.arithmetic import multiply
    >>> single = np.dtype("float32")
    >>> x, out = layout((8, 5000), single), layout((8,), single)
    >>> plan = multiply.invoker.plan_of([single, single], {})
    >>> found = reduce_call(
    ...     plan, x.shape, [x, x], [out], ["write"], ["add"], 1
    ... )  # sums of squares: five blocks a row
    >>> [call.size for call in found.calls], found.scratch[0].shape
    ([40, 8], (8, 5))
    """
    if not math.prod(shape):
        raise ShapeError(f"{plan.name}: shape {shape} has no elements, so nothing is reduced")
    rows = zip(outputs, plan.typed.outputs, requests, combines, strict=True)
    task = _Task(plan, operands, [_Result(*row) for row in rows], block)
    task.laid_out(shape, axes)
    nbytes = sum(a.dtype.itemsize for a in task.arrays)
    cost = max(1, int(math.prod(shape) * per_element(plan.typed.captured, nbytes)))
    code = task.kernel(disjoint=disjoint)
    count_in = sum(o is not None for o in operands)
    places = {k: count_in + k for k in range(len(outputs))}
    scratch: list[Layout] = []
    ends: list[KernelCall] = []
    for k, result in enumerate(task.results):
        if result.totals is not None and result.combine is not None:
            places[k] = count_in + len(outputs) + len(scratch)
            scratch.append(result.totals)
            own, between = _final_calls(result, plan.name)
            beyond = count_in + len(outputs) + len(scratch)
            chain = [places[k], *range(beyond, beyond + len(between)), count_in + k]
            ends += [replace(e, order=pair) for e, pair in zip(own, pairwise(chain), strict=True)]
            scratch += between
    written = [places[k] for k, request in enumerate(requests) if request != "null"]
    loop = KernelCall(
        plan.name,
        code,
        order=(*range(count_in), *written),
        size=task.blocks * task.where.rows,
        cost=of_kernel(code.loop, cost),
        scalars=plan.scalars(operands),
        writes=len(written),
        **of_space(task.where, plan.words()),
    )
    return Lowered((loop, *ends), (None,) * (count_in + len(outputs)), tuple(scratch), adds=False)


def _final_calls(result: _Result, name: str) -> Stages:
    """Return the calls that combine the totals of blocks, as two columns if complex."""
    totals, out, combine = result.totals, result.out, result.combine
    assert totals is not None, name
    assert combine is not None, name
    if totals.dtype.kind != "c":
        return [totals_call(combine, totals, out, result.request, name)], []
    columns, between = _Columns(combine, BLOCK, result.request), in_reals(totals)
    columns.along(between, between.shape, 1, 2, in_reals(out), end=True)
    return columns.stages, columns.scratch


@dataclass(slots=True, eq=False, repr=False)
class _Result:
    """An output: its layout, the dtype of its values, and its reduction."""

    out: Layout
    dtype: np.dtype[Any]
    request: str
    combine: Combine | None
    totals: Layout | None = None

    @property
    def written(self) -> Layout:
        """The array that the loop itself writes."""
        return self.out if self.totals is None else self.totals

    def take_blocks(self, rows: int, count: int) -> None:
        """Add scratch memory for the totals of `count` blocks per row, if the loop needs any."""
        if self.combine is None or self.request == "null":
            return
        total = total_dtype(self.dtype, self.combine)
        direct = inexact(self.dtype) or self.out.dtype == total or self.out.dtype.kind == "b"
        if count > 1 or not direct:
            self.totals = layout((rows, count), total)


@dataclass(eq=False, repr=False)
class _Task:
    """The shapes and strides of a call as rows, runs, blocks, and layouts of totals."""

    plan: Plan
    operands: Sequence[Layout | None]
    results: Sequence[_Result]
    block: int

    def laid_out(self, shape: Shape, axes: int) -> None:
        """Determine rows, runs and blocks of the shape that operands broadcast to."""
        self.asked = [r for r in self.results if r.request != "null"]
        inputs = [o for o in self.operands if o is not None]
        self.arrays = [*inputs, *(r.out for r in self.asked if r.combine is None)]
        strides = [strides_in(a, shape) for a in self.arrays]
        kept = len(shape) - axes
        run = space(shape[kept:], [s[kept:] for s in strides])
        self.classes = classes_of(self.arrays, run, len(inputs))
        self.blocks = -(-run.inner // self.block)
        extents = [n for n, _ in reversed(run.outer)]  # reduced, but not merged with the run
        for result in self.results:
            result.take_blocks(math.prod(shape[:kept]), math.prod(extents) * self.blocks)
        rows = [
            (*s[:kept], *(steps[k] for _, steps in reversed(run.outer)))
            for k, s in enumerate(strides)
        ]
        self.where = self._where(run, (*shape[:kept], *extents), rows, len(inputs))

    def _where(self, run: Space, shape: Shape, rows: list[tuple[int, ...]], inputs: int) -> Space:
        """Return the space of the record: the run, and rows of all arrays in the record's order."""
        strides, steps = rows[:inputs], list(run.steps[:inputs])
        mapped = iter(zip(rows[inputs:], run.steps[inputs:], strict=True))
        for result in self.asked:
            size = result.written.dtype.itemsize
            own = c_strides(shape, self.blocks * size), size
            outer, step = own if result.combine else next(mapped)
            strides.append(outer)
            steps.append(step)
        outside = space(shape, strides)
        return Space(run.inner, tuple(steps), ((outside.inner, outside.steps), *outside.outer))

    def kernel(self, *, disjoint: bool) -> Kernel:
        """Return the loop's kernel, cached for equal layouts."""
        classes = iter(self.classes)
        layouts = ["p" if o is None else next(classes) for o in self.operands]
        layouts += [
            "c" if r.combine or r.request == "null" else next(classes) for r in self.results
        ]
        dtypes = [name_of(r.written.dtype) for r in self.results]
        requests = [r.request if r.totals is None else "write" for r in self.results]
        combines = [(r.combine, r.combine is not None and r.totals is None) for r in self.asked]
        key = tuple(map(tuple, (layouts, dtypes, requests, combines, [disjoint, self.block])))
        code = self.plan.kernels.get(key)
        if code is None:
            loop_of = self.plan.loop(layouts, dtypes, requests, disjoint=disjoint)
            outputs = tuple(
                o._replace(combine=c, whole=whole)
                for o, (c, whole) in zip(loop_of.outputs, combines, strict=True)
            )
            loop = replace(loop_of, form="reduce", outputs=outputs, block=self.block)
            code = self.plan.kernels[key] = kernel(loop, self.plan.name)
        return code


def total_dtype(dtype: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
    """Return the dtype of block totals."""
    if dtype.kind == "c":
        return np.dtype("complex128")
    if dtype.kind in "fV":
        wide = combine in ("add", "multiply") or dtype.itemsize == 2
        return np.dtype("float64") if wide else dtype
    return result_dtype(dtype, combine)


def result_dtype(dtype: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
    """Return the dtype of results: sums and products of integers have 64 bits."""
    if combine in ("max", "min") or dtype.kind in "fV":
        return np.dtype("uint8") if dtype.kind == "b" else dtype
    return np.dtype("uint64" if dtype.kind == "u" else "int64")


# totals -----------------------------------------------------------------------------------------


def totals_call(
    combine: Combine, totals: Layout, out: Layout, request: str, name: str = "totals"
) -> KernelCall:
    """Return the kernel that combines each row of `totals` (rows, count), contiguous, to one value,
    cast to `out`'s dtype.

    Sums of float64 are NumPy's pairwise `add.reduce`, all else is combined in order.
    """
    rows, count = totals.shape
    source, target = totals.dtype, out.dtype
    loop = in_order_loop("totals", combine, source, source, target, request)
    steps = (count * source.itemsize, target.itemsize)
    where = Space(count, (source.itemsize, target.itemsize), ((rows, steps),))
    cost = max(1, rows * (5 + count // 2))
    name = f"{combine}_{name}"
    return KernelCall(name, kernel(loop), order=(0, 1), size=rows, cost=cost, **of_space(where))


def in_order_loop(
    form: str,
    combine: Combine,
    source: np.dtype[Any],
    total: np.dtype[Any],
    target: np.dtype[Any],
    request: str,
    parameters: Sequence[str] = (),
) -> Loop:
    """Return a loop of `kernels.loops.totals` with dtypes of elements, totals and results."""
    graph = Graph()
    x = graph.argument("x", kind_of_dtype(source))
    value = graph.cast(x, "f" if is_float(total) else name_of(total))
    return Loop(
        f"{combine}_{form}",
        form,  # type: ignore[arg-type]
        graph,
        "float64" if name_of(total) == "float64" else "float32",
        (Operand(x, name_of(source), "c"),),
        tuple(graph.parameter(name, "i") for name in parameters),
        (Output(value, name_of(target), "c", request, combine),),  # type: ignore[arg-type]
    )


# along axes -------------------------------------------------------------------------------------


def along_axes(
    x: Layout,
    axes: Sequence[int],
    out: Layout,
    request: str = "write",
    combine: Combine = "add",
    block: int = BLOCK,
) -> Stages:
    """Return the kernels of `combine` over axes (numbers from 0) of a contiguous array, into a
    contiguous result, and the memory between them.

    The result has out's dtype; 16-bit floats are summed in float32; `block`: see `block_on`. Raises
    ShapeError if there are no elements or a layout is not contiguous.

    >>> x, out = layout((40_000, 3), np.dtype("float32")), layout((3,), np.dtype("float32"))
    >>> [between.shape for between in along_axes(x, (0,), out)[1]]
    [(1, 313, 3), (1, 4, 3)]
    """
    if not x.contiguous or not out.contiguous or not math.prod(x.shape):
        raise ShapeError(
            f"{combine}: an array of {x.shape}, contiguous and with elements, is needed; copy it"
        )
    columns, source, shape = _Columns(combine, block, request), x, x.shape
    total = partial_dtype(x.dtype, out.dtype, combine)
    *steps, (first, last) = runs(x.shape, axes)
    for begin, end in steps:
        left = *shape[:begin], *shape[end:]
        target = layout(left, total)
        columns.along(source, shape, begin, end, target)
        columns.scratch.append(target)
        source, shape = target, left
    columns.along(source, shape, first, last, out, end=True)
    return columns.stages, columns.scratch


def runs(shape: Sequence[int], axes: Sequence[int]) -> list[tuple[int, int]]:
    """Return adjacent axes as ranges, the last first; axes of size 1 may join any.

    >>> runs((2, 3, 4, 1), (0, 2, 3)), runs((2, 3), ())
    ([(2, 4), (0, 1)], [(0, 0)])
    """
    spans: list[tuple[int, int]] = []
    for d in sorted(axes, reverse=True):
        if spans and all(n == 1 for n in shape[d + 1 : spans[-1][0]]):
            spans[-1] = d, spans[-1][1]
        else:
            spans.append((d, d + 1))
    return spans or [(0, 0)]


def partial_dtype(source: np.dtype[Any], target: np.dtype[Any], combine: Combine) -> np.dtype[Any]:
    """Return the dtype of partial results."""
    if target.kind == "c":
        return target
    if combine in ("max", "min"):
        return np.dtype("uint8") if source.kind == "b" else _wide(source)
    if is_float(target):
        return (
            np.dtype("float64")
            if "float64" in (name_of(source), name_of(target))
            else _wide(target)
        )
    return np.dtype("uint64" if target.kind == "u" else "int64")


def _wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return np.dtype("float32") if is_float(dtype) and dtype.itemsize == 2 else dtype


_WORDS = ("full", "main", "carried", "groups")


@dataclass(eq=False, repr=False)
class _Columns:
    """The stages of one reduction, run of axes after run, and the scratch memory between them."""

    combine: Combine
    block: int
    request: str
    stages: list[KernelCall] = field(default_factory=list)
    scratch: list[Layout] = field(default_factory=list)

    def along(
        self, source: Layout, shape: Shape, first: int, last: int, out: Layout, *, end: bool = False
    ) -> None:
        """Add the stages of one run of axes; `end` marks the last run."""
        request, combine = self.request if end else "write", self.combine
        parts = shape[:first], shape[first:last], shape[last:]
        batches, rows, columns = map(math.prod, parts)
        if columns == 1:
            plan, flat = same.invoker.plan_of([source.dtype], {}), (batches, rows)
            operand = layout(flat, source.dtype)
            lowered = reduce_call(
                plan, flat, [operand], [out], [request], [combine], 1, block=self.block
            )
            self.stages += lowered.calls
            self.scratch += lowered.scratch
            return
        if source.dtype.kind == "c":
            source, out, columns = in_reals(source), in_reals(out), 2 * columns
        total_of = partial_dtype(source.dtype, out.dtype, combine)
        main, carried, dtype = rows, 0, source.dtype
        while True:
            full = main // GROUP if main >= 2 * GROUP else 0
            rest = int(main > full * GROUP) if full else 0
            groups = full + rest + carried if full else 1
            if not full:
                main, carried = main + carried, 0
            result, asked = (total_of, "write") if full else (out.dtype, request)
            loop = in_order_loop("leading", combine, dtype, total_of, result, asked, _WORDS)
            width = columns * dtype.itemsize, columns * result.itemsize
            total = main + carried
            dims = ((total, width), (batches, (total * width[0], groups * width[1])))
            where = Space(columns, (dtype.itemsize, result.itemsize), dims)
            call = KernelCall(
                f"{combine}_leading",
                kernel(loop),
                order=(0, 1),
                size=batches * groups * -(-columns // STRIP),
                cost=max(1, int(batches * total * columns * dtype.itemsize * 0.05)),
                **of_space(where, (full, main, carried, groups)),
            )
            self.stages.append(call)
            if not full:
                return
            self.scratch.append(layout((batches, groups, columns), total_of))
            main, carried, dtype = full, rest + carried, total_of
