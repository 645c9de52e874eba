"""Large calls on NumPy arrays: cut into chunks for the engine's workers, the caller among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.kernels.cost import per_element
from nbgraph.kernels.function import Captured
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.kernels.blas import Routine
    from nbgraph.kernels.kernel import Kernel

GRAIN = 500_000  # nanoseconds from which a call is worth the workers


def most(captured: Captured, nbytes: int) -> int:
    """Return the elements up to which a call stays on its thread."""
    return int(GRAIN / max(per_element(captured, nbytes), 1e-3))


def alone() -> bool:
    """Return whether calls have no other thread: an engine without workers, or a function that the
    engine runs, where the other workers have work of their own."""
    if config.engine != "threaded":
        return True
    from nbgraph import engine
    from nbgraph.engine.thread import here
    from nbgraph.engine.threaded import ThreadedEngine

    return here.running is not None or not isinstance(engine.current(), ThreadedEngine)


def run(
    code: Kernel | Routine, words: Any, size: int, nanoseconds: int, arrays: Sequence[Any]
) -> None:
    """Run a kernel over [0, size); a long one on all workers, where there are several. `arrays`
    are what it reads and writes. Small calls never start the engine."""
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
    except KeyboardInterrupt:  # it goes on: until its end nothing of it may go
        alive = call, arrays
        current.push(lambda run_ctx: alive and None, const_vars=[variable])
        raise
