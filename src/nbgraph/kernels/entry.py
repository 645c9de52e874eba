"""The quick way in: a C function of Python that unboxes arrays and runs a kernel.

One function serves every operator. It follows the vector-call convention of CPython's stable
interface and sees arrays through the buffer protocol alone: exact ndarray type, format, shape,
contiguity, write permission and overlap are checked here in C speed. Whatever does not fit, it
hands back unhandled (it returns its own descriptor) and the general way takes the call.

Numbers behind the arrays replace words of the record, so that one entry serves all values of the
scalar parameters.

Descriptor, 64-bit words: kernel address, number of arrays, number of operands among them, number
of parameter words, address of the ndarray type, most elements, number of numbers that a call gives
behind its arrays, parameter words; of each such number its `Word` and which word it becomes; then a
format character per array.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.codegen import builtin, target
from nbgraph.kernels.kinds import Word

if TYPE_CHECKING:
    from nbgraph.kernels.kernel import Kernel

MAX_ARRAYS = 8
MAX_PARAMETERS = 32
GIL_FREE_ABOVE = 8192  # elements from which other threads may run meanwhile
# PyBUF_FORMAT | PyBUF_C_CONTIGUOUS, with PyBUF_WRITABLE for the output
_READ, _WRITE = 0x3C, 0x3D

# Py_buffer (stable since Python 3.11): buf 0, len 16, itemsize 24, ndim 36, format 40, shape 48
_TEXT = f"""

