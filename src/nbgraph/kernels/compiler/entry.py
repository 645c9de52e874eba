"""Fast call paths: C functions callable from Python that unbox arrays and run a kernel.

`runner` serves arrays whose layouts are known; `make` checks layouts itself. One function serves
every operator. It follows the vector-call convention of CPython's stable interface and reads arrays
through the buffer protocol alone: exact ndarray type, format, shape, contiguity, write permission
and overlap are checked in C. A call that does not fit is declined (the function returns its own
descriptor) and takes the general path.

Numbers that follow the arrays in a call replace words of the record, so one entry serves all values
of the scalar parameters.

Descriptor, 64-bit words: kernel address, number of arrays, number of operands among them, number of
parameter words, address of the ndarray type, most elements, number of numbers that follow the
arrays in a call, parameter words; for each such number its `Word` and the index of the word it
replaces; then a format character per array.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.codegen import builtin
from nbgraph.codegen.python_text import PythonFunction
from nbgraph.kernels.scalar.kinds import DROPPED, Word

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.kernel import Kernel

MAX_ARRAYS = 8
MAX_PARAMETERS = 32
MAX_RUN_ARRAYS, MAX_RUN_WORDS = 16, 128  # limits of `runner`
GIL_FREE_ABOVE = 8192  # elements above which the GIL is released
# PyBUF_FORMAT | PyBUF_C_CONTIGUOUS, with PyBUF_WRITABLE for the output
_READ, _WRITE = 0x3C, 0x3D
_STRIDES = 0x18  # PyBUF_STRIDES: any strides

# Py_buffer (stable since Python 3.11): buf 0, len 16, itemsize 24, ndim 36, format 40, shape 48
_LEN, _ITEMSIZE, _NDIM, _FORMAT, _SHAPE = 16, 24, 36, 40, 48


def _text() -> str:
    t = PythonFunction()
    buffers = t.cell(f"[{MAX_ARRAYS} x [80 x i8]]", 16)
    record = t.cell(f"[{2 + 2 * MAX_ARRAYS + MAX_PARAMETERS} x i64]", 16)
    opened, answer = t.cell(), t.cell("ptr")
    t.put(opened, "0")
    t.put(answer, "%self", "ptr")
    d = t.call("ptr", "@PyBytes_AsString", "%self")
    head = t.words(d, "ptr i64 i64 i64 ptr i64 i64")
    kernel, count, nin, parameters, ndarray, most, passed = head
    words = t.place("i64", d, len(head))
    numbers = t.place("i64", words, parameters)
    formats = t.place("i64", numbers, t.product(passed, 2))
    t.require(t.compare("eq", "%nargs", t.sum(count, passed)), "close")
    with t.loop(0, count) as i:
        flags = t.value(f"select i1 {t.compare('sge', i, nin)}, i32 {_WRITE}, i32 {_READ}")
        b = _open(t, i, ndarray, buffers, flags, opened)
        _require_same_shape(t, buffers, b, t.read("i16", formats, i))
    addresses = t.place("i64", record, 2)
    with t.loop(0, count) as o:
        b = t.place("[80 x i8]", buffers, o)
        t.put_at(addresses, o, t.get_at(b, 0))
        with t.when(t.compare("sge", o, nin)), t.loop(0, o) as k:
            _require_no_overlap(t, t.place("[80 x i8]", buffers, k), b, t.compare("slt", k, nin))
    own = t.place("i64", addresses, t.product(count, 2))
    t.copy(own, words, t.product(parameters, 8))
    with t.loop(0, passed) as g:
        kind, place = t.words(t.place("[2 x i64]", numbers, g), "i64 i64")
        t.put_at(own, place, unboxed(t, t.read("ptr", "%args", t.sum(count, g)), kind, "clear"))
    last = t.number("sub", count, 1)
    _run(t, kernel, record, t.place("[80 x i8]", buffers, last), most)
    t.put(answer, t.read("ptr", "%args", last), "ptr")
    return _closed(t, buffers, opened, answer)


def _open(
    t: PythonFunction, i: str, ndarray: str, buffers: str, flags: str | int, opened: str
) -> str:
    """Return the buffer of an argument, which must be an array; `opened` counts open buffers."""
    arg = t.read("ptr", "%args", i)
    t.require(t.is_same(t.type_of(arg), ndarray), "close")
    b = t.place("[80 x i8]", buffers, i)
    failed = t.call("i32", "@PyObject_GetBuffer", arg, b, f"i32 {flags}")
    t.require(t.compare("eq", failed, 0, "i32"), "clear")
    t.put(opened, t.sum(i, 1))
    return b


def _require_same_shape(t: PythonFunction, first: str, b: str, wanted: str) -> None:
    """Require that a buffer has the format `wanted`, and the shape of the buffer `first`."""
    form, ndim = t.read("ptr", b, _FORMAT, step="i8"), t.read("i32", b, _NDIM, step="i8")
    t.require(t.compare("eq", t.read("i16", form), wanted, "i16"), "close")
    with t.when(t.compare("ne", t.read("i8", form, 1), 0, "i8")):
        t.require(t.compare("eq", t.read("i8", form, 2), 0, "i8"), "close")
    t.require(t.compare("eq", ndim, t.read("i32", first, _NDIM, step="i8"), "i32"), "close")
    shape, shape0 = (t.read("ptr", x, _SHAPE, step="i8") for x in (b, first))
    with t.loop(0, t.value(f"sext i32 {ndim} to i64")) as j:
        t.require(t.compare("eq", t.read("i64", shape, j), t.read("i64", shape0, j)), "close")


def _require_no_overlap(t: PythonFunction, b: str, out: str, is_operand: str) -> None:
    """Require that an earlier array shares no memory with an output, unless it is an operand with
    exactly the output's memory."""
    (start, size), (begin, extent) = (
        (t.get_at(x, 0), t.read("i64", x, _LEN, step="i8")) for x in (b, out)
    )
    before = t.compare("ule", t.sum(start, size), begin)
    behind = t.compare("ule", t.sum(begin, extent), start)
    same = t.all(t.compare("eq", start, begin), t.compare("eq", size, extent), is_operand)
    t.require(t.value(f"or i1 {t.value(f'or i1 {before}, {behind}')}, {same}"), "close")


