"""NVIDIA's driver, by the C library that the driver's installation contains, without a toolkit.

Memory comes from the driver's stream-ordered pool. Calls release the GIL, as ctypes does.
"""

from __future__ import annotations

import ctypes
import functools
import sys
import threading
from ctypes import POINTER, byref, c_int, c_size_t, c_uint, c_uint64, c_void_p
from typing import Any

import numpy as np

from nbgraph.device import cublas
from nbgraph.device.nvidia_streams import NON_BLOCKING, NvidiaFunction, NvidiaStream
from nbgraph.device.protocol import Bytes, Capability, Code, Driver
from nbgraph.errors import CompileError, DeviceError

_LIBRARIES = {"win32": ("nvcuda.dll",), "linux": ("libcuda.so.1", "libcuda.so")}
_SEE = "see what nvidia-smi lists, and CUDA_VISIBLE_DEVICES"
_OUT_OF_MEMORY = 2
# numbers of CUdevice_attribute
_MULTIPROCESSORS, _RESIDENT, _MAJOR, _MINOR = 16, 39, 75, 76
_RELEASE_THRESHOLD = 4  # CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6  # options of cuModuleLoadDataEx
_LOG = 8192
# CUDA_ERROR_INVALID_IMAGE, _NO_BINARY_FOR_GPU, _INVALID_PTX, _UNSUPPORTED_PTX_VERSION: errors of
# the text; all others are errors of the device, which may have failed before
_REFUSED = (200, 209, 218, 222)
_ORDINAL = 9  # CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
_LEGACY, _PER_THREAD = 1, 2  # handles that stand for the default streams

_HANDLE = c_void_p
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDriverGetVersion": (POINTER(c_int),),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_void_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(_HANDLE), c_int),
    "cuCtxSetCurrent": (_HANDLE,),
    "cuMemGetInfo_v2": (POINTER(c_size_t), POINTER(c_size_t)),
    "cuMemAllocAsync": (POINTER(c_uint64), c_size_t, _HANDLE),
    "cuMemFreeAsync": (c_uint64, _HANDLE),
    "cuMemHostAlloc": (POINTER(c_void_p), c_size_t, c_uint),
    "cuMemFreeHost": (c_void_p,),
    "cuDeviceGetDefaultMemPool": (POINTER(_HANDLE), c_int),
    "cuMemPoolSetAttribute": (_HANDLE, c_int, c_void_p),
    "cuMemPoolTrimTo": (_HANDLE, c_size_t),
    "cuPointerGetAttribute": (POINTER(c_int), c_int, c_uint64),
    "cuStreamCreate": (POINTER(_HANDLE), c_uint),
    "cuStreamGetFlags": (_HANDLE, POINTER(c_uint)),
    "cuStreamDestroy_v2": (_HANDLE,),
    "cuStreamSynchronize": (_HANDLE,),
    "cuStreamWaitEvent": (_HANDLE, _HANDLE, c_uint),
    "cuEventCreate": (POINTER(_HANDLE), c_uint),
    "cuEventDestroy_v2": (_HANDLE,),
    "cuEventRecord": (_HANDLE, _HANDLE),
    "cuEventSynchronize": (_HANDLE,),
    "cuEventQuery": (_HANDLE,),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, _HANDLE),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, _HANDLE),
    "cuMemcpyDtoDAsync_v2": (c_uint64, c_uint64, c_size_t, _HANDLE),
    "cuMemcpyPeerAsync": (c_uint64, _HANDLE, c_uint64, _HANDLE, c_size_t, _HANDLE),
    "cuModuleLoadDataEx": (POINTER(_HANDLE), c_void_p, c_uint, c_void_p, c_void_p),
    "cuModuleGetFunction": (POINTER(_HANDLE), _HANDLE, ctypes.c_char_p),
    "cuLaunchKernel": (_HANDLE, *[c_uint] * 7, _HANDLE, c_void_p, c_void_p),
    "cuStreamBeginCapture_v2": (_HANDLE, c_int),
    "cuStreamGetCaptureInfo_v2": (
        *(_HANDLE, POINTER(c_int), POINTER(c_uint64), POINTER(_HANDLE)),
        *(POINTER(POINTER(_HANDLE)), POINTER(c_size_t)),
    ),
    "cuStreamEndCapture": (_HANDLE, POINTER(_HANDLE)),
    "cuGraphInstantiateWithFlags": (POINTER(_HANDLE), _HANDLE, c_uint64),
    "cuGraphExecKernelNodeSetParams_v2": (_HANDLE, _HANDLE, c_void_p),
    "cuGraphLaunch": (_HANDLE, _HANDLE),
    "cuGraphDestroy": (_HANDLE,),
    "cuGraphExecDestroy": (_HANDLE,),
    "cuGetErrorString": (c_int, POINTER(ctypes.c_char_p)),
}


