"""Long loops whose gradient computes steps again: what is kept grows as the root of the length."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.autograd.control.branches import checkpointed
from nbgraph.executor.control.loop import Loop
from nbgraph.executor.control.loop_op import LoopOp
from nbgraph.graph.graph import spec
from nbgraph.ops.define import library

MOST_KEPT = 1 << 28  # bytes that a loop keeps for its gradient before steps are computed again
Run = Callable[[Loop, Sequence[Any]], list[Any]]
Scan = Callable[[Callable[..., Any], Any, Any, int], tuple[Any, Any]]


def wanted(op: LoopOp, checkpoint: bool | None) -> bool:
    """Return whether steps are computed again: by `checkpoint`, or for large residuals."""
    loop = op.loop
    if checkpoint is not None:
        return checkpoint and bool(loop.saved)
    last = loop.carries + loop.ys
    residuals = [spec(head) for head in loop.heads[last - loop.saved : last]]
    return (loop.length or 0) * sum(own.nbytes for own in residuals) > MOST_KEPT


def segmented(loop: Loop, operands: Sequence[Any], run: Run, scan: Scan) -> list[Any]:
    """Return the outputs of a loop over parts, by a loop of loops: of the outer one only carries
    are kept, and the inner one runs again for its gradient.

    `run` applies a loop to operands, `scan` carries a value through parts, both in the direction of
    the loop.
    """
    count = loop.length or 0
    size = max(1, math.isqrt(count))
    many = count // size
    first, last = loop.carries, loop.carries + loop.xs
    parts, rest = operands[first:last], operands[last:]
    stacked = loop.ys

    def segment(carry: Any, xs: Any) -> Any:
        out = run(loop._replace(length=size), [*carry, *xs, *rest])
        return out[:first], out[first : first + stacked]

    def remainder(carry: Any) -> list[Any]:
        rest_of_parts = [x[many * size :] for x in parts]
        return run(loop._replace(length=count - many * size), [*carry, *rest_of_parts, *rest])

    def main(carry: Any) -> tuple[Any, Any]:
        cut = [library.reshape(x[: many * size], (many, size, *x.shape[1:])) for x in parts]
        carry, ys = scan(checkpointed(segment), carry, cut, many)
        return carry, [library.reshape(y, (many * size, *y.shape[2:])) for y in ys]

    carry = list(operands[:first])
    if many * size == count:
        carry, ys = main(carry)
        return [*carry, *ys]
    if loop.reverse:
        out = remainder(carry)
        carry, ys = main(out[:first])
    else:
        carry, ys = main(carry)
        out = remainder(carry)
        carry = out[:first]
    return [
        *carry,
        *(library.concatenate([y, z], axis=0) for y, z in zip(ys, out[first:], strict=True)),
    ]
