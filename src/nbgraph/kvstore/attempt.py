"""One call of a function on all workers of a cluster: their shards, their loss, their progress."""

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from math import inf
from typing import Any
from uuid import uuid4

from nbgraph.bar import Bar
from nbgraph.errors import KVMembershipError, KVStoreError
from nbgraph.kvstore.job import JOB, Job, distributed, impatient, require_picklable
from nbgraph.kvstore.shard import Shard
from nbgraph.kvstore.slices import parameter
from nbgraph.scopes import Scopes
from nbgraph.signatures import Function

_jobs = Scopes(JOB)
POLL = 0.1  # seconds between two checks of the workers
GRACE = 10.0  # seconds that the others have to end after a failure
SCHEDULER = 30.0  # seconds that a scheduler has to answer


class Attempt:
    """One call of a function on the workers at `addresses`."""

    def __init__(self, client: Any, addresses: list[str], timeout: float) -> None:
        self.client, self.addresses, self.timeout = client, addresses, timeout
        self.shards: list[Any] = []
        self.busy: list[str] = []  # workers still busy some time after the job was over
        self._mark = uuid4().hex  # identifies this call in the names on the dashboard
        self._actors: list[Any] = []  # futures that keep the actors alive

    def run(self, function: Function, args: tuple[Any, ...], checkpoint: Any) -> list[Any]:
        """Return the results in rank order; raise the first failure when all have ended."""
        futures: list[Any] = []
        try:
            with progress_bar(self.client, self._mark):
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

    def begin(self) -> None:
        """Create a shard on each worker, before `run`."""
        count = len(self.addresses)
        for rank, address in enumerate(self.addresses):
            options = {"actor": True, "workers": [address], "key": f"shard-{rank}-{self._mark}"}
            future = self.client.submit(Shard, rank, count, self.timeout, **options)
            self._actors.append(future)
        self._watch(self._actors, time.monotonic() + self.timeout)
        try:
            self.shards = [future.result(self.timeout) for future in self._actors]
        except Exception as error:
            what = f"a worker was lost when it had its shard ({type(error).__name__}: {error})"
            raise KVMembershipError(f"kv: {what}") from error

    def _calls(self, function: Function, args: tuple[Any, ...], checkpoint: Any) -> list[Any]:
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

    def _watch(self, futures: list[Any], end: float = inf) -> None:
        """Wait until all are finished; raise an error if one fails, is lost, or is late."""
        wait = distributed().wait
        while pending := [rank for rank, f in enumerate(futures) if f.status == "pending"]:
            failed = [(k, f) for k, f in enumerate(futures) if f.status in {"error", "lost"}]
            if failed:
                self._raise(failed)
            there = present(self.client)
            for rank, address in enumerate(self.addresses):
                if address not in there and futures[rank].status != "finished":
                    raise self._loss(rank)
            if time.monotonic() > end:
                rank = pending[0]
                place = f"worker {rank} ({self.addresses[rank]})"
                raise KVMembershipError(f"kv: {place} took no shard within {self.timeout:g} s")
            with suppress(Exception):  # not in time, or one of them was cancelled
                wait(futures, POLL)
        failed = [(k, f) for k, f in enumerate(futures) if f.status != "finished"]
        if failed:
            self._raise(failed)

    def _raise(self, failed: list[tuple[int, Any]]) -> None:
        """Raise a worker's exception; a lost worker has precedence over errors that it caused."""
        erred = [each for each in failed if each[1].status == "error"]  # others have no exception
        errors = [(rank, future.exception(self.timeout)) for rank, future in erred]
        own = [each for each in errors if not isinstance(each[1], KVMembershipError)]
        self._require_all(0 if own else 10 * POLL)
        if not errors:
            rank, future = failed[0]
            raise KVMembershipError(f"kv: the function on worker {rank} is {future.status}")
        rank, error = (own or errors)[0]
        error.add_note(f"on worker {rank} of {len(self.addresses)}")
        raise error

    def _require_all(self, seconds: float) -> None:
        """Raise KVMembershipError if a worker is lost now, or within `seconds`."""
        end = time.monotonic() + seconds
        while True:
            there = present(self.client)
            for rank, address in enumerate(self.addresses):
                if address not in there:
                    raise self._loss(rank)
            if time.monotonic() >= end:
                return
            time.sleep(POLL)

    def _loss(self, rank: int) -> KVMembershipError:
        """Return the error for a lost worker, with its last push."""
        rounds = self._asked("last", rank)
        number, name = max(rounds, key=lambda each: each[0], default=(0, ""))
        last = f"its last push was of round {number} of the key {parameter(name)!r}"
        return KVMembershipError(
            f"kv: worker {rank} ({self.addresses[rank]}) is lost; "
            f"{last if number else 'no shard has a push of it'}"
        )

    def _asked(self, method: str, *args: Any, end: float | None = None) -> list[Any]:
        """Call a method of all reachable shards, and return their answers until `end`."""
        there, futures, answers = present(self.client), [], []
        with self.client.as_current():  # an actor needs its client
            for shard, address in zip(self.shards, self.addresses, strict=False):
                with suppress(Exception):  # its host is lost
                    if address in there:
                        futures.append(getattr(shard, method)(*args))
        end = end or time.monotonic() + GRACE / 5
        for each in futures:
            with suppress(Exception):
                answers.append(each.result(max(POLL, end - time.monotonic())))
        return answers

    def _abandon(self, futures: list[Any], why: str) -> None:
        """Make workers that wait for others fail now, and give all some time to end."""
        with suppress(Exception):  # the scheduler may be lost
            end = time.monotonic() + GRACE
            self._asked("abandon", why, end=end)
            while (busy := self._busy(futures)) and time.monotonic() < end:
                time.sleep(POLL)
            self.busy = busy
            self.client.cancel(futures, force=True)

    def _busy(self, futures: list[Any]) -> list[str]:
        there = present(self.client)
        pairs = zip(futures, self.addresses, strict=False)
        return [a for f, a in pairs if f.status == "pending" and a in there]


