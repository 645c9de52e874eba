"""Which driver there is, and why none where there is none. Nothing is loaded before a GPU is asked
for; the setting `gpu` says what is looked for.

>>> num_gpus() >= 0
True
"""

from __future__ import annotations

import importlib
import os
import threading
from typing import TYPE_CHECKING

import numpy as np

from nbgraph.device.context import Context, RunContext
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.settings import config, read_for_good

if TYPE_CHECKING:
    from nbgraph.device.protocol import Bytes, Driver

LEAST = (8, 0)  # compute capability that kernels are made for
_KINDS = {"auto": "nbgraph.device.nvidia", "emulated": "nbgraph.device.emulated"}
_lock = threading.RLock()
_drivers: dict[str, Driver | str] = {}  # by setting, or why there is none
_contexts: dict[Context, RunContext] = {}
_reasons: dict[int, str | None] = {}


def _look() -> Driver | str:
    """The driver, found once a process; where there was none, another setting is looked for."""
    kind = config.gpu
    with _lock:
        loaded = [d for d in _drivers.values() if not isinstance(d, str)]
        if loaded:
            return loaded[0]
        if kind not in _drivers:
            _drivers[kind] = _load(kind)
            if not isinstance(_drivers[kind], str):
                read_for_good("gpu", "set it before a GPU is asked for, or NBGRAPH_GPU")
        return _drivers[kind]


def _load(kind: str) -> Driver | str:
    if kind == "none":
        return "the setting gpu is 'none'"
    load = importlib.import_module(_KINDS[kind]).load
    try:
        loaded: Driver = load()
    except DeviceError as problem:
        return str(problem)
    return loaded


def driver() -> Driver:
    """Return the driver; DeviceError says why there is none."""
    backend = _look()
    if isinstance(backend, str):
        raise DeviceError(f"no GPU backend is loaded: {backend}")
    return backend


def num_gpus() -> int:
    """How many GPUs there are; 0 where none can be used, and then `missing` says why.

    >>> import nbgraph as ng
    >>> ng.num_gpus() == 0 or ng.device.missing(ng.gpu(0)) is None
    True
    """
    backend = _look()
    return 0 if isinstance(backend, str) else backend.count()


def missing(context: Context) -> str | None:
    """Why nothing can run on a context, or None when something can.

    >>> from nbgraph.device import cpu, gpu
    >>> missing(cpu()) is None
    True
    >>> "ng.cpu()" in missing(gpu(99))
    True
    """
    if context.host:
        return None
    number = context.device_id
    if number not in _reasons:
        _reasons[number] = _reason(number)
    return _reasons[number]


def require(device: object, where: str, argument: str = "device") -> Context:
    """Return a device that something can run on; ArgumentError or DeviceError for another."""
    if not isinstance(device, Context):
        raise ArgumentError(f"{where}: {argument}={device!r}; expected a device such as ng.cpu()")
    why = missing(device)
    if why is not None:
        raise DeviceError(f"{where}: {why}")
    return device


def _reason(number: int) -> str | None:
    backend = _look()
    if isinstance(backend, str):
        reason = f"no GPU backend is loaded, so nothing runs on gpu({number}): {backend}"
        return f"{reason}; or use ng.cpu()"
    count = backend.count()
    if number >= count:
        there = "there is only gpu(0)" if count == 1 else f"there are gpu(0) to gpu({count - 1})"
        there = there if count else f"{backend.name} sees no device"
        return f"gpu({number}) is not there: {there}; use one of those, or ng.cpu()"
    major, minor = backend.capability(number)
    if (major, minor) < LEAST:
        return (
            f"gpu({number}) ({backend.title(number)}) has compute capability {major}.{minor}; "
            f"kernels are made from {LEAST[0]}.{LEAST[1]} on; use another device, or ng.cpu()"
        )
    return None


# what a GPU's memory and functions look like to the floors above ---------------------------------


class _DeviceMemory:
    """Memory of a device, given back when nobody has it."""

    __slots__ = ("__array_interface__", "_address", "_device", "_driver")

    def __init__(self, driver: Driver, device: int, address: int, nbytes: int) -> None:
        self._driver, self._device, self._address = driver, device, address
        self.__array_interface__ = {
            "data": (address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }

    def __del__(self) -> None:
        try:
            self._driver.free(self._device, self._address)
        except (AttributeError, TypeError, DeviceError):  # the interpreter, or the device, is going
            return


def allocate(context: Context, nbytes: int) -> tuple[int, Bytes]:
    """Bytes of a GPU: their address, and an array whose elements the host cannot touch: it is there
    for views and what they overlap. MemoryError where there are not enough."""
    backend, size = driver(), max(1, nbytes)
    address = backend.allocate(context.device_id, size)
    if not address:
        raise MemoryError(f"{nbytes} bytes on {context!r}")
    return address, np.asarray(_DeviceMemory(backend, context.device_id, address, size))[:nbytes]


def room(context: Context) -> tuple[int, int]:
    """Bytes of a GPU that are free, and that there are."""
    return driver().memory(context.device_id)


def trim(context: Context) -> None:
    """Have a GPU's driver keep no memory that was freed: other libraries and processes may want it.
    The host's memory goes back by itself."""
    if not context.host and missing(context) is None:
        driver().trim(context.device_id)


def run_context(context: Context) -> RunContext:
    """The run context of a function; on a GPU with the stream for functions pushed by hand."""
    run_ctx = _contexts.get(context)
    if run_ctx is None:
        with _lock:
            if context not in _contexts:
                stream = None if context.host else driver().stream(context.device_id)
                _contexts[context] = RunContext(context, stream)
            run_ctx = _contexts[context]
    return run_ctx


def describe(context: Context) -> str:
    """What a device is called."""
    return "host" if context.host else driver().title(context.device_id)


def _after_fork() -> None:
    """A driver does not work in a forked child: its threads and contexts are the parent's."""
    global _lock
    _lock = threading.RLock()
    if any(not isinstance(d, str) for d in _drivers.values()):
        reason = "this process was forked after GPUs had been used; start processes by 'spawn' "
        reason += "(multiprocessing.get_context('spawn'))"
        _drivers.update(dict.fromkeys((*_KINDS, "none"), reason))
        _reasons.clear()
        _contexts.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
