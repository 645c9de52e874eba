"""Stores whose values lie on the workers of a Dask cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from typing import Any

import numpy as np

from nbgraph import __version__
from nbgraph.array.chunk import CPU
from nbgraph.array.copying import fill_from
from nbgraph.array.core import empty_of
from nbgraph.engine import new_variable, push_async
from nbgraph.errors import ArgumentError, KVMembershipError, NbgraphError, require_whole
from nbgraph.kvstore import checkpoint as checkpoints
from nbgraph.kvstore.job import Report, current_job, reporter, require_picklable
from nbgraph.kvstore.joint import SLICE, Joint
from nbgraph.kvstore.sender import Countdown, Sender
from nbgraph.kvstore.shard import Shard, closed
from nbgraph.kvstore.slices import (
    Parcel,
    Slice,
    joined,
    keys_of,
    messages,
    parameter,
    parted,
    slices,
)
from nbgraph.kvstore.store import Key, Keys, Lists, Updater
from nbgraph.operator.layout import layout

_BRIEF = 1 << 20  # bytes, below which a copy on the event loop costs less than a thread


class Dist(Joint):
    """A store with slices of arrays on shards, one shard per worker.

    `slice_bytes`: size of a slice; each slice of a larger array is a separate message. Arrays from
    1 MiB on are spread over all shards.

    Pushes and pulls are operations of the engine that end when the shards have answered: those of
    different keys do not wait for each other, and the highest priority goes first.
    """

    asynchronous = False

    def __init__(self, *, slice_bytes: int = SLICE) -> None:
        super().__init__()
        require_whole("kv.create: slice_bytes", slice_bytes)
        self._job = current_job(self.type)
        self.rank, self.num_workers = self._job.rank, self._job.workers
        self._loop: asyncio.AbstractEventLoop = self._job.loop
        self._sender = Sender(self._loop)
        self._bound = slice_bytes
        self._slices: dict[Key, list[Slice]] = {}
        self._lost: KVMembershipError | None = None  # set once a shard does not answer
        self._patience = 3 * self._job.timeout  # longer than a request, whose error is better
        self._folder, self._restored = self._job.checkpoint, checkpoints.load(self._job.checkpoint)
        options = {"kind": self.type, "slice_bytes": slice_bytes, **self._agreed()}
        self._everywhere("join", self.rank, __version__, options)

    def _agreed(self) -> dict[str, Any]:
        """Return further options, which have to be the same for all workers."""
        return {}

    # values ---------------------------------------------------------------------------------------

    def _init(self, keys: Keys, values: Sequence[Any]) -> None:
        arrays = dict(zip(keys, values, strict=True))
        if self.rank == 0 and self._restored is not None:
            arrays |= {k: v for k, v in self._restored.values.items() if k in arrays}
        for key, value in arrays.items():
            count = len(self._job.shards)
            self._slices[key] = slices(key, value.size, value.dtype.itemsize, count, self._bound)
            self._rounds[key] = 0
            self._variables[key] = new_variable(f"kv {key}")
        views = {k: np.ascontiguousarray(v.asnumpy()) for k, v in arrays.items()}
        items = {k: v.dtype.itemsize for k, v in arrays.items()}
        calls = []
        for parcel in (each for parts in messages(items, self._slices) for each in parts):
            specs = [(str(views[k].dtype), views[k].shape, b - a) for k, a, b in parcel.places]
            data = parcel.gathered(views) if self.rank == 0 else b""
            calls.append(self._asked(parcel.shard, "init", self.rank, parcel.names, specs, data))
        self._wait(calls)

    def _pushpull(self, keys: Keys, values: Lists, outs: Lists, priority: int) -> None:
        sums = {k: self._sum(k, v) for k, v in zip(keys, values, strict=True)}
        targets = self._targets(keys, outs)
        numbers = self._numbers()
        for parts in messages({k: v.dtype.itemsize for k, v in sums.items()}, self._slices):
            mine = keys_of(parts)

            def begin(done: Countdown, parts: Any = parts, mine: Any = mine) -> None:
                for key in mine:
                    self._rounds[key] += 1
                views = {key: sums[key]._view() for key in mine}
                rooms = {key: [t._view() for t in targets[key]] for key in mine}
                for parcel in parts:
                    send = self._exchange(parcel, views, rooms, numbers, done)
                    self._sender.put((-priority, keys.index(mine[0])), send)

            self._operate(
                "push",
                begin,
                len(parts),
                reads=[sums[key]._chunk for key in mine],
                writes=[*(self._variables[k] for k in mine), *_chunks(targets, mine)],
                priority=priority,
                keys=mine,
            )
        _finish(keys, outs, targets)

    def _pull(self, keys: Keys, outs: Lists, priority: int) -> None:
        targets = self._targets(keys, outs)
        for parts in messages({k: t[0].dtype.itemsize for k, t in targets.items()}, self._slices):
            mine = keys_of(parts)

            def begin(done: Countdown, parts: Any = parts, mine: Any = mine) -> None:
                rooms = {key: [t._view() for t in targets[key]] for key in mine}
                for parcel in parts:
                    self._soon(self._fetch(parcel, self._named(parcel), rooms, done))

            self._operate(
                "pull",
                begin,
                len(parts),
                reads=[self._variables[key] for key in mine],
                writes=_chunks(targets, mine),
                priority=priority,
                keys=mine,
            )
        _finish(keys, outs, targets)

    def _targets(self, keys: Keys, outs: Lists) -> dict[Key, list[Any]]:
        """Return, by key, contiguous arrays on the host to pull to: the outs, or new ones."""
        return {
            key: [
                out
                if out.device.host and out._layout.contiguous
                else empty_of(layout(out.shape, out.dtype), CPU)
                for out in each
            ]
            for key, each in zip(keys, outs, strict=True)
        }

    # messages -------------------------------------------------------------------------------------

    def _exchange(
        self, parcel: Parcel, views: Any, rooms: Any, numbers: Any, done: Countdown
    ) -> Callable[[], Any]:
        """Return the coroutine function that sends a parcel and, if `rooms`, fetches the sum."""
        named = self._named(parcel)
        packed = self._compression
        if packed is None:
            data = parcel.gathered(views)
        else:
            pieces = [views[k].reshape(-1)[a:b] for k, a, b in parcel.places]
            data = np.concatenate([packed.encode(each) for each in pieces])

        pulls, shard = any(rooms.values()), self._job.shards[parcel.shard]
        if not pulls and isinstance(shard, Shard):
            data = data.copy()  # the shard keeps it until the round ends, after this operation

        async def send() -> None:
            try:
                head = closed(shard, self.rank, *named, numbers, pulls)
                reply = await self._ask(parcel.shard, "push", head, data)
                if reply is not None and reply.nbytes < _BRIEF:
                    parcel.scatter(reply, rooms)
            except BaseException as error:
                done(self._explained("push", parcel, named, error))
                return
            if pulls and (reply is None or reply.nbytes >= _BRIEF):
                self._soon(self._fetch(parcel, named, rooms, done, reply))
            else:
                done()

        return send

    async def _fetch(
        self, parcel: Parcel, named: Any, rooms: Any, done: Countdown, data: Any = None
    ) -> None:
        """Write a round to its arrays; `data`: the values, if the push returned them."""
        try:
            if data is None:
                head = closed(self._job.shards[parcel.shard], self.rank, *named)
                data = await self._ask(parcel.shard, "pull", head)
            await self._loop.run_in_executor(None, parcel.scatter, data, rooms)
        except BaseException as error:
            done(self._explained("pull", parcel, named, error))
        else:
            done()

    def _named(self, parcel: Parcel) -> tuple[list[str], list[int]]:
        return parcel.names, [self._rounds[key] for key, _, _ in parcel.places]

    def _explained(self, verb: str, parcel: Parcel, named: Any, error: BaseException) -> Exception:
        if isinstance(error, NbgraphError) and error is not self._lost:
            return error
        names, rounds = named
        return KVMembershipError(
            f"kv.{verb}: round {rounds[0]} of the key {parameter(names[0])!r} is lost to worker "
            f"{self.rank}, as shard {parcel.shard} keeps it: {error}"
        )

    def _operate(
        self,
        verb: str,
        begin: Callable[[Countdown], None],
        count: int,
        *,
        reads: Sequence[Any],
        writes: Sequence[Any],
        priority: int,
        keys: Keys,
    ) -> None:
        """Push an operation that ends when `count` messages are answered."""
        more = "" if len(keys) == 1 else f" and {len(keys) - 1} more"

        def run(_: Any, on_complete: Any) -> None:
            begin(Countdown(count, on_complete))

        push_async(
            run,
            const_vars=list(dict.fromkeys(reads)),
            mutate_vars=list(dict.fromkeys(writes)),
            priority=priority,
            name=f"kv.{verb} {keys[0]!r}{more}",
        )

    def _soon(self, coroutine: Any) -> Any:
        return Context().run(asyncio.run_coroutine_threadsafe, coroutine, self._loop)

    async def _ask(self, shard: int, method: str, *args: Any) -> Any:
        """Return a shard's answer; raise KVMembershipError if none comes in time, and at every
        later call.

        A shard that waits for other workers answers after `timeout`; the network has as much time
        again, as the host may be frozen or unreachable.
        """
        if self._lost is not None:
            raise self._lost
        try:
            async with asyncio.timeout(2 * self._job.timeout):
                return await getattr(self._job.shards[shard], method)(*args)
        except NbgraphError:
            raise
        except Exception as error:
            late = isinstance(error, TimeoutError)
            text = f"no answer within {2 * self._job.timeout:g} s" if late else str(error)
            kind = "" if late else f"{type(error).__name__}: "
            self._lost = KVMembershipError(
                f"kv.{method}: worker {self.rank} has lost shard {shard} ({kind}{text})"
            )
            raise self._lost from error

    def _asked(self, shard: int, method: str, *args: Any) -> Any:
        return self._soon(self._ask(shard, method, *args))

    def _wait(self, calls: Sequence[Any]) -> list[Any]:
        """Return the results of these calls, or raise the first error."""
        try:
            return [call.result(self._patience) for call in calls]
        except NbgraphError:
            raise
        except Exception as error:
            raise KVMembershipError(
                f"kv: worker {self.rank} is closing ({type(error).__name__}: {error})"
            ) from error
        finally:
            for call in calls:  # no effect on finished ones
                call.cancel()

    def _everywhere(self, method: str, *args: Any) -> list[Any]:
        return self._wait([self._asked(k, method, *args) for k in range(len(self._job.shards))])

    # updates --------------------------------------------------------------------------------------

    def set_updater(self, updater: Updater) -> None:
        """See `KVStore`; the function runs on the shards, for slices as flat arrays."""
        super().set_updater(updater)
        self._rule(updater, None)

    def set_optimizer(self, optimizer: Any) -> None:
        """See `KVStore`; every worker calls it, and the optimizer of worker 0 runs."""
        super().set_optimizer(optimizer)
        whole = [k for k, own in self._slices.items() if len(own) > 1]
        if optimizer.clip_norm is not None or optimizer.scaler is not None:
            raise ArgumentError(
                f"kv.set_optimizer: {optimizer.name} with clip_norm or a scaler takes all "
                "gradients at once; clip them before they are pushed (ng.optim.clip_by_norm)"
            )
        if not optimizer.elementwise and whole:
            raise ArgumentError(
                f"kv.set_optimizer: {optimizer.name} takes norms of whole parameters, but "
                f"{whole[0]!r} is cut; create the store with slice_bytes=2**62, or take Adam"
            )
        self._rule(None, optimizer.portable(parameter))
        latest = self._restored
        if self.rank == 0 and latest is not None and latest.rule is not None:
            with latest.optimizer() as path:
                self.load_optimizer_states(path)
        elif self.rank == 0 and (state := optimizer.state_dict())["parameters"]:
            self._load(state)  # states of earlier steps
        self.barrier()

    def _rule(self, updater: Any, optimizer: Any) -> None:
        self.barrier()  # pending rounds belong to the previous rule
        if self.rank == 0:
            require_picklable(
                "kv.set_updater" if optimizer is None else "kv.set_optimizer",
                updater if optimizer is None else optimizer,
            )
            self._everywhere("rule", updater, optimizer)
        self.barrier()

    def save_optimizer_states(self, path: Any, dump_optimizer: bool = False) -> None:
        """See `KVStore`; to be called on one worker, after all have ended their rounds."""
        own = self._require_optimizer("save_optimizer_states")
        self._settle()
        whole = own.portable()
        whole.load_state_dict(joined(self._everywhere("states"), self._slices, self._keys))
        whole.save(path)

    def load_optimizer_states(self, path: Any) -> None:
        """See `KVStore`; to be called on one worker."""
        whole = self._require_optimizer("load_optimizer_states").portable()
        whole.load(path)
        self._load(whole.state_dict())

    def _load(self, state: Mapping[str, Any]) -> None:
        """Send each shard the states of its slices."""
        states = parted(state, self._slices)
        self._wait([self._asked(k, "load", states(k)) for k in range(len(self._job.shards))])

    def set_gradient_compression(self, compression_params: Any) -> None:
        """See `KVStore`; every worker calls it with the same arguments."""
        super().set_gradient_compression(compression_params)
        self.barrier()  # pending messages are not compressed
        if self.rank == 0:
            self._everywhere("compress", self._compression)
        self.barrier()

    # all together ---------------------------------------------------------------------------------

    def barrier(self) -> None:
        """Wait until every worker has called this and all its pushes and pulls are done."""
        self._settle()
        self._wait([self._asked(0, "barrier", self.rank)])

    @property
    def shown(self) -> Report | bool:
        """See `KVStore`: the process that started the job shows progress, not its workers."""
        return self.rank == 0 and (reporter(self._job.topic) or True)

    def _positions(self, position: Any) -> list[Any]:
        self._wait([self._asked(0, "deposit", self.rank, position)])
        self.barrier()
        return self._wait([self._asked(0, "deposits")])[0] if self.rank == 0 else []


class DistSync(Dist):
    """A synchronous store: pulls of a round return the sum of all pushes, added in rank order."""

    type = "dist_sync"


class DistAsync(Dist):
    """An asynchronous store: every push is applied on arrival, once; a worker sees its own.

    Parameters
    ----------
    max_staleness : int, optional
        The most rounds by which the slowest worker may lag behind one that pulls; None: any.
    """

    type = "dist_async"
    asynchronous = True

    def __init__(self, *, slice_bytes: int = SLICE, max_staleness: int | None = None) -> None:
        if max_staleness is not None:
            require_whole("kv.create: max_staleness", max_staleness, 0)
        self._staleness = max_staleness
        super().__init__(slice_bytes=slice_bytes)

    def _agreed(self) -> dict[str, Any]:
        return {"max_staleness": self._staleness}


def _chunks(targets: dict[Key, list[Any]], keys: Keys) -> list[Any]:
    return [target._chunk for key in keys for target in targets[key]]


def _finish(keys: Keys, outs: Lists, targets: Any) -> None:
    """Count writes of arrays, and copy results to those on devices or not contiguous."""
    for key, each in zip(keys, outs, strict=True):
        for out, target in zip(each, targets[key], strict=True):
            if target is not out:
                fill_from(out, target)
            out._chunk.writes += 1
