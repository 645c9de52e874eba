"""Other forms of loops: unrolled, for expressions; in segments, whose steps are computed again for
the gradient of a long loop, so that its memory grows with the square root of the length."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.autograd.control.branches import checkpointed
from nbgraph.autograd.control.closing import shown
from nbgraph.autograd.tree import like, places
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.executor.control.loop import Loop
from nbgraph.executor.control.loop_op import LoopOp, loop_op
from nbgraph.executor.control.reverse import keeping
from nbgraph.graph.graph import spec
from nbgraph.ops.define import library

MOST_KEPT = 1 << 28  # bytes that a loop keeps for its gradient before steps are computed again
Scan = Callable[[Callable[..., Any], Any, Any, int], tuple[Any, Any]]


def steps_of(xs: Any, length: int | None, name: str = "scan", word: str = "xs") -> int | None:
    """Return the number of steps, or None where it is not known; raise where axes differ."""
    every = places(xs, word)
    for place in every:
        shape = place.value.shape if hasattr(place.value, "shape") else np.shape(place.value)
        if shape is None:
            continue
        if not shape:
            raise ShapeError(f"{name}: {place.path} has no axes; its first one counts the steps")
        if length is None:
            length = shape[0]
        elif shape[0] != length:
            raise ShapeError(
                f"{name}: {place.path} has {shape[0]} parts along its first axis; expected "
                f"{length}, as length= or the arrays before it say"
            )
    if length is None and not every:
        raise ArgumentError(f"{name}: {word} is missing; give length=, the number of steps")
    return length


def unrolled(f: Callable[..., Any], carry: Any, xs: Any, length: int | None, reverse: bool) -> Any:
    """Return the results of `scan` by a call of `f` for each step, which makes nodes for each."""
    count, parts = steps_of(xs, length), [p.value for p in places(xs, "xs")]
    if not count:
        raise ArgumentError("scan: there are no steps; expressions take one or more")
    results: list[Any] = []
    for k in range(count)[:: -1 if reverse else 1]:
        carry, result = f(carry, like(xs, [x[k] for x in parts]))
        results.append(result)
    ys = zip(*[[p.value for p in places(result, "")] for result in results], strict=True)
    along = [library.stack(list(column)[:: -1 if reverse else 1]) for column in ys]
    return carry, like(results[0], along)


def needs_segments(op: LoopOp, checkpoint: bool | None) -> bool:
    """Return whether a gradient computes steps again: as `checkpoint`, or for large residuals."""
    loop = op.loop
    if checkpoint is not None:
        return checkpoint and bool(loop.saved)
    last = loop.carries + loop.ys
    residuals = [spec(head) for head in loop.heads[last - loop.saved : last]]
    return (loop.length or 0) * sum(own.nbytes for own in residuals) > MOST_KEPT


def segmented(loop: Loop, operands: Sequence[Any], scan: Scan) -> list[Any]:
    """Return the outputs of a loop, run as a loop over segments: only the carries between these
    are kept, and each segment runs again for its gradient.

    `scan(f, carry, xs, length)` runs a loop over the segments, in the direction of `loop`.
    """
    count = loop.length or 0
    size = max(1, math.isqrt(count))
    many = count // size
    first, last = loop.carries, loop.carries + loop.xs
    parts, rest = operands[first:last], operands[last:]
    stacked = loop.ys

    def run(loop: Loop, operands: Sequence[Any]) -> list[Any]:
        return shown(keeping(loop_op(loop)), [value.entry for value in operands])

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
