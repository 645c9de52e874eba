"""What a listener is told of an operation that has ended."""

from __future__ import annotations

import threading
import time
from typing import NamedTuple

from nbgraph.engine.failure import Failure
from nbgraph.engine.operation import Operation
from nbgraph.engine.properties import FnProperty
from nbgraph.engine.sites import Site

LANES = {
    FnProperty.COPY_FROM_GPU: "copy from gpu",
    FnProperty.COPY_TO_GPU: "copy to gpu",
    FnProperty.CPU_PRIORITIZED: "urgent",
    FnProperty.GPU_PRIORITIZED: "urgent",
    FnProperty.ASYNC: "async",
    FnProperty.DELETE_VAR: "delete",
}


class Event(NamedTuple):
    """One operation. Times are those of `time.monotonic_ns`; a skipped one started as it ended, and
    one that began before anybody listened started when it was pushed, as far as is known."""

    name: str
    site: Site
    number: int  # of the push
    pushed_ns: int
    started_ns: int
    ended_ns: int
    thread: int  # identifier of the thread that ran it
    thread_name: str
    lane: str
    status: str  # "ok", "failed" or "skipped"


def event(operation: Operation, failure: Failure | None) -> Event:
    """The event of an operation that ends now."""
    now = time.monotonic_ns()
    status = "ok"
    if failure is not None:
        mine = failure.order == (operation.seq, operation.index)
        status = "failed" if mine else "skipped"
    thread, thread_name = operation.thread or (
        threading.get_ident(),
        threading.current_thread().name,
    )
    return Event(
        operation.name,
        operation.site,
        operation.seq,
        operation.pushed_ns,
        operation.started_ns or (now if status == "skipped" else operation.pushed_ns),
        now,
        thread,
        thread_name,
        LANES.get(operation.prop, "cpu"),
        status,
    )
