"""Calls of functions on all workers of a Dask cluster, which share a store."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit

from nbgraph.errors import (
    ArgumentError,
    KVMembershipError,
    KVStoreError,
    noun,
    require_number,
    require_whole,
    require_word,
)
from nbgraph.kvstore import checkpoint as checkpoints
from nbgraph.kvstore.attempt import GRACE, POLL, SCHEDULER, Attempt, place, present
from nbgraph.kvstore.job import distributed, require_picklable

_LOSSES = ("fail", "wait", "shrink")
_TRIES = 3  # losses in a row without a new checkpoint in between


class Cluster:
    """A set of worker processes, returned by `ng.kv.cluster`."""

    def __init__(self, client: Any, workers: int, *, owned: Any = ()) -> None:
        self.client, self.workers = client, workers
        self._owned = owned  # objects that `close` closes, in this order

    def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        timeout: float = 600.0,
        on_loss: str = "fail",
        checkpoint: Any = None,
    ) -> list[Any]:
        """Call `function(rank, *args)` on all workers; return their results in rank order.

        Parameters
        ----------
        function : callable
            Inside it `ng.kv.create("dist_sync")` returns the store that the workers share.
        *args
            The same for all.
        timeout : float
            Seconds that a pull or a barrier waits for other workers. A shard that has not answered
            after twice this time is lost.
        on_loss : str
            The action when a worker is lost: "fail" raises; "wait" restarts from the checkpoint
            once as many workers are available as before; "shrink" restarts with the remaining ones.
            Three losses in a row without a new checkpoint raise in any case.
        checkpoint : path, optional
            The folder of `kv.checkpoint`, on any file system of fsspec. A job continues from a
            round there.

        Raises
        ------
        KVMembershipError
            A worker is lost, with `on_loss="fail"` or without workers in time.
        KVStoreError
            The scheduler does not answer.
        Exception
            That of the function on the first worker that failed, with a note that names the worker.
        """
        require_word("Cluster.run: on_loss", on_loss, _LOSSES)
        require_number("Cluster.run: timeout", timeout, above=0, noun="seconds")
        if not callable(function):
            raise ArgumentError(f"Cluster.run: {noun(function)}; expected a function of the rank")
        require_picklable("Cluster.run", function)
        count, losses, latest = self.workers, 0, checkpoints.number(checkpoint)
        while True:
            attempt = self._attempt(count, timeout)
            try:
                return attempt.run(function, args, checkpoint)
            except KVMembershipError as error:
                before, latest = latest, checkpoints.number(checkpoint)
                losses = 1 if latest != before else losses + 1
                if on_loss == "fail" or losses == _TRIES:
                    self._restart(attempt.busy, GRACE)
                    if on_loss != "fail":
                        error.add_note(f"after {losses} losses without a new checkpoint")
                    raise
                self._restart(attempt.addresses, timeout)
                if on_loss == "shrink":
                    count = max(1, count - 1)
            except BaseException:
                self._restart(attempt.busy, GRACE)
                raise

    def _attempt(self, count: int, timeout: float) -> Attempt:
        """Return an attempt with shards on `count` workers, trying again if one is lost before it
        has a shard: Dask may end a process that was slow to restart."""
        end = time.monotonic() + timeout
        while True:
            attempt = Attempt(self.client, self._addresses(count, timeout), timeout)
            try:
                attempt.begin()
            except KVMembershipError:
                if time.monotonic() > end:
                    raise
                time.sleep(POLL)
            else:
                return attempt

    def _restart(self, addresses: Sequence[str], timeout: float) -> None:
        """Restart the remaining processes of these addresses, as calls running there cannot be
        cancelled; other workers of a joined cluster are not affected."""
        with suppress(KVStoreError):  # without a scheduler they end by themselves
            left = present(self.client).intersection(addresses)
            if left:
                restart = self.client.restart_workers
                within(2 * timeout, restart, [*left], timeout=timeout, raise_for_error=False)

    def _addresses(self, count: int, timeout: float) -> list[str]:
        """Return the first `count` worker addresses; raise KVMembershipError after `timeout` s."""
        end = time.monotonic() + timeout
        while True:
            workers = sorted(present(self.client))
            if len(workers) >= count:
                return workers[:count]
            # A cluster that was started in this process gets new workers: if a dead one is not back
            # in 15 s, on a busy machine, Dask drops its place. A new one ends if its name is still
            # in use, but Dask continues to count it.
            local: Any = getattr(self.client, "cluster", None)
            watchers: dict[Any, Any] = getattr(local, "workers", {})
            for name in [n for n, w in watchers.items() if w.status.name in ("closed", "failed")]:
                watchers.pop(name, None)
            places = len(getattr(local, "worker_spec", ()))
            if places > len(watchers):
                local.scale(places)
            if time.monotonic() > end:
                raise KVMembershipError(
                    f"Cluster.run: {len(workers)} of {count} workers are there after {timeout:g} s"
                )
            time.sleep(POLL)

    def close(self) -> None:
        """End the workers that belong to it; a joined cluster continues."""
        owned, self._owned = self._owned, ()
        for each in owned:
            try:
                each.close(timeout=SCHEDULER)
            except TimeoutError:
                for nanny in [*getattr(each, "workers", {}).values()]:
                    if nanny.pid is not None:
                        with suppress(ProcessLookupError):
                            os.kill(nanny.pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Cluster of {self.workers} workers{place(self.client)}>"


def within(seconds: float, call: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Wait for a call that may never return, at most `seconds`."""

    def quietly() -> None:
        with suppress(Exception):
            call(*args, **options)

    thread = threading.Thread(target=quietly, daemon=True)
    thread.start()
    thread.join(seconds)


