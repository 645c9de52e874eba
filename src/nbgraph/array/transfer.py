"""Values between the host and devices, and between devices; through pinned memory, which devices
copy by themselves, on streams of their own.

Arrays are row-major and alike; `copying` sees to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context, RunContext, driver
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.engine.streams import INTO, OUT

Values = np.ndarray[Any, np.dtype[Any]]
_LEAST = 1 << 12  # bytes
_MOST_KEPT = 1 << 28  # bytes of blocks that wait for a taker
_free: dict[int, list[Values]] = {}


class Staging:
    """Pinned memory for one copy; it goes back when nobody has it."""

    __slots__ = ("_whole", "bytes")

    def __init__(self, nbytes: int) -> None:
        size = max(_LEAST, 1 << max(0, nbytes - 1).bit_length())
        try:
            self._whole = _free[size].pop()
        except (KeyError, IndexError):
            self._whole = driver().pinned(size)
        self.bytes = self._whole[:nbytes]

    def view(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Values:
        """Return it as an array."""
        return np.ndarray(tuple(shape), dtype, self._whole)

    def __del__(self) -> None:
        try:
            blocks = _free.setdefault(self._whole.nbytes, [])
            if (len(blocks) + 1) * self._whole.nbytes <= _MOST_KEPT:
                blocks.append(self._whole)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return


def send(target: Any, values: Values) -> None:
    """Set the values of a new array on a device; they are copied now."""
    staging = Staging(target.nbytes)
    np.copyto(staging.view(target.shape, target.dtype), values)
    _push_send(target, staging, (), whole=True)


def fetch(source: Any) -> Values:
    """Return the values of an array on a device; wait, and raise what went wrong on the way."""
    staging = Staging(source.nbytes)
    pending = in_charge().push_to_device(
        source.device,
        _Read(source, staging),
        stream=OUT,
        const_vars=[source._chunk],
        name=f"copy from {source.device!r}",
        nbytes=source.nbytes,
    )
    pending.result()
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
        in_charge().push_to_device(
            target.device,
            _Across(source, target),
            stream=INTO,
            const_vars=[source._chunk],
            mutate_vars=[target._chunk],
            name=f"copy from {source.device!r}",
            nbytes=source.nbytes,
            prop=OVERWRITE if whole else NORMAL,
        )


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
    engine.push_to_device(
        source.device,
        _Read(source, staging),
        stream=OUT,
        const_vars=[source._chunk],
        mutate_vars=[stage],
        name=f"copy from {source.device!r}",
        nbytes=source.nbytes,
    )

    def spread(run_ctx: RunContext) -> None:
        np.copyto(
            values, staging.view(values.shape, values.dtype)
        )  # until then nobody else gets it

    engine.push(
        spread,
        const_vars=[stage],
        mutate_vars=[target._chunk],
        name=f"copy from {source.device!r}",
        prop=OVERWRITE if whole else NORMAL,
    )


def _push_send(target: Any, staging: Staging, reads: Sequence[Any], *, whole: bool) -> None:
    if not target.size:
        return
    in_charge().push_to_device(
        target.device,
        _Write(target, staging),
        stream=INTO,
        const_vars=reads,
        mutate_vars=[target._chunk],
        name=f"copy to {target.device!r}",
        nbytes=target.nbytes,
        prop=OVERWRITE if whole else NORMAL,
    )


# what streams are given; each holds on to its pinned memory until the copy is over


class _Write:
    __slots__ = ("address", "staging")

    def __init__(self, target: Any, staging: Staging) -> None:
        self.address, self.staging = target._address, staging

    def __call__(self, run_ctx: RunContext) -> None:
        run_ctx.stream.write(self.address, self.staging.bytes)


class _Read:
    __slots__ = ("address", "staging")

    def __init__(self, source: Any, staging: Staging) -> None:
        self.address, self.staging = source._address, staging

    def __call__(self, run_ctx: RunContext) -> None:
        if self.staging.bytes.size:
            run_ctx.stream.read(self.staging.bytes, self.address)


class _Across:
    __slots__ = ("nbytes", "place", "source", "target")

    def __init__(self, source: Any, target: Any) -> None:
        self.source, self.target, self.nbytes = source._address, target._address, source.nbytes
        device: Context = source.device
        self.place = device.device_id

    def __call__(self, run_ctx: RunContext) -> None:
        run_ctx.stream.copy(self.target, self.source, self.nbytes, self.place)