class Library:
    """The C library; calls that fail raise."""

    def __init__(self, library: ctypes.CDLL) -> None:
        for name, types in _SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, c_int
            setattr(self, name, function)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; raise DeviceError with the driver's message if it fails."""
        self.require(name, getattr(self, name)(*arguments))

    def require(self, name: str, code: int) -> None:
        """Raise DeviceError if `code`, which function `name` returned, is an error."""
        if code:
            raise DeviceError(f"{self.error_text(code)} (CUDA error {code} of {name})")

    def error_text(self, code: int) -> str:
        """Return the meaning of an error code."""
        text = ctypes.c_char_p()
        self.cuGetErrorString(code, byref(text))  # type: ignore[attr-defined]
        return (text.value or b"unknown error").decode()


class _Pinned:
    """Pinned memory of the host."""

    __slots__ = ("__array_interface__", "_address", "_driver")

    def __init__(self, driver: NvidiaDriver, nbytes: int) -> None:
        self._driver, address = driver, c_void_p()
        driver.on(0, "cuMemHostAlloc", byref(address), nbytes, 1)  # 1: portable, for all devices
        self._address = address.value or 0
        self.__array_interface__ = {
            "data": (self._address, False),
            "shape": (nbytes,),
            "typestr": "|u1",
            "version": 3,
        }

    def __del__(self) -> None:
        try:
            self._driver.on(0, "cuMemFreeHost", self._address)
        except (AttributeError, TypeError, DeviceError):  # half made, or the process is going
            return


