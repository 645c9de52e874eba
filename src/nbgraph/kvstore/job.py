"""The job that a worker is part of, as the worker knows it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

from nbgraph.errors import ArgumentError, KVStoreError, noun

JOB: ContextVar[Job] = ContextVar("nbgraph_job")
Report = Callable[..., None]  # (label, done=, total=) or (label, text=): shows progress


class Job(NamedTuple):
    """One worker's part of a job. Shards are in the same order for all workers."""

    rank: int
    workers: int
    shards: list[Any]  # Dask actors of `Shard`, or where it lives in this process the object itself
    timeout: float  # seconds that a worker waits for others
    checkpoint: Any  # None, or the folder where rounds are kept
    loop: Any = None  # the event loop of the worker
    topic: str = ""  # under which progress is reported


def current_job(kind: str) -> Job:
    """Return the job of the function that is running; ArgumentError outside of one."""
    job = JOB.get(None)
    if job is None:
        raise ArgumentError(
            f"kv.create: a store of kind {kind!r} joins the workers of a cluster; call it in the "
            "function that runs there: `with ng.kv.cluster(workers=2) as c: c.run(function)`"
        )
    return job


def impatient(shard: Any) -> Any:
    """Let an actor's calls fail when its host is lost; return the event loop that they run on.

    Dask's own go on waiting for the actor to be there again, which a shard never is: of a call that
    is under way while the host dies they set no result, so that a wait for it has no end.
    """
    loop = shard._io_loop.asyncio_loop  # it looks for the worker that it is used on
    shard._future = None
    return loop


def distributed() -> Any:
    """Return Dask's package `distributed`, which the extra `dist` brings."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise KVStoreError(
            "ng.kv: stores on many processes or machines need the package distributed; install "
            "nbgraph[dist]"
        ) from None


def require_picklable(call: str, value: Any) -> None:
    """Raise ArgumentError where a value cannot be sent to other processes."""
    distributed()
    protocol = importlib.import_module("distributed.protocol.pickle")
    try:
        protocol.dumps(value)
    except Exception as error:
        raise ArgumentError(
            f"{call}: {noun(value)} cannot be pickled for other processes "
            f"({type(error).__name__}: {error}); make what it holds inside of it"
        ) from error


def reporter(topic: str) -> Report | None:
    """Return what sends progress from this worker of Dask; None outside of one."""
    try:
        worker = distributed().get_worker()
    except ValueError:
        return None
    return lambda **progress: worker.log_event(topic, {"progress": progress})
