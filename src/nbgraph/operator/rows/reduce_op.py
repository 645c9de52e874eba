"""Reductions over axes as operators over whole arrays with kernels."""

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
from nbgraph.operator.rows.row_op import SHORT_ROW, RowOp
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.shape import Arrays, Shape, axes_of

# the operand's layout for the first call, the calls, the memory between them
Stages = tuple[Layout, Sequence[KernelCall], Layouts]
SHORT = 1 << 16  # elements up to which one kernel is faster than several shared by workers


class ByRows(NamedTuple):
    """A row program that computes the result, which is viewed in `shape` with all axes."""

    op: RowOp
    attributes: Attributes
    shape: Shape


class ReduceOp(ArrayOp):
    """An operator of one operand that reduces all elements along axes to one value.

    `combine`: how elements are combined, in the result's dtype; for `averages` divided by their
    number. `rows`: for floats, `rows(attributes)` returns a row program with its scalar parameters;
    `short_rows`: the same, for short rows alone. `asks`: a scalar operator, and how its values are
    combined, exactly, in any order. `axes`: the reduced axes, by default those of the attribute
    `axis`.

    Carriers agree in every bit: a row program does it, or many floats are combined in blocks, by
    runs of adjacent axes, the last first. `compute` is for exact operations and no elements.
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
        short_rows: Callable[[Attributes], tuple[RowOp, Attributes]] | None = None,
        asks: tuple[Mapper, Combine] | None = None,
        axes: Callable[[Shape, Attributes], Shape] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, infer, compute, **options)
        self.combine: Combine | None = combine
        self.averages, self.asks = averages, asks
        self._rows, self._short_rows, self._axes = rows, short_rows, axes

    def axes(self, shape: Shape, attributes: Attributes) -> Shape:
        """Return the axes of an operand of this shape that are reduced, from 0, in order."""
        if self._axes is not None:
            return self._axes(shape, attributes)
        return tuple(sorted(axes_of(self.__name__, attributes["axis"], len(shape))))

    def row_op(self, attributes: Attributes) -> tuple[RowOp, Attributes] | None:
        """Return the row program of floats with its scalar parameters, or None."""
        return None if self._rows is None else self._rows(attributes)

    def by_rows(self, source: Spec, target: Spec, attributes: Attributes) -> ByRows | None:
        """Return the row program for such an operand and result, or None."""
        size = math.prod(source.shape)
        short = size <= SHORT_ROW * math.prod(target.shape)
        rows = self._rows or (self._short_rows if short else None)
        if rows is None or not size or source.dtype.kind == "c" or target.dtype.kind == "c":
            return None
        if size > SHORT and not short and self.combine is not None and target.dtype.itemsize > 2:
            if self.folds(source, target) or is_float(source.dtype):
                return None
        op, own = rows(attributes)
        axes = self.axes(source.shape, attributes)
        how = {"axis": axes, "keepdims": True, **own}
        (spec,) = op.infer([source], how)
        return ByRows(op, how, spec.shape) if spec.dtype == target.dtype else None

    def taken_dtype(self, source: Spec, target: Spec, attributes: Attributes) -> Dtype | None:
        """Return the dtype that elements are first cast to; None if kernels cannot cast."""
        asked = attributes.get("dtype")
        if asked is None or asked == source.dtype or self.folds(source, target):
            return source.dtype
        return target.dtype if inexact(target.dtype) else None

    def folds(self, source: Spec, target: Spec) -> bool:
        """Return whether any order of combining gives the same bits: extremes, integers."""
        if self.combine is None or self.averages or 0 in source.shape or 0 in target.shape:
            return False
        if is_float(source.dtype):
            return self.combine in ("max", "min") and source.dtype == target.dtype
        whole = target.dtype.kind in "iu" or source.dtype.kind == target.dtype.kind == "b"
        return whole and source.dtype.kind in "iub"

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        """See ArrayOp: without kernels, a row program's own text does it."""
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
        """See ArrayOp: kernels in sequence. They depend on shapes, dtypes and attributes alone, so
        every order of additions is that of a row-major array. None for no elements, for floats cast
        to integers, for truth values summed with others, and on devices without `combine`.

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
        lower = self._asks_stages if self.asks else self._on_host if host else self._in_blocks
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
        """Return the stages that combine in blocks, which workers may share."""
        (x,), (out,), (request,), attributes, host = case
        numbers = {x.dtype.kind, out.dtype.kind}
        if self.combine is None or (self.averages and not host):
            return None
        if "c" in numbers and (len(numbers) > 1 or self.combine != "add"):
            return None
        exact = self.folds(Spec(x.shape, x.dtype), Spec(out.shape, out.dtype))  # in any order
        block = SHORT if exact and host and x.size <= SHORT else block_on(host, x.size)
        own, axes = layout(x.shape, x.dtype), self.axes(x.shape, attributes)
        taken, own, axes = _row_major(x, axes) if exact else (own, own, axes)
        if not self.averages:
            return taken, *along_axes(own, axes, out, request, self.combine, block)
        totals = layout(out.shape, out.dtype)
        stages, scratch = along_axes(own, axes, totals, "write", self.combine, block)
        count = float(math.prod(x.shape[d] for d in axes))
        plan = _mean.invoker.plan_of([out.dtype], {"count": count})
        last = map_call(plan, out.shape, [totals], [out], [request])
        return taken, [*stages, last], [*scratch, totals]

    def _asks_stages(self, case: Application) -> Stages | None:
        """Return the stages of `asks` over all elements: one kernel if rows end with the array."""
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
def _mean(x: Any, *, count: float = 1.0) -> Any:
    """Return a mean from its total."""
    return x / count


def _row_major(x: Layout, axes: Shape) -> tuple[Layout, Layout, Shape]:
    """Return, for reductions in any order, the operand itself or copied, its memory viewed row by
    row, and the axes of the view. If axes are permuted, memory is read in its own order."""
    order = sorted(range(len(x.shape)), key=lambda d: -x.strides[d])
    kept = [d for d in order if d not in axes]
    extents, strides = (tuple(own[d] for d in order) for own in (x.shape, x.strides))
    turned = layout(extents, x.dtype, strides)
    if turned.contiguous and kept == sorted(kept):
        return x, turned, tuple(sorted(map(order.index, axes)))
    own = layout(x.shape, x.dtype)
    return own, own, axes
