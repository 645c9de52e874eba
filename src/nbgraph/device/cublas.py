"""cuBLAS by its C library: products of matrices on NVIDIA's GPUs.

Each stream has its own handle, with a workspace of ours, so that a product gives the same bits in
each run and may be captured. The library copies host arguments before a call returns. Arithmetic is
that of the compute type: 16-bit floats in float32 throughout, float32 in float32 unless the product
allows TF32.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_longlong,
    c_size_t,
    c_void_p,
)
from pathlib import Path
from typing import Any, NamedTuple

from nbgraph.device.gemm import Gemm
from nbgraph.device.protocol import Capability
from nbgraph.errors import DeviceError

_HANDLE = c_void_p
_MATRIX = (c_void_p, c_int, c_int)  # address, type, leading dimension
_BATCH = (*_MATRIX, c_longlong)  # and elements from one product to the next
_HEAD = (_HANDLE, *[c_int] * 5, c_void_p)  # forms, extents, alpha
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cublasCreate_v2": (POINTER(_HANDLE),),
    "cublasSetStream_v2": (_HANDLE, c_void_p),
    "cublasSetWorkspace_v2": (_HANDLE, c_void_p, c_size_t),
    "cublasSetMathMode": (_HANDLE, c_int),
    "cublasGemmEx": (*_HEAD, *_MATRIX, *_MATRIX, c_void_p, *_MATRIX, c_int, c_int),
    "cublasGemmStridedBatchedEx": (
        *(*_HEAD, *_BATCH, *_BATCH, c_void_p, *_BATCH),
        *(c_int, c_int, c_int),  # products, compute type, algorithm
    ),
}
_FORMS = {"N": 0, "T": 1}  # cublasOperation_t
_TYPES = {"float32": 0, "float64": 1, "float16": 2, "bfloat16": 14}  # cudaDataType_t
_SINGLE, _DOUBLE, _TF32 = 68, 70, 77  # cublasComputeType_t
_CHOOSE = -1  # CUBLAS_GEMM_DEFAULT
_NO_SHORT_SUMS = 16  # CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION
# alpha and beta of a compute type; they are never freed
_NUMBERS = {
    kind: tuple(ctypes.pointer(number(value)) for value in (0, 1))
    for kind, number in ((_SINGLE, c_float), (_DOUBLE, c_double), (_TF32, c_float))
}
_MIB = 1 << 20
# workspaces by major compute capability, as NVIDIA advises
_ROOM = {9: 32 * _MIB, 10: 32 * _MIB, 11: 32 * _MIB, 12: 12 * _MIB}
_ROOM_ELSE = 4 * _MIB

_NAMES = {"linux": "lib{}.so.{}", "win32": "{}64_{}.dll"}
# in the packages nvidia-cublas and nvidia-cublas-cu12
_FOLDERS = ("cu13/lib", "cublas/lib", "cu13/bin/x86_64", "cu13/bin/x64", "cublas/bin")


class Cublas:
    """The C library, loaded from a file; calls that fail raise."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.path = library._name
        for name, types in _SIGNATURES.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, c_int
            setattr(self, name, function)
        self._status_text = library.cublasGetStatusString
        self._status_text.argtypes, self._status_text.restype = (c_int,), c_char_p

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; raise DeviceError with the library's message if it fails."""
        code = getattr(self, name)(*arguments)
        if code:
            text = (self._status_text(code) or b"unknown error").decode()
            raise DeviceError(f"{text} (cuBLAS status {code} of {name})")

    def handle(
        self, stream: int, capability: Capability, allocate: Callable[[int], int]
    ) -> Multiplier:
        """Return a multiplier for a stream of the device whose context is this thread's."""
        nbytes = _ROOM.get(capability[0], _ROOM_ELSE)
        room = allocate(nbytes)
        if not room:
            raise DeviceError(
                f"products need {nbytes >> 20} MiB of the device to work in, and there is not as "
                "much; free arrays, or ng.storage.empty_cache()"
            )
        handle = _HANDLE()
        self.call("cublasCreate_v2", byref(handle))
        self.call("cublasSetStream_v2", handle, stream)  # resets the workspace, so it comes first
        self.call("cublasSetWorkspace_v2", handle, room, nbytes)
        self.call("cublasSetMathMode", handle, _NO_SHORT_SUMS)
        return Multiplier(self, handle.value or 0)


