"""Kernels that users write for GPUs, as kernel calls.

Such a kernel gets row-major arrays: other operands are copied first, other results are written to
scratch memory and copied back. Unneeded results are written to scratch memory.
"""

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.kernels.cuda.arguments import Shape, Signature, kind, operand
from nbgraph.kernels.cuda.handwritten import HandCode, HandLaunches
from nbgraph.operator.environment import IS_TRAIN
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.operator.request import OpReqType, Requests

_BLANK = Shape((1, 1, 1), (1, 1, 1))


def own_lowered(op: str, own: Any, case: Application) -> Lowered:
    """Return the call of a user's kernel (an `OwnKernel`) for these layouts; whether a run trains
    is a number of the call, if the kernel has that parameter."""
    places, requests = case.contiguous(stores=False), case.requests
    count, first = len(case.operands), len(case.arrays)
    order, scratch, wanted_requests = list(range(count)), list[Layout](), list[OpReqType]()
    for target in own.targets:
        if type(target) is int:
            order.append(count + target)
            aside = places[count + target] is not None and requests[target] != "null"
            wanted_requests.append(OpReqType.of("write" if aside else requests[target]))
        else:
            order.append(first + len(scratch))
            scratch.append(layout(*target))  # type: ignore[misc]
            wanted_requests.append(OpReqType.kNullOp)
    laid = [own or x for own, x in zip(places, case.arrays, strict=True)] + scratch
    call = _call(op, own, [laid[k] for k in order], count, order, wanted_requests)
    return Lowered((call,), places, tuple(scratch))


def _call(
    op: str, own: Any, arrays: Layouts, count: int, order: Sequence[int], requests: Requests
) -> KernelCall:
    """Return the call over contiguous arrays, of which the first `count` are read."""
    function, targets = own.function, arrays[count:]
    named = {**own.attributes, IS_TRAIN: False}
    values = [*(named[name] for name in function.form.middle), *map(int, requests)]
    names = (*function.form.middle, *function.form.requests)
    signature = Signature(
        tuple(
            operand(op, x.dtype, len(x.shape), writable=k >= count) for k, x in enumerate(arrays)
        ),
        tuple(kind(op, name, value) for name, value in zip(names, values, strict=True)),
    )
    launches = function.launches.get(signature)
    if launches is None:
        new_launches = HandLaunches(HandCode(op, function.fn, signature))
        launches = function.launches.setdefault(signature, new_launches)
    shape = None
    if any(x.size for x in targets) and any(requests):
        shape = Shape(*own.extents(op, [x.shape for x in targets]))
        if function.kind == "threads":  # its numbers run along one axis
            blocks, threads = math.prod(shape.blocks), math.prod(shape.threads)
            shape = Shape((blocks, 1, 1), (threads, 1, 1), shape.shared)
    shapes = [x.shape for x in arrays]
    block = signature.record([0] * len(arrays), shapes, values, shape or _BLANK)
    words, scalars, tail = block[2 + len(arrays) :], (), ()
    if IS_TRAIN in function.form.middle:
        at = signature.place(function.form.middle.index(IS_TRAIN)) - 2 - len(arrays)
        words, scalars, tail = words[:at], (("i", "int64"),), words[at + 1 :]
    return KernelCall(
        op,
        None,
        head=(block[0], block[1]),
        order=tuple(order),
        words=tuple(words),
        size=int(shape is not None),  # 0 if there is nothing to do
        cost=0,
        scalars=scalars,
        tail=tuple(tail),
        writes=len(targets),
        device=launches,
    )
