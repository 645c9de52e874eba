"""Reductions of arrays over axes: a kernel, or kernels one after another with memory between them.

Which it is depends on layouts, dtypes and attributes alone, so the quick way, which knows single
kernels, gives the bits of the general one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import CPU, Chunk
from nbgraph.array.core import Array, empty_of
from nbgraph.array.launch import Prepared
from nbgraph.array.layout import Layout, layout
from nbgraph.array.leading import Staged, prepare_axes
from nbgraph.array.push import copied, same, write
from nbgraph.array.reduce import block_on, prepare_reduction
from nbgraph.array.rows import prepare_rows
from nbgraph.device import Context
from nbgraph.dtype import is_float
from nbgraph.operator.array_op import Spec
from nbgraph.operator.reduce_op import ReduceOp
from nbgraph.operator.request import WORDS, OpReqType, kAddTo, kWriteTo
from nbgraph.settings import config

_SHORT = 1 << 16  # elements up to which one kernel is better than several that workers share
_KEPT = 1024  # reductions that an operator knows
Given = Mapping[str, Any]


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
    """Push it as kernels of the host, if such do it; whether it was. `whole`: all of the chunk is
    written."""
    (x,), (out,), (request,) = inputs, results, requests
    if config.compiler == "python" or request is OpReqType.kNullOp:
        return False
    own, made = x._layout, out._layout
    if _folds(op, own, made):
        return push_folded(op, x, out, request, attributes, whole=whole)
    rows = _question(op, own, made, request, attributes)
    rows = _rows(op, own, made, request, attributes) if rows is None else rows
    if rows is None:
        return False
    rows.push(reads, writes, rows.record([x._address, out._address], ()), overwrites=whole)
    return True


def prepare_reduced(op: ReduceOp, x: Layout, out: Layout, attributes: Given) -> Prepared | None:
    """The one kernel of the host that gives a new result; None where there is none, or several."""
    if config.compiler == "python":
        return None
    if op.asks is not None:
        return _question(op, x, out, kWriteTo, attributes)
    if not _folds(op, x, out):
        return _rows(op, x, out, kWriteTo, attributes)
    stages = _staged(op, x, out, attributes, CPU).stages
    return stages[0] if len(stages) == 1 else None


def _folds(op: ReduceOp, x: Layout, out: Layout) -> bool:
    return x.contiguous and op.folds(Spec(x.shape, x.dtype), Spec(out.shape, out.dtype))


def _rows(
    op: ReduceOp, x: Layout, out: Layout, request: OpReqType, attributes: Given
) -> Prepared | None:
    """The row program's kernel, over a contiguous result."""
    found = op.by_rows(Spec(x.shape, x.dtype), Spec(out.shape, out.dtype), attributes)
    if found is None or not out.contiguous:
        return None
    return prepare_rows(
        found.op, [x], [layout(found.shape, out.dtype)], [request], found.attributes
    )


def _question(
    op: ReduceOp, x: Layout, out: Layout, request: OpReqType, attributes: Given
) -> Prepared | None:
    """The kernel that asks all elements at once. None of long rows, where NumPy stops early; of
    rows that do not end with the array only what is bool."""
    if op.asks is None or request is kAddTo or not (x.contiguous and out.contiguous):
        return None
    if not 0 < x.size <= _SHORT:
        return None
    (of, combine), axes = op.asks, op.axes(x.shape, attributes)
    if axes == tuple(range(len(x.shape) - len(axes), len(x.shape))):
        shape = out.size, x.size // out.size
        plan, flat = of.invoker.plan_of([x.dtype], {}), layout(shape, x.dtype)
        found = prepare_reduction(
            of, plan, shape, [flat], [out], ["write"], [combine], 1, block=_SHORT
        )
        stages = (found.loop, *(end for end in found.ends if end is not None))
    elif x.dtype.kind == out.dtype.kind == "b":
        stages = prepare_axes(x, axes, out, "write", combine, _SHORT).stages
    else:
        return None
    stages[0].name = op.__name__
    return stages[0] if len(stages) == 1 else None


# kernels one after another ----------------------------------------------------------------------


def push_folded(
    op: ReduceOp,
    x: Any,
    out: Any,
    request: OpReqType,
    attributes: Given,
    *,
    whole: bool = False,
) -> bool:
    """Push a `combine` of elements, on any device. True."""
    if request is OpReqType.kNullOp or not out.size:
        return True
    given = x if x._layout.contiguous else copied(x)
    if not out._layout.contiguous or request is kAddTo:
        made = empty_of(layout(out.shape, out.dtype), out.device)
        _push_stages(op, given, made, attributes, whole=True)
        write(same, made, out, WORDS[request])
    else:
        _push_stages(op, given, out, attributes, whole=whole)
    return True


def _push_stages(op: ReduceOp, x: Any, out: Any, attributes: Given, *, whole: bool) -> None:
    ready = _staged(op, x._layout, out._layout, attributes, out.device)
    for k, stage in enumerate(ready.stages):
        last = k == len(ready.stages) - 1
        target = out if last else empty_of(ready.scratch[k], out.device)
        record = stage.record([x._address, target._address], ())
        stage.push([x._chunk], [target._chunk], record, overwrites=whole or target is not out)
        x = target


def _staged(op: ReduceOp, x: Layout, out: Layout, attributes: Given, device: Context) -> Staged:
    """The kernels over a contiguous array."""
    assert op.combine is not None, op
    exact = not is_float(x.dtype) or op.combine in ("max", "min")  # in whatever order
    block = _SHORT if exact and device.host and x.size <= _SHORT else block_on(device, x.size)
    key = "folds", x, out, block, *attributes.items()
    found: Staged | None = op.carried.get(key)
    if found is None:
        axes = op.axes(x.shape, attributes)
        found = prepare_axes(x, axes, out, "write", op.combine, block)
        if len(op.carried) >= _KEPT:
            op.carried.clear()
        op.carried[key] = found
    return found
