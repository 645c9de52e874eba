"""Slices: the parts of an array, and of an optimizer's states, that shards store."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from nbgraph.array.create import array

_MARK = "@slice"
SPREAD = 1 << 20  # bytes from which on an array is spread over all shards
SMALL = 1 << 21  # bytes below which slices for one shard share a message


class Slice(NamedTuple):
    """Elements from `start` to `stop` of a key's array in row-major order."""

    name: str  # unique in the store
    shard: int
    start: int
    stop: int


def slices(key: Any, size: int, itemsize: int, shards: int, bound: int) -> list[Slice]:
    """Return the slices of an array, the same on every worker.

    Parameters
    ----------
    size, itemsize : number of elements, bytes of one
    shards : number of shards
    bound : the most bytes of a slice

    >>> [s[1:] for s in slices("w", 10, 4, shards=2, bound=16)]
    [(1, 0, 4), (0, 4, 7), (1, 7, 10)]
    """
    nbytes = size * itemsize
    count = max(shards if nbytes >= SPREAD else 1, -(-nbytes // bound), 1)
    first = crc32(repr(key).encode()) % shards
    stops = np.cumsum([0, *(size // count + (k < size % count) for k in range(count))])
    name = str(key)
    return [
        Slice(name if count == 1 else f"{name}{_MARK}{k}", (first + k) % shards, int(a), int(b))
        for k, (a, b) in enumerate(pairwise(stops))
    ]


def parameter(name: str) -> str:
    """Return the key of a slice, as a string."""
    head, mark, number = name.rpartition(_MARK)
    return head if mark and number.isdigit() else name


class Parcel(NamedTuple):
    """The content of one message to one shard: slices of keys of one dtype or small whole keys."""

    shard: int
    names: list[str]
    places: list[tuple[Any, int, int]]  # key, start, stop of each

    def gathered(self, views: dict[Any, np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        """Return the bytes of its elements, without a copy if they are contiguous."""
        parts = [
            views[key].reshape(-1)[start:stop].view(np.uint8) for key, start, stop in self.places
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def scatter(self, data: Any, views: dict[Any, Sequence[Any]]) -> None:
        """Write received bytes to the arrays of each key, which are contiguous."""
        received, at = np.frombuffer(data, np.uint8), 0
        for key, start, stop in self.places:
            outs = views[key]
            end = at + (stop - start) * outs[0].dtype.itemsize
            for out in outs:
                out.reshape(-1)[start:stop] = received[at:end].view(out.dtype)
            at = end


def parcels(plans: dict[Any, tuple[list[Slice], int]], small: int = SMALL) -> list[Parcel]:
    """Return the messages for keys with their slices and item sizes: slices below `small` bytes
    for the same shard share a message."""
    messages: list[Parcel] = []
    together: dict[int, Parcel] = {}
    for key, (own, itemsize) in plans.items():
        for name, shard, start, stop in own:
            if (stop - start) * itemsize >= small:
                messages.append(Parcel(shard, [name], [(key, start, stop)]))
                continue
            parcel = together.setdefault(shard, Parcel(shard, [], []))
            parcel.names.append(name)
            parcel.places.append((key, start, stop))
    return messages + [*together.values()]


def messages(items: Mapping[Any, int], slices: Mapping[Any, list[Slice]]) -> list[list[Parcel]]:
    """Return the parcels of each operation; keys share an operation up to `SMALL` bytes.

    `items`: bytes of an element of each key.
    """
    groups: list[dict[Any, Any]] = []
    room = 0
    for key, itemsize in items.items():
        own = slices[key]
        nbytes = own[-1].stop * itemsize
        if not groups or nbytes > room:
            groups.append({})
            room = SMALL
        groups[-1][key] = own, itemsize
        room -= nbytes
    return [parcels(group) for group in groups]


def keys_of(parts: Sequence[Parcel]) -> list[Any]:
    """Return the keys of messages."""
    return list(dict.fromkeys(key for parcel in parts for key, _, _ in parcel.places))


Slices = Mapping[Any, Sequence[Slice]]


def joined(states: Sequence[Mapping[str, Any]], slices: Slices, specs: Mapping[Any, Any]) -> Any:
    """Return the state dict merged from those of shards (see `Optimizer.state_dict`).

    `specs`: by key an object with its `layout`, which has the shape.
    """
    parts: dict[str, Any] = {}
    for each in states:
        parts |= each["parameters"]
    whole: dict[str, Any] = {}
    for key, own in slices.items():
        pieces = [parts[piece.name] for piece in own if piece.name in parts]
        if not pieces:
            continue
        shape = specs[key].layout.shape
        arrays = {
            name: array(
                np.concatenate([np.ravel(one["states"][name]) for one in pieces]).reshape(shape)
            )
            for name in pieces[0]["states"]
        }
        whole[str(key)] = {**pieces[0], "states": arrays}
    return {**states[0], "parameters": whole}


def parted(state: Mapping[str, Any], slices: Slices) -> Callable[[int], dict[str, Any]]:
    """Return a function from the number of a shard to the state dict of its slices."""
    parameters = state["parameters"]

    def of(shard: int) -> dict[str, Any]:
        mine: dict[str, Any] = {}
        for key, own in slices.items():
            entry = parameters.get(str(key))
            for piece in own:
                if entry is None or piece.shard != shard:
                    continue
                arrays = {
                    name: np.ravel(value.asnumpy())[piece.start : piece.stop]
                    for name, value in entry["states"].items()
                }
                mine[piece.name] = {**entry, "states": arrays}
        return {**state, "parameters": mine}

    return of
