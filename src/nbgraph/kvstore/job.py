"""The job that a worker takes part in, from the worker's view."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, NamedTuple

from nbgraph.errors import ArgumentError, KVStoreError, noun

JOB: ContextVar[Job] = ContextVar("nbgraph_job")
Report = Callable[..., None]  # (label, done=, total=) or (label, text=): shows progress


class Job(NamedTuple):
    """One worker's view of a job. Shards are in the same order for all workers."""

    rank: int
    workers: int
    shards: list[Any]  # Dask actors of `Shard`, or the object itself if it lives in this process
    timeout: float  # seconds that a worker waits for others
    checkpoint: Any  # None, or the folder of checkpoints
    loop: Any = None  # the event loop of the worker
    topic: str = ""  # under which progress is reported


def current_job(kind: str) -> Job:
    """Return the job of the running function; raise ArgumentError outside of one."""
    job = JOB.get(None)
    if job is None:
        raise ArgumentError(
            f"kv.create: a store of kind {kind!r} joins the workers of a cluster; call it in the "
            "function that runs there: `with ng.kv.cluster(workers=2) as c: c.run(function)`"
        )
    return job


def impatient(shard: Any) -> Any:
    """Make an actor's calls fail when its host is lost; return the event loop that they run on.

    By default Dask waits for the actor to come back, which a shard never does: a pending call gets
    no result when the host dies, so that a wait for it would never end.
    """
    loop = shard._io_loop.asyncio_loop  # the loop of the worker that uses the actor
    shard._future = None
    return loop


def distributed() -> Any:
    """Return Dask's package `distributed`, which the extra `dist` installs."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise KVStoreError(
            "ng.kv: stores on many processes or machines need the package distributed; install "
            "nbgraph[dist]"
        ) from None


def require_picklable(call: str, value: Any) -> None:
    """Raise ArgumentError if a value cannot be sent to other processes."""
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
    """Return a function that sends progress from this Dask worker; None outside of one."""
    try:
        worker = distributed().get_worker()
    except ValueError:
        return None
    return lambda **progress: worker.log_event(topic, {"progress": progress})
