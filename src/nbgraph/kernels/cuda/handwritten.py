"""Kernels that users write for GPUs, `cuda.jit` kernels and ThreadKernels, as drivers load them.

Numba's CUDA target compiles them to machine code for the current device. They are loaded and
launched like all kernels: Numba's host side (contexts, streams, arrays) is not used. Only this file
uses `numba.cuda`, which is imported when a kernel is compiled.

On the emulated device a ThreadKernel is compiled for the host, and a `cuda.jit` kernel runs in
Numba's simulator, if the process has it (NUMBA_ENABLE_CUDASIM=1).
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections.abc import Callable, Generator, Sequence
from types import CellType, FunctionType
from typing import Any

import numpy as np

from nbgraph.device.protocol import Bytes, Capability, Launch
from nbgraph.errors import CompileError, DeviceError
from nbgraph.kernels.compiler.handwritten import Compiled, ThreadKernel, python_function
from nbgraph.kernels.cuda.arguments import SHAPE_WORDS, Signature
from nbgraph.kernels.cuda.launch import Code, Launcher, Ready

EXTRA = "pip install 'nbgraph[cuda13]', or set CUDA_HOME to a CUDA toolkit's folder"
_UNITS = 5  # threads of a ThreadKernel in emulation: few and odd
_LOCK = threading.RLock()  # one compilation, or one simulated launch, at a time
# removed in NumPy 2.5, but needed by numba-cuda 0.30
_DROPPED = {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}


class HandCode(Code):
    """A user's kernel for arguments of certain types."""

    def __init__(self, op: str, fn: Any, signature: Signature) -> None:
        # replaced by the entry's name once compiled
        super().__init__(python_function(fn).__name__, len(signature.arrays))
        self.op, self.signature, self.order = op, signature, signature.order
        self.fn: Any = fn if isinstance(fn, Compiled) else getattr(fn, "dispatcher", fn)

    def ptx(self, capability: Capability) -> bytes:
        """See Code; returns machine code for the device of the calling thread's context."""
        with _LOCK, _numpy_as_it_was(), self._compile_errors():
            cuda = importlib.import_module("numba.cuda")
            if _simulates(cuda.jit):
                raise CompileError(
                    f"{self.op}: NUMBA_ENABLE_CUDASIM is set, so {self.name} is not compiled; "
                    "start Python without it"
                )
            fn: Any = _entry(cuda, self.fn) if isinstance(self.fn, ThreadKernel) else self.fn
            types = tuple(fn.typeof_pyval(value) for value in self.signature.samples())
            kernel_of: Any = importlib.import_module(type(fn).__module__)._Kernel
            kernel = kernel_of(fn.py_func, types, **fn.targetoptions)
            if kernel.cooperative:
                raise CompileError(
                    f"{self.op}: {self.name} has all blocks of the grid wait for each other, which "
                    "is not launched here; make two operators of it"
                )
            self.name = kernel.entry_name
            image = kernel._codelibrary.get_cubin()
            return image if isinstance(image, bytes) else image.code

    def host(self) -> Callable[[Bytes], None]:
        if isinstance(self.fn, ThreadKernel):
            return self._compiled()
        if not _simulates(self.fn):
            raise DeviceError(
                f"{self.op}: {self.name} is a cuda.jit kernel, which an emulated GPU runs in "
                "Numba's simulator: start Python with NUMBA_ENABLE_CUDASIM=1, or make it an "
                "ng.thread_kernel"
            )
        return self._simulated

    def _compiled(self) -> Callable[[Bytes], None]:
        """Return the function of one thread, compiled for the host."""
        run: Any = self.fn.dispatcher
        with self._compile_errors():
            numba = importlib.import_module("numba")
            run.compile(tuple(numba.typeof(v) for v in (*self.signature.samples(), 0, 1)))

        def form(record: Bytes) -> None:
            arguments = self.signature.arguments(record.tolist())
            for start in reversed(range(_UNITS)):
                run(*arguments, start, _UNITS)

        return form

    def _simulated(self, record: Bytes) -> None:
        words = record.tolist()
        module = importlib.import_module(type(self.fn).__module__.rpartition(".")[0])
        wrapped = importlib.import_module(f"{module.__name__}.cudadrv.devicearray").FakeCUDAArray
        arguments = [
            wrapped(value) if isinstance(value, np.ndarray) else value
            for value in self.signature.arguments(words)
        ]
        *shape, shared = words[-SHAPE_WORDS:]
        with _LOCK:
            self.fn[tuple(shape[:3]), tuple(shape[3:]), 0, shared](*arguments)

    @contextlib.contextmanager
    def _compile_errors(self) -> Generator[None]:
        """Return a context that turns Numba's errors into a CompileError of the function."""
        try:
            yield
        except CompileError:
            raise
        except Exception as problem:
            kind = type(problem).__name__
            missing = isinstance(problem, OSError | ImportError) or "Support" in kind
            missing = missing or "NotFound" in kind  # NVIDIA's package that finds libraries
            remedy = EXTRA if missing else "Numba's own text is kept in `details`"
            raise CompileError(
                f"{self.op}: the gpu function {self.name} is not compiled for ({self.signature}): "
                f"{_gist(problem)}; {remedy}",
                details=str(problem),
            ) from problem


