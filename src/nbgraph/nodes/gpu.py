"""Tensor operators on GPUs: kinds of NodeOps as operators on arrays, one after another.

Maps are the host's kernels, with its bits. Sums are of an array that the map made, and may differ
in their order. There are no NumPy views, so functions of those are refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph import ops
from nbgraph.array import carry
from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of, fill_from
from nbgraph.array.core import Array, empty_of
from nbgraph.array.layout import layout
from nbgraph.array.push import Carried, same, write
from nbgraph.device import RunContext
from nbgraph.dtype import as_dtype
from nbgraph.engine.inline import in_charge
from nbgraph.errors import DeviceError
from nbgraph.nodes import cpu
from nbgraph.nodes.functions import scaled
from nbgraph.operator.mapper import Mapper
from nbgraph.ops.reductions.reductions import accumulator

if TYPE_CHECKING:
    from nbgraph.nodes.nodeop import NodeOp

_REDUCE: dict[str, Callable[..., Any]] = {
    "add": ops.sum,
    "multiply": ops.prod,
    "max": ops.max,
    "min": ops.min,
}
_TWO: dict[str, Callable[..., Any]] = {
    "add": ops.add,
    "multiply": ops.multiply,
    "max": ops.maximum,
    "min": ops.minimum,
}


def _deliver(job: NodeOp, found: Any, *, add: bool, scale: float = 1.0) -> None:
    """Write an array, reshaped and cast, to what the job writes, or add it there."""
    out = job.out
    if not out.size:
        return
    op, values = (same, [found]) if scale == 1.0 else (scaled(same), [found, scale])
    made = carry.apply(op, values, {}) if scale != 1.0 else found
    write(same, made.reshape(out.shape), out, "add" if add else "write")
    out._chunk.writes += 1


# sums -------------------------------------------------------------------------------------------


def _summed(job: NodeOp, found: Carried, first: bool) -> None:
    axes = cpu.reduced(job, found.shape)
    values = carry.apply(job.fn, job.ins, dict(job.parameters))
    total = ops.sum(values, axis=axes, keepdims=True) if axes else values
    target = np.broadcast_shapes(total.shape, job.out.shape)
    if total.shape != target:  # the sum is repeated where out is larger
        total = ops.broadcast_to(total, target)
    _deliver(job, total, add=not first, scale=job.scale)


element = functools.partial(cpu.element, summed=_summed)


def aggregate(job: NodeOp, first: bool) -> None:
    """Any reduction by axes."""
    shape = np.broadcast_shapes(*(v.shape for v in job.ins if isinstance(v, Array)))
    axes = cpu.reduced(job, shape)
    values = carry.apply(job.fn, job.ins, {})
    total = _folded(values, job.options["combine"], job.options["init"], axes)
    _deliver(job, total, add=False, scale=job.scale)


def aggregate_all(job: NodeOp, first: bool) -> None:
    """A full reduction."""
    x, asked = job.ins[0], job.options["acc_dtype"]
    wide = accumulator(x.dtype) if asked is None else as_dtype(asked)
    given = ops.astype(x.reshape(-1), wide, copy=False)
    values = ops.astype(carry.apply(job.fn, [given], {}), wide, copy=False)
    total = _folded(values, job.options["combine"], job.options["init"], (0,))
    _deliver(job, total, add=False)


def _folded(values: Any, combine: Any, init: float, axes: tuple[int, ...]) -> Any:
    """`init` combined with values along axes, which are kept."""
    kept = tuple(1 if d in axes else n for d, n in enumerate(values.shape))
    if not values.size:
        made = empty_of(layout(kept, values.dtype), values.device)
        fill_from(made, init)
        return made
    if isinstance(combine, Mapper):
        for axis in axes:
            values = _paired(values, combine, axis)
        return combine(init, values)
    total = _REDUCE[combine](values, axis=axes, keepdims=True) if axes else values
    return total if init == cpu.IDENTITY[combine] else _TWO[combine](total, init)


def _paired(x: Any, combine: Mapper, axis: int) -> Any:
    """An axis folded by an operator that is associative: neighbours in pairs, again and again."""
    lead = (slice(None),) * axis
    while x.shape[axis] > 1:
        count = x.shape[axis]
        pairs = combine(
            x[(*lead, slice(0, count - 1, 2))],
            x[(*lead, slice(1, count, 2))],
        )
        x = ops.concatenate([pairs, x[(*lead, slice(-1, None))]], axis=axis) if count % 2 else pairs
    return x


# products ---------------------------------------------------------------------------------------


def prod(job: NodeOp, first: bool) -> None:
    """Matrix products by a library."""
    swap_a, swap_b, shape, axes = cpu.product(job)
    beta = 0.0 if first else job.options["beta"]
    out, wide = job.out, accumulator(job.out.dtype)
    a, b = (ops.astype(v, wide, copy=False) for v in job.ins)
    a = ops.swapaxes(a, -1, -2) if swap_a else a
    b = ops.swapaxes(b, -1, -2) if swap_b else b
    apart = all(v._chunk is not out._chunk for v in (a, b))
    if apart and (beta, job.scale, out.shape, out.dtype) == (0.0, 1.0, shape, wide):
        ops.matmul(a, b, out=out)
        return
    found = ops.matmul(a, b)
    found = ops.sum(found, axis=axes, keepdims=True) if axes else found
    if beta not in (0.0, 1.0):
        before = ops.astype(out, wide)
        found = ops.add(
            ops.multiply(before, beta), ops.multiply(found.reshape(out.shape), job.scale)
        )
        _deliver(job, found, add=False)
        return
    _deliver(job, found, add=beta == 1.0, scale=job.scale)


# functions --------------------------------------------------------------------------------------


def run(job: NodeOp, first: bool) -> None:
    """Functions of NumPy views are refused."""
    raise DeviceError(
        f"{job.name}: it is a Python function of NumPy views, which there are none of on "
        f"{job.out.device!r}; write it with element, add, aggregate, prod or compute, or give the "
        "graph device=ng.cpu()"
    )


class _Look:
    """A user's function of values that came to the host, as the engine runs it."""

    __slots__ = ("fn", "view")

    def __init__(self, fn: Callable[[Any], object], view: Any) -> None:
        self.fn, self.view = fn, view

    def __call__(self, run_ctx: RunContext) -> None:
        self.fn(cpu.read_only(self.view))


def look(job: NodeOp, first: bool) -> None:
    """A user's function that asks for the values: they are brought to the host for it. Where it
    raises, what it looked at has failed, as on the host."""
    came = copy_of(job.ins[0], device=CPU)
    in_charge().push(_Look(job.fn, came._view()), mutate_vars=[came._chunk], name=job.name)
    write(same, copy_of(came, device=job.out.device), job.out)
    job.out._chunk.writes += 1


RUNNERS: dict[str, Callable[[Any, bool], None]] = {
    "element": element,
    "add": element,
    "aggregate": aggregate,
    "aggregate_all": aggregate_all,
    "prod": prod,
    "run": run,
    "look": look,
    "cast": element,
    "compute": cpu.compute,
    "apply": cpu.apply_op,
}
