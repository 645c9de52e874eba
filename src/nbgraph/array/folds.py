"""Reductions over axes as kernels one after another, with memory between them.

`lower` says which, for arrays that are pushed and for plans alike. It looks at shapes, dtypes and
attributes alone: an operand that lies otherwise than the first kernel takes it is copied, so every
order of additions is that of a row-major array.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.array.chunk import CPU, Chunk
from nbgraph.array.core import Array, empty_of
from nbgraph.array.launch import Prepared, prepare
from nbgraph.array.layout import Layout, layout
from nbgraph.array.leading import prepare_axes
from nbgraph.array.push import moved, same, write
from nbgraph.array.reduce import block_on, prepare_reduction
from nbgraph.array.rows import prepare_rows, rearranged
from nbgraph.device import Context
from nbgraph.kernels.loops import BLOCK
from nbgraph.operator.array_op import Spec
from nbgraph.operator.decorator import op as scalar_op
from nbgraph.operator.reduce_op import SHORT, ReduceOp, Shape
from nbgraph.operator.request import WORDS, OpReqType, kAddTo, kNullOp, kWriteTo
from nbgraph.settings import config

_KEPT = 1024  # reductions that an operator knows
Given = Mapping[str, Any]


class Lowered(NamedTuple):
    """The kernels of a reduction, as `Staged`. The first takes the elements in `operand`: a layout
    of the operand's shape that they are copied to, cast, where they lie otherwise."""

    operand: Layout
    stages: tuple[Prepared, ...]
    scratch: tuple[Layout, ...] = ()


def lower(
    op: ReduceOp, x: Layout, out: Layout, request: OpReqType, attributes: Given, device: Context
) -> Lowered | None:
    """The kernels for a contiguous result of the dtype that the operator infers; None where a
    Python function does it: of no elements, of floats cast to integers, truths added to others, or
    where Python is asked for; on devices, what has no `combine`.

    >>> from nbgraph.ops.define import operator_of
    >>> from nbgraph.ops.reductions.reductions import sum
    >>> x, total = layout((500, 400), np.dtype("float32")), layout((), np.dtype("float32"))
    >>> how = {"axis": None, "dtype": None, "keepdims": False}
    >>> [k.name for k in lower(operator_of(sum), x, total, kWriteTo, how, CPU).stages]
    ['same', 'add_same']
    """
    if request is kNullOp or not x.size or (device.host and config.compiler == "python"):
        return None
    block = block_on(device, x.size)
    key = "reduce", device.host, x, out, request, block, *attributes.items()
    if key not in op.carried:
        if len(op.carried) >= _KEPT:
            op.carried.clear()
        make = _on_host if device.host else _combined
        op.carried[key] = make(op, x, out, request, attributes, device)
    return op.carried[key]


def _on_host(
    op: ReduceOp, x: Layout, out: Layout, request: OpReqType, attributes: Given, device: Context
) -> Lowered | None:
    if op.asks is not None:
        return _question(op, x, out, request, attributes)
    given, made = Spec(x.shape, x.dtype), Spec(out.shape, out.dtype)
    dtype = op.taken_dtype(given, made, attributes)
    if dtype is None:
        return None
    x, given = (x, given) if dtype == x.dtype else (layout(x.shape, dtype), Spec(x.shape, dtype))
    found = op.by_rows(given, made, attributes)
    if found is None:
        return _combined(op, x, out, request, attributes, device)
    seen = layout(found.shape, out.dtype)
    places = rearranged(found.op, [x], [seen], [request], found.attributes)
    if places is None:
        return None
    prepared = prepare_rows(found.op, places[:1], [seen], [request], found.attributes)
    assert prepared is not None, op
    return Lowered(places[0], (prepared,))


def _combined(
    op: ReduceOp, x: Layout, out: Layout, request: OpReqType, attributes: Given, device: Context
) -> Lowered | None:
    """In blocks, which workers may share."""
    if op.combine is None or (op.averages and not device.host):
        return None
    exact = op.folds(Spec(x.shape, x.dtype), Spec(out.shape, out.dtype))  # in whatever order
    block = SHORT if exact and device.host and x.size <= SHORT else block_on(device, x.size)
    own, axes = layout(x.shape, x.dtype), op.axes(x.shape, attributes)
    taken, own, axes = _row_major(x, axes) if exact else (own, own, axes)
    if not op.averages:
        return Lowered(taken, *prepare_axes(own, axes, out, WORDS[request], op.combine, block))
    totals = layout(out.shape, out.dtype)
    found = prepare_axes(own, axes, totals, "write", op.combine, block)
    count = float(math.prod(x.shape[d] for d in axes))
    plan = _over.invoker.plan_of([out.dtype], {"count": count})
    last = prepare(_over, plan, out.shape, [totals], [out], [WORDS[request]])
    return Lowered(taken, (*found.stages, last), (*found.scratch, totals))


