"""The operations of arrays that depend on the device: transfers, kernels and functions; and the
push of kernel calls to the engine, one compiled call each.

A table has a `Place` for each device type. That of the host is here; that of GPUs is in
`accelerator`, which is imported for the first array on one.
"""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from nbgraph.device import Context
from nbgraph.engine import Variable
from nbgraph.engine.inline import in_charge
from nbgraph.engine.kernels import Launcher
from nbgraph.engine.native_call import NativeCall
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.engine.threaded import ThreadedEngine
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Attributes
from nbgraph.scopes import load

Values = np.ndarray[Any, np.dtype[Any]]


class Place:
    """The host's memory, which NumPy can access; other device types override these methods."""

    host = True  # whether functions of the host may access the memory
    # a context for the description of kernels; those for other devices need not be compiled
    preparing: Callable[[], Any] = staticmethod(contextlib.nullcontext)

    def read(self, array: Any) -> Values:
        """Return a copy of the values, which have been waited for."""
        values: Values = array._view().copy()
        return values

    def begin(self, array: Any, values: Values) -> None:
        """Set the values of a new array, whose chunk is idle."""
        array._view()[...] = values  # twice as fast as `np.copyto`

    def overwrite(self, array: Any, values: Values) -> None:
        """Set all values of an array that no unfinished operation uses."""
        self.begin(array, values)

    def push(
        self,
        call: Any,
        reads: Sequence[Variable],
        writes: Sequence[Any],
        block: Sequence[int],
        *,
        overwrites: bool,
    ) -> None:
        """Push a kernel over memory of the device; see the function `push`."""
        engine = in_charge()
        if isinstance(engine, ThreadedEngine):
            launch = launcher(call, engine, len(reads), len(writes), overwrites)
            launch((*reads, *writes), block, engine.site_id())
            return
        code = call.code
        run = NativeCall(code.address, block, call.size, name=call.name, cost=call.cost, keep=code)
        prop = OVERWRITE if overwrites else NORMAL
        engine.push(run, const_vars=reads, mutate_vars=writes, name=call.name, prop=prop)

    def write_elements(self, array: Any, value: Any, indices: Sequence[Any], key: Any) -> None:
        """Push `array[key] = value`, where `key` is a template for the index arrays."""
        write = load("nbgraph.array.copying").write_elements
        write(array, value, indices, key)

    def composed(
        self, op: Any, values: Sequence[Any], attributes: Attributes, specs: Sequence[Any]
    ) -> list[Any] | None:
        """Return the results of an operator over whole arrays that the device composes of other
        operators, or None."""
        return None

    def carry_out(self, job: Any) -> bool:
        """Push the device's kernels for a `Job`; return False if it has none."""
        push = load("nbgraph.array.runner").push_lowered
        return bool(job.op.kernels and push(job))


_PLACES: dict[str, Place] = {"cpu": Place()}
# whether this process has used memory of another device than `cpu(0)`
ELSEWHERE = [False]
_LATER = {"gpu": "nbgraph.array.accelerator"}


def place(device: Context) -> Place:
    """Return the `Place` of a device.

    >>> from nbgraph.device import cpu
    >>> place(cpu()).host
    True
    """
    argument: object = device
    if not isinstance(argument, Context):
        raise ArgumentError(
            f"device={argument!r}; expected a device, such as ng.cpu() or ng.gpu(0)"
        )
    entry = _PLACES.get(device.device_type)
    if entry is None:
        loaded = load(_LATER[device.device_type]).Accelerator()
        entry = _PLACES.setdefault(device.device_type, loaded)
    return entry


def elsewhere(device: Context) -> str:
    """Return the reason why NumPy cannot access memory of a device, and the remedy."""
    return (
        f"the values are on {device!r}, and nothing is copied to the host unasked; use "
        "x.asnumpy(), or x.to(ng.cpu())"
    )


def refuse(name: str, device: Context) -> NoReturn:
    """Raise DeviceError for an operator that has no form for a device."""
    raise DeviceError(
        f"{name}: there is no GPU form of it, so it does not run on {device!r}, and nothing is "
        "copied to the host unasked; give x.to(ng.cpu()), and bring the result back with "
        f".to({device!r})"
    )


def _require_one(name: str, device: Context, chunks: Sequence[Any]) -> None:
    """Raise DeviceError for memory of another device, with which a kernel would fail, or break the
    process and the device."""
    for chunk in chunks:
        if chunk.device != device and not (chunk.device.host and device.host):
            raise DeviceError(
                f"{name}: it would write memory of {device!r} with what is on {chunk.device!r}; "
                f"copy that, as with .to({device!r})"
            )


def push(
    call: KernelCall,
    arrays: Sequence[Any],
    numbers: Sequence[Any] = (),
    states: Sequence[Any] = (),
    *,
    overwrites: bool,
) -> None:
    """Push a kernel call over arrays in the order of its operands, on the device of its outputs.

    `states`: operands that it updates. `overwrites`: its outputs are written completely.
    """
    block = call.block([a._address for a in arrays], numbers)
    first = len(arrays) - call.writes
    writes = list(dict.fromkeys([a._chunk for a in (*arrays[first:], *states)]))
    reads = [c for c in dict.fromkeys([a._chunk for a in arrays[:first]]) if c not in writes]
    device = writes[0].device
    if ELSEWHERE[0]:
        _require_one(call.name, device, (*reads, *writes))
    place(device).push(call, reads, writes, block, overwrites=overwrites)


def launcher(
    call: KernelCall, engine: ThreadedEngine, reads: int, writes: int, overwrites: bool
) -> Launcher:
    """Return the engine's fast path for a call over so many variables."""
    key = engine, reads, writes, overwrites
    launch = call.cache.get(key)
    if launch is None:
        stale = [k for k in list(call.cache) if type(k) is tuple and k[0] is not engine]
        for k in stale:  # of earlier engines
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
