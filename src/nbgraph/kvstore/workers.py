"""Functions on all workers of a Dask cluster, with a store between them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from nbgraph.errors import ArgumentError, KVMembershipError, KVStoreError
from nbgraph.kvstore.job import JOB, Job, distributed, require_picklable
from nbgraph.kvstore.shard import Shard

_LOSSES = ("fail", "wait", "shrink")
_POLL = 0.1  # seconds between looks at who is there
_GRACE = 10.0  # seconds that the others have to end after a failure


class Cluster:
    """Workers, each a process; what `ng.kv.cluster` returns."""

    def __init__(self, client: Any, workers: int, *, owned: Any = ()) -> None:
        self.client, self.workers = client, workers
        self._owned = owned  # what is closed with it, in this order

    def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        timeout: float = 600.0,
        on_loss: str = "fail",
        checkpoint: Any = None,
    ) -> list[Any]:
        """Call `function(rank, *args)` on every worker at once; their results in rank order.

        Parameters
        ----------
        function : callable
            In it `ng.kv.create("dist_sync")` gives the store that the workers share.
        *args
            The same for all.
        timeout : float
            Seconds that a pull or a barrier waits for other workers.
        on_loss : str
            What happens when a worker is lost: "fail" raises; "wait" begins again from the
            checkpoint when as many workers are there as before; "shrink" with those that are left.
        checkpoint : path, optional
            The folder of `kv.checkpoint`, on every file system that fsspec knows. A job that finds
            a round there goes on from it.

        Raises
        ------
        KVMembershipError
            A worker is lost, with `on_loss="fail"` or without workers in time.
        Exception
            What the function raised on the first worker that failed, with a note that names it.
        """
        if on_loss not in _LOSSES:
            raise ArgumentError(
                f"Cluster.run: on_loss={on_loss!r}; expected one of {', '.join(map(repr, _LOSSES))}"
            )
        if not timeout > 0:
            raise ArgumentError(f"Cluster.run: timeout={timeout!r}; expected seconds above 0")
        require_picklable("Cluster.run", function)
        count = self.workers
        while True:
            attempt = _Attempt(self.client, self._addresses(count, timeout), timeout)
            try:
                return attempt.run(function, args, checkpoint)
            except KVMembershipError:
                if on_loss == "fail":
                    raise
                self._restart(attempt.addresses, timeout)
                if on_loss == "shrink":
                    count = max(1, count - 1)

    def _restart(self, addresses: list[str], timeout: float) -> None:
        """Let the processes that are left begin anew, as what still runs there cannot be ended;
        other workers of a cluster that was joined go on."""
        there = present(self.client)
        left = [address for address in addresses if address in there]
        self.client.restart_workers(left, timeout=timeout, raise_for_error=False)

    def _addresses(self, count: int, timeout: float) -> list[str]:
        """The first so many workers, when they are there."""
        end = time.monotonic() + timeout
        while True:
            found = sorted(present(self.client))
            if len(found) >= count:
                return found[:count]
            if time.monotonic() > end:
                raise KVMembershipError(
                    f"Cluster.run: {len(found)} of {count} workers are there after {timeout:g} s"
                )
            time.sleep(_POLL)

    def close(self) -> None:
        """End the workers that belong to it; a cluster that was joined goes on."""
        for each in self._owned:
            each.close()
        self._owned = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Cluster of {self.workers} workers at {self.client.scheduler.address}>"


class _Attempt:
    """One call of a function on these workers."""

    def __init__(self, client: Any, addresses: list[str], timeout: float) -> None:
        self.client, self.addresses, self.timeout = client, addresses, timeout
        made = [
            client.submit(
                Shard, k, len(addresses), timeout, actor=True, workers=[address], pure=False
            )
            for k, address in enumerate(addresses)
        ]
        self.shards = [each.result(timeout) for each in made]
        self._kept = made  # an actor lives as long as its future

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], checkpoint: Any
    ) -> list[Any]:
        """Results in rank order; the first failure otherwise, when the others have ended."""
        count = len(self.addresses)
        name = getattr(function, "__name__", "function")
        futures = [
            self.client.submit(
                call,
                Job(rank, count, self.shards, self.timeout, checkpoint),
                function,
                args,
                workers=[address],
                pure=False,
                key=f"{name}-{rank}-{id(self)}",
            )
            for rank, address in enumerate(self.addresses)
        ]
        try:
            self._watch(futures)
            return [future.result(self.timeout) for future in futures]
        except BaseException as error:
            self._abandon(futures, f"kv: the job is over: {error}")
            raise
        finally:
            for future in futures:
                future.release()

    def _watch(self, futures: list[Any]) -> None:
        """Return when all are finished; raise for the first that fails or is lost."""
        while any(future.status == "pending" for future in futures):
            failed = [(k, f) for k, f in enumerate(futures) if f.status in {"error", "lost"}]
            if failed:
                self._raise(failed)
            there = present(self.client)
            for rank, address in enumerate(self.addresses):
                if address not in there and futures[rank].status != "finished":
                    raise KVMembershipError(f"kv: worker {rank} ({address}) is lost")
            time.sleep(_POLL)
        failed = [(k, f) for k, f in enumerate(futures) if f.status != "finished"]
        if failed:
            self._raise(failed)

    def _raise(self, failed: list[tuple[int, Any]]) -> None:
        """Raise what a worker raised; a lost one goes before those that noticed it."""
        there = present(self.client)
        for rank, address in enumerate(self.addresses):
            if address not in there:
                raise KVMembershipError(f"kv: worker {rank} ({address}) is lost")
        errors = [(rank, future.exception(self.timeout)) for rank, future in failed]
        own = [each for each in errors if not isinstance(each[1], KVMembershipError)] or errors
        rank, error = own[0]
        if error is None:
            raise KVMembershipError(f"kv: worker {rank} was cancelled")
        error.add_note(f"on worker {rank} of {len(self.addresses)}")
        raise error

    def _abandon(self, futures: list[Any], why: str) -> None:
        """Let those that wait for others fail now, and give all some time to end."""
        there = present(self.client)
        with self.client.as_current():  # an actor looks for its client
            told = [
                shard.abandon(why)
                for shard, address in zip(self.shards, self.addresses, strict=True)
                if address in there
            ]
        for each in told:
            with suppress(Exception):  # its host went meanwhile
                each.result(_GRACE)
        end = time.monotonic() + _GRACE
        while time.monotonic() < end and any(
            f.status == "pending" and a in present(self.client)
            for f, a in zip(futures, self.addresses, strict=True)
        ):
            time.sleep(_POLL)
        self.client.cancel(futures, force=True)


def call(job: Job, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function as a worker of a job."""
    token = JOB.set(job)
    try:
        return function(job.rank, *args)
    finally:
        JOB.reset(token)


