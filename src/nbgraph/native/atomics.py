"""Memory that threads share: loads and stores with an order, read-modify-write, blocks of words.

Every function takes and gives int64; an address is that of an aligned 64-bit word. The plain
`load` and `store` promise nothing to other threads, and LLVM may move or merge them; whatever two
threads touch at once goes through the others. None of them can fail or take the GIL.
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
# what tells the processor that a thread spins: an LLVM intrinsic and its operands
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
    """The word at `address`."""
    return builder.load(_place(builder, address), align=WORD)


@llvm_intrinsic(types.void(types.int64, types.int64))
def store(builder, address, value):
    """Put `value` at `address`."""
    builder.store(value, _place(builder, address), align=WORD)


@llvm_intrinsic(types.int64(types.int64))
def load_acquire(builder, address):
    """The word at `address`; what its writer did before `store_release` is visible after it."""
    return builder.load_atomic(_place(builder, address), "acquire", WORD)


@llvm_intrinsic(types.void(types.int64, types.int64))
def store_release(builder, address, value):
    """Put `value` at `address`, after everything this thread did before."""
    builder.store_atomic(value, _place(builder, address), "release", WORD)


@llvm_intrinsic(types.int64(types.int64, types.int64))
def fetch_add(builder, address, value):
    """Add `value` to the word at `address`; returns what was there before."""
    return builder.atomic_rmw("add", _place(builder, address), value, "seq_cst")


@llvm_intrinsic(types.int64(types.int64, types.int64))
def exchange(builder, address, value):
    """Put `value` at `address`; returns what was there before."""
    return builder.atomic_rmw("xchg", _place(builder, address), value, "seq_cst")


@llvm_intrinsic(types.boolean(types.int64, types.int64, types.int64))
def compare_exchange(builder, address, expected, new):
    """Put `new` at `address` if `expected` is there; returns whether it was."""
    place = _place(builder, address)
    pair = builder.cmpxchg(place, expected, new, "seq_cst", "seq_cst")
    return builder.extract_value(pair, 1)


@llvm_intrinsic(types.void())
def fence(builder):
    """All memory operations before are visible to every thread before any that follows."""
    builder.fence("seq_cst")


@llvm_intrinsic(types.void())
def pause(builder):
    """Tell the processor that this thread spins; nothing where it has no such instruction."""
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
