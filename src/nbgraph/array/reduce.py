"""Scalar operators with reductions at their end, and reductions alone, as kernels for plans.

A loop over the operands sets down a total for each block of a row; where a row has several, a
second kernel makes one of them. Both are `Prepared`, so that nothing between them is Python; what
lies between them is scratch memory of the layout that `totals` says. A row of one block needs
neither: the loop writes the result itself.

Sums are those of `map_reduce`: within a block in an order that LLVM chose, block totals in float64
by NumPy's pairwise sum; results of 16 bits are rounded to float32 before. So the error is at most
(block / lanes + log2 of blocks) eps times the sum of magnitudes; a block is BLOCK elements, or more
where threads of a GPU share it as lanes. NaN counts as the extreme.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.launch import Prepared, scalar_operands, strides_in, words_of
from nbgraph.array.layout import Layout, layout
from nbgraph.device import Context
from nbgraph.dtype import is_float, name_of
from nbgraph.errors import ShapeError
from nbgraph.kernels.cost import of_kernel, per_element
from nbgraph.kernels.kernel import Kernel, kernel
from nbgraph.kernels.kinds import kind_of_dtype
from nbgraph.kernels.loops import BLOCK, Combine, Loop, Operand, Output, stretch
from nbgraph.kernels.scalar import Graph
from nbgraph.operator.invoke import Plan
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.placement import classes_of
from nbgraph.operator.reduction import total_dtype
from nbgraph.shape import Space, space


class PreparedReduction(NamedTuple):
    """A loop and what follows it, output by output.

    `loop`'s addresses: of the operands that are arrays, then for each output that is asked for:
    its totals where it has any, else the result. `totals`: what scratch memory an output needs, or
    None. `ends`: where there are totals the kernel that makes the result; addresses: totals,
    result.
    """

    loop: Prepared
    totals: tuple[Layout | None, ...]
    ends: tuple[Prepared | None, ...]


def prepare_reduction(
    op: Mapper,
    plan: Plan,
    shape: tuple[int, ...],
    operands: Sequence[Layout | None],
    outputs: Sequence[Layout],
    requests: Sequence[str],
    combines: Sequence[Combine | None],
    axes: int,
    *,
    disjoint: bool = False,
    block: int = BLOCK,
) -> PreparedReduction:
    """The kernels for operands of these layouts (None: a scalar), broadcast to `shape`.

    Outputs with a combine ("add", "multiply", "max", "min") are reduced over the last `axes` axes:
    contiguous results with one element for each row, in any shape. The others have `shape`.
    Requests are "write", "add" or "null"; `disjoint` as for `launch.prepare`; `block`: see
    `block_on`. ShapeError where there is no element.

    >>> from nbgraph.ops.elementwise.arithmetic import multiply
    >>> single = np.dtype("float32")
    >>> x, out = layout((8, 5000), single), layout((8,), single)
    >>> plan = multiply.invoker.plan_of([single, single], {})
    >>> made = prepare_reduction(
    ...     multiply, plan, x.shape, [x, x], [out], ["write"], ["add"], 1
    ... )  # sums of squares: five blocks a row
    >>> made.loop.hi, made.totals[0].shape, made.ends[0].hi
    (40, (8, 5), 8)
    """
    if not math.prod(shape):
        raise ShapeError(f"{op.__name__}: shape {shape} has no elements, so nothing is reduced")
    rows = zip(outputs, plan.typed.outputs, requests, combines, strict=True)
    task = _Task(op, plan, shape, operands, [_Result(*row) for row in rows], axes, block)
    scalars = scalar_operands(plan, operands)
    loop = Prepared(
        op.__name__, task.kernel(disjoint=disjoint), task.where, words_of(op, plan), scalars, 1
    )
    loop.hi = task.blocks * task.where.rows
    nbytes = sum(a.dtype.itemsize for a in task.arrays)
    cost = max(1, int(math.prod(shape) * per_element(plan.typed.captured, nbytes)))
    loop.cost = of_kernel(loop.code.loop, cost)
    return PreparedReduction(
        loop, tuple(r.totals for r in task.results), tuple(r.end(op) for r in task.results)
    )


def block_on(device: Context, elements: int) -> int:
    """Elements of a block of a reduction, on a device."""
    return BLOCK if device.host else stretch(elements)


@dataclass(slots=True, eq=False, repr=False)
class _Result:
    """An output: where it goes, the dtype of its values, and what becomes of them."""

    out: Layout
    dtype: np.dtype[Any]
    request: str
    combine: Combine | None
    totals: Layout | None = None

    @property
    def written(self) -> Layout:
        """What the loop itself writes."""
        return self.out if self.totals is None else self.totals

    def take_blocks(self, rows: int, count: int) -> None:
        """Scratch memory for the totals of `count` blocks a row, where the loop needs any."""
        if self.combine is None or self.request == "null":
            return
        held = total_dtype(self.dtype, self.combine)
        direct = is_float(self.dtype) or self.out.dtype == held or self.out.dtype.kind == "b"
        if count > 1 or not direct:
            self.totals = layout((rows, count), held)

    def end(self, op: Mapper) -> Prepared | None:
        """The kernel that makes the result of the totals."""
        if self.totals is None or self.combine is None:
            return None
        return prepare_totals(self.combine, self.totals, self.out, self.request, op.__name__)


class _Task:
    """What shapes and strides come down to: rows, runs, blocks, and the layouts of totals."""

    def __init__(
        self,
        op: Mapper,
        plan: Plan,
        shape: tuple[int, ...],
        operands: Sequence[Layout | None],
        results: Sequence[_Result],
        axes: int,
        block: int,
    ) -> None:
        self.op, self.plan, self.operands, self.results = op, plan, operands, results
        self.block = block
        self.asked = [r for r in results if r.request != "null"]
        given = [o for o in operands if o is not None]
        self.arrays = [*given, *(r.out for r in self.asked if r.combine is None)]
        strides = [strides_in(a, shape) for a in self.arrays]
        kept = len(shape) - axes
        run = space(shape[kept:], [s[kept:] for s in strides])
        self.classes = classes_of(self.arrays, run, len(given))
        self.blocks = -(-run.inner // block)
        extents = [n for n, _ in reversed(run.outer)]  # reduced, too, but not one with the run
        for result in results:
            result.take_blocks(math.prod(shape[:kept]), math.prod(extents) * self.blocks)
        rows = [
            (*s[:kept], *(steps[k] for _, steps in reversed(run.outer)))
            for k, s in enumerate(strides)
        ]
        self.where = self._where(run, (*shape[:kept], *extents), rows, len(given))

    def _where(
        self, run: Space, shape: tuple[int, ...], rows: list[tuple[int, ...]], given: int
    ) -> Space:
        """The space of the record: the run, and rows of all arrays in the record's order."""
        strides, steps = rows[:given], list(run.steps[:given])
        mapped = iter(zip(rows[given:], run.steps[given:], strict=True))
        for result in self.asked:
            size = result.written.dtype.itemsize
            own = _contiguous(shape, self.blocks * size), size
            outer, step = own if result.combine else next(mapped)
            strides.append(outer)
            steps.append(step)
        outside = space(shape, strides)
        return Space(run.inner, tuple(steps), ((outside.inner, outside.steps), *outside.outer))

    def kernel(self, *, disjoint: bool) -> Kernel:
        """The loop's kernel, found again for equal layouts."""
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
            made = self.op.invoker.loop(self.plan, layouts, dtypes, requests, disjoint=disjoint)
            outputs = tuple(
                o._replace(combine=c, whole=whole)
                for o, (c, whole) in zip(made.outputs, combines, strict=True)
            )
            loop = replace(made, form="reduce", outputs=outputs, block=self.block)
            code = self.plan.kernels[key] = kernel(loop, self.op.__name__)
        return code