def _of_16_bits(t: PythonFunction, number: str, dropped: str, refused: str) -> str:
    """Return a number rounded to even with `dropped` bits fewer, as a 16-bit float holds it;
    unchanged if `dropped` is 0. Jump to `refused` if the result is not normal in that format."""
    value = t.cell("double")
    t.put(value, number, "double")
    with t.when(t.compare("ne", dropped, 0)):
        size = t.value(f"call double @llvm.fabs.f64(double {number})")
        with t.when(t.value(f"fcmp une double {size}, 0.0")):
            t.require(t.value(f"fcmp oge double {size}, {2.0**-14:e}"), refused)
            t.require(t.value(f"fcmp olt double {size}, {2.0**15}"), refused)
        single = t.value(f"fpext float {t.value(f'fptrunc double {number} to float')} to double")
        short = t.compare("eq", dropped, DROPPED["bfloat16"])  # NumPy rounds through float32
        own = t.value(f"select i1 {short}, double {single}, double {number}")
        bits = t.value(f"bitcast double {own} to i64")
        last = t.number("and", t.number("lshr", bits, dropped), 1)
        below = t.number("sub", t.number("shl", 1, t.number("sub", dropped, 1)), 1)
        moved = t.number("lshr", t.sum(bits, below, last), dropped)
        rounded = t.value(f"bitcast i64 {t.number('shl', moved, dropped)} to double")
        t.put(value, rounded, "double")
    return t.get(value, "double")


def unboxed(t: PythonFunction, number: str, kind: str, refused: str, of: str = "Float_As") -> str:
    """Return a Python number as a word of a kind of `Word` or `whole_word`; jump to `refused` if it
    does not fit. `of`: "Complex_RealAs" or "Complex_ImagAs" for a part of a complex number."""
    word, is_whole = t.cell(), t.compare("eq", t.number("and", kind, 0xFF), int(Word.WHOLE))
    with t.when(is_whole):
        integer = t.call("i64", "@PyLong_AsLongLong", number)
        t.put(word, integer)
        with t.when(t.compare("eq", integer, -1)):
            t.require_no_error(refused)
        narrower = t.number("and", t.number("lshr", kind, 8), 0xFF)
        moved, unsigned = t.number("shl", integer, narrower), t.number("lshr", kind, 16)
        with t.when(t.compare("eq", unsigned, 0)):
            t.require(t.compare("eq", t.number("ashr", moved, narrower), integer), refused)
        with t.when(t.compare("ne", unsigned, 0)):
            t.require(t.compare("sge", integer, 0), refused)
            t.require(t.compare("eq", t.number("lshr", moved, narrower), integer), refused)
    with t.unless(is_whole):
        number64 = t.call("double", f"@Py{of}Double", number)
        with t.when(t.value(f"fcmp oeq double {number64}, -1.0")):
            t.require_no_error(refused)
        value = _of_16_bits(t, number64, t.number("lshr", kind, 8), refused)
        rounded = t.value(f"fptrunc double {value} to float")
        single = t.value(f"zext i32 {t.value(f'bitcast float {rounded} to i32')} to i64")
        double = t.value(f"bitcast double {value} to i64")
        is_double = t.compare("eq", kind, int(Word.DOUBLE))
        t.put(word, t.value(f"select i1 {is_double}, i64 {double}, i64 {single}"))
    return t.get(word)


def _run(t: PythonFunction, kernel: str, record: str, out: str, most: str) -> None:
    """Run the kernel over the elements of the last output, if they are at most `most`."""
    size, item = (t.read("i64", out, at, step="i8") for at in (_LEN, _ITEMSIZE))
    n = t.number("udiv", size, item)
    t.put_at(record, 0, n)
    t.put_at(record, 1, "0")
    with t.when(t.compare("ne", n, 0)):
        t.require(t.compare("sle", n, most), "close")
        arguments = f"{t.address(record)}, i64 0, i64 {n}"
        status = builtin.called(t, kernel, arguments, t.compare("sgt", n, GIL_FREE_ABOVE))
        t.require(t.compare("eq", status, 0), "close")


