"""A part of a distributed store, which lives in a worker process of Dask."""

from __future__ import annotations

import asyncio
import itertools
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from nbgraph import __version__
from nbgraph.array.chunk import CPU, apart, wait
from nbgraph.array.core import empty_of
from nbgraph.array.create import array
from nbgraph.errors import ArgumentError, KVMembershipError, KVStoreError, ShapeError
from nbgraph.kvstore.compression import Compression
from nbgraph.kvstore.local import Local
from nbgraph.kvstore.slices import parameter
from nbgraph.operator.layout import layout

_Spec = tuple[str, tuple[int, ...], int]  # dtype and shape of a key, elements of its slice


class _Entry:
    """A slice: its complete rounds, and the pushes of rounds that are not complete yet."""

    __slots__ = ("dtype", "pending", "round", "seen", "size", "whole")

    def __init__(self, spec: _Spec, workers: int) -> None:
        dtype, self.whole, self.size = spec
        self.dtype = np.dtype(dtype)
        self.round = 0
        self.seen = [0] * workers  # the number of each worker's last push
        self.pending: dict[int, dict[int, tuple[Any, dict[str, Any]]]] = {}


# of a push: rank, names of slices, round of each, numbers of the optimizer for these rounds (worker
# 0's are used), whether to return the new values
Push = tuple[int, Sequence[str], Sequence[int], dict[str, Any], bool]
Pull = tuple[int, Sequence[str], Sequence[int]]  # rank; names and rounds of slices


class _Round(NamedTuple):
    """A complete round of a slice: the values of all workers in rank order."""

    name: str
    number: int
    numbers: dict[str, Any]
    values: list[Any]


