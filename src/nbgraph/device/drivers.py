"""The driver of GPUs, or the reason why there is none. It is loaded when a GPU is first needed; the
setting `gpu` chooses its kind.

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

LEAST = (8, 0)  # lowest compute capability that kernels support
_KINDS = {"auto": "nbgraph.device.nvidia", "emulated": "nbgraph.device.emulated"}
_lock = threading.RLock()
_drivers: dict[str, Driver | str] = {}  # by setting: the driver, or the reason for none
_contexts: dict[Context, RunContext] = {}
_reasons: dict[int, str | None] = {}


def _driver_or_reason() -> Driver | str:
    """Return the driver, loaded once a process, or why there is none by the present setting."""
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
    """Return the driver; raise DeviceError with the reason if there is none."""
    backend = _driver_or_reason()
    if isinstance(backend, str):
        raise DeviceError(f"no GPU backend is loaded: {backend}")
    return backend


def num_gpus() -> int:
    """Return the number of GPUs; 0 where none can be used, for which `missing` gives the reason.

    >>> import nbgraph as ng
    >>> ng.num_gpus() == 0 or ng.device.missing(ng.gpu(0)) is None
    True
    """
    backend = _driver_or_reason()
    return 0 if isinstance(backend, str) else backend.count()


def missing(context: Context) -> str | None:
    """Return the reason why a context cannot run work, or None if it can.

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
    """Return `device`; raise ArgumentError or DeviceError unless it is one that can run work."""
    if not isinstance(device, Context):
        raise ArgumentError(f"{where}: {argument}={device!r}; expected a device such as ng.cpu()")
    why = missing(device)
    if why is not None:
        raise DeviceError(f"{where}: {why}")
    return device


def _reason(number: int) -> str | None:
    backend = _driver_or_reason()
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


# memory and run contexts, for the floors above ---------------------------------------------------


class _DeviceMemory:
    """Memory of a device, freed with the last reference to it."""

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
        except (AttributeError, TypeError, DeviceError):  # the interpreter or the device is ending
            return


def allocate(context: Context, nbytes: int) -> tuple[int, Bytes]:
    """Allocate bytes of a GPU; raise MemoryError if it has too few. Return their address, and an
    array whose elements the host cannot access: it serves views and checks of overlap."""
    backend, size = driver(), max(1, nbytes)
    address = backend.allocate(context.device_id, size)
    if not address:
        raise MemoryError(f"{nbytes} bytes on {context!r}")
    return address, np.asarray(_DeviceMemory(backend, context.device_id, address, size))[:nbytes]


def room(context: Context) -> tuple[int, int]:
    """Return the free and the total bytes of a GPU."""
    return driver().memory(context.device_id)


def trim(context: Context) -> None:
    """Return freed memory of a GPU from its driver's pool to the device, for other processes. The
    host has no such pool."""
    if not context.host and missing(context) is None:
        driver().trim(context.device_id)


def run_context(context: Context) -> RunContext:
    """Return the run context of a device; on a GPU with the stream for users' functions."""
    run_ctx = _contexts.get(context)
    if run_ctx is None:
        with _lock:
            if context not in _contexts:
                stream = None if context.host else driver().stream(context.device_id)
                _contexts[context] = RunContext(context, stream)
            run_ctx = _contexts[context]
    return run_ctx


def describe(context: Context) -> str:
    """Return the name of a device."""
    return "host" if context.host else driver().title(context.device_id)


def _after_fork() -> None:
    """Drop the driver in a forked child: its threads and contexts belong to the parent."""
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
