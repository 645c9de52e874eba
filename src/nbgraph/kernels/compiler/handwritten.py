"""Functions that users compile themselves: run without the GIL, compiled at the first call.

An `njit` function holds the GIL unless compiled with `nogil=True`; a worker that holds it stops
every Python thread. Such a function is compiled again from its source, with its own options.

GPU threads run a `cuda.jit` kernel or a ThreadKernel; `kernels.cuda.handwritten` compiles both.
"""

import inspect
import threading
from collections.abc import Callable
from typing import Any

from nbgraph.errors import ArgumentError

STRIDE = ("start", "step")  # the last parameters of a ThreadKernel's function


class Compiled:
    """A Python function over arrays, compiled with Numba (nogil) for the types it is called with.

    >>> import numpy as np
    >>> @compiled
    ... def double(x, out):
    ...     for i in range(x.size):
    ...         out[i] = 2 * x[i]
    >>> out = np.empty(2)
    >>> double(np.array([1.0, 2.0]), out)
    >>> out
    array([2., 4.])
    """

    def __init__(self, fn: Callable[..., Any], **options: Any) -> None:
        self.py_func, self.options = fn, options
        self.__name__, self.__doc__ = fn.__name__, fn.__doc__
        self._dispatcher: Any = None
        self._lock = threading.Lock()

    @property
    def dispatcher(self) -> Any:
        """Numba's dispatcher; reading it imports Numba at the first time."""
        with self._lock:
            if self._dispatcher is None:
                import numba

                self._dispatcher = numba.njit(nogil=True, **self.options)(self.py_func)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """The Numba type of the function inside other compiled functions."""
        return self.dispatcher._numba_type_

    def __call__(self, *args: Any) -> Any:
        """Run the function; the first call with a combination of types compiles it."""
        return (self._dispatcher or self.dispatcher)(*args)


def compiled(fn: Callable[..., Any]) -> Compiled:
    """Return a decorated function that Numba compiles at its first call, to run without the GIL."""
    return Compiled(fn)


class ThreadKernel(Compiled):
    """The work of one of many threads; see `thread_kernel`. A direct call does the work of all."""

    def __call__(self, *args: Any) -> Any:
        """Run the whole range as a single thread."""
        return super().__call__(*args, 0, 1)


def thread_kernel(fn: Callable[..., Any]) -> ThreadKernel:
    """Return a kernel for GPUs and the host: a function over arrays as one of many threads runs it.

    Its last two parameters are `start` and `step`: a thread handles elements start, start + step
    and so on, and no other thread does. Before them come the parameters of an operator's function;
    see `SimpleOp.set_function`. On a GPU Numba's CUDA target compiles it (`pip install
    'nbgraph[cuda13]'`), elsewhere Numba itself, and the only thread has step 1.

    Threads run in any order, so they must write different elements, and read none that others
    write. Raises ArgumentError unless the last parameters are `start` and `step`.

    >>> import numpy as np, nbgraph as ng
    >>> @thread_kernel
    ... def scaled(src, ret, scalar, req, start, step):
    ...     for i in range(start, src.size, step):
    ...         ret[i] = scalar * src[i]
    >>> op = ng.register_simple_op("scaled_of_the_docs").set_enable_scalar()
    >>> op.set_function(("cpu", "gpu"), scaled)(np.array([1.0, 2.0]), scalar=3)
    array([3., 6.])
    """
    names = list(inspect.signature(fn).parameters)
    if tuple(names[-2:]) != STRIDE:
        raise ArgumentError(
            f"thread_kernel: {fn.__name__}({', '.join(names)}) does not end in start, step, which "
            "say what the elements of a thread are"
        )
    return ThreadKernel(fn)


def is_dispatcher(fn: Any) -> bool:
    """Return whether `fn` is an `njit` function or a Compiled one."""
    return isinstance(fn, Compiled) or (
        hasattr(fn, "py_func") and hasattr(fn, "targetoptions") and not is_cuda(fn)
    )


def is_cuda(fn: Any) -> bool:
    """Return whether `fn` is a `cuda.jit` kernel, with or without a launch shape."""
    return "cuda" in type(fn).__module__.split(".") and python_function(fn) is not None


def declared_shape(kernel: Any) -> tuple[Any, Any, int] | None:
    """Return blocks, threads and bytes of shared memory of `kernel[blocks, threads, ...]`, or None
    without them. Numba's simulator keeps them on the kernel: there the last ones count."""
    for blocks, threads, shared in (
        ("griddim", "blockdim", "sharedmem"),
        ("grid_dim", "block_dim", "dynshared_size"),
    ):
        if getattr(kernel, blocks, None) is not None:
            return getattr(kernel, blocks), getattr(kernel, threads), getattr(kernel, shared)
    return None


def python_function(fn: Any) -> Any:
    """Return the Python function behind a compiled one, or None."""
    return getattr(getattr(fn, "dispatcher", fn), "py_func", None)


def without_gil(name: str, fn: Any) -> Callable[..., Any]:
    """Return an `njit` function that runs without the GIL and takes read-only arrays.

    Raises ArgumentError for `parallel=True`: Numba's threads and nbgraph's workers would fight
    for the cores.
    """
    if isinstance(fn, Compiled):
        return fn
    options = dict(fn.targetoptions)
    if options.get("parallel"):
        raise ArgumentError(
            f"{name}: {fn.__name__} is compiled with parallel=True, whose threads fight with "
            "nbgraph's workers; compile it without"
        )
    if options.pop("nogil", False) and getattr(fn, "_can_compile", True):
        return fn
    options.pop("nopython", None)
    return Compiled(fn.py_func, **options)
