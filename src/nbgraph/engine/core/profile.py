"""Records of operations, in a ring buffer that the profiler drains, and timed kernels of plans."""

from nbgraph.engine.core.layout import *
from nbgraph.engine.core.machine import call_kernel, fetch_add, load, now, store


def record_event(core: int, operation: int) -> None:
    """Record an operation that has ended, over the oldest record when the ring is full."""
    size = load(core + EVENTS_SIZE)
    if size == 0 or load(operation + O_STARTED) == 0:
        return
    count = load(core + EVENTS_NEXT)
    place = load(core + EVENTS) + EVENT * (count % size)
    store(place + E_SEQ, load(operation + O_SEQ))
    token = load(operation + O_TOKEN) if load(operation + O_KIND) == CALL else 0
    store(place + E_TOKEN, token)
    store(place + E_NAME, load(operation + O_NAME))
    store(place + E_SITE, load(operation + O_SITE))
    store(place + E_QUEUED, load(operation + O_QUEUED))
    store(place + E_STARTED, load(operation + O_STARTED))
    store(place + E_ENDED, now())
    store(place + E_QUEUE, load(operation + O_QUEUE))
    store(place + E_THREAD, load(operation + O_THREAD))
    cell = load(operation + O_ERROR)
    status = 0
    if cell != 0:
        status = 1 if load(cell + C_SEQ) == load(operation + O_SEQ) else 2
    store(place + E_STATUS, status)
    store(core + EVENTS_NEXT, count + 1)


def timed(args: int, lo: int, hi: int) -> int:
    """Call another kernel, and sum its time, its calls and the elements of its range.

    This kernel replaces others in a plan's table during a profile; chunks may run in parallel.
    """
    started = now()
    code = call_kernel(load(args + T_FUNCTION), load(args + T_ARGS), lo, hi)
    fetch_add(args + T_NANOSECONDS, now() - started)
    fetch_add(args + T_CALLS, 1)
    fetch_add(args + T_ROWS, hi - lo)
    return code