class Multiplier:
    """A cuBLAS handle, which runs products on its stream, in order."""

    __slots__ = ("_handle", "_library")

    def __init__(self, library: Cublas, handle: int) -> None:
        self._library, self._handle = library, handle

    def multiply(self, gemm: Gemm, a: int, b: int, c: int) -> None:
        """See `protocol.Stream`. The handle's context must be this thread's."""
        call = _call(gemm)
        self._library.call(
            *(call.name, self._handle, *call.head, a, *call.a, b, *call.b),
            *(call.beta, c, *call.c, *call.tail),
        )


class _Call(NamedTuple):
    """A function of the library and its arguments, except for the handle and addresses."""

    name: str
    head: tuple[Any, ...]
    a: tuple[int, ...]  # arguments after the address of a
    b: tuple[int, ...]
    beta: Any
    c: tuple[int, ...]
    tail: tuple[int, ...]


@functools.lru_cache(maxsize=4096)
def _call(gemm: Gemm) -> _Call:
    gemm.check()
    kind = _TYPES[gemm.dtype.name]
    compute = _DOUBLE if kind == 1 else _TF32 if gemm.tf32 and kind == 0 else _SINGLE
    zero, one = _NUMBERS[compute]
    forms = (_FORMS[form] for form in gemm.forms)
    head = *forms, gemm.m, gemm.n, gemm.k, one
    beta = one if gemm.adds else zero
    a, b, c = ((kind, ld) for ld in gemm.lds)
    if gemm.products == 1:
        return _Call("cublasGemmEx", head, a, b, beta, c, (compute, _CHOOSE))
    a, b, c = ((kind, ld, step) for ld, step in zip(gemm.lds, gemm.steps, strict=True))
    tail = gemm.products, compute, _CHOOSE
    return _Call("cublasGemmStridedBatchedEx", head, a, b, beta, c, tail)


# loading ----------------------------------------------------------------------------------------


def load(cuda: int) -> Cublas:
    """Return the library for a driver of a version of CUDA, such as 13000; raise DeviceError if
    there is none. A copy that this process has loaded already is shared."""
    for major in (13, 12) if cuda >= 13000 else (12,):
        for open_library in _openers(major):
            try:
                return Cublas(open_library())
            except (ImportError, OSError, RuntimeError, AttributeError):  # not there, or too old
                continue
    raise DeviceError(
        "products on a GPU are done by cuBLAS, which was not found among Python's packages, by the "
        "loader, or in CUDA_HOME: pip install 'nbgraph[cuda13]', or use x.to(ng.cpu())"
    )


def _file(library: str, major: int) -> str:
    return _NAMES.get(sys.platform, _NAMES["linux"]).format(library, major)


def _openers(major: int) -> Iterator[Callable[[], ctypes.CDLL]]:
    """Yield functions that open the library of a version: the copy of this process, those in
    packages and toolkits, the loader's, and the one that NVIDIA's path finder returns."""
    name = _file("cublas", major)
    if hasattr(os, "RTLD_NOLOAD"):
        yield lambda: ctypes.CDLL(name, os.RTLD_NOLOAD | os.RTLD_NOW)
    for folder in _folders():
        if (folder / name).exists():
            yield lambda folder=folder: _open(folder, major)
    yield lambda: ctypes.CDLL(name)
    yield _by_pathfinder


def _folders() -> Iterator[Path]:
    package = importlib.util.find_spec("nvidia")
    for root in (package and package.submodule_search_locations) or ():
        yield from (Path(root) / folder for folder in _FOLDERS)
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if name in os.environ:
            yield from (Path(os.environ[name]) / folder for folder in ("lib64", "lib", "bin"))
    yield Path("/usr/local/cuda/lib64")


def _open(folder: Path, major: int) -> ctypes.CDLL:
    """Load the library from a folder, after the dependency that lies beside it."""
    dependency = folder / _file("cublasLt", major)
    if dependency.exists():
        ctypes.CDLL(str(dependency))
    return ctypes.CDLL(str(folder / _file("cublas", major)))


def _by_pathfinder() -> ctypes.CDLL:
    finder: Any = importlib.import_module("cuda.pathfinder")
    return ctypes.CDLL(finder.load_nvidia_dynamic_lib("cublas").abs_path)
