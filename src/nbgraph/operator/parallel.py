"""Large calls on NumPy arrays: chunks run by the engine's workers and the caller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.kernels.function.scalar_function import Captured
from nbgraph.kernels.loops.cost import per_element
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.kernel import Kernel
    from nbgraph.kernels.products.blas import Routine

GRAIN = 500_000  # nanoseconds from which a call is worth the workers


def most(captured: Captured, nbytes: int) -> int:
    """Return the largest number of elements for which a call stays on its thread."""
    return int(GRAIN / max(per_element(captured, nbytes), 1e-3))


def alone() -> bool:
    """Return whether calls have no other thread: the engine has no workers, or this thread is one
    of them and the others have work of their own."""
    if config.engine != "threaded":
        return True
    from nbgraph import engine
    from nbgraph.engine.thread import here
    from nbgraph.engine.threaded import ThreadedEngine

    return here.running is not None or not isinstance(engine.current(), ThreadedEngine)


def run(
    code: Kernel | Routine, words: Any, size: int, nanoseconds: int, arrays: Sequence[Any]
) -> None:
    """Run a kernel over [0, size); a long one on all workers, if there are several. `arrays` are
    those it reads and writes. Small calls never start the engine."""
    if nanoseconds < GRAIN or alone():
        code.run(words, 0, size)
        return
    from nbgraph import engine
    from nbgraph.engine.native_call import NativeCall

    current = engine.current()
    call = NativeCall(
        code.address,
        words.__array_interface__["data"][0],
        size,
        name=code.loop.name,
        cost=nanoseconds,
        keep=(code, words),
    )
    variable = current.new_variable()
    done = current.push(call, mutate_vars=[variable])
    try:
        done.result()
    except KeyboardInterrupt:  # the work continues, so its memory must live until it ends
        alive = call, arrays
        current.push(lambda run_ctx: alive and None, const_vars=[variable])
        raise


# key -> first address, end address, and the function that waits for work on that memory
OWNED: dict[int, tuple[int, int, Callable[[], None]]] = {}


def enter(key: int, start: int, nbytes: int, wait: Callable[[], None]) -> None:
    """Make calls on NumPy arrays within this memory call `wait()` first from now on.

    >>> x = np.zeros(3)
    >>> enter(-1, x.ctypes.data, x.nbytes, lambda: print("waits"))
    >>> wait_for([x[1:], np.zeros(3)])
    waits
    >>> leave(-1)
    """
    OWNED[key] = start, start + nbytes, wait


def leave(key: int) -> None:
    """End the sharing of the memory, if it is shared."""
    OWNED.pop(key, None)


def wait_for(arrays: Iterable[Any]) -> None:
    """Wait for pending work on the memory of NumPy arrays among `arrays`."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or not array.size:
            continue
        low, high = np.lib.array_utils.byte_bounds(array)
        for start, stop, wait in list(OWNED.values()):
            if low < stop and start < high:
                wait()
