"""Memory that threads share: ordered loads and stores, read-modify-write, blocks of words.

Arguments and results are int64; an address is that of an aligned 64-bit word. The plain `load` and
`store` are not ordered for other threads, and LLVM may move or merge them; words that two threads
access at once need the others. None of these functions can fail or takes the GIL.
"""

# mypy: ignore-errors
# pyright: basic

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils

from nbgraph.native.intrinsics import llvm_intrinsic

WORD = 8  # bytes

_I64 = ir.IntType(64)
# the instruction of a spin loop: an LLVM intrinsic and its operands
_PAUSES = {
    **dict.fromkeys(("x86_64", "amd64", "i386", "i686"), ("llvm.x86.sse2.pause", ())),
    **dict.fromkeys(("aarch64", "arm64"), ("llvm.aarch64.hint", (1,))),
}
_PAUSE = _PAUSES.get(platform.machine().lower())


def _place(builder, address):
    return builder.inttoptr(address, _I64.as_pointer())


def _bytes(builder, address):
    return builder.inttoptr(address, ir.IntType(8).as_pointer())


@llvm_intrinsic(types.int64(types.int64))
def load(builder, address):
    """Return the word at `address`."""
    return builder.load(_place(builder, address), align=WORD)


@llvm_intrinsic(types.void(types.int64, types.int64))
def store(builder, address, value):
    """Store `value` at `address`."""
    builder.store(value, _place(builder, address), align=WORD)


@llvm_intrinsic(types.int64(types.int64))
def load_acquire(builder, address):
    """Return the word at `address`; its writer's work before `store_release` is visible then."""
    return builder.load_atomic(_place(builder, address), "acquire", WORD)


@llvm_intrinsic(types.void(types.int64, types.int64))
def store_release(builder, address, value):
    """Store `value` at `address`, after all earlier memory operations of this thread."""
    builder.store_atomic(value, _place(builder, address), "release", WORD)


@llvm_intrinsic(types.int64(types.int64, types.int64))
def fetch_add(builder, address, value):
    """Add `value` to the word at `address`; return the old word."""
    return builder.atomic_rmw("add", _place(builder, address), value, "seq_cst")


@llvm_intrinsic(types.int64(types.int64, types.int64))
def exchange(builder, address, value):
    """Store `value` at `address`; return the old word."""
    return builder.atomic_rmw("xchg", _place(builder, address), value, "seq_cst")


@llvm_intrinsic(types.boolean(types.int64, types.int64, types.int64))
def compare_exchange(builder, address, expected, new):
    """Store `new` at `address` if `expected` is there; return whether it was."""
    place = _place(builder, address)
    pair = builder.cmpxchg(place, expected, new, "seq_cst", "seq_cst")
    return builder.extract_value(pair, 1)


@llvm_intrinsic(types.void())
def fence(builder):
    """Make all earlier memory operations visible to every thread before any later one."""
    builder.fence("seq_cst")


@llvm_intrinsic(types.void())
def pause(builder):
    """Execute the instruction of a spin loop, if the processor has one."""
    if _PAUSE is not None:
        name, operands = _PAUSE
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(operands))
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        builder.call(function, [ir.Constant(ir.IntType(32), n) for n in operands])


@llvm_intrinsic(types.void(types.int64, types.int64, types.int64))
def copy_words(builder, target, source, count):
    """Copy `count` words from `source` to `target`; the two do not overlap."""
    ends = _bytes(builder, target), _bytes(builder, source)
    cgutils.raw_memcpy(builder, *ends, count, WORD, align=WORD)


@llvm_intrinsic(types.void(types.int64, types.int64))
def clear_words(builder, address, count):
    """Set `count` words at `address` to zero."""
    size = builder.mul(count, _I64(WORD))
    cgutils.memset(builder, _bytes(builder, address), size, 0)