def present(client: Any) -> set[str]:
    """Return the addresses of the workers that the scheduler knows now."""
    try:
        found = client.sync(client.scheduler.ncores, callback_timeout=30)
    except Exception as error:
        raise KVStoreError(
            f"ng.kv: the scheduler at {client.scheduler.address} does not answer "
            f"({type(error).__name__}: {error})"
        ) from error
    return set(found)


def cluster(
    workers: int = 2,
    *,
    address: str | None = None,
    client: Any = None,
    security: Any = None,
    threads: int = 1,
    timeout: float = 60.0,
) -> Cluster:
    """Return workers to run functions on: processes of this machine, or those of a cluster.

    Parameters
    ----------
    workers : int
        How many take part.
    address : str, optional
        Of the scheduler of a cluster that is there, such as "tls://host:8786".
    client : distributed.Client, optional
        A cluster that is joined already.
    security : distributed.Security, optional
        Keys and certificates. Without them whoever reaches the scheduler can run code: processes of
        this machine listen on the loopback address alone, and other addresses are refused.
    threads : int
        Of Dask in each worker process.
    timeout : float
        Seconds to wait for the scheduler.

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
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ArgumentError(f"kv.cluster: workers={workers!r}; expected an integer from 1 on")
    if client is not None:
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
    local = dask.LocalCluster(
        n_workers=workers,
        threads_per_worker=threads,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        security=security,
    )
    joined = dask.Client(local, set_as_default=False)
    return Cluster(joined, workers, owned=(joined, local))


def _require_safe(address: str, security: Any) -> None:
    host = address.rpartition("://")[2].rpartition(":")[0].strip("[]")
    if security is None and host not in {"127.0.0.1", "localhost", "::1"}:
        raise ArgumentError(
            f"kv.cluster: {address!r} is another machine, and without keys whoever reaches its "
            "scheduler can run code there; give security=distributed.Security(...), or a client of "
            "your own if the network is closed"
        )