class NvidiaDriver(Driver):
    """The driver of NVIDIA's GPUs."""

    name = "NVIDIA's driver"

    def __init__(self, library: Library) -> None:
        self.library = library
        try:
            library.call("cuInit", 0)
        except DeviceError as problem:
            reason = f"NVIDIA's driver is here, but cannot be used: {problem}"
            raise DeviceError(f"{reason}; {_SEE}") from None
        count = c_int()
        library.call("cuDeviceGetCount", byref(count))
        self._count = count.value
        self._here = threading.local()
        self._lock = threading.RLock()
        self._contexts: dict[int, int] = {}
        self._memory: dict[int, NvidiaStream] = {}  # streams for allocation, by device
        self._products: cublas.Cublas | None = None

    def context(self, device: int) -> int:
        """Return the primary context, shared with other libraries in this process."""
        context = self._contexts.get(device)
        if context is None:
            with self._lock:
                handle = _HANDLE()
                self.library.call("cuDevicePrimaryCtxRetain", byref(handle), self._device(device))
                context = self._contexts.setdefault(device, handle.value or 0)
        return context

    def enter(self, device: int) -> None:
        """Make the device's context this thread's, at every call as other libraries change it."""
        self.library.call("cuCtxSetCurrent", self.context(device))

    def on(self, device: int, name: str, *arguments: Any) -> None:
        """Call the library for a device."""
        self.enter(device)
        self.library.call(name, *arguments)

    def create(self, device: int, name: str, *arguments: Any) -> int:
        """Return the handle that a function of the library creates, its first argument."""
        handle = _HANDLE()
        self.on(device, name, byref(handle), *arguments)
        return handle.value or 0

    def create_last(self, device: int, name: str, *arguments: Any) -> int:
        """Return the handle that a function creates as its last argument."""
        handle = _HANDLE()
        self.on(device, name, *arguments, byref(handle))
        return handle.value or 0

    @functools.cache  # noqa: B019  one driver a process
    def _device(self, device: int) -> int:
        number = c_int()
        self.library.call("cuDeviceGet", byref(number), device)
        return number.value

    @functools.cache  # noqa: B019
    def _attribute(self, device: int, number: int) -> int:
        value = c_int()
        self.library.call("cuDeviceGetAttribute", byref(value), number, self._device(device))
        return value.value

    def count(self) -> int:
        return self._count

    def title(self, device: int) -> str:
        room = ctypes.create_string_buffer(256)
        self.library.call("cuDeviceGetName", room, len(room), self._device(device))
        return room.value.decode()

    def capability(self, device: int) -> Capability:
        return self._attribute(device, _MAJOR), self._attribute(device, _MINOR)

    def multiprocessors(self, device: int) -> int:
        return self._attribute(device, _MULTIPROCESSORS)

    def resident(self, device: int) -> int:
        return self._attribute(device, _RESIDENT)

    def memory(self, device: int) -> tuple[int, int]:
        free, total = c_size_t(), c_size_t()
        self.on(device, "cuMemGetInfo_v2", byref(free), byref(total))
        return free.value, total.value

    def allocate(self, device: int, nbytes: int) -> int:
        """See Driver. The stream has no other work, so the wait is short."""
        stream, address = self._memory_stream(device), c_uint64()
        self.enter(device)
        code = self.library.cuMemAllocAsync(byref(address), nbytes, stream.handle)  # type: ignore[attr-defined]
        if code == _OUT_OF_MEMORY:
            return 0
        self.library.require("cuMemAllocAsync", code)
        stream.synchronize()
        return address.value

    def free(self, device: int, address: int) -> None:
        self.on(device, "cuMemFreeAsync", address, self._memory_stream(device).handle)

    def _memory_stream(self, device: int) -> NvidiaStream:
        with self._lock:
            if device not in self._memory:
                most = c_uint64((1 << 64) - 1)
                pool = self.create(device, "cuDeviceGetDefaultMemPool", self._device(device))
                self.on(device, "cuMemPoolSetAttribute", pool, _RELEASE_THRESHOLD, byref(most))
                self._memory[device] = self.stream(device)
            return self._memory[device]

    def trim(self, device: int) -> None:
        """See Driver. Otherwise the pool keeps freed memory, for fast allocation."""
        self._memory_stream(device).synchronize()  # freed memory counts as used until then
        pool = self.create(device, "cuDeviceGetDefaultMemPool", self._device(device))
        self.on(device, "cuMemPoolTrimTo", pool, 0)

    def pinned(self, nbytes: int) -> Bytes:
        return np.asarray(_Pinned(self, max(1, nbytes)))[:nbytes]

    def stream(self, device: int) -> NvidiaStream:
        return NvidiaStream(self, device)

    def foreign(self, device: int, handle: int) -> NvidiaStream:
        return NvidiaStream(self, device, handle)

    def settled(self, device: int, handle: int) -> int:
        if handle in (_LEGACY, _PER_THREAD):
            return _LEGACY
        flags = c_uint()
        self.on(device, "cuStreamGetFlags", handle, byref(flags))
        return handle if flags.value & NON_BLOCKING else _LEGACY

    def owner(self, address: int) -> int:
        ordinal = c_int()
        self.enter(0)
        code = self.library.cuPointerGetAttribute(byref(ordinal), _ORDINAL, address)  # type: ignore[attr-defined]
        return -1 if code else ordinal.value

    def function(self, device: int, code: Code) -> NvidiaFunction:
        """See Driver. The module is never unloaded."""
        self.enter(device)  # Numba compiles for the device of this context
        ptx = code.ptx(self.capability(device))
        text = ptx if isinstance(ptx, bytes) else ptx.encode()
        log = ctypes.create_string_buffer(_LOG)
        options = (c_int * 2)(_ERROR_LOG, _ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.addressof(log), _LOG)
        module = _HANDLE()
        self.enter(device)
        status = self.library.cuModuleLoadDataEx(byref(module), text, 2, options, values)  # type: ignore[attr-defined]
        if status in _REFUSED:
            raise CompileError(
                f"{code.name}: {self.title(device)} does not take the PTX that was made of it "
                f"({self.library.error_text(status)}); please report this",
                details=f"{log.value.decode(errors='replace')}\n\n{text.decode(errors='replace')}",
            )
        self.library.require("cuModuleLoadDataEx", status)
        handle = self.create(device, "cuModuleGetFunction", module, code.name.encode())
        return NvidiaFunction(handle, code.order)

    def require_products(self) -> None:
        """See Driver. The library is loaded at the first product."""
        if self._products is None:
            with self._lock:
                if self._products is None:
                    version = c_int()
                    self.library.call("cuDriverGetVersion", byref(version))
                    self._products = cublas.load(version.value)

    def multiplier(self, stream: NvidiaStream) -> cublas.Multiplier:
        """Return a multiplier for a stream."""
        self.require_products()
        assert self._products is not None
        room = functools.partial(self.allocate, stream.device)
        self.enter(stream.device)
        return self._products.handle(stream.handle, self.capability(stream.device), room)


def load() -> NvidiaDriver:
    """Return the driver; raise DeviceError with what is missing."""
    for name in _LIBRARIES.get(sys.platform, ()):
        try:
            return NvidiaDriver(Library(ctypes.CDLL(name)))
        except OSError:
            continue
        except AttributeError as problem:
            raise DeviceError(
                f"{name} is too old: {problem}; install NVIDIA's driver 525 or newer"
            ) from None
    if sys.platform not in _LIBRARIES:
        raise DeviceError(f"NVIDIA has no driver for {sys.platform}")
    raise DeviceError(
        f"NVIDIA's driver ({_LIBRARIES[sys.platform][0]}) was not found: install it (from "
        "nvidia.com/drivers, or the system's packages), or give the container its GPUs "
        "(docker run --gpus all)"
    )
