"""Products of matrices by SciPy's BLAS, as one kernel of the common signature.

The kernel is LLVM text that calls gemm or gemv through the pointers which SciPy exports for Cython,
or our own gemm (`kernels.products.axes.gemm`) where vectors have 64 bytes. It needs no GIL and
serves all dtypes, as BLAS takes addresses only. An iteration is a tile of the result; tiles depend
on shapes alone, so the bits do not depend on which thread runs a tile.

A tile is work for one thread. A threaded OpenBLAS has one thread count per process; while any of
our calls runs it is 1, then it is restored (`Threads`). NumPy's OpenBLAS is a separate library,
which this does not touch. Settings of other libraries are not changed.
"""

import ctypes
import functools
import importlib
import os
import sys
import threading
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType

from nbgraph.codegen import builtin
from nbgraph.codegen.host import features
from nbgraph.errors import CompileError
from nbgraph.kernels.compiler.kernel import Ready
from nbgraph.kernels.products import gemm
from nbgraph.kernels.products.blas_text import TEXT
from nbgraph.native.processor import vector_bytes
from nbgraph.scopes import forkable

_LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


class Threads:
    """Words shared by all calls of the process: a lock, the number of our calls in progress, the
    count to restore, and OpenBLAS's getter and setter (0: nothing to set)."""

    LOCK, UNDER_WAY, KEPT, GETTER, SETTER = range(5)

    def __init__(self, library: ctypes.CDLL | None) -> None:
        self.words = (ctypes.c_int64 * 5)()
        self.address = ctypes.addressof(self.words)
        if library is None:
            return
        for prefix in ("scipy_openblas", "openblas"):
            getter = getattr(library, f"{prefix}_get_num_threads", None)
            setter = getattr(library, f"{prefix}_set_num_threads", None)
            if getter is not None and setter is not None:
                self.getter, self.setter = getter, setter
                for place, function in ((self.GETTER, getter), (self.SETTER, setter)):
                    self.words[place] = ctypes.cast(function, ctypes.c_void_p).value or 0
                os.register_at_fork(after_in_child=self.forked)
                return

    def forked(self) -> None:
        """Reset the words in a forked child, where no call of the parent is in progress."""
        words = self.words
        if words[self.UNDER_WAY] and self.getter() == 1:
            self.setter(words[self.KEPT])
        words[self.LOCK] = words[self.UNDER_WAY] = 0


_MODEL = """\
def product(args, lo, hi):
    # tiles [lo, hi) of the result, or of all results one behind the other; without the GIL
    with one_blas_thread():
        for tile in range(lo, hi):
            first, second, out = operands_of(args, tile)
            if args.vector:
                gemv(args.alpha, first, second, args.beta, out)
            else:
                gemm(args.alpha, first, second, args.beta, out)
"""


class Routine(Ready):
    """A kernel of LLVM text that calls Fortran; `model` describes it in Python."""

    def __init__(self, name: str, model: str, text: str) -> None:
        super().__init__(name, model)
        self._text, self.address = text, builtin.address(text, name)

    def llvm(self) -> str:
        """Return the kernel's LLVM text."""
        return self._text


class Products(Routine):
    """The kernel of products, with the addresses that it calls."""

    def __init__(self) -> None:
        self._module = module_of("blas")
        self._pointers: dict[str, tuple[int, int]] = {}
        self.threads = Threads(_library(self._module))
        super().__init__("product", _MODEL, TEXT)

    def pointers(self, dtype: str) -> tuple[int, int]:
        """Return the addresses of gemm and gemv for a dtype; see `kernels.products.axes.gemm`."""
        if dtype not in self._pointers:
            kind = _LETTERS[dtype]
            own = kind in "sd" and vector_bytes(features()) == gemm.BYTES
            code = builtin.address(gemm.gemm_text(dtype), "gemm", 1) if own else 0
            self._pointers[dtype] = (
                code or pointer(self._module, f"{kind}gemm"),
                pointer(self._module, f"{kind}gemv"),
            )
        return self._pointers[dtype]


_making = forkable(threading.RLock())


@functools.cache
def _routine() -> Products:
    return Products()


def routine() -> Products:
    """Return the kernel. SciPy is imported here, at the first product, by one thread: its module
    cannot be loaded twice, and the words of `Threads` are unique in the process."""
    if _routine.cache_info().currsize:
        return _routine()
    with _making:
        return _routine()


def module_of(library: str) -> ModuleType:
    """Return SciPy's module of pointers to "blas" or "lapack", without its package if possible,
    whose import takes a third of a second."""
    with _making:  # another thread's module is in `sys.modules` before it is complete
        return _module_of(f"scipy.linalg.cython_{library}")


@functools.cache
def _module_of(name: str) -> ModuleType:
    if name in sys.modules:
        return importlib.import_module(name)  # waits for an import in progress
    package = find_spec("scipy")
    assert package is not None, "SciPy is a dependency"
    folders = [str(Path(p, "linalg")) for p in package.submodule_search_locations or ()]
    spec = PathFinder.find_spec(name, folders)
    if spec is None or spec.loader is None:
        return importlib.import_module(name)
    try:
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    except (ImportError, RuntimeError):  # needs its package, or is being loaded
        return importlib.import_module(name)
    # a later import by name loads it with its package
    sys.modules.pop(name, None)
    return module


def _library(module: ModuleType) -> ctypes.CDLL | None:
    """Return a handle to look up symbols of the BLAS that the module is linked with."""
    try:
        return ctypes.CDLL(str(module.__file__))
    except OSError:
        return None


def pointer(module: ModuleType, name: str) -> int:
    """Return the address of a function that such a module exports."""
    capsule = getattr(module, "__pyx_capi__", {}).get(name)
    if capsule is None:
        raise CompileError(f"SciPy's {module.__name__} lacks {name!r}; install SciPy 1.13 or later")
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = (ctypes.py_object,)
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
    return api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
