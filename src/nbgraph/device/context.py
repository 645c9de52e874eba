"""Contexts: a device type and a number. A run context is the argument of a running function.

The context is known when work is pushed; the stream is known only when the work runs, and belongs
to the run context.

>>> cpu(0) == Context("cpu", 0), sorted([gpu(1), gpu(0), cpu()])
(True, [cpu(0), gpu(0), gpu(1)])
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn, Self

from nbgraph.errors import ArgumentError, DeviceError, require_word

TYPES = ("cpu", "gpu")


@functools.total_ordering
class Context:
    """A device: its type and its number. Immutable, hashable and ordered.

    Parameters
    ----------
    device_type : "cpu" or "gpu", or another Context
    device_id : int, counted from 0

    >>> Context("cpu")
    cpu(0)
    """

    __slots__ = ("device_id", "device_type", "host")
    __match_args__ = ("device_type", "device_id")

    device_type: str
    device_id: int
    host: bool  # whether it is the host: its memory, and its processor

    def __init__(self, device_type: str | Context, device_id: int = 0) -> None:
        if isinstance(device_type, Context):
            device_type, device_id = device_type.device_type, device_type.device_id
        require_word("Context: device_type", device_type, TYPES)
        number: object = device_id
        if not isinstance(number, int) or isinstance(number, bool):
            raise ArgumentError(f"Context: device_id={number!r}; expected a whole number from 0")
        if number < 0:
            raise DeviceError(f"Context: device_id={number}; devices are counted from 0")
        object.__setattr__(self, "device_type", device_type)
        object.__setattr__(self, "device_id", device_id)
        object.__setattr__(self, "host", device_type == "cpu")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Context: {name!r} cannot be set; make another one")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Context: {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return self.device_type == other.device_type and self.device_id == other.device_id

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Context):
            return NotImplemented
        return (self.device_type, self.device_id) < (other.device_type, other.device_id)

    def __hash__(self) -> int:
        return hash((self.device_type, self.device_id))

    def __reduce__(self) -> tuple[Any, ...]:
        return Context, (self.device_type, self.device_id)

    def __repr__(self) -> str:
        return f"{self.device_type}({self.device_id})"

    def __enter__(self) -> Self:
        """Begin a block on the host, the default device; raise for a GPU, named at each call."""
        if not self.host:
            raise ArgumentError(
                f"with {self!r}: arrays are not made on a device by a block; give device={self!r} "
                f"where an array is made, or move it: x.to({self!r})"
            )
        return self

    def __exit__(self, *_: object) -> None:
        """End the block."""


def cpu(i: int = 0) -> Context:
    """Return the host. All numbers mean the same processor.

    >>> cpu()
    cpu(0)
    """
    return Context("cpu", i)


def gpu(i: int = 0) -> Context:
    """Return the context of GPU number `i`, without checking that it exists.

    >>> gpu(1).device_type, gpu(1).device_id
    ('gpu', 1)
    """
    return Context("gpu", i)


class RunContext:
    """The argument of a pushed function: its device, and its stream, None on the host."""

    __slots__ = ("device", "slots", "stream")

    def __init__(self, device: Context, stream: Any = None, slots: Any = None) -> None:
        self.device = device
        self.stream = stream
        self.slots = slots  # see `slot`; None where error codes are not read

    def slot(self, name: str) -> int:
        """Return the address of a host word to which work that is issued now may write an error
        code, which is read at the end of the work. `name`: of the work, for the error."""
        return int(self.slots.take(name))

    def get_stream(self, kind: str | Context) -> Any:
        """Return the stream, for code written for one device type; raise on another type.

        >>> RunContext(cpu()).get_stream("cpu") is None
        True
        >>> RunContext(cpu()).get_stream("gpu")
        Traceback (most recent call last):
        nbgraph.errors.DeviceError: get_stream: a gpu stream was asked for, but this runs on cpu(0)
        """
        wanted = kind.device_type if isinstance(kind, Context) else kind
        require_word("get_stream: kind", wanted, TYPES)
        if wanted != self.device.device_type:
            raise DeviceError(
                f"get_stream: a {wanted} stream was asked for, but this runs on {self.device!r}"
            )
        return self.stream

    def __repr__(self) -> str:
        return f"RunContext({self.device!r}, stream={self.stream!r})"