def _contiguous(rows: Sequence[int], item: int) -> tuple[int, ...]:
    """Byte strides of a row-major array of `rows`, each row of `item` bytes."""
    strides: list[int] = []
    for extent in reversed(rows):
        strides.append(item)
        item *= extent
    return tuple(reversed(strides))


# totals -----------------------------------------------------------------------------------------


def prepare_totals(
    combine: Combine, totals: Layout, out: Layout, request: str, name: str = "totals"
) -> Prepared:
    """One value of each row of `totals` (rows, count), contiguous, cast to `out`'s dtype.

    Sums of float64 are NumPy's pairwise `add.reduce`, all else is combined in order.
    """
    rows, count = totals.shape
    given, made = totals.dtype, out.dtype
    loop = in_order_loop("totals", combine, given, given, made, request)
    steps = (count * given.itemsize, made.itemsize)
    where = Space(count, (given.itemsize, made.itemsize), ((rows, steps),))
    prepared = Prepared(f"{combine}_{name}", kernel(loop), where, (), (), 1)
    prepared.hi = rows
    prepared.cost = max(1, rows * (5 + count // 2))
    return prepared


def in_order_loop(
    form: str,
    combine: Combine,
    given: np.dtype[Any],
    held: np.dtype[Any],
    made: np.dtype[Any],
    request: str,
    parameters: Sequence[str] = (),
) -> Loop:
    """A loop of `kernels.totals`: elements of dtype `given`, accumulated as `held`, cast to
    `made`."""
    graph = Graph()
    x = graph.argument("x", kind_of_dtype(given))
    value = graph.cast(x, "f" if is_float(held) else name_of(held))
    return Loop(
        f"{combine}_{form}",
        form,  # type: ignore[arg-type]
        graph,
        "float64" if name_of(held) == "float64" else "float32",
        (Operand(x, name_of(given), "c"),),
        tuple(graph.parameter(name, "i") for name in parameters),
        (Output(value, name_of(made), "c", request, combine),),  # type: ignore[arg-type]
    )
