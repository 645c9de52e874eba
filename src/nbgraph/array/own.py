"""Kernels that users write for GPUs: launched for simple operators and their gradients.

Such a kernel is given arrays row by row: an operand in pieces is copied first, a result in pieces
is written elsewhere and copied back. What it writes and nobody wants is scratch memory.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import Layout, layout
from nbgraph.array.place import place
from nbgraph.array.push import copied, same, write
from nbgraph.kernels.cuda.arguments import Shape, Signature, kind, operand
from nbgraph.kernels.cuda.handwritten import HandCode, HandLaunches
from nbgraph.operator.call import training
from nbgraph.operator.request import OpReqType
from nbgraph.operator.simple.function import IS_TRAIN
from nbgraph.operator.simple.launching import OwnKernel, extents_of

kNullOp, kWriteTo, kWriteInplace = OpReqType.kNullOp, OpReqType.kWriteTo, OpReqType.kWriteInplace
kAddTo = OpReqType.kAddTo


class PreparedOwn:
    """A user's kernel with all of its record but addresses; see `launch.Prepared`.

    `mode_word`: the word that says whether the call trains, where the kernel asks.
    """

    __slots__ = (
        "_shape",
        "_shapes",
        "_values",
        "code",
        "cost",
        "elsewhere",
        "hi",
        "mode_word",
        "name",
    )

    def __init__(
        self,
        name: str,
        launches: HandLaunches,
        shapes: Sequence[tuple[int, ...]],
        values: Sequence[Any],
        shape: Shape | None,
        mode_word: int | None,
    ) -> None:
        self.name, self.elsewhere, self.mode_word = name, launches, mode_word
        self._shapes, self._values = shapes, values
        self.hi = int(shape is not None)  # whether there is anything to do
        self._shape = shape or Shape((1, 1, 1), (1, 1, 1))
        self.code, self.cost = None, 0

    def record(self, addresses: Sequence[int], numbers: Sequence[Any]) -> list[int]:
        """The words of one call."""
        signature = self.elsewhere.code.signature
        return signature.record(addresses, self._shapes, self._values, self._shape)


def prepare_own(
    op: str,
    call: OwnKernel,
    inputs: Sequence[Layout],
    targets: Sequence[Layout],
    requests: Sequence[OpReqType],
    *,
    is_train: bool,
) -> PreparedOwn:
    """The kernel of a call over arrays of these layouts; those it writes may be `kNullOp`."""
    function = call.function
    named = {**call.attributes, IS_TRAIN: is_train}
    values = [*(named[name] for name in function.form.middle), *map(int, requests)]
    signature = Signature(
        (
            *(operand(op, x.dtype, len(x.shape), writable=False) for x in inputs),
            *(operand(op, x.dtype, len(x.shape), writable=True) for x in targets),
        ),
        tuple(
            kind(op, name, value)
            for name, value in zip(
                (*function.form.middle, *function.form.requests), values, strict=True
            )
        ),
    )
    launches = function.made.get(signature)
    if launches is None:
        made = HandLaunches(HandCode(op, function.fn, signature))
        launches = function.made.setdefault(signature, made)
    shape = None
    if any(x.size for x in targets) and any(r is not kNullOp for r in requests):
        shape = Shape(*extents_of(op, function.launch, [x.shape for x in targets], call.env))
        if function.kind == "threads":  # whose numbers are along one axis
            blocks, threads = math.prod(shape.blocks), math.prod(shape.threads)
            shape = Shape((blocks, 1, 1), (threads, 1, 1), shape.shared)
    asks = IS_TRAIN in function.form.middle
    mode = signature.place(function.form.middle.index(IS_TRAIN)) if asks else None
    return PreparedOwn(op, launches, [x.shape for x in (*inputs, *targets)], values, shape, mode)


def push_own(
    op: Any,
    inputs: Sequence[Array],
    results: Sequence[Any],
    requests: Sequence[OpReqType],
    attributes: Mapping[str, Any],
    reads: Sequence[Chunk],
    writes: Sequence[Chunk],
    *,
    whole: bool,
) -> bool:
    """A user's kernel on the device of its results."""
    if all(request is kNullOp for request in requests):
        return True
    device = results[0].device
    call: OwnKernel = op.own_kernel(device, attributes)
    given = [x if x._layout.contiguous else copied(x) for x in inputs]
    targets, asked = list[Any](), list[OpReqType]()
    for target in call.targets:
        if type(target) is int:
            memory, request = _target(results[target], requests[target])
        else:
            memory, request = empty_of(layout(*target), device), kNullOp  # type: ignore[misc]
        targets.append(memory)
        asked.append(request)
    made = prepare_own(
        op.__name__,
        call,
        [x._layout for x in given],
        [x._layout for x in targets],
        asked,
        is_train=training.get(),
    )
    written = list(dict.fromkeys(x._chunk for x in targets))
    place(device).push(
        made,  # type: ignore[arg-type]
        [c for c in dict.fromkeys(x._chunk for x in given) if c not in written],
        written,
        made.record([x._address for x in (*given, *targets)], ()),
        overwrites=whole,
    )
    for target, memory in zip(call.targets, targets, strict=True):
        if (
            type(target) is int
            and memory is not results[target]
            and requests[target] is not kNullOp
        ):
            write(same, memory, results[target])
    return True


def _target(out: Any, request: OpReqType) -> tuple[Any, OpReqType]:
    """What the kernel writes for an output, and how."""
    if request is kNullOp:
        return empty_of(layout(out.shape, out.dtype), out.device), kNullOp
    if out._layout.contiguous:
        return out, request
    if request is kAddTo:  # needs what is there
        return copied(out), request
    return empty_of(layout(out.shape, out.dtype), out.device), kWriteTo
