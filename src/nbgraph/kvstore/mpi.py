"""A store for processes that `mpirun` has started: sums by all-reduce."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np

from nbgraph import __version__
from nbgraph.array.chunk import CPU
from nbgraph.array.copying import fill_from
from nbgraph.array.core import empty_of
from nbgraph.array.create import array
from nbgraph.engine import new_variable, push_async
from nbgraph.errors import KVStoreError, ShapeError, require_number, require_whole
from nbgraph.kvstore import checkpoint as checkpoints
from nbgraph.kvstore.joint import SLICE, Joint
from nbgraph.kvstore.local import Local
from nbgraph.kvstore.shard import add_up, plain
from nbgraph.kvstore.slices import slices
from nbgraph.kvstore.store import Key, Keys, Lists
from nbgraph.kvstore.turns import Task, Turns

_Bytes = np.ndarray[Any, np.dtype[np.uint8]]


class _Part(NamedTuple):
    """A slice of a source and of the target of its sum; the worker `owner` adds it up for all."""

    owner: int
    source: np.ndarray[Any, Any]
    target: np.ndarray[Any, Any]


class AllReduce(Joint, Local):
    """A store with values on every worker: all take the same steps, by sums in rank order.

    `slice_bytes`: larger arrays are summed in slices, between which more urgent keys may run.
    `timeout`: seconds to wait for other workers. `checkpoint`: the folder of `kv.checkpoint`; a job
    continues from a round there.

    Every worker must push each key equally often, in any order.
    """

    type = "dist_sync"

    def __init__(
        self, *, slice_bytes: int = SLICE, timeout: float = 600.0, checkpoint: Any = None
    ) -> None:
        require_whole("kv.create: slice_bytes", slice_bytes)
        require_number("kv.create: timeout", timeout, above=0, noun="seconds")
        super().__init__()
        self._rows: dict[Key, int] = {}  # of the table of turns
        self._turns = Turns(timeout, self._exchange)
        self._comm, self._bound, self._folder = self._turns.comm, slice_bytes, checkpoint
        self.rank, self.num_workers = self._comm.rank, self._comm.size
        options = {
            "nbgraph": __version__,
            "slice_bytes": slice_bytes,
            "checkpoint": str(checkpoint),
        }
        for rank, others in enumerate(self._all("create", options)):
            if others != options:
                raise KVStoreError(
                    f"kv.create: worker {self.rank} has {options}, worker {rank} {others}; "
                    "have the same everywhere"
                )
        own = checkpoints.load(checkpoint) if self.rank == 0 else None
        self._values = {} if own is None else own.values  # the folder may be worker 0's alone
        self._restored = self._all("restore", own and own._replace(values={}))[0]

    def _all(self, name: str, value: Any) -> list[Any]:
        """Return the value of each worker, in rank order."""
        return self._turns.together(name, lambda: self._comm.allgather(value))

    def _init(self, keys: Keys, values: Sequence[Any]) -> None:
        super()._init(keys, self._shared(keys, values))

    def _keep(self, keys: Keys, values: Sequence[Any]) -> None:
        for value, first in zip(values, self._shared(keys, values), strict=True):
            fill_from(value, first)
            value._chunk.writes += 1
        super()._keep(keys, values)

    def _shared(self, keys: Keys, values: Sequence[Any]) -> list[Any]:
        """Return worker 0's initial values, and add the keys to the table of turns."""
        arrays = [self._values.get(*pair) for pair in zip(keys, values, strict=True)]
        firsts = [np.array(each.asnumpy(), order="C") for each in arrays]

        def share() -> None:
            specs = [(k, str(f.dtype), f.shape) for k, f in zip(keys, firsts, strict=True)]
            for rank, others in enumerate(self._comm.allgather(specs)):
                if others != specs:
                    raise ShapeError(
                        f"kv.init: worker {self.rank} has {specs}, worker {rank} {others}; give "
                        "the same keys with the same shapes and dtypes everywhere"
                    )
            for first in firsts:
                self._comm.Bcast(first.reshape(-1).view(np.uint8))
            self._turns.rows += len(firsts)

        self._turns.together(f"init of {keys!r}", share)
        for key in keys:
            self._variables[key], self._rounds[key] = new_variable(f"kv {key}"), 0
            self._rows[key] = len(self._rows) + 1
        return [array(first) for first in firsts]

    def _pushpull(self, keys: Keys, values: Lists, outs: Lists, priority: int) -> None:
        own = [Joint._sum(self, key, arrays) for key, arrays in zip(keys, values, strict=True)]
        sums = [self._reduced(key, one, priority) for key, one in zip(keys, own, strict=True)]
        super()._pushpull(keys, [[each] for each in sums], outs, priority)

    def _sum(self, key: Key, arrays: Sequence[Any]) -> Any:
        return arrays[0]  # the sum over workers

    def _reduced(self, key: Key, own: Any, priority: int) -> Any:
        """Return the sum over workers, computed by an operation of the engine."""
        total = empty_of(own._layout, CPU)
        self._rounds[key] += 1
        text = f"push {self._rounds[key]} of {key!r} ({self._rule()})"
        pieces = slices(key, own.size, own.dtype.itemsize, self.num_workers, self._bound)

        def run(_: Any, on_complete: Any) -> None:
            source, target = own._view().reshape(-1), total._view().reshape(-1)
            parts = [_Part(shard, source[a:b], target[a:b]) for _, shard, a, b in pieces]
            self._turns.put(self._rows[key], Task(text, priority, parts, on_complete))

        push_async(
            run,
            const_vars=[own._chunk],
            mutate_vars=[self._variables[key], total._chunk],
            priority=priority,
            name=f"kv.push {key!r}",
        )
        total._chunk.writes += 1
        return total

    def _rule(self) -> str:
        """Return a description of the update rule, on which all workers have to agree."""
        rule, packed = self._optimizer, type(self._compression).__name__
        hyper = {} if rule is None else {**rule.hyper, **self._numbers()}
        return f"{type(rule).__name__}, {hyper}, {packed}"

    def _exchange(self, tasks: list[list[_Part]]) -> None:
        """Remove the first parts of these tasks, about a slice per worker, and sum them: each
        worker adds up the parts that it owns, in rank order, and gets the sums of the others."""
        parts: list[_Part] = []
        room = self._bound * self.num_workers
        for each in tasks:
            while each and (room >= each[0].source.nbytes or not parts):
                room -= each[0].source.nbytes
                parts.append(each.pop(0))
        if not parts:
            return
        parts.sort(key=lambda part: part.owner)
        packed = self._compression
        data = [
            p.source.view(np.uint8) if packed is None else packed.encode(p.source) for p in parts
        ]
        counts = self._counts(parts, data)
        came = np.empty((self.num_workers, counts[self.rank]), np.uint8)
        shares = [came, [counts[self.rank]] * self.num_workers]
        self._turns.wait(self._comm.Ialltoallv([_joined(data), counts], shares))
        at, mine = 0, []
        for part, sent in zip(parts, data, strict=True):
            if part.owner == self.rank:
                add_up([self._decoded(row[at : at + sent.size], part) for row in came], part.target)
                mine.append(part.target.view(np.uint8))
                at += sent.size
        targets = [part.target.view(np.uint8) for part in parts]
        counts = self._counts(parts, targets)
        sums = np.empty(sum(counts), np.uint8)
        self._turns.wait(self._comm.Iallgatherv(_joined(mine), [sums, counts]))
        for target, total in zip(
            targets, np.split(sums, np.cumsum([t.size for t in targets])[:-1])
        ):
            target[:] = total

    def _decoded(self, data: _Bytes, part: _Part) -> np.ndarray[Any, Any]:
        if self._compression is None:
            return data.view(part.source.dtype)
        return self._compression.decode(data, part.source.size, part.source.dtype)

    def _counts(self, parts: Sequence[_Part], data: Sequence[_Bytes]) -> list[int]:
        """Return the number of bytes of each worker."""
        pairs = [(part.owner, each.size) for part, each in zip(parts, data, strict=True)]
        return [sum(size for owner, size in pairs if owner == r) for r in range(self.num_workers)]

    def set_optimizer(self, optimizer: Any) -> None:
        """See `KVStore`; every worker calls it, with worker 0's numbers and states."""
        super().set_optimizer(optimizer)
        if self._restored is not None and self._restored.rule is not None:
            with self._restored.optimizer() if self.rank == 0 else nullcontext() as path:
                self.load_optimizer_states(path)
        else:
            state = plain(optimizer.state_dict()) if self.rank == 0 else None
            optimizer.load_state_dict(self._all("set_optimizer", state)[0])

    def load_optimizer_states(self, path: Any) -> None:
        """See `KVStore`; every worker calls it, and worker 0's file is read."""
        own, state = self._require_optimizer("load_optimizer_states"), None
        if self.rank == 0:
            whole = own.portable()
            whole.load(path)
            state = plain(whole.state_dict())
        own.load_state_dict(self._all("load_optimizer_states", state)[0])

    def set_gradient_compression(self, compression_params: Any) -> None:
        """See `KVStore`; every worker calls it with the same arguments."""
        self.barrier()  # pending sums are not compressed
        super().set_gradient_compression(compression_params)

    def barrier(self) -> None:
        """Wait until every worker has called this and all its pushes are done."""
        self._settle()
        self._all("barrier", None)

    def _positions(self, position: Any) -> list[Any]:
        return self._all("checkpoint", position)


def _joined(data: Sequence[_Bytes]) -> _Bytes:
    return data[0] if len(data) == 1 else np.concatenate([np.empty(0, np.uint8), *data])
