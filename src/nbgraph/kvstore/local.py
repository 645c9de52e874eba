"""Stores of one process: sums over several devices, and the updates by them."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of, fill_from
from nbgraph.array.core import Array
from nbgraph.kvstore.store import Key, Keys, KVStore, Lists


class Local(KVStore):
    """A store with values on the host.

    On one machine operations wait only for their operands, so priorities have no effect.
    """

    type = "local"

    def __init__(self) -> None:
        super().__init__()
        self._stored: dict[Key, Array] = {}
        self._pulled: dict[Key, Any] = {}  # the first array pulled to at the last `pushpull`

    def _init(self, keys: Keys, values: Sequence[Any]) -> None:
        self._stored |= {k: copy_of(v, device=CPU) for k, v in zip(keys, values, strict=True)}

    def _keep(self, keys: Keys, values: Sequence[Any]) -> None:
        pairs = zip(keys, values, strict=True)
        self._stored |= {k: v if v.device.host else copy_of(v, device=CPU) for k, v in pairs}

    def _pushpull(self, keys: Keys, values: Lists, outs: Lists, priority: int) -> None:
        pushed = [self._sum(key, arrays) for key, arrays in zip(keys, values, strict=True)]
        stored = [self._stored[key] for key in keys]
        outs = [
            [out for out in each if out is not own] for each, own in zip(outs, stored, strict=True)
        ]
        if self._optimizer is not None:
            along = self._along(keys, pushed, outs) if any(outs) else [None] * len(keys)
            self._optimizer.update([*map(str, keys)], stored, pushed, along)
            outs = [
                rest if one is None else rest[1:] for one, rest in zip(along, outs, strict=True)
            ]
        else:
            for key, gradient, own in zip(keys, pushed, stored, strict=True):
                if self._updater is not None:
                    self._updater(key, gradient, own)
                else:
                    fill_from(own, gradient)
                    own._chunk.writes += 1
        if any(outs):
            self._pull(keys, outs, priority)

    def _pull(self, keys: Keys, outs: Lists, priority: int) -> None:
        for key, each in zip(keys, outs, strict=True):
            for out in each:
                own = self._stored[key]
                if out is not own:
                    fill_from(out, own)
                    out._chunk.writes += 1

    def _along(self, keys: Keys, pushed: Sequence[Any], outs: Lists) -> list[Any]:
        """Return for each key the first array to pull to if the update step can write it, or None.

        All pushes come before the first pull, so an array that another part of the call uses is
        excluded. So is a new one, as the steps of a plan are for arrays that stay the same.
        """
        firsts = {key: each[0] for key, each in zip(keys, outs, strict=True) if each}
        former, self._pulled = self._pulled, self._pulled | firsts
        stored = [self._stored[key] for key in keys]
        count = Counter([each._chunk for each in (*stored, *pushed, *firsts.values())])
        along: list[Any] = []
        for key, own in zip(keys, stored, strict=True):
            out = firsts.get(key)
            if out is None or out is not former.get(key) or count[out._chunk] > 1:
                along.append(None)
            else:
                along.append(out if out._chunk.device == own._chunk.device else None)
        return along

    def _sum(self, key: Key, arrays: Sequence[Any]) -> Any:
        """Return the sum of a key's arrays, added in their order on the device of its value."""
        if self._compression is not None:
            arrays = [self._compression.sent(key, k, each) for k, each in enumerate(arrays)]
        device = self._stored[key]._chunk.device
        if len(arrays) == 1 and arrays[0]._chunk.device is device:
            return arrays[0]
        total, *rest = [a if a.device == device else copy_of(a, device=device) for a in arrays]
        for each in rest:
            total = total + each
        return total


class Device(Local):
    """A store with values on the device of a key's first array, so that sums stay there."""

    type = "device"
    capabilities = frozenset(["optimizer", "compression"])

    def _init(self, keys: Keys, values: Sequence[Any]) -> None:
        self._stored |= {k: copy_of(v) for k, v in zip(keys, values, strict=True)}

    def _keep(self, keys: Keys, values: Sequence[Any]) -> None:
        self._stored |= zip(keys, values, strict=True)
