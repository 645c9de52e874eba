"""Stores of one process: sums of several devices, and the rule that is applied to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of, fill_from
from nbgraph.array.core import Array
from nbgraph.kvstore.store import Key, KVStore


class Local(KVStore):
    """Values on the host.

    Nothing waits on one machine but for what it reads, so priorities change nothing.
    """

    type = "local"

    def __init__(self) -> None:
        super().__init__()
        self._stored: dict[Key, Array] = {}

    def _init(self, keys: Sequence[Key], values: Sequence[Any]) -> None:
        self._stored |= {k: copy_of(v, device=CPU) for k, v in zip(keys, values, strict=True)}

    def _push(self, keys: Sequence[Key], values: Sequence[Sequence[Any]], priority: int) -> None:
        pushed = [self._sum(key, arrays) for key, arrays in zip(keys, values, strict=True)]
        stored = [self._stored[key] for key in keys]
        if self._optimizer is not None:
            self._optimizer.update([*map(str, keys)], stored, pushed)
            return
        for key, gradient, own in zip(keys, pushed, stored, strict=True):
            if self._updater is not None:
                self._updater(key, gradient, own)
            else:
                fill_from(own, gradient)

    def _pull(self, keys: Sequence[Key], outs: Sequence[Sequence[Any]], priority: int) -> None:
        for key, each in zip(keys, outs, strict=True):
            for out in each:
                fill_from(out, self._stored[key])
                out._chunk.writes += 1

    def _sum(self, key: Key, arrays: Sequence[Any]) -> Any:
        """Return the sum of a key's arrays, added in their order where its value lies."""
        if self._compression is not None:
            arrays = [self._compression.sent(key, k, each) for k, each in enumerate(arrays)]
        device = self._stored[key].device
        total, *rest = [a if a.device == device else copy_of(a, device=device) for a in arrays]
        for each in rest:
            total = total + each
        return total


class Device(Local):
    """Values where the first array of a key lies: sums of devices need not come to the host."""

    type = "device"

    def _init(self, keys: Sequence[Key], values: Sequence[Any]) -> None:
        self._stored |= {k: copy_of(v) for k, v in zip(keys, values, strict=True)}

    def is_capable(self, capability: str) -> bool:
        """See `KVStore`."""
        return capability.lower() in {"optimizer", "compression"}