def call(job: Job, function: Function, args: tuple[Any, ...]) -> Any:
    """Call a function as a worker of a job."""
    if job.loop is None:
        loop, *_ = [impatient(shard) for shard in job.shards]
        job = job._replace(shards=[_near(shard) for shard in job.shards], loop=loop)
    with _jobs(job):
        return function(job.rank, *args)


def _near(shard: Any) -> Any:
    """Return the actor's object if it lives in this process, so that calls need no messages."""
    worker = distributed().get_worker()
    return worker.state.actors[shard.key] if worker.address == shard._address else shard


def present(client: Any) -> set[str]:
    """Return the addresses of the workers that the scheduler knows now."""
    if client.scheduler is None:
        why = "the client is closed or has lost the connection; make a new ng.kv.cluster(...)"
        raise KVStoreError(f"ng.kv: the scheduler does not answer: {why}")
    try:
        cores = client.sync(client.scheduler.ncores, callback_timeout=SCHEDULER)
    except Exception as error:
        what = f"the scheduler{place(client)} does not answer ({type(error).__name__}: {error})"
        raise KVStoreError(f"ng.kv: {what}") from error
    return set(cores)


def place(client: Any) -> str:
    """Return " at " and the scheduler's address; "" once the connection is closed."""
    return f" at {client.scheduler.address}" if client.scheduler is not None else ""


@contextmanager
def progress_bar(client: Any, topic: str) -> Generator[None]:
    """Show progress reported under a topic during the block."""
    bar = Bar()
    client.subscribe_topic(topic, lambda event: bar.show(**event[1]["progress"]))
    try:
        yield
    finally:
        client.unsubscribe_topic(topic)
        bar.close()
