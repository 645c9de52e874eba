"""Records of what ran when, in a ring that the profiler empties."""

from __future__ import annotations

from nbgraph.engine.core.layout import (
    C_SEQ,
    CALL,
    E_ENDED,
    E_NAME,
    E_QUEUE,
    E_QUEUED,
    E_SEQ,
    E_SITE,
    E_STARTED,
    E_STATUS,
    E_THREAD,
    E_TOKEN,
    EVENT,
    EVENTS,
    EVENTS_NEXT,
    EVENTS_SIZE,
    O_ERROR,
    O_KIND,
    O_NAME,
    O_QUEUE,
    O_QUEUED,
    O_SEQ,
    O_SITE,
    O_STARTED,
    O_THREAD,
    O_TOKEN,
)
from nbgraph.engine.core.machine import (
    load,
    now,
    store,
)


def record_event(core: int, operation: int) -> None:
    """The operation is done: one record, over the oldest one when the ring is full."""
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
