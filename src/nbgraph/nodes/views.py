"""NodeOps that are Python functions of NumPy views, which the engine runs on the host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.array.apply_scalar_op import common_device
from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.push import copied, same, write
from nbgraph.array.runner import read_only
from nbgraph.device import RunContext
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.errors import DeviceError

if TYPE_CHECKING:
    from nbgraph.nodes.nodeop import NodeOp

View = np.ndarray[Any, Any]


class _Work:
    """A function of views as the engine runs it: `fn(out, ins)`."""

    __slots__ = ("fn", "ins", "out")

    def __init__(self, fn: Callable[[View, list[Any]], object], out: View, ins: list[Any]) -> None:
        self.fn, self.out, self.ins = fn, out, ins

    def __call__(self, run_ctx: RunContext) -> None:
        self.fn(self.out, self.ins)


def push_views(
    job: NodeOp,
    fn: Callable[[View, list[Any]], object],
    *,
    overwrites: bool,
    resources: Sequence[Any] = (),
) -> None:
    """Push `fn(out, ins)` of NumPy views; operands in the output's memory are copied before."""
    out = job.out
    common_device(job.name, (), job.ins, [out])
    chunk_written = out._chunk
    ins = [copied(v) if isinstance(v, Array) and v._chunk is chunk_written else v for v in job.ins]
    reads = dict.fromkeys(v._chunk for v in ins if isinstance(v, Array))
    views = [read_only(v._view()) if isinstance(v, Array) else v for v in ins]
    in_charge().push(
        _Work(fn, out._view(), views),
        const_vars=tuple(reads),
        mutate_vars=[chunk_written, *(r.variable for r in resources)],
        name=job.name,
        prop=OVERWRITE if overwrites and out._holder is None else NORMAL,
    )
    chunk_written.writes += 1


def run(job: NodeOp, first: bool) -> None:
    """Run a user's Python function of NumPy views, on the host."""
    if not job.out.device.host:
        raise DeviceError(
            f"{job.name}: it is a Python function of NumPy views, which there are none of on "
            f"{job.out.device!r}; write it with element, add, aggregate, prod or compute, or give "
            "the graph device=ng.cpu()"
        )
    fn = job.fn
    push_views(job, lambda out, ins: fn(out, *ins), overwrites=False)


def look(job: NodeOp, first: bool) -> None:
    """Run a user's function on the values, copied to the host if need be, and pass these on. Where
    the function raises, the output has failed."""
    fn, x, out = job.fn, job.ins[0], job.out
    if x.device.host:

        def pass_on(view: View, ins: list[Any]) -> None:
            fn(ins[0])
            view[...] = ins[0]

        push_views(job, pass_on, overwrites=True)
        return
    host_copy = copy_of(x, device=CPU)
    work = _Work(lambda view, ins: fn(read_only(view[...])), host_copy._view(), [])
    in_charge().push(work, mutate_vars=[host_copy._chunk], name=job.name)
    write(same, copy_of(host_copy, device=out.device), out)
    out._chunk.writes += 1