def cluster(
    workers: int = 2,
    *,
    address: str | None = None,
    client: Any = None,
    security: Any = None,
    threads: int | None = None,
    timeout: float = 60.0,
) -> Cluster:
    """Return workers to run functions on: processes of this machine, or those of a cluster.

    Parameters
    ----------
    workers : int
        The number of workers.
    address : str, optional
        The address of an existing cluster's scheduler, such as "tls://host:8786".
    client : distributed.Client, optional
        A client of an existing cluster.
    security : distributed.Security, optional
        Keys and certificates. Without them anyone who reaches the scheduler can run code: processes
        of this machine and their dashboard listen on the loopback address only, and other addresses
        are refused.
    threads : int, optional
        Dask's threads in each process that is started here, 1 by default.
    timeout : float
        Seconds to wait for the scheduler.

    Dask's dashboard, at `c.client.dashboard_link`, shows the function by name, one task per worker,
    and the actors `shard-0`, `shard-1` and so on (it needs the package bokeh).

    >>> import nbgraph as ng
    >>> def work(rank):
    ...     kv = ng.kv.create("dist_sync")
    ...     kv.init("w", ng.zeros(2))
    ...     kv.push("w", ng.full(2, rank + 1.0, dtype="float32"))
    ...     return kv.pull("w").tolist()
    >>> with ng.kv.cluster(workers=2) as c:  # doctest: +SKIP
    ...     c.run(work)
    [[3.0, 3.0], [3.0, 3.0]]
    """
    dask = distributed()
    require_whole("kv.cluster: workers", workers)
    require_number("kv.cluster: timeout", timeout, above=0, noun="seconds")
    _require_alone({"client": client, "address": address}, security, threads)
    if security is not None and not isinstance(security, dask.Security):
        raise ArgumentError(
            f"kv.cluster: security is {noun(security)}; expected a distributed.Security,"
            " such as Security(tls_ca_file=..., tls_client_cert=..., tls_client_key=..., "
            "require_encryption=True)"
        )
    if client is not None:
        if not isinstance(client, dask.Client) or client.asynchronous:
            kind = "asynchronous" if isinstance(client, dask.Client) else noun(client)
            raise ArgumentError(f"kv.cluster: client is {kind}; expected a distributed.Client")
        return Cluster(client, workers)
    if address is not None:
        _require_safe(address, security)
        try:
            joined = dask.Client(address, security=security, timeout=timeout, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise KVStoreError(
                f"kv.cluster: no scheduler answers at {address!r} within {timeout:g} s ({error})"
            ) from error
        return Cluster(joined, workers, owned=(joined,))
    if threads is not None:
        require_whole("kv.cluster: threads", threads)
    local = dask.LocalCluster(
        n_workers=workers,
        threads_per_worker=threads or 1,
        processes=True,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # without one the scheduler still takes port 8787
        security=security,
    )
    joined = dask.Client(local, timeout=timeout, set_as_default=False)
    return Cluster(joined, workers, owned=(joined, local))


def _require_alone(places: dict[str, Any], security: Any, threads: Any) -> None:
    """Raise ArgumentError for options that would have no effect."""
    chosen = [name for name, value in places.items() if value is not None]
    if len(chosen) > 1:
        raise ArgumentError("kv.cluster: client= and address= are both given; give one of them")
    if chosen and threads is not None:
        raise ArgumentError(
            f"kv.cluster: threads={threads!r} with {chosen[0]}=, whose workers have theirs "
            "already; leave it out"
        )
    if chosen == ["client"] and security is not None:
        raise ArgumentError(
            "kv.cluster: security= with client=, which is connected already; give it to "
            "distributed.Client"
        )


def _require_safe(address: Any, security: Any) -> None:
    if not isinstance(address, str):
        raise ArgumentError(
            f"kv.cluster: address is {noun(address)}; expected a string such as 'tls://host:8786'"
        )
    place = urlsplit(address if "://" in address else f"tcp://{address}")
    encrypted = security is not None and security.require_encryption
    if (place.scheme == "tls") > (security is not None) or encrypted > (place.scheme == "tls"):
        remedy = "security=distributed.Security(...)" if security is None else "a tls:// address"
        raise ArgumentError(
            f"kv.cluster: {address!r} with security={security!r}; give {remedy}, as one side would "
            "encrypt and the other not"
        )
    host = place.hostname
    if security is None and host not in {"127.0.0.1", "localhost", "::1"}:
        raise ArgumentError(
            f"kv.cluster: {address!r} is another machine, and without keys all that reach its "
            "scheduler can run code there; give security=distributed.Security(...), or a client of "
            "your own if the network is closed"
        )
