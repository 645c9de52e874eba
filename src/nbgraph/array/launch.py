"""Kernel calls on arrays: pushed to the engine, which takes each in one compiled call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array
from nbgraph.array.place import ELSEWHERE
from nbgraph.array.place import place as _place
from nbgraph.device import Context
from nbgraph.engine.kernels import Launcher
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import DeviceError
from nbgraph.operator.kernel_call import KernelCall


def _require_one(name: str, device: Context, held: Sequence[Chunk]) -> None:
    """DeviceError before a kernel is given memory of another device: it would fail, or the process
    would, and the device for good."""
    for chunk in held:
        if chunk.device != device and not (chunk.device.host and device.host):
            raise DeviceError(
                f"{name}: it would write memory of {device!r} with what is on {chunk.device!r}; "
                f"copy that, as with .to({device!r})"
            )


def push(
    call: KernelCall,
    arrays: Sequence[Array],
    numbers: Sequence[Any] = (),
    states: Sequence[Array] = (),
    *,
    overwrites: bool,
) -> None:
    """Push a kernel call over arrays in its order, on the device of what is written.

    `states`: operands that it writes, too. `overwrites`: all that is written is written whole.
    """
    block = call.block([a._address for a in arrays], numbers)
    first = len(arrays) - call.writes
    writes = list(dict.fromkeys([a._chunk for a in (*arrays[first:], *states)]))
    reads = [c for c in dict.fromkeys([a._chunk for a in arrays[:first]]) if c not in writes]
    device = writes[0].device
    if ELSEWHERE[0]:
        _require_one(call.name, device, (*reads, *writes))
    _place(device).push(call, reads, writes, block, overwrites=overwrites)


def launcher(
    call: KernelCall, engine: ThreadedEngine, reads: int, writes: int, overwrites: bool
) -> Launcher:
    """Return the engine's fast path for a call over so many variables."""
    key = engine, reads, writes, overwrites
    launch = call.cache.get(key)
    if launch is None:
        stale = [k for k in list(call.cache) if type(k) is tuple and k[0] is not engine]
        for k in stale:  # of engines that are no longer in force
            call.cache.pop(k, None)
        launch = call.cache[key] = Launcher(
            engine,
            call.code.address,
            call.size,
            reads,
            writes,
            cost=call.cost,
            name=call.name,
            overwrites=overwrites,
        )
    return launch