class Shard:
    """Slices of a store's arrays, summed and updated by a `Local` store, so that a shard computes
    the same as one machine.

    `number`: of the shard. `workers`: int. `timeout`: seconds that a request waits for other
    workers.

    Methods run on the worker's event loop; arithmetic runs on a separate thread, so that heartbeats
    continue. A push has its worker and round: one that arrives twice counts once.
    """

    def __init__(self, number: int, workers: int, timeout: float) -> None:
        self.number, self.workers, self.timeout = number, workers, timeout
        self._store = Local()
        self._entries: dict[str, _Entry] = {}
        self._thread = ThreadPoolExecutor(1, f"shard {number}")
        self._failure: BaseException | None = None
        self._compression: Compression | None = None
        self._asynchronous = False
        self._staleness: int | None = None
        self._options: dict[str, Any] = {}  # of the workers that have joined
        self._waiting: dict[asyncio.Future[None], Callable[[], bool]] = {}
        self._barrier = [0, 0]  # workers that have arrived, barriers that are over
        self._came: set[int] = set()  # ranks of those workers
        self._joined: set[int] = set()  # ranks
        self._positions: dict[int, Any] = {}

    # membership -----------------------------------------------------------------------------------

    async def join(self, rank: int, version: str, options: dict[str, Any]) -> None:
        """Add a worker, once."""
        if version != __version__:
            raise KVStoreError(
                f"kv.create: worker {rank} has nbgraph {version}, the store's host {__version__}; "
                "install one version everywhere"
            )
        if not 0 <= rank < self.workers:
            raise KVStoreError(
                f"kv.create: a worker of rank {rank}, but the job has {self.workers} workers, of "
                f"ranks from 0 to {self.workers - 1}"
            )
        if rank in self._joined:
            raise KVMembershipError(
                f"kv.create: worker {rank} came a second time: it was lost and started again, or "
                "its function creates two stores"
            )
        agreed = self._options if self._joined else options
        for name, value in options.items():
            if name not in agreed or agreed[name] != value:
                raise KVStoreError(
                    f"kv.create: worker {rank} asks for {name}={value!r}, others for "
                    f"{agreed.get(name)!r}; create the store with the same options everywhere"
                )
        self._joined.add(rank)
        self._options = options
        self._asynchronous = options["kind"] == "dist_async"
        self._staleness = options.get("max_staleness")

    async def abandon(self, why: str) -> None:
        """Fail all waiting and all later requests, as the job is over."""
        self._failure = KVMembershipError(why)
        for future in self._waiting:
            if not future.done():
                future.set_exception(self._failure)

    async def barrier(self, rank: int) -> None:
        """Wait until every worker has called this."""
        self._barrier[0] += 1
        self._came.add(rank)
        turn = self._barrier[1]
        if self._barrier[0] == self.workers:
            self._barrier = [0, turn + 1]
            self._came.clear()
            self._wake()
        await self._until(lambda: self._barrier[1] > turn, lambda: self._absent("a barrier", rank))

    async def deposit(self, rank: int, position: Any) -> None:
        """Store the position of a worker for a checkpoint."""
        self._positions[rank] = position

    async def deposits(self) -> list[Any]:
        """Return the positions of all workers, in rank order."""
        return [self._positions.get(rank) for rank in range(self.workers)]

    def _absent(self, what: str, rank: int) -> str:
        lasts: list[str] = []
        for r in [r for r in range(self.workers) if r not in self._came]:
            number, name = max(((h.seen[r], n) for n, h in self._entries.items()), default=(0, ""))
            last = f"round {number} of the key {parameter(name)!r}" if number else "no round"
            lasts.append(f"worker {r} (it has pushed {last})")
        return f"kv: worker {rank} waited {self.timeout:g} s for {what}, without {', '.join(lasts)}"

    # values ---------------------------------------------------------------------------------------

    async def init(self, rank: int, names: list[str], specs: list[_Spec], data: Any) -> None:
        """Store the initial values of worker 0; other workers wait for them."""
        if rank == 0 and names[0] not in self._entries:
            firsts = _split(data, [np.dtype(d) for d, _, _ in specs], [n for *_, n in specs])
            await self._work(lambda: self._store.init(names, [array(f) for f in firsts]))
            for name, spec in zip(names, specs, strict=True):
                self._entries[name] = _Entry(spec, self.workers)
            self._wake()
        await self._until(
            lambda: all(name in self._entries for name in names),
            lambda: (
                f"kv.init: worker {rank} waited {self.timeout:g} s for worker 0 to give the key "
                f"{parameter(names[0])!r} its first value; every worker calls init with the "
                "same keys"
            ),
        )
        for name, (dtype, shape, _) in zip(names, specs, strict=True):
            own = self._entries[name]
            if (own.dtype, own.whole) != (np.dtype(dtype), tuple(shape)):
                raise ShapeError(
                    f"kv.init: the key {parameter(name)!r} of worker {rank} has shape {shape} and "
                    f"dtype {dtype}, that of worker 0 {own.whole} and {own.dtype}; "
                    "give all the same"
                )

    async def push(self, head: Push | bytes, data: Any) -> Any:
        """Add a worker's values to its round of each slice, ignoring repeated ones.

        Returns the new values if they are requested and these rounds are complete now; None if
        pushes of other workers are missing.
        """
        rank, names, rounds, numbers, pulls = opened(head)
        self._require()
        own = [self._entries[name] for name in names]
        values = self._decoded(data, own)
        ready: list[_Round] = []
        for name, entry, number, value in zip(names, own, rounds, values, strict=True):
            if number <= entry.seen[rank]:
                continue
            entry.seen[rank] = number
            if self._asynchronous:
                ready.append(_Round(name, number, numbers, [value]))
                continue
            pending = entry.pending.setdefault(number, {})
            pending[rank] = (value, numbers)
            if len(pending) == self.workers:
                del entry.pending[number]
                values_of = [pending[r][0] for r in range(self.workers)]
                ready.append(_Round(name, number, pending[0][1], values_of))
        if not ready:
            return None
        whole = pulls and len(ready) == len(names) and self._staleness is None
        work = asyncio.create_task(self._apply(ready, names if whole else []))
        if not self._asynchronous:
            work.add_done_callback(self._applied)
        return await asyncio.shield(work) if whole or self._asynchronous else None

    async def _apply(self, ready: Sequence[_Round], names: Sequence[str]) -> Any:
        """Sum and update complete rounds; return the new values of `names`, if any."""

        def run() -> Any:
            self._update(ready)
            return self._snapshot(names) if names else None

        values = await self._work(run)
        for name, number, _, _ in ready:
            entry = self._entries[name]
            entry.round = entry.round + 1 if self._asynchronous else number
        self._wake()
        return values

    def _update(self, ready: Sequence[_Round]) -> None:
        for numbers, group in itertools.groupby(ready, lambda each: each.numbers):
            rounds = [*group]
            if self._store._optimizer is not None:
                for name, value in numbers.items():
                    setattr(self._store._optimizer, name, value)
            totals = {each.name: _sum(each.values) for each in rounds}
            if self._store._updater is None and self._store._optimizer is None:
                self._store._stored |= totals
                continue
            self._store.push([*totals], [*totals.values()])
            for name in totals:
                wait(self._store._stored[name]._chunk)

    def _applied(self, work: asyncio.Task[Any]) -> None:
        error = None if work.cancelled() else work.exception()
        if error is not None and self._failure is None:
            self._failure = error
            self._wake()

    async def pull(self, head: Pull | bytes) -> Any:
        """Return the values of a round once every worker has pushed it."""
        rank, names, rounds = opened(head)
        own = [self._entries[name] for name in names]
        slack = self._staleness

        def reached() -> bool:
            if not self._asynchronous:
                return all(h.round >= r for h, r in zip(own, rounds, strict=True))
            pairs = zip(own, rounds, strict=True)
            return slack is None or all(min(h.seen) >= r - slack for h, r in pairs)

        await self._until(reached, lambda: self._missing(rank, names, own, rounds))
        return await self._work(lambda: self._snapshot(names))

    def _snapshot(self, names: Sequence[str]) -> np.ndarray[Any, Any]:
        """Return a copy of values; to be called on the thread that writes them."""
        return np.concatenate([self._store._stored[n]._view().view(np.uint8) for n in names])

    def _missing(
        self, rank: int, names: Sequence[str], own: Sequence[_Entry], rounds: Sequence[int]
    ) -> str:
        for name, entry, number in zip(names, own, rounds, strict=True):
            late = [r for r in range(self.workers) if entry.seen[r] < number]
            if late:
                return (
                    f"kv.pull: worker {rank} waited {self.timeout:g} s for round {number} of the "
                    f"key {parameter(name)!r}; no push came from worker {', '.join(map(str, late))}"
                )
        key = parameter(names[0])
        return f"kv.pull: the round of {key!r} was not applied within {self.timeout:g} s"

    def _decoded(self, data: Any, own: Sequence[_Entry]) -> list[Any]:
        dtypes, sizes = [h.dtype for h in own], [h.size for h in own]
        packed = self._compression
        if packed is None:
            return _split(data, dtypes, sizes)
        parts = _split(data, [np.dtype("uint8")] * len(own), [packed.nbytes(n) for n in sizes])
        return [packed.decode(*each) for each in zip(parts, sizes, dtypes, strict=True)]

    # updates --------------------------------------------------------------------------------------

    async def rule(self, updater: Any, optimizer: Any) -> None:
        """Set the function or the optimizer that updates the stored values."""
        if updater is not None:
            self._store.set_updater(updater)
        else:
            self._store.set_optimizer(optimizer)

    async def compress(self, compression: Any) -> None:
        """Set the compression that decodes the bytes of pushes."""
        self._compression = compression

    async def states(self) -> dict[str, Any]:
        """Return the states of the optimizer for this shard's slices."""
        return await self._work(lambda: plain(self._store._optimizer.state_dict()))

    async def load(self, states: dict[str, Any]) -> None:
        """Load the states of the optimizer for this shard's slices."""
        await self._work(lambda: self._store._optimizer.load_state_dict(states))

    # waiting --------------------------------------------------------------------------------------

    async def _work(self, call: Callable[[], Any]) -> Any:
        def run() -> Any:
            with apart():  # workers of this process wait for the result
                return call()

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    def _require(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _wake(self) -> None:
        for future, reached in self._waiting.items():
            if future.done():
                continue
            if self._failure is not None:
                future.set_exception(self._failure)
            elif reached():
                future.set_result(None)

    async def _until(self, reached: Callable[[], bool], late: Callable[[], str]) -> None:
        self._require()
        if reached():
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[future] = reached
        try:
            await asyncio.wait_for(future, self.timeout)
        except TimeoutError:
            raise KVMembershipError(late()) from None
        finally:
            del self._waiting[future]

    async def last(self, rank: int) -> tuple[int, str]:
        """Return the round of a worker's last push, and the name of its slice."""
        rounds = ((entry.seen[rank], name) for name, entry in self._entries.items())
        return max(rounds, key=lambda each: each[0], default=(0, ""))


def closed(shard: Any, *head: Any) -> Any:
    """Return the head of a message to a shard, as bytes if that is in another process."""
    return head if isinstance(shard, Shard) else pickle.dumps(head, pickle.HIGHEST_PROTOCOL)


def opened(head: Any) -> Any:
    """Return the head that `closed` packed."""
    return pickle.loads(head) if isinstance(head, bytes) else head


def _split(data: Any, dtypes: Sequence[Any], sizes: Sequence[int]) -> list[np.ndarray[Any, Any]]:
    """Return arrays over consecutive bytes."""
    whole = np.frombuffer(data, np.uint8)
    nbytes = [dtype.itemsize * size for dtype, size in zip(dtypes, sizes, strict=True)]
    if sum(nbytes) != whole.size:
        raise ArgumentError(f"kv: {whole.size} bytes came for slices of {sum(nbytes)}")
    ends = np.cumsum([0, *nbytes])
    return [whole[a:b].view(dtype) for a, b, dtype in zip(ends[:-1], ends[1:], dtypes, strict=True)]


def _sum(values: Sequence[np.ndarray[Any, Any]]) -> Any:
    """Return the sum as a new array, added in order, with the bits of `Local`."""
    total = empty_of(layout(values[0].shape, values[0].dtype), CPU)
    add_up(values, total._view())
    return total


def add_up(values: Sequence[np.ndarray[Any, Any]], out: np.ndarray[Any, Any]) -> None:
    """Write the sum of arrays, added in their order, to another one."""
    first, *rest = values
    if not rest:
        np.copyto(out, first)
    for each in rest:
        np.add(first, each, out=out)
        first = out


def plain(data: Any) -> Any:
    """Return nested dicts with NumPy arrays for NDArrays."""
    if isinstance(data, dict):
        return {key: plain(value) for key, value in data.items()}
    return data.asnumpy() if hasattr(data, "asnumpy") else data
