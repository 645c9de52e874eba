"""Transfers between host and devices, and between devices, through pinned memory on streams of
their own.

Source and target are row-major with equal shapes and dtypes; `copying` ensures that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from nbgraph.device import RunContext, driver
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.engine.streams import INTO, OUT

Values = np.ndarray[Any, np.dtype[Any]]
_LEAST = 1 << 12  # bytes
_MOST_KEPT = 1 << 28  # bytes of free blocks in the pool
_free: dict[int, list[Values]] = {}


class Staging:
    """Pinned memory for one copy; it returns to its pool when it is deleted."""

    __slots__ = ("_whole", "bytes")

    def __init__(self, nbytes: int) -> None:
        size = min(max(_LEAST, 1 << max(0, nbytes - 1).bit_length()), max(nbytes, _MOST_KEPT))
        try:
            self._whole = _free[size].pop()
        except (KeyError, IndexError):
            self._whole = driver().pinned(size)
        self.bytes = self._whole[:nbytes]

    def view(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Values:
        """Return the memory as a NumPy array."""
        return np.ndarray(tuple(shape), dtype, self._whole)

    def __del__(self) -> None:
        try:
            blocks = _free.setdefault(self._whole.nbytes, [])
            if (len(blocks) + 1) * self._whole.nbytes <= _MOST_KEPT:
                blocks.append(self._whole)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return


def send(target: Any, values: Values) -> None:
    """Set the values of a new array on a device; they are copied at once."""
    staging = Staging(target.nbytes)
    np.copyto(staging.view(target.shape, target.dtype), values)
    _push_send(target, staging, (), whole=True)


def fetch(source: Any) -> Values:
    """Wait for an array on a device and return its values; raise the failure of its computation."""
    staging = Staging(source.nbytes)
    _push_fetch(source, staging, ()).result()
    return staging.view(source.shape, source.dtype).copy()


def transfer(source: Any, target: Any, *, whole: bool) -> None:
    """Push a copy from device to device. `whole`: all of the target's chunk is written."""
    if not source.size:
        return
    if source.device.host:
        _into(source, target, whole=whole)
    elif target.device.host:
        _out(source, target, whole=whole)
    else:
        where = target._address, source._address, source.nbytes, source.device.device_id
        name = f"copy from {source.device!r}"
        reads, writes = [source._chunk], [target._chunk]
        _push(partial(_across, *where), target, INTO, name, reads, writes, whole)


def _into(source: Any, target: Any, *, whole: bool) -> None:
    engine, staging = in_charge(), Staging(source.nbytes)
    stage, values = engine.new_variable("pinned memory"), source._view()
    place = staging.view(source.shape, source.dtype)

    def gather(run_ctx: RunContext) -> None:
        np.copyto(place, values)

    engine.push(
        gather, const_vars=[source._chunk], mutate_vars=[stage], name=f"copy to {target.device!r}"
    )
    _push_send(target, staging, (stage,), whole=whole)


def _out(source: Any, target: Any, *, whole: bool) -> None:
    engine, staging = in_charge(), Staging(source.nbytes)
    stage, values = engine.new_variable("pinned memory"), target._view()
    _push_fetch(source, staging, [stage])

    def spread(run_ctx: RunContext) -> None:
        place = staging.view(values.shape, values.dtype)  # keeps the block out of the pool
        np.copyto(values, place)

    engine.push(
        spread,
        const_vars=[stage],
        mutate_vars=[target._chunk],
        name=f"copy from {source.device!r}",
        prop=OVERWRITE if whole else NORMAL,
    )


def _push_send(target: Any, staging: Staging, reads: Sequence[Any], *, whole: bool) -> None:
    if target.size:
        run = partial(_write, target._address, staging)
        name = f"copy to {target.device!r}"
        _push(run, target, INTO, name, reads, [target._chunk], whole)


def _push_fetch(source: Any, staging: Staging, writes: Sequence[Any]) -> Any:
    run = partial(_read, source._address, staging)
    return _push(run, source, OUT, f"copy from {source.device!r}", [source._chunk], writes)


def _push(
    run: Callable[[RunContext], None],
    array: Any,
    stream: str,
    name: str,
    reads: Sequence[Any],
    writes: Sequence[Any],
    whole: bool = False,
) -> Any:
    """Push a copy on a stream of an array's device."""
    return in_charge().push_to_device(
        array.device,
        run,
        stream=stream,
        const_vars=reads,
        mutate_vars=writes,
        name=name,
        nbytes=array.nbytes,
        prop=OVERWRITE if whole else NORMAL,
    )


# functions for streams; each keeps its pinned memory until the copy has finished


def _write(address: int, staging: Staging, run_ctx: RunContext) -> None:
    run_ctx.stream.write(address, staging.bytes)


def _read(address: int, staging: Staging, run_ctx: RunContext) -> None:
    if staging.bytes.size:
        run_ctx.stream.read(staging.bytes, address)


def _across(target: int, source: int, nbytes: int, place: int, run_ctx: RunContext) -> None:
    run_ctx.stream.copy(target, source, nbytes, place)
