"""Functions on all workers of a Dask cluster, with a store between them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Self
from urllib.parse import urlsplit
from uuid import uuid4

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
from nbgraph.kvstore.bar import drawn
from nbgraph.kvstore.job import JOB, Job, distributed, impatient, require_picklable
from nbgraph.kvstore.shard import Shard
from nbgraph.kvstore.slices import parameter
from nbgraph.scopes import Scopes

_jobs = Scopes(JOB)
_LOSSES = ("fail", "wait", "shrink")
_POLL = 0.1  # seconds between looks at who is there
_GRACE = 10.0  # seconds that the others have to end after a failure
_SCHEDULER = 30.0  # seconds that a scheduler has to answer
_TRIES = 3  # losses in a row between which the job keeps no new round


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
            Seconds that a pull or a barrier waits for other workers. A shard that has not answered
            after twice this time is lost.
        on_loss : str
            What happens when a worker is lost: "fail" raises; "wait" begins again from the
            checkpoint when as many workers are there as before; "shrink" with those that are left.
            Three losses in a row without a new checkpoint raise all the same.
        checkpoint : path, optional
            The folder of `kv.checkpoint`, on every file system that fsspec knows. A job that finds
            a round there goes on from it.

        Raises
        ------
        KVMembershipError
            A worker is lost, with `on_loss="fail"` or without workers in time.
        KVStoreError
            The scheduler does not answer.
        Exception
            What the function raised on the first worker that failed, with a note that names it.
        """
        require_word("Cluster.run: on_loss", on_loss, _LOSSES)
        require_number("Cluster.run: timeout", timeout, above=0, noun="seconds")
        require_picklable("Cluster.run", function)
        count, losses, latest = self.workers, 0, checkpoints.number(checkpoint)
        while True:
            attempt = _Attempt(self.client, self._addresses(count, timeout), timeout)
            try:
                return attempt.run(function, args, checkpoint)
            except KVMembershipError as error:
                before, latest = latest, checkpoints.number(checkpoint)
                losses = 1 if latest != before else losses + 1
                if on_loss == "fail" or losses == _TRIES:
                    self._restart(attempt.busy, _GRACE)
                    if on_loss != "fail":
                        error.add_note(f"after {losses} losses without a new checkpoint")
                    raise
                self._restart(attempt.addresses, timeout)
                if on_loss == "shrink":
                    count = max(1, count - 1)
            except BaseException:
                self._restart(attempt.busy, _GRACE)
                raise

    def _restart(self, addresses: Sequence[str], timeout: float) -> None:
        """Let the processes that are left begin anew, as what still runs there cannot be ended;
        other workers of a cluster that was joined go on."""
        with suppress(KVStoreError):  # without a scheduler they end by themselves
            left = present(self.client).intersection(addresses)
            if left:
                restart = self.client.restart_workers
                within(2 * timeout, restart, [*left], timeout=timeout, raise_for_error=False)

    def _addresses(self, count: int, timeout: float) -> list[str]:
        """Return the first `count` worker addresses; KVMembershipError after `timeout` seconds."""
        end = time.monotonic() + timeout
        while True:
            workers = sorted(present(self.client))
            if len(workers) >= count:
                return workers[:count]
            self._refill()
            if time.monotonic() > end:
                raise KVMembershipError(
                    f"Cluster.run: {len(workers)} of {count} workers are there after {timeout:g} s"
                )
            time.sleep(_POLL)

    def _refill(self) -> None:
        """Let a cluster that was started in this process have its workers again: where one that
        died is not back in 15 s, on a busy machine, Dask gives its place up."""
        local: Any = getattr(self.client, "cluster", None)
        places = len(getattr(local, "worker_spec", ()))
        if places > len(getattr(local, "workers", ())):
            local.scale(places)

    def close(self) -> None:
        """End the workers that belong to it; a cluster that was joined goes on."""
        owned, self._owned = self._owned, ()
        for each in owned:
            try:
                each.close(timeout=_SCHEDULER)
            except TimeoutError:
                _kill(each)

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
        self.shards: list[Any] = []
        self.busy: list[str] = []  # who had not ended some time after the job was over
        self._mark = uuid4().hex  # of this call, in the names that the dashboard shows
        self._kept: list[Any] = []  # an actor lives as long as its future

    def run(
        self, function: Callable[..., Any], args: tuple[Any, ...], checkpoint: Any
    ) -> list[Any]:
        """Return the results in rank order; raise the first failure when all have ended."""
        futures: list[Any] = []
        try:
            self._begin()
            with drawn(self.client, self._mark):
                try:
                    futures += self._calls(function, args, checkpoint)
                except TypeError:
                    require_picklable("Cluster.run", args)
                    raise
                self._watch(futures)
                return [future.result(self.timeout) for future in futures]
        except BaseException as error:
            self._abandon(futures, f"kv: the job is over: {error}")
            raise
        finally:
            for future in futures:
                future.release()

    def _begin(self) -> None:
        """Make a shard on each worker."""
        count = len(self.addresses)
        for rank, address in enumerate(self.addresses):
            options = {"actor": True, "workers": [address], "key": f"shard-{rank}-{self._mark}"}
            future = self.client.submit(Shard, rank, count, self.timeout, **options)
            self._kept.append(future)
        for rank, future in enumerate(self._kept):
            try:
                self.shards.append(future.result(self.timeout))
            except Exception as error:
                raise KVMembershipError(
                    f"kv: worker {rank} ({self.addresses[rank]}) took no shard within "
                    f"{self.timeout:g} s ({type(error).__name__}: {error})"
                ) from error

    def _calls(
        self, function: Callable[..., Any], args: tuple[Any, ...], checkpoint: Any
    ) -> list[Any]:
        name = getattr(function, "__name__", "function")
        count = len(self.addresses)
        return [
            self.client.submit(
                call,
                Job(rank, count, self.shards, self.timeout, checkpoint, topic=self._mark),
                function,
                args,
                workers=[address],
                key=f"{name}-{rank}-{self._mark}",
            )
            for rank, address in enumerate(self.addresses)
        ]

    def _watch(self, futures: list[Any]) -> None:
        """Return when all are finished; raise for the first that fails or is lost."""
        while any(future.status == "pending" for future in futures):
            failed = [(k, f) for k, f in enumerate(futures) if f.status in {"error", "lost"}]
            if failed:
                self._raise(failed)
            there = present(self.client)
            for rank, address in enumerate(self.addresses):
                if address not in there and futures[rank].status != "finished":
                    raise self._loss(rank)
            time.sleep(_POLL)
        failed = [(k, f) for k, f in enumerate(futures) if f.status != "finished"]
        if failed:
            self._raise(failed)

    def _raise(self, failed: list[tuple[int, Any]]) -> None:
        """Raise what a worker raised; a lost one goes before those that noticed it."""
        errors = [(rank, future.exception(self.timeout)) for rank, future in failed]
        own = [each for each in errors if not isinstance(each[1], KVMembershipError)]
        self._require_all(0 if own else 10 * _POLL)
        rank, error = (own or errors)[0]
        if error is None:
            raise KVMembershipError(f"kv: worker {rank} was cancelled")
        error.add_note(f"on worker {rank} of {len(self.addresses)}")
        raise error

    def _require_all(self, seconds: float) -> None:
        """Raise KVMembershipError when a worker is lost, or is found to be within some seconds."""
        end = time.monotonic() + seconds
        while True:
            there = present(self.client)
            for rank, address in enumerate(self.addresses):
                if address not in there:
                    raise self._loss(rank)
            if time.monotonic() >= end:
                return
            time.sleep(_POLL)

    def _loss(self, rank: int) -> KVMembershipError:
        """Return the error for a worker that is lost, with what the shards know of it."""
        rounds = self._asked("last", rank)
        number, name = max(rounds, key=lambda each: each[0], default=(0, ""))
        last = f"its last push was of round {number} of the key {parameter(name)!r}"
        return KVMembershipError(
            f"kv: worker {rank} ({self.addresses[rank]}) is lost; "
            f"{last if number else 'no shard has a push of it'}"
        )

    def _asked(self, method: str, *args: Any, end: float | None = None) -> list[Any]:
        """Return what the shards that are left answer, by default within some seconds."""
        there, futures, answers = present(self.client), [], []
        with self.client.as_current():  # an actor looks for its client
            for shard, address in zip(self.shards, self.addresses, strict=False):
                with suppress(Exception):  # its host is gone
                    if address in there:
                        futures.append(getattr(shard, method)(*args))
        end = end or time.monotonic() + _GRACE / 5
        for each in futures:
            with suppress(Exception):
                answers.append(each.result(max(_POLL, end - time.monotonic())))
        return answers

    def _abandon(self, futures: list[Any], why: str) -> None:
        """Let those that wait for others fail now, and give all some time to end."""
        with suppress(Exception):  # the scheduler may be gone, and with it who could be told
            end = time.monotonic() + _GRACE
            self._asked("abandon", why, end=end)
            while (busy := self._busy(futures)) and time.monotonic() < end:
                time.sleep(_POLL)
            self.busy = busy
            self.client.cancel(futures, force=True)

    def _busy(self, futures: list[Any]) -> list[str]:
        there = present(self.client)
        pairs = zip(futures, self.addresses, strict=False)
        return [a for f, a in pairs if f.status == "pending" and a in there]


