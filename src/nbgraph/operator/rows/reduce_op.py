"""Reductions over axes as operators over whole arrays that kernels do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import Dtype, inexact, is_float
from nbgraph.kernels.loops.loop import Combine
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.operator.mapper.decorator import op as scalar_op
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.rows.reduce_call import along_axes, block_on, reduce_call
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.shape import Arrays, Shape, axes_of

# the layout of the operand that the first call takes, the calls, the memory between them
Stages = tuple[Layout, Sequence[KernelCall], Layouts]
SHORT = 1 << 16  # elements up to which one kernel is better than several that workers share


class ByRows(NamedTuple):
    """A row program that gives the result; that is to be seen in `shape`, with all axes."""

    op: RowOp
    attributes: Attributes
    shape: Shape


class ReduceOp(ArrayOp):
    """An operator of one operand that leaves one value of all elements along axes.

    `combine`: it is that of the elements, in the result's dtype; of `averages` divided by how many
    there are. `rows`: of floats it is the row program that `rows(attributes)` gives, with its
    scalar parameters. `asks`: a scalar operator, and how its values of the elements are combined,
    exactly, in whatever order. `axes`: the reduced axes, by default those that the attribute
    `axis` names.

    Carriers agree in every bit: a row program does it, or many floats are combined in blocks, run
    by run of adjacent axes, the last first. `compute` is for what is exact, and for no elements.
    """

    kernels = ("host", "devices")
    takes_complex = ("host",)

    def __init__(
        self,
        name: str,
        infer: Callable[..., Spec],
        compute: Callable[..., None],
        *,
        combine: Combine | None = None,
        averages: bool = False,
        rows: Callable[[Attributes], tuple[RowOp, Attributes]] | None = None,
        asks: tuple[Mapper, Combine] | None = None,
        axes: Callable[[Shape, Attributes], Shape] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, infer, compute, **options)
        self.combine: Combine | None = combine
        self.averages, self.asks = averages, asks
        self._rows, self._axes = rows, axes

    def axes(self, shape: Shape, attributes: Attributes) -> Shape:
        """Return the axes of an operand of this shape that are reduced, from 0, in order."""
        if self._axes is not None:
            return self._axes(shape, attributes)
        return tuple(sorted(axes_of(self.__name__, attributes["axis"], len(shape))))

    def row_op(self, attributes: Attributes) -> tuple[RowOp, Attributes] | None:
        """Return the row program of floats with its scalar parameters, if there is one."""
        return None if self._rows is None else self._rows(attributes)

    def by_rows(self, source: Spec, target: Spec, attributes: Attributes) -> ByRows | None:
        """Return the row program for an operand and a result like these, if one does it."""
        size = math.prod(source.shape)
        if self._rows is None or not size or source.dtype.kind == "c" or target.dtype.kind == "c":
            return None
        if size > SHORT and self.combine is not None and target.dtype.itemsize > 2:
            if self.folds(source, target) or is_float(source.dtype):
                return None
        op, own = self._rows(attributes)
        axes = self.axes(source.shape, attributes)
        how = {"axis": axes, "keepdims": True, **own}
        (spec,) = op.infer([source], how)
        return ByRows(op, how, spec.shape) if spec.dtype == target.dtype else None

    def taken_dtype(self, source: Spec, target: Spec, attributes: Attributes) -> Dtype | None:
        """Return the dtype that elements are cast to first; None where kernels cannot cast."""
        asked = attributes.get("dtype")
        if asked is None or asked == source.dtype or self.folds(source, target):
            return source.dtype
        return target.dtype if inexact(target.dtype) else None

    def folds(self, source: Spec, target: Spec) -> bool:
        """Whether kernels that combine in any order give the same bits: extremes, integers."""
        if self.combine is None or self.averages or 0 in source.shape or 0 in target.shape:
            return False
        if is_float(source.dtype):
            return self.combine in ("max", "min") and source.dtype == target.dtype
        whole = target.dtype.kind in "iu" or source.dtype.kind == target.dtype.kind == "b"
        return whole and source.dtype.kind in "iub"

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        """See ArrayOp: where kernels are not asked, a row program's own text does it."""
        (x,), (out,) = inputs, outputs
        dtype = self.taken_dtype(Spec.of(x), Spec.of(out), attributes) or x.dtype
        (target,) = self.infer([Spec(x.shape, dtype)], attributes)
        rows = self.by_rows(Spec(x.shape, dtype), target, attributes)
        if rows is None:
            super().compute(inputs, outputs, attributes)
            return
        total = np.empty(rows.shape, target.dtype)
        x = x if dtype.kind == "c" else x.real  # the engine's threads do not warn
        rows.op.compute([x.astype(dtype)], [total], rows.attributes)
        out[...] = total.reshape(out.shape)

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: kernels one after another. They follow from shapes, dtypes and attributes
        alone, so every order of additions is that of a row-major array. None of no elements, of
        floats cast to integers, of truths added to others, and on devices without `combine`.

        >>> from nbgraph.operator.kernel_call import lowered
        >>> from nbgraph.ops.define import operator_of
        >>> from nbgraph.ops.reductions.reductions import sum
        >>> x, total = (layout(shape, np.dtype("float32")) for shape in ((500, 400), ()))
        >>> given = {"axis": None, "dtype": None, "keepdims": False}
        >>> found = lowered(operator_of(sum), [x], [total], ["write"], given)
        >>> [call.name for call in found.calls]
        ['same', 'add_same']
        """
        ((x,), (out,), (request,), attributes, host) = case
        (target,) = self.infer(case.specs, attributes)
        if not x.size or not out.size:
            return None
        own = out if out.contiguous and out.dtype == target.dtype else layout(*target)
        word = request if own is out else "write"
        dtype = self.taken_dtype(Spec(x.shape, x.dtype), target, attributes)
        if dtype is None:
            return None
        taken = x if dtype == x.dtype else layout(x.shape, dtype)
        lower = self._question if self.asks else self._on_host if host else self._in_blocks
        lowered = lower(Application([taken], [own], [word], attributes, host))
        if lowered is None:
            return None
        place, stages, scratch = lowered
        calls: list[KernelCall] = []
        for k, call in enumerate(stages):
            order = k + 1 if k else 0, 1 if k == len(stages) - 1 else k + 2
            calls.append(replace(call, order=order))
        places = (None if place is x else place, None if own is out else own)
        return Lowered(tuple(calls), places, tuple(scratch), adds=False)

    def _on_host(self, case: Application) -> Stages | None:
        (x,), (out,), (request,), attributes, host = case
        source, target = Spec(x.shape, x.dtype), Spec(out.shape, out.dtype)
        by_rows = self.by_rows(source, target, attributes)
        if by_rows is None:
            return self._in_blocks(case)
        seen = layout(by_rows.shape, out.dtype)
        rows = by_rows.op.lower(Application([x], [seen], [request], by_rows.attributes, host))
        assert rows is not None, self
        assert rows.places[1] is None, self
        return rows.places[0] or x, rows.having(by_rows.op.values(by_rows.attributes)).calls, ()

    def _in_blocks(self, case: Application) -> Stages | None:
        """In blocks, which workers may share."""
        (x,), (out,), (request,), attributes, host = case
        numbers = {x.dtype.kind, out.dtype.kind}
        if self.combine is None or (self.averages and not host):
            return None
        if "c" in numbers and (len(numbers) > 1 or self.combine != "add"):
            return None
        exact = self.folds(Spec(x.shape, x.dtype), Spec(out.shape, out.dtype))  # in whatever order
        block = SHORT if exact and host and x.size <= SHORT else block_on(host, x.size)
        own, axes = layout(x.shape, x.dtype), self.axes(x.shape, attributes)
        taken, own, axes = _row_major(x, axes) if exact else (own, own, axes)
        if not self.averages:
            return taken, *along_axes(own, axes, out, request, self.combine, block)
        totals = layout(out.shape, out.dtype)
        stages, scratch = along_axes(own, axes, totals, "write", self.combine, block)
        count = float(math.prod(x.shape[d] for d in axes))
        plan = _over.invoker.plan_of([out.dtype], {"count": count})
        last = map_call(plan, out.shape, [totals], [out], [request])
        return taken, [*stages, last], [*scratch, totals]

    def _question(self, case: Application) -> Stages | None:
        """What is asked of all elements at once: in one kernel where rows end with the array."""
        (x,), (out,), (request,), attributes, host = case
        if self.asks is None or (request == "add" and out.dtype.kind == "b"):
            return None
        of, combine = self.asks
        taken, x, axes = _row_major(x, self.axes(x.shape, attributes))
        plan = of.invoker.plan_of([x.dtype], {})
        block = SHORT if host and x.size <= SHORT else block_on(host, x.size)
        stages: Sequence[KernelCall]
        scratch: Layouts
        if axes == tuple(range(len(x.shape) - len(axes), len(x.shape))):
            shape = out.size, x.size // out.size
            flat = layout(shape, x.dtype)
            lowered = reduce_call(plan, shape, [flat], [out], [request], [combine], 1, block=block)
            stages, scratch = lowered.calls, lowered.scratch
        else:
            truths = layout(x.shape, np.dtype("bool"))
            stages, scratch = along_axes(truths, axes, out, request, combine, block)
            if x.dtype.kind != "b":
                first = map_call(plan, x.shape, [x], [truths], ["write"])
                stages, scratch = [first, *stages], [truths, *scratch]
        return taken, [replace(stages[0], name=self.__name__), *stages[1:]], scratch


@scalar_op
def _over(x: Any, *, count: float = 1.0) -> Any:
    """Return a mean of its total."""
    return x / count


def _row_major(x: Layout, axes: Shape) -> tuple[Layout, Layout, Shape]:
    """For reductions in whatever order: the operand, itself or copied, how its memory is seen row
    by row, and its axes. Where axes were exchanged, memory is read as it lies."""
    order = sorted(range(len(x.shape)), key=lambda d: -x.strides[d])
    kept = [d for d in order if d not in axes]
    extents, strides = (tuple(own[d] for d in order) for own in (x.shape, x.strides))
    turned = layout(extents, x.dtype, strides)
    if turned.contiguous and kept == sorted(kept):
        return x, turned, tuple(sorted(map(order.index, axes)))
    own = layout(x.shape, x.dtype)
    return own, own, axes
