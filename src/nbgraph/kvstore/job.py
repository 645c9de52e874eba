"""What a worker knows of the job that it is part of."""

from __future__ import annotations

import importlib
from contextvars import ContextVar
from typing import Any, NamedTuple

from nbgraph.errors import ArgumentError, KVStoreError

JOB: ContextVar[Job] = ContextVar("nbgraph_job")


class Job(NamedTuple):
    """One worker's part of a job. Shards are in the same order for all workers."""

    rank: int
    workers: int
    shards: list[Any]  # Dask actors of `Shard`
    timeout: float  # seconds that a worker waits for others
    checkpoint: Any  # None, or the folder where rounds are kept


def current_job(kind: str) -> Job:
    """Return the job of the function that is running; ArgumentError outside of one."""
    job = JOB.get(None)
    if job is None:
        raise ArgumentError(
            f"kv.create: a store of kind {kind!r} joins the workers of a cluster; call it in the "
            "function that runs there: `with ng.kv.cluster(workers=2) as c: c.run(function)`"
        )
    return job


def distributed() -> Any:
    """Return Dask's package `distributed`, which the extra `dist` brings."""
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise KVStoreError(
            "ng.kv: stores on many processes or machines take the package distributed; install "
            "nbgraph[dist]"
        ) from None


def require_picklable(call: str, value: Any) -> None:
    """ArgumentError where a value cannot be sent to other processes."""
    distributed()
    protocol = importlib.import_module("distributed.protocol.pickle")
    try:
        protocol.dumps(value)
    except Exception as error:
        raise ArgumentError(
            f"{call}: a {type(value).__name__} cannot be pickled for other processes "
            f"({type(error).__name__}: {error}); make what it holds inside of it"
        ) from error