def call(job: Job, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call a function as a worker of a job."""
    if job.loop is None:
        loop, *_ = [impatient(shard) for shard in job.shards]
        job = job._replace(shards=[_near(shard) for shard in job.shards], loop=loop)
    with _jobs(job):
        return function(job.rank, *args)


def _near(shard: Any) -> Any:
    """Return the object itself of an actor that lives in this process: calls are not messages."""
    worker = distributed().get_worker()
    return worker.state.actors[shard.key] if worker.address == shard._address else shard


def present(client: Any) -> set[str]:
    """Return the addresses of the workers that the scheduler knows now."""
    try:
        cores = client.sync(client.scheduler.ncores, callback_timeout=_SCHEDULER)
    except Exception as error:
        raise KVStoreError(
            f"ng.kv: the scheduler at {client.scheduler.address} does not answer "
            f"({type(error).__name__}: {error})"
        ) from error
    return set(cores)


def within(seconds: float, call: Callable[..., Any], *args: Any, **options: Any) -> None:
    """Wait for a call that may never return, but so long at most."""
    thread = threading.Thread(target=_quietly, args=(call, args, options), daemon=True)
    thread.start()
    thread.join(seconds)


def _quietly(call: Callable[..., Any], args: Any, options: Any) -> None:
    with suppress(Exception):
        call(*args, **options)


def _kill(local: Any) -> None:
    """End the processes of a cluster on this machine that does not close."""
    for nanny in [*getattr(local, "workers", {}).values()]:
        if nanny.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(nanny.pid, signal.SIGKILL)


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
        How many take part.
    address : str, optional
        Of the scheduler of a cluster that is there, such as "tls://host:8786".
    client : distributed.Client, optional
        A cluster that is joined already.
    security : distributed.Security, optional
        Keys and certificates. Without them whoever reaches the scheduler can run code: processes of
        this machine and their dashboard listen on the loopback address alone, and other addresses
        are refused.
    threads : int, optional
        Of Dask in each process that is started here, 1 by default.
    timeout : float
        Seconds to wait for the scheduler.

    Dask's dashboard, at `c.client.dashboard_link`, shows the function by its name, a task a worker,
    and the actors `shard-0`, `shard-1` and so on (it takes the package bokeh).

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
    """Raise ArgumentError for options that would change nothing."""
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
            f"kv.cluster: {address!r} is another machine, and without keys whoever reaches its "
            "scheduler can run code there; give security=distributed.Security(...), or a client of "
            "your own if the network is closed"
        )