define ptr @{target.SYMBOL}(ptr %self, ptr %args, i64 %nargs) {{
begin:
  %buffers = alloca [{MAX_ARRAYS} x [80 x i8]], align 16
  %record = alloca [{2 + 2 * MAX_ARRAYS + MAX_PARAMETERS} x i64], align 16
  %d = call ptr @PyBytes_AsString(ptr %self)
  {builtin.loads("%d", "kernel:ptr count nin np ndarray:ptr most given")}
  %words_at = getelementptr i64, ptr %d, i64 7
  %numbers_at = getelementptr i64, ptr %words_at, i64 %np
  %number_words = mul i64 %given, 2
  %formats = getelementptr i64, ptr %numbers_at, i64 %number_words
  %last = sub i64 %count, 1
  %all = add i64 %count, %given
  %fits = icmp eq i64 %nargs, %all
  br i1 %fits, label %open, label %refuse
open:
  %i = phi i64 [0, %begin], [%i_next, %opened]
  %arg_at = getelementptr ptr, ptr %args, i64 %i
  %arg = load ptr, ptr %arg_at
  %type = call ptr @PyObject_Type(ptr %arg)
  call void @Py_DecRef(ptr %type)
  %is_array = icmp eq ptr %type, %ndarray
  br i1 %is_array, label %get, label %close_some
get:
  %b = getelementptr [80 x i8], ptr %buffers, i64 %i
  %is_out = icmp sge i64 %i, %nin
  %flags = select i1 %is_out, i32 {_WRITE}, i32 {_READ}
  %failed = call i32 @PyObject_GetBuffer(ptr %arg, ptr %b, i32 %flags)
  %got = icmp eq i32 %failed, 0
  br i1 %got, label %look, label %clear
clear:
  call void @PyErr_Clear()
  br label %close_some
look:
  %i_next = add i64 %i, 1
  %format_at = getelementptr i8, ptr %b, i64 40
  %format = load ptr, ptr %format_at
  %char = load i8, ptr %format
  %after_at = getelementptr i8, ptr %format, i64 1
  %after = load i8, ptr %after_at
  %wanted_at = getelementptr i8, ptr %formats, i64 %i
  %wanted = load i8, ptr %wanted_at
  %same_char = icmp eq i8 %char, %wanted
  %ends = icmp eq i8 %after, 0
  %ndim_at = getelementptr i8, ptr %b, i64 36
  %ndim = load i32, ptr %ndim_at
  %ndim0_at = getelementptr i8, ptr %buffers, i64 36
  %ndim0 = load i32, ptr %ndim0_at
  %same_ndim = icmp eq i32 %ndim, %ndim0
  %ok1 = and i1 %same_char, %ends
  %ok2 = and i1 %ok1, %same_ndim
  br i1 %ok2, label %shapes, label %close_all
shapes:
  %shape_at = getelementptr i8, ptr %b, i64 48
  %shape = load ptr, ptr %shape_at
  %shape0_at = getelementptr i8, ptr %buffers, i64 48
  %shape0 = load ptr, ptr %shape0_at
  %dims = sext i32 %ndim to i64
  br label %dim
dim:
  %j = phi i64 [0, %shapes], [%j_next, %same_dim]
  %more_dims = icmp slt i64 %j, %dims
  br i1 %more_dims, label %compare, label %opened
compare:
  %size_at = getelementptr i64, ptr %shape, i64 %j
  %size = load i64, ptr %size_at
  %size0_at = getelementptr i64, ptr %shape0, i64 %j
  %size0 = load i64, ptr %size0_at
  %same_size = icmp eq i64 %size, %size0
  br i1 %same_size, label %same_dim, label %close_all
same_dim:
  %j_next = add i64 %j, 1
  br label %dim
opened:
  %more = icmp slt i64 %i_next, %count
  br i1 %more, label %open, label %overlaps
overlaps:
  %words = getelementptr i64, ptr %record, i64 2
  br label %array
array:
  %o = phi i64 [0, %overlaps], [%o_next, %array_fits]
  %ob = getelementptr [80 x i8], ptr %buffers, i64 %o
  %out_buf = load i64, ptr %ob
  %out_len_at = getelementptr i8, ptr %ob, i64 16
  %out_len = load i64, ptr %out_len_at
  %out_end = add i64 %out_buf, %out_len
  %word_at = getelementptr i64, ptr %words, i64 %o
  store i64 %out_buf, ptr %word_at
  %written = icmp sge i64 %o, %nin
  br i1 %written, label %earlier, label %array_fits
earlier:
  %k = phi i64 [0, %array], [%k_next, %pair_fits]
  %more_pairs = icmp slt i64 %k, %o
  br i1 %more_pairs, label %pair, label %array_fits
pair:
  %kb = getelementptr [80 x i8], ptr %buffers, i64 %k
  %buf = load i64, ptr %kb
  %len_at = getelementptr i8, ptr %kb, i64 16
  %len = load i64, ptr %len_at
  %end = add i64 %buf, %len
  %before = icmp ule i64 %end, %out_buf
  %behind = icmp ule i64 %out_end, %buf
  %apart = or i1 %before, %behind
  %same_buf = icmp eq i64 %buf, %out_buf
  %same_len = icmp eq i64 %len, %out_len
  %is_operand = icmp slt i64 %k, %nin
  %exact0 = and i1 %same_buf, %same_len
  %exact = and i1 %exact0, %is_operand
  %safe = or i1 %apart, %exact
  br i1 %safe, label %pair_fits, label %close_count
pair_fits:
  %k_next = add i64 %k, 1
  br label %earlier
array_fits:
  %o_next = add i64 %o, 1
  %more_arrays = icmp slt i64 %o_next, %count
  br i1 %more_arrays, label %array, label %parameters
parameters:
  %twice = mul i64 %count, 2
  %p_words = getelementptr i64, ptr %words, i64 %twice
  %p_bytes = mul i64 %np, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %p_words, ptr align 1 %words_at, i64 %p_bytes, i1 false)
  br label %number
number:
  %g = phi i64 [0, %parameters], [%g_next, %placed]
  %more_numbers = icmp slt i64 %g, %given
  br i1 %more_numbers, label %unbox, label %sizes
unbox:
  %g_at = add i64 %count, %g
  %number_at = getelementptr ptr, ptr %args, i64 %g_at
  %object = load ptr, ptr %number_at
  %number_word = mul i64 %g, 2
  %kind_at = getelementptr i64, ptr %numbers_at, i64 %number_word
  %kind = load i64, ptr %kind_at, align 1
  %place_at = getelementptr i64, ptr %kind_at, i64 1
  %place = load i64, ptr %place_at, align 1
  %is_whole = icmp eq i64 %kind, {Word.WHOLE:d}
  br i1 %is_whole, label %whole, label %float
whole:
  %integer = call i64 @PyLong_AsLongLong(ptr %object)
  %odd_integer = icmp eq i64 %integer, -1
  br label %unboxed
float:
  %value = call double @PyFloat_AsDouble(ptr %object)
  %odd_value = fcmp oeq double %value, -1.0
  %double_word = bitcast double %value to i64
  %rounded = fptrunc double %value to float
  %half_word = bitcast float %rounded to i32
  %single_word = zext i32 %half_word to i64
  %is_single = icmp eq i64 %kind, {Word.SINGLE:d}
  %float_word = select i1 %is_single, i64 %single_word, i64 %double_word
  br label %unboxed
unboxed:
  %word = phi i64 [%integer, %whole], [%float_word, %float]
  %odd = phi i1 [%odd_integer, %whole], [%odd_value, %float]
  br i1 %odd, label %error, label %placed
error:
  %raised = call ptr @PyErr_Occurred()
  %is_number = icmp eq ptr %raised, null
  br i1 %is_number, label %placed, label %no_number
no_number:
  call void @PyErr_Clear()
  br label %close_count
placed:
  %slot_at = getelementptr i64, ptr %p_words, i64 %place
  store i64 %word, ptr %slot_at
  %g_next = add i64 %g, 1
  br label %number
sizes:
  %out = getelementptr [80 x i8], ptr %buffers, i64 %last
  %item_at = getelementptr i8, ptr %out, i64 24
  %item = load i64, ptr %item_at
  %last_len_at = getelementptr i8, ptr %out, i64 16
  %last_len = load i64, ptr %last_len_at
  %n = udiv i64 %last_len, %item
  store i64 %n, ptr %record
  %rank_at = getelementptr i64, ptr %record, i64 1
  store i64 0, ptr %rank_at
  %empty = icmp eq i64 %n, 0
  %too_many = icmp sgt i64 %n, %most
  br i1 %empty, label %done, label %within
within:
  br i1 %too_many, label %close_count, label %run
run:
  %record_word = ptrtoint ptr %record to i64
  %large = icmp sgt i64 %n, {GIL_FREE_ABOVE}
  {builtin.calls("status", "%kernel", "i64 %record_word, i64 0, i64 %n", "%large")}
  %bad = icmp ne i64 %status, 0
  br i1 %bad, label %close_count, label %done
done:
  %result_at = getelementptr ptr, ptr %args, i64 %last
  %result = load ptr, ptr %result_at
  br label %close
close_some:
  br label %close
close_all:
  br label %close
close_count:
  br label %close
close:
  %opened_count = phi i64 [%count, %done], [%i, %close_some], [%i_next, %close_all],
                         [%count, %close_count]
  %answer = phi ptr [%result, %done], [%self, %close_some], [%self, %close_all],
                    [%self, %close_count]
  br label %closing
closing:
  %c = phi i64 [0, %close], [%c_next, %release]
  %left = icmp slt i64 %c, %opened_count
  br i1 %left, label %release, label %leave
release:
  %cb = getelementptr [80 x i8], ptr %buffers, i64 %c
  call void @PyBuffer_Release(ptr %cb)
  %c_next = add i64 %c, 1
  br label %closing
leave:
  call void @Py_IncRef(ptr %answer)
  ret ptr %answer
refuse:
  call void @Py_IncRef(ptr %self)
  ret ptr %self
}}
"""


def fits(arrays: int, parameters: int) -> bool:
    """Whether so many fit into the entry's buffers, with room for a word that nobody reads."""
    return arrays <= MAX_ARRAYS and parameters < MAX_PARAMETERS


@functools.cache
def _method() -> int:
    address = builtin.address(_TEXT)
    return builtin.method(address, "kernel", "Run a compiled kernel.")


def make(
    kernel: Kernel,
    formats: Sequence[str],
    operands: int,
    parameters: Sequence[bytes],
    most: int = (1 << 63) - 1,
    numbers: Sequence[tuple[Word, int]] = (),
) -> tuple[Callable[..., Any], bytes]:
    """A callable over operands, outputs and numbers, which returns the last output, and the
    descriptor it returns when it declines; it declines more than `most` elements.

    `numbers`: the kind of each, and which of the words of `parameters` it replaces.
    """
    head = kernel.address, len(formats), operands, len(parameters), id(np.ndarray), most
    body = b"".join(p.ljust(8, b"\0") for p in parameters)
    places = [word for pair in numbers for word in pair]
    descriptor = struct.pack("=7q", *head, len(numbers)) + body
    descriptor += struct.pack(f"={len(places)}q", *places) + "".join(formats).encode()
    return builtin.function(_method(), descriptor), descriptor