def _runner_text() -> str:
    """Return the text of a function that writes a kernel's record with the addresses of arrays of
    any strides, and runs the kernel.

    Descriptor, 64-bit words: kernel address, number of arrays, words before their addresses and
    after, address of the ndarray type, that of None, size, whether the GIL is released; then the
    words themselves.
    """
    t = PythonFunction()
    buffers = t.cell(f"[{MAX_RUN_ARRAYS} x [80 x i8]]", 16)
    record = t.cell(f"[{MAX_RUN_ARRAYS + MAX_RUN_WORDS} x i64]", 16)
    opened, answer = t.cell(), t.cell("ptr")
    t.put(opened, "0")
    d = t.call("ptr", "@PyBytes_AsString", "%self")
    head = t.words(d, "ptr i64 i64 i64 ptr ptr i64 i64")
    kernel, count, before, behind, ndarray, none, size, frees = head
    t.put(answer, none, "ptr")
    words = t.place("i64", d, len(head))
    t.require(t.compare("eq", "%nargs", count), "close")
    own = t.place("i64", record, before)
    with t.loop(0, count) as i:
        t.put_at(own, i, t.get_at(_open(t, i, ndarray, buffers, _STRIDES, opened), 0))
    rest, tail = t.place("i64", own, count), t.place("i64", words, before)
    for target, source, n in ((record, words, before), (rest, tail, behind)):
        t.copy(target, source, t.product(n, 8))
    arguments = f"{t.address(record)}, i64 0, i64 {size}"
    status = builtin.called(t, kernel, arguments, t.compare("ne", frees, 0))
    t.require(t.compare("eq", status, 0), "close")
    t.put(answer, t.read("ptr", "%args", t.number("sub", count, 1)), "ptr")
    return _closed(t, buffers, opened, answer)


def _closed(t: PythonFunction, buffers: str, opened: str, answer: str) -> str:
    """Return the complete text, with an end that releases the buffers and returns `answer`."""
    t.go("close")
    t.label("clear")
    t.do("call void @PyErr_Clear()")
    t.label("close")
    with t.loop(0, t.get(opened)) as c:
        t.do(f"call void @PyBuffer_Release(ptr {t.place('[80 x i8]', buffers, c)})")
    return t.text(f"ret ptr {t.keep(t.get(answer, 'ptr'))}")


def fits(arrays: int, parameters: int) -> bool:
    """Return whether so many fit into the entry's buffers, with one spare word of parameters."""
    return arrays <= MAX_ARRAYS and parameters < MAX_PARAMETERS


@functools.cache
def method() -> int:
    """Return the address of the method definition of calls that `make` describes."""
    address = builtin.address(_text())
    return builtin.method(address, "kernel", "Run a compiled kernel.")


def make(
    kernel: Kernel,
    formats: Sequence[str],
    operands: int,
    parameters: Sequence[bytes],
    most: int = (1 << 63) - 1,
    numbers: Sequence[tuple[Word, int]] = (),
) -> tuple[Callable[..., Any], bytes]:
    """Return a callable over operands, outputs and numbers, which returns the last output, and the
    descriptor that it returns when it declines a call, as it does above `most` elements.

    `numbers`: the kind of each, and the index of the word of `parameters` that it replaces.
    """
    head = kernel.address, len(formats), operands, len(parameters), id(np.ndarray), most
    body = b"".join(p.ljust(8, b"\0") for p in parameters)
    places = [word for pair in numbers for word in pair]
    descriptor = struct.pack("=7q", *head, len(numbers)) + body
    descriptor += struct.pack(f"={len(places)}q", *places)
    descriptor += "".join(form.ljust(2, "\0") for form in formats).encode()
    return builtin.function(method(), descriptor), descriptor


@functools.cache
def run_method() -> int:
    """Return the address of the method definition of a `runner`."""
    return builtin.method(builtin.address(_runner_text()), "run", "Run a kernel over arrays.")


def runner(
    address: int,
    arrays: int,
    before: Sequence[int],
    behind: Sequence[int],
    size: int,
    *,
    frees: bool,
) -> Callable[..., Any] | None:
    """Return a function of `arrays` NumPy arrays that runs a kernel on this thread, with the record
    `before`, their addresses, `behind`; it does not check layouts. It returns the last array, or
    None if it declines or the kernel fails, having written nothing. `frees` releases the GIL
    meanwhile. Return None for more arrays or words than fit, and outside of CPython with a GIL.
    """
    if arrays > MAX_RUN_ARRAYS or len(before) + len(behind) > MAX_RUN_WORDS:
        return None
    if not builtin.available():
        return None
    head = address, arrays, len(before), len(behind), id(np.ndarray), id(None), size, frees
    words = *head, *before, *behind
    descriptor = struct.pack(f"={len(words)}q", *words)
    return builtin.function(run_method(), descriptor)
