"""The quick way to push: a C function of Python from operands to outputs, in one call.

One function serves every operator: it finds the route of the operands in the operator's table and
pushes. It sees objects through CPython's public interface alone: slots by the descriptors of their
classes, whose functions `PyType_GetSlot` tells. What has no route, or is not as the route was made
for (memory of another device, a push that the engine refuses, a caller within a function that an
engine runs), it declines: the answer is None, nothing has been pushed, and the general way takes
the call.

It is called with a place and a tuple of operands. The place is the number of a line of user code,
or a frame: then it declines where something records, looks the frame's line up, and asks
`place_of(frame)` where that is not known yet.
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
from nbgraph.array.entry_parts import (
    ARRAY,
    AT,
    LINES,
    MOST,
    MOST_OUTPUTS,
    OPERAND,
    OUTPUT,
    OWN,
    PARTS,
    SHARED,
    VARIABLES,
    load,
)
from nbgraph.codegen import builtin, target
from nbgraph.engine import Variable
from nbgraph.engine.core.codes import FIXED
from nbgraph.engine.thread import inside
from nbgraph.operator.call import recording
from nbgraph.settings import CLOSELY_ASKED

TEXT = f"""{PARTS}
define ptr @{target.SYMBOL}(ptr %self, ptr %args, i64 %nargs) {{
begin:
  %push = alloca [{MOST} x i64], align 16
  %record = alloca [{MOST} x i64], align 16
  %made = alloca [{MOST_OUTPUTS} x ptr], align 16
  %count.at = alloca i64
  store i64 0, ptr %count.at
  %shared = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %s = call ptr @PyBytes_AsString(ptr %shared)
  %table = call ptr @PyTuple_GetItem(ptr %self, i64 1)
  %recorder.at = alloca ptr
  %pair_given = icmp eq i64 %nargs, 2
  br i1 %pair_given, label %taken, label %unknown
taken:
  %line = load ptr, ptr %args
  %all.at = getelementptr ptr, ptr %args, i64 1
  %all = load ptr, ptr %all.at
  %given = call i64 @PyTuple_Size(ptr %all)
  {load("kind", "kind", "ptr")}
  {load("closely", "closely", "ptr")}
  {load("no", "no", "ptr")}
  %close = call ptr @PyList_GetItem(ptr %closely, i64 0)
  %quick = icmp eq ptr %close, %no
  br i1 %quick, label %outside, label %unknown
outside:
  {load("inside", "within", "ptr")}
  {load("none", "no_function", "ptr")}
  %no_inside = call i32 @PyContextVar_Get(ptr %within, ptr %no_function, ptr %recorder.at)
  %function = load ptr, ptr %recorder.at
  call void @Py_DecRef(ptr %function)
  %free = icmp eq ptr %function, %no_function
  br i1 %free, label %placing, label %unknown
placing:
  {load("frame", "frame", "ptr")}
  %line_type = call ptr @PyObject_Type(ptr %line)
  call void @Py_DecRef(ptr %line_type)
  %is_frame = icmp eq ptr %line_type, %frame
  br i1 %is_frame, label %recording, label %walk
recording:
  {load("recorder", "context", "ptr")}
  {load("none", "nobody", "ptr")}
  %no_context = call i32 @PyContextVar_Get(ptr %context, ptr %nobody, ptr %recorder.at)
  %recorder = load ptr, ptr %recorder.at
  call void @Py_DecRef(ptr %recorder)
  %unrecorded = icmp eq ptr %recorder, %nobody
  br i1 %unrecorded, label %walk, label %unknown
walk:
  %level = phi ptr [%table, %placing], [%table, %recording], [%next_level, %onward]
  %w = phi i64 [0, %placing], [0, %recording], [%w_next, %onward]
  %deeper = icmp slt i64 %w, %given
  br i1 %deeper, label %ask, label %walked
ask:
  %asked = call ptr @PyTuple_GetItem(ptr %all, i64 %w)
  %asked_type = call ptr @PyObject_Type(ptr %asked)
  call void @Py_DecRef(ptr %asked_type)
  %is_ours = icmp eq ptr %asked_type, %kind
  br i1 %is_ours, label %layout, label %find
layout:
  %own_layout = call ptr @seen(ptr %s, i64 {AT["a_layout"]}, ptr %asked)
  %half_made = icmp eq ptr %own_layout, null
  br i1 %half_made, label %unknown, label %find
find:
  %key = phi ptr [%asked_type, %ask], [%own_layout, %layout]
  %next_level = call ptr @PyDict_GetItemWithError(ptr %level, ptr %key)
  %w_next = add i64 %w, 1
  %not_found = icmp eq ptr %next_level, null
  br i1 %not_found, label %unknown, label %onward
onward:
  br label %walk
unknown:
  call void @PyErr_Clear()
  {load("none", "nothing", "ptr")}
  call void @Py_IncRef(ptr %nothing)
  ret ptr %nothing
walked:
  %route = phi ptr [%level, %walk]
  call void @Py_IncRef(ptr %route)
  %bytes = call ptr @PyTuple_GetItem(ptr %route, i64 0)
  %no_route = icmp eq ptr %bytes, null
  br i1 %no_route, label %decline, label %found
found:
  %d = call ptr @PyByteArray_AsString(ptr %bytes)
  {load("core", "own", "ptr")}
  {load("gate", "gate", "ptr")}
  %open = call ptr @PyList_GetItem(ptr %gate, i64 0)
  %is_open = icmp eq ptr %open, %own
  br i1 %is_open, label %described, label %decline
described:
  {load("operands", "n")}
  {load("outputs", "m")}
  {load("record", "words")}
  %fixed = getelementptr i64, ptr %d, i64 {len(OWN) + 2 * LINES}
  %outputs = getelementptr i64, ptr %fixed, i64 {FIXED}
  %output_words = mul i64 %m, {OUTPUT}
  %operands = getelementptr i64, ptr %outputs, i64 %output_words
  %operand_words = mul i64 %n, {OPERAND}
  %template = getelementptr i64, ptr %operands, i64 %operand_words
  %record_bytes = mul i64 %words, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %push, ptr align 1 %fixed, i64 {8 * FIXED}, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %record, ptr align 1 %template, i64 %record_bytes, i1 false)
  %variables = getelementptr i64, ptr %push, i64 {VARIABLES}
  br label %operand
operand:
  %i = phi i64 [0, %described], [%i_next, %well]
  %more = icmp slt i64 %i, %n
  br i1 %more, label %unbox, label %placed
unbox:
  %i_next = add i64 %i, 1
  %arg = call ptr @PyTuple_GetItem(ptr %all, i64 %i)
  %pair = mul i64 %i, {OPERAND}
  %form.at = getelementptr i64, ptr %operands, i64 %pair
  %form = load i64, ptr %form.at, align 1
  %place.at = getelementptr i64, ptr %form.at, i64 1
  %place = load i64, ptr %place.at, align 1
  %word.at = getelementptr i64, ptr %record, i64 %place
  %is_array = icmp eq i64 %form, {ARRAY}
  br i1 %is_array, label %is_one, label %is_number
is_one:
  %ok1 = call i1 @array(ptr %s, ptr %d, ptr %arg, ptr %variables, ptr %count.at, ptr %word.at)
  br label %looked
is_number:
  %ok2 = call i1 @scalar(ptr %arg, i64 %form, ptr %word.at)
  br label %looked
looked:
  %ok = phi i1 [%ok1, %is_one], [%ok2, %is_number]
  br i1 %ok, label %well, label %decline
well:
  br label %operand
placed:
  %site = call i64 @site(ptr %d, ptr %line, i1 %is_frame)
  %site_lost = icmp eq i64 %site, -1
  %site.at = getelementptr i64, ptr %push, i64 {FIXED - 1}
  store i64 %site, ptr %site.at
  br i1 %site_lost, label %failed, label %output
output:
  %j = phi i64 [0, %placed], [%j_next, %kept]
  %more_outputs = icmp slt i64 %j, %m
  br i1 %more_outputs, label %take, label %submit
take:
  %out_words = mul i64 %j, {OUTPUT}
  %out = getelementptr i64, ptr %outputs, i64 %out_words
  %chunk = call ptr @block(ptr %s, ptr %d, ptr %out, ptr %all)
  %none_taken = icmp eq ptr %chunk, null
  br i1 %none_taken, label %stop, label %make
make:
  %count = load i64, ptr %count.at
  %variable.at = getelementptr i64, ptr %variables, i64 %count
  %one_more = add i64 %count, 1
  store i64 %one_more, ptr %count.at
  %out_place.at = getelementptr i64, ptr %out, i64 4
  %out_place = load i64, ptr %out_place.at, align 1
  %out_word.at = getelementptr i64, ptr %record, i64 %out_place
  %array = call ptr @over(ptr %s, ptr %out, ptr %chunk, ptr %variable.at, ptr %out_word.at)
  %none_made = icmp eq ptr %array, null
  br i1 %none_made, label %stop, label %kept
kept:
  %made.at = getelementptr ptr, ptr %made, i64 %j
  store ptr %array, ptr %made.at
  %j_next = add i64 %j, 1
  br label %output
submit:
  %used = load i64, ptr %count.at
  %written = shl i64 %m, 32
  %slots = or i64 %used, %written
  %slots.at = getelementptr i64, ptr %push, i64 {FIXED}
  store i64 %slots, ptr %slots.at
  %rest = getelementptr i64, ptr %variables, i64 %used
  call void @llvm.memcpy.p0.p0.i64(ptr %rest, ptr %record, i64 %record_bytes, i1 false)
  %before = add i64 %used, {VARIABLES}
  %argc = add i64 %before, %words
  %argv = ptrtoint ptr %push to i64
  {load("submit", "entry", "ptr")}
  %ticket = call i64 %entry(i64 %argv, i64 %argc)
  %pushed = icmp sgt i64 %ticket, 0
  br i1 %pushed, label %give, label %stop
give:
  %single = icmp eq i64 %m, 1
  %first = load ptr, ptr %made
  br i1 %single, label %leave, label %pack
pack:
  %tuple = call ptr @PyTuple_New(i64 %m)
  br label %each
each:
  %q = phi i64 [0, %pack], [%q_next, %put_one]
  %more_made = icmp slt i64 %q, %m
  br i1 %more_made, label %put_one, label %give_all
put_one:
  %from = getelementptr ptr, ptr %made, i64 %q
  %item = load ptr, ptr %from
  call i32 @PyTuple_SetItem(ptr %tuple, i64 %q, ptr %item)
  %q_next = add i64 %q, 1
  br label %each
give_all:
  br label %leave
stop:
  %so_far = phi i64 [%j, %take], [%j, %make], [%m, %submit]
  br label %drop
drop:
  %r = phi i64 [0, %stop], [%r_next, %drop_one]
  %left = icmp slt i64 %r, %so_far
  br i1 %left, label %drop_one, label %dropped
drop_one:
  %dead.at = getelementptr ptr, ptr %made, i64 %r
  %dead = load ptr, ptr %dead.at
  call void @Py_DecRef(ptr %dead)
  %r_next = add i64 %r, 1
  br label %drop
dropped:
  %error = call ptr @PyErr_Occurred()
  %raised = icmp ne ptr %error, null
  br i1 %raised, label %failed, label %decline
failed:
  br label %leave
decline:
  call void @PyErr_Clear()
  {load("none", "declined", "ptr")}
  call void @Py_IncRef(ptr %declined)
  br label %leave
leave:
  %answer = phi ptr [%first, %give], [%tuple, %give_all], [null, %failed], [%declined, %decline]
  call void @Py_DecRef(ptr %route)
  ret ptr %answer
}}
"""

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

    submit: int  # address of the core's entry
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
    call, with anything in those places.
    """
    objects: list[Any] = list(push[2:])
    words = [push.submit, len(operands), len(outputs), len(record), *map(id, objects)]
    words += [*[0] * (2 * LINES), *push.fixed, 0]
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
    return builtin.function(_method(), (_packed(words), table, *objects, *slots))


def _packed(words: Sequence[int]) -> bytes:
    return struct.pack(f"={len(words)}q", *words)


@functools.cache
def _method() -> int:
    return builtin.method(builtin.address(TEXT, name="push"), "push", "Push a kernel over arrays.")


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
