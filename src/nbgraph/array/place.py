"""What arrays ask of the device they are on: values in and out, kernels, functions; kernel calls
pushed to the engine, which takes each in one compiled call.

One table by device type. The host is here; what is on a GPU is in `accelerator`, which is loaded
when the first array is.
"""

from __future__ import annotations

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
    """Memory of the host, which NumPy sees; other kinds of devices override these methods."""

    host = True  # whether the host's own functions may use the memory
    # a context in which kernels are described; what is not run here need not be compiled
    preparing: Callable[[], Any] = staticmethod(contextlib.nullcontext)

    def read(self, array: Any) -> Values:
        """Return the values, which are there, copied."""
        values: Values = array._view().copy()
        return values

    def begin(self, array: Any, values: Values) -> None:
        """Set the values of a new array, whose chunk nobody has used since it was taken."""
        array._view()[...] = values  # half of what `np.copyto` takes

    def overwrite(self, array: Any, values: Values) -> None:
        """Set all values of an array that nothing unfinished uses."""
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
        """Push a kernel over memory of the device; see `push`."""
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
        """Push `array[key] = value`, of a template with index arrays."""
        write = load("nbgraph.array.copying").write_elements
        write(array, value, indices, key)

    def composed(
        self, op: Any, values: Sequence[Any], attributes: Attributes, specs: Sequence[Any]
    ) -> list[Any] | None:
        """Return the results of an operator over whole arrays by other operators, where those are
        the device's way to do it, else None."""
        return None

    def carry_out(self, job: Any) -> bool:
        """Return whether the device's kernels compute a `lowered.Job`; they are pushed then."""
        push = load("nbgraph.array.lowered").push_lowered
        return bool(job.op.kernels and push(job))


_PLACES: dict[str, Place] = {"cpu": Place()}
# whether there has been memory on another device than `cpu(0)` in this process
ELSEWHERE = [False]
_LATER = {"gpu": "nbgraph.array.accelerator"}


def place(device: Context) -> Place:
    """Return what is asked of a device.

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
    """Why what wants NumPy's memory gets none, and what to do."""
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
    """DeviceError before a kernel is given memory of another device: it would fail, or the process
    would, and the device for good."""
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
    place(device).push(call, reads, writes, block, overwrites=overwrites)


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
