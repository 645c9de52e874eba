"""Calls of compiled entries from Python, at the cost of a builtin function.

An entry is `int64 entry(int64 argv, int64 argc)`: `argc` words at `argv`. `bind` returns a callable
for it that passes bound words first and its integer arguments after them.

Words of `self`: address of the entry, whether to release the GIL, `id(TypeError)` (data symbols of
the interpreter may be out of reach of machine code), number of bound words, the words.
"""

import ctypes
import functools
import struct
from collections.abc import Callable

from nbgraph.codegen import builtin
from nbgraph.codegen.python_text import PythonFunction

MAX_WORDS = 64  # bound words and arguments together
# the first is faster, where a C long has 64 bits
_INTEGER = "PyLong_AsLong" if ctypes.sizeof(ctypes.c_long) == 8 else "PyLong_AsLongLong"
_MESSAGE = f"too many arguments: at most {MAX_WORDS} words, bound ones included"


def _text() -> str:
    t = PythonFunction()
    message = f'c"{_MESSAGE}\\00"'
    t.declare(f"@message = private constant [{len(_MESSAGE) + 1} x i8] {message}")
    argv, answer = t.cell(f"[{MAX_WORDS} x i64]", 16), t.cell("ptr")
    t.put(answer, "null", "ptr")
    d = t.call("ptr", "@PyBytes_AsString", "%self")
    head = t.words(d, "ptr i64 ptr i64")
    entry, free, error, bound = head
    argc = t.sum(bound, "%nargs")
    t.require(t.compare("ule", argc, MAX_WORDS), "refuse")
    with t.loop(0, bound) as i:
        t.put_at(argv, i, t.read("i64", d, t.sum(i, len(head))))
    with t.loop(0, "%nargs") as k:
        value = t.call("i64", f"@{_INTEGER}", t.read("ptr", "%args", k))
        with t.when(t.compare("eq", value, -1)):
            t.require_no_error("done")
        t.put_at(argv, t.sum(bound, k), value)
    arguments = f"{t.address(argv)}, i64 {argc}"
    result = builtin.called(t, entry, arguments, t.compare("ne", free, 0))
    t.put(answer, t.call("ptr", "@PyLong_FromLongLong", f"i64 {result}"), "ptr")
    t.go("done")
    t.label("refuse")
    t.do(f"call void @PyErr_SetString(ptr {error}, ptr @message)")
    t.label("done")
    return t.text(f"ret ptr {t.get(answer, 'ptr')}")


@functools.cache
def code() -> int:
    """Return the address of the C function that calls an entry with its integer arguments."""
    return builtin.address(_text())


@functools.cache
def _method(name: str) -> int:
    return builtin.method(code(), name, "Call compiled code with integer arguments.")


def bind(
    address: int, *words: int, release_gil: bool = False, name: str = "entry"
) -> Callable[..., int]:
    """Return a function of integers that calls the entry at `address`, which must stay in memory.

    The entry gets `words`, then the arguments. An argument that is not an integer raises TypeError,
    as do more than `MAX_WORDS` words, and one that does not fit into 64 bits OverflowError. With
    `release_gil` other threads run Python during the call; that costs some 50 ns.
    """
    if len(words) > MAX_WORDS:
        raise TypeError(f"{name}: {_MESSAGE}")
    head = (address, int(release_gil), id(TypeError), len(words))
    return builtin.function(
        _method(name), struct.pack(f"={len(head) + len(words)}q", *head, *words)
    )
