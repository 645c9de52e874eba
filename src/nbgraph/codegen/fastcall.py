"""Calls of compiled entries from Python, at the price of a builtin function.

An entry is `int64 entry(int64 argv, int64 argc)`: `argc` words at `argv`. `bind` makes a callable
of it that puts words known beforehand first and its integer arguments after them.

Words of `self`: address of the entry, whether to release the GIL, `id(TypeError)` (data symbols of
the interpreter may lie too far away for machine code to name), number of bound words, the words.
"""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Callable

from nbgraph.codegen import builtin, target

MAX_WORDS = 64  # bound words and arguments together
# the two differ in speed alone, where a C long has 64 bits
_INTEGER = "PyLong_AsLong" if ctypes.sizeof(ctypes.c_long) == 8 else "PyLong_AsLongLong"
_MESSAGE = f"too many arguments: at most {MAX_WORDS} words, bound ones included"

_TEXT = f"""
@message = private constant [{len(_MESSAGE) + 1} x i8] c"{_MESSAGE}\\00"

define ptr @{target.SYMBOL}(ptr %self, ptr %args, i64 %nargs) {{
begin:
  %argv = alloca [{MAX_WORDS} x i64], align 16
  %d = call ptr @PyBytes_AsString(ptr %self)
  {builtin.loads("%d", "entry:ptr free type:ptr bound")}
  %words = getelementptr i64, ptr %d, i64 4
  %argc = add i64 %bound, %nargs
  %fits = icmp ule i64 %argc, {MAX_WORDS}
  br i1 %fits, label %copy, label %refuse
copy:
  %i = phi i64 [0, %begin], [%i_next, %copy_one]
  %more_words = icmp ult i64 %i, %bound
  br i1 %more_words, label %copy_one, label %convert
copy_one:
  %word_at = getelementptr i64, ptr %words, i64 %i
  %word = load i64, ptr %word_at, align 1
  %slot = getelementptr i64, ptr %argv, i64 %i
  store i64 %word, ptr %slot
  %i_next = add i64 %i, 1
  br label %copy
convert:
  %k = phi i64 [0, %copy], [%k_next, %converted]
  %more_args = icmp ult i64 %k, %nargs
  br i1 %more_args, label %convert_one, label %call
convert_one:
  %arg_at = getelementptr ptr, ptr %args, i64 %k
  %arg = load ptr, ptr %arg_at
  %value = call i64 @{_INTEGER}(ptr %arg)
  %suspect = icmp eq i64 %value, -1
  br i1 %suspect, label %look, label %converted
look:
  %error = call ptr @PyErr_Occurred()
  %failed = icmp ne ptr %error, null
  br i1 %failed, label %raise, label %converted
converted:
  %place = add i64 %bound, %k
  %target = getelementptr i64, ptr %argv, i64 %place
  store i64 %value, ptr %target
  %k_next = add i64 %k, 1
  br label %convert
call:
  %argv_word = ptrtoint ptr %argv to i64
  %is_free = icmp ne i64 %free, 0
  {builtin.calls("result", "%entry", "i64 %argv_word, i64 %argc", "%is_free")}
  %object = call ptr @PyLong_FromLongLong(i64 %result)
  ret ptr %object
refuse:
  call void @PyErr_SetString(ptr %type, ptr @message)
  br label %raise
raise:
  ret ptr null
}}
"""


@functools.cache
def _code() -> int:
    return builtin.address(_TEXT)


@functools.cache
def _method(name: str) -> int:
    return builtin.method(_code(), name, "Call compiled code with integer arguments.")


def bind(
    address: int, *words: int, release_gil: bool = False, name: str = "entry"
) -> Callable[..., int]:
    """A function of integers over the entry at `address`, which must stay in memory.

    The entry sees `words`, then the arguments. An argument that is not an integer is a TypeError,
    one that does not fit into 64 bits an OverflowError, as are more than `MAX_WORDS` words
    (TypeError). With `release_gil` other threads run Python meanwhile; that costs some 50 ns.
    """
    if len(words) > MAX_WORDS:
        raise TypeError(f"{name}: {_MESSAGE}")
    head = (address, int(release_gil), id(TypeError), len(words))
    return builtin.function(
        _method(name), struct.pack(f"={len(head) + len(words)}q", *head, *words)
    )
