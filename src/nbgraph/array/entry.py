"""The quick way to push: a C function of Python from operands to outputs, in one call.

One function serves every operator: it finds the route of the operands in the operator's table and
pushes. It sees objects through CPython's public interface alone: slots by the descriptors of their
classes, whose functions `PyType_GetSlot` tells. What has no route, or is not as the route was made
for (memory of another device, a push that the engine refuses, a caller within a function that an
engine runs), it declines: the answer is None, nothing has been pushed, and the general way takes
the call.

It is called with a place and a tuple of operands. The place is the number of a line of user code,
or a frame: then it looks the frame's line up, asks `place_of(frame)` where that is not known yet,
and declines where something records, unless a third argument says that the caller does that.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NamedTuple

from nbgraph.array.chunk import Chunk
from nbgraph.array.core import Array
from nbgraph.array.entry_text import LINES, MOST, MOST_OUTPUTS, SHARED, VARIABLES, text
from nbgraph.codegen import builtin
from nbgraph.engine import Variable
from nbgraph.engine.thread import inside
from nbgraph.operator.call import recording
from nbgraph.settings import CLOSELY_ASKED

_GET, _SET = 54, 55  # numbers of tp_descr_get and tp_descr_set in the stable interface


class Output(NamedTuple):
    """What the entry knows of an output."""

    layout: object
    free: list[Any]  # blocks to take from its end; an empty list: always `take`
    takes: object  # advanced for each block that was found in `free`
    take: Callable[..., object]  # of the operands: another block
    place: int  # in the record


class Push(NamedTuple):
    """What the entry knows of a push."""

    submit: int  # addresses of the core's entries
    in_use: int
    fixed: Sequence[int]  # the words of `submit` before the site, the core's address first
    core: object
    gate: list[Any]  # what holds the core while the engine takes pushes as they come
    device: object
    sites: dict[int, int]
    place_of: Callable[[Any], int]
    attach: Callable[[Any], int]  # brings a chunk's variable to the core


def fits(operands: int, outputs: int, record: int) -> bool:
    """Return whether so many words fit into the entry's room."""
    return VARIABLES + operands + outputs + record <= MOST and outputs <= MOST_OUTPUTS


def describe(
    push: Push,
    operands: Sequence[tuple[int, int]],
    outputs: Sequence[Output],
    record: Sequence[int],
) -> tuple[Any, ...]:
    """Return a route as the tuple that the table holds.

    `operands`: the kind of each, and where in the record its word goes. `record`: the words of a
    call, with anything in those places. Without outputs the last operand is written, and returned.
    """
    objects: list[Any] = list(push[3:])
    over = int(not outputs)
    words = [push.submit, push.in_use, len(operands), len(outputs), len(record), over]
    words += [*map(id, objects), *[0] * (2 * LINES), *push.fixed, 0]
    for output in outputs:
        objects += output[:-1]
        words += [*map(id, output[:-1]), output.place]
    for operand in operands:
        words += operand
    return bytearray(_packed([*words, *record])), *objects


def over(table: dict[Any, Any], kind: type) -> Callable[..., Any]:
    """Return a function of a place and a tuple of operands that gives an output, a tuple of
    several, or None where it declines.

    `table` leads from operand to operand to a route, by an array's layout, or by the type of a
    number; it may change at any time. `kind`: the class of arrays.
    """
    objects = [kind, FrameType, None, False, 0, CLOSELY_ASKED, recording, inside]
    slots = _slots()
    words = [*map(id, objects), *_functions(), *map(id, slots)]
    return builtin.function(method(), (_packed(words), table, *objects, *slots))


def _packed(words: Sequence[int]) -> bytes:
    return struct.pack(f"={len(words)}q", *words)


@functools.cache
def method() -> int:
    """Return the address of the method definition of all routes."""
    return builtin.method(
        builtin.address(text(), name="push"), "push", "Push a kernel over arrays."
    )


def _slots() -> list[Any]:
    """Return descriptors of the slots, in the order of the words."""
    array = [vars(Array)[f"_{name[2:]}"] for name in SHARED if name.startswith("a_")]
    own, variable = vars(Chunk), vars(Variable)
    return [*array, own["device"], variable["_core"], variable["_address"], own["address"]]


@functools.cache
def _functions() -> tuple[int, int]:
    """Return the addresses of the functions that read and write a slot, given its descriptor."""
    slot = ctypes.pythonapi.PyType_GetSlot
    slot.restype, slot.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_int)
    kind = type(vars(Array)["_chunk"])
    return slot(kind, _GET), slot(kind, _SET)