def _row_major(x: Layout, axes: Shape) -> tuple[Layout, Layout, Shape]:
    """For reductions in whatever order: the operand, itself or copied, how its memory is seen row
    by row, and the axes of that. Where axes were exchanged, memory is read as it lies."""
    order = sorted(range(len(x.shape)), key=lambda d: -x.strides[d])
    kept = [d for d in order if d not in axes]
    extents, strides = (tuple(own[d] for d in order) for own in (x.shape, x.strides))
    turned = layout(extents, x.dtype, strides)
    if turned.contiguous and kept == sorted(kept):
        return x, turned, tuple(sorted(map(order.index, axes)))
    own = layout(x.shape, x.dtype)
    return own, own, axes


@scalar_op
def _over(x: Any, *, count: float = 1.0) -> Any:
    """A mean of its total."""
    return x / count


def _question(
    op: ReduceOp, x: Layout, out: Layout, request: OpReqType, attributes: Given
) -> Lowered | None:
    """What is asked of all elements at once: in one kernel where rows end with the array."""
    if op.asks is None or (request is kAddTo and out.dtype.kind == "b"):
        return None
    (of, combine), word = op.asks, WORDS[request]
    taken, x, axes = _row_major(x, op.axes(x.shape, attributes))
    plan, block = of.invoker.plan_of([x.dtype], {}), SHORT if x.size <= SHORT else BLOCK
    if axes == tuple(range(len(x.shape) - len(axes), len(x.shape))):
        shape = out.size, x.size // out.size
        flat = layout(shape, x.dtype)
        found = prepare_reduction(of, plan, shape, [flat], [out], [word], [combine], 1, block=block)
        stages = (found.loop, *(end for end in found.ends if end is not None))
        lowered = Lowered(taken, stages, tuple(t for t in found.totals if t is not None))
    else:
        truths = layout(x.shape, np.dtype("bool"))
        lowered = Lowered(taken, *prepare_axes(truths, axes, out, word, combine, block))
        if x.dtype.kind != "b":
            first = prepare(of, plan, x.shape, [x], [truths], ["write"])
            lowered = Lowered(taken, (first, *lowered.stages), (truths, *lowered.scratch))
    lowered.stages[0].name = op.__name__
    return lowered


# arrays -----------------------------------------------------------------------------------------


def prepare_reduced(op: ReduceOp, x: Layout, out: Layout, attributes: Given) -> Prepared | None:
    """The one kernel of the host that gives a new result of an array as it lies; None where there
    is none, or several."""
    found = lower(op, x, out, kWriteTo, attributes, CPU)
    one = found is not None and len(found.stages) == 1 and found.operand is x
    return found.stages[0] if found is not None and one else None


def push_reduced(
    op: ReduceOp,
    inputs: Sequence[Array],
    results: Sequence[Array],
    requests: Sequence[OpReqType],
    attributes: Given,
    reads: Sequence[Chunk],
    writes: Sequence[Chunk],
    *,
    whole: bool,
) -> bool:
    """Push it as kernels, if such do it; whether it was. `whole`: all of the chunk is written."""
    (x,), (out,), (request,) = inputs, results, requests
    if request is kNullOp or not out.size:
        return True
    (spec,) = op.infer([Spec(x.shape, x.dtype)], attributes)
    apart = not out._layout.contiguous or out.dtype != spec.dtype
    target = empty_of(layout(*spec), out.device) if apart else out
    how = kWriteTo if apart else request
    found = lower(op, x._layout, target._layout, how, attributes, out.device)
    if found is None:
        return False
    given: Any = x if found.operand is x._layout else moved(x, found.operand)
    for k, stage in enumerate(found.stages):
        last = k == len(found.stages) - 1
        made = target if last else empty_of(found.scratch[k], out.device)
        record = stage.record([given._address, made._address], ())
        stage.push([given._chunk], [made._chunk], record, overwrites=whole or made is not out)
        given = made
    if apart:
        write(same, target, out, WORDS[request])
    return True
