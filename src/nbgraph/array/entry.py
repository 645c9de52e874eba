"""The fast path of pushes: a compiled function that Python calls, from operands to outputs.

One function serves every operator: it looks up the route of the operands in the operator's table
and pushes. It uses CPython's public interface only: slots by the descriptors of their classes,
whose functions `PyType_GetSlot` returns. It declines what has no route or differs from what the
route was made for (memory of another device, a push that the engine refuses, a caller within a
function that an engine runs): it returns None without pushing, and the slow path takes the call.

Its arguments are a place and a tuple of operands. The place is the number of a line of user code,
or a frame, whose line it looks up (by `place_of(frame)` the first time). With a frame it declines
if a recorder is active, unless a third argument says that the caller records.
"""

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
    """An output of a route: where its block comes from."""

    layout: object
    free: list[Any]  # the pool's free blocks, taken from the end; always empty: use `take`
    takes: object  # the counter of blocks taken from `free`
    take: Callable[..., object]  # (*operands) -> a block, if `free` is empty
    place: int  # index of its word in the record


class Push(NamedTuple):
    """The constants of a push by an entry of the engine's core."""

    submit: int  # these are addresses of entries of the core
    in_use: int
    fixed: Sequence[int]  # the arguments of `submit` before the site; the first is the core
    core: object
    gate: list[Any]  # contains the core while the engine accepts pushes directly
    device: object
    sites: dict[int, int]
    place_of: Callable[[Any], int]
    attach: Callable[[Any], int]  # registers a chunk's variable with the core


def fits(operands: int, outputs: int, record: int) -> bool:
    """Return whether a call with so many words fits into the entry's buffers."""
    return VARIABLES + operands + outputs + record <= MOST and outputs <= MOST_OUTPUTS


def describe(
    push: Push,
    operands: Sequence[tuple[int, int]],
    outputs: Sequence[Output],
    record: Sequence[int],
) -> tuple[Any, ...]:
    """Return a route as the tuple that the table contains.

    `operands`: the kind and the index in the record of each operand. `record`: the words of a call,
    with any values for operands and outputs. Without outputs the last operand is written and
    returned.
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
    """Return a function of a place and a tuple of operands that returns the output (a tuple of
    several) or None where it declines.

    `table` is a tree with one level for each operand, whose keys are layouts of arrays and types of
    numbers and whose leaves are routes; it may change at any time. `kind`: the class of arrays.
    """
    objects = [kind, FrameType, None, False, 0, CLOSELY_ASKED, recording, inside]
    slots = _slots()
    words = [*map(id, objects), *_functions(), *map(id, slots)]
    return builtin.function(method(), (_packed(words), table, *objects, *slots))


def _packed(words: Sequence[int]) -> bytes:
    return struct.pack(f"={len(words)}q", *words)


@functools.cache
def method() -> int:
    """Return the address of the method definition that all routes share."""
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