def _gist(problem: Exception) -> str:
    """Return the message's informative line: no compile stage, no heading."""
    lines = [line for line in str(problem).splitlines() if line.strip()]
    lines_of = [t for t in lines if not t.startswith("Failed in") and not t.endswith(":")]
    return (lines_of or lines or [type(problem).__name__])[0]


def _simulates(what: Any) -> bool:
    """Return whether a kernel, or a factory of kernels, is the simulator's."""
    home = what.__module__ if isinstance(what, FunctionType) else type(what).__module__
    return "simulator" in home.split(".")


@contextlib.contextmanager
def _numpy_as_it_was() -> Generator[None]:
    """Return a context with the old names of NumPy that Numba's CUDA target uses."""
    lacking = [name for name in _DROPPED if name not in vars(np)]
    for name in lacking:
        setattr(np, name, getattr(np, _DROPPED[name]))
    try:
        yield
    finally:
        for name in lacking:
            delattr(np, name)


def _entry(cuda: Any, kernel: ThreadKernel) -> Any:
    """Return a `cuda.jit` kernel in which each thread handles its elements."""
    names = [f"a{k}" for k in range(kernel.py_func.__code__.co_argcount - 2)]
    arguments = ", ".join(names)
    text = f"def entry({arguments}):\n    body({arguments}, cuda.grid(1), cuda.gridsize(1))\n"
    room = {"cuda": cuda, "body": _device_form(cuda, kernel.py_func, {}), "__name__": __name__}
    exec(text, room)
    return cuda.jit(room["entry"])


def _device_form(cuda: Any, fn: Any, known: dict[Any, Any]) -> Any:
    """Return a function and the Compiled ones that it calls, in device form."""
    if fn not in known:

        def seen(value: Any) -> Any:
            return (
                _device_form(cuda, value.py_func, known) if isinstance(value, Compiled) else value
            )

        room = dict(fn.__globals__)
        room |= {n: seen(room[n]) for n in fn.__code__.co_names if n in room}
        cells = tuple(CellType(seen(cell.cell_contents)) for cell in fn.__closure__ or ())
        copy = FunctionType(fn.__code__, room, fn.__name__, fn.__defaults__, cells)
        known[fn] = cuda.jit(copy, device=True)
    return known[fn]


# launches ---------------------------------------------------------------------------------------


class HandLaunches(Launcher):
    """A user's kernel for certain argument types; Numba's kernels report no failures."""

    __slots__ = ("code",)

    def __init__(self, code: HandCode) -> None:
        super().__init__(code.op, fails=False)
        self.code = code

    def require(self, device: int) -> None:
        self.code.on(device)

    def ready(self, record: Sequence[int], device: int) -> Ready:
        """See Launcher; the record's last words are the shape."""
        b0, b1, b2, t0, t1, t2, shared = record[-SHAPE_WORDS:]
        launch = Launch(self.code.on(device), (b0, b1, b2), (t0, t1, t2), shared)
        return Ready.of(launch, len(record))
