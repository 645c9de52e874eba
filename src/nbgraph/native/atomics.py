"""Memory that threads share: loads and stores with an order, read-modify-write, blocks of words.

Every function takes and gives int64; an address is that of an aligned 64-bit word. The plain
`load` and `store` promise nothing to other threads, and LLVM may move or merge them; whatever two
threads touch at once goes through the others. None of them can fail or take the GIL.
"""

# mypy: ignore-errors
# pyright: basic

from __future__ import annotations

import platform

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

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


@intrinsic
def load(typingctx, address):
    """The word at `address`."""

    def codegen(context, builder, signature, args):
        return builder.load(_place(builder, args[0]), align=WORD)

    return types.int64(types.int64), codegen


@intrinsic
def store(typingctx, address, value):
    """Put `value` at `address`."""

    def codegen(context, builder, signature, args):
        builder.store(args[1], _place(builder, args[0]), align=WORD)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def load_acquire(typingctx, address):
    """The word at `address`; what its writer did before `store_release` is visible after it."""

    def codegen(context, builder, signature, args):
        return builder.load_atomic(_place(builder, args[0]), "acquire", WORD)

    return types.int64(types.int64), codegen


@intrinsic
def store_release(typingctx, address, value):
    """Put `value` at `address`, after everything this thread did before."""

    def codegen(context, builder, signature, args):
        builder.store_atomic(args[1], _place(builder, args[0]), "release", WORD)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def fetch_add(typingctx, address, value):
    """Add `value` to the word at `address`; returns what was there before."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("add", _place(builder, args[0]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def exchange(typingctx, address, value):
    """Put `value` at `address`; returns what was there before."""

    def codegen(context, builder, signature, args):
        return builder.atomic_rmw("xchg", _place(builder, args[0]), args[1], "seq_cst")

    return types.int64(types.int64, types.int64), codegen


@intrinsic
def compare_exchange(typingctx, address, expected, new):
    """Put `new` at `address` if `expected` is there; returns whether it was."""

    def codegen(context, builder, signature, args):
        place = _place(builder, args[0])
        pair = builder.cmpxchg(place, args[1], args[2], "seq_cst", "seq_cst")
        return builder.extract_value(pair, 1)

    return types.boolean(types.int64, types.int64, types.int64), codegen


@intrinsic
def fence(typingctx):
    """All memory operations before are visible to every thread before any that follows."""

    def codegen(context, builder, signature, args):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def pause(typingctx):
    """Tell the processor that this thread spins; nothing where it has no such instruction."""

    def codegen(context, builder, signature, args):
        if _PAUSE is not None:
            name, operands = _PAUSE
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * len(operands))
            function = cgutils.get_or_insert_function(builder.module, kind, name)
            builder.call(function, [ir.Constant(ir.IntType(32), n) for n in operands])
        return context.get_dummy_value()

    return types.void(), codegen


@intrinsic
def copy_words(typingctx, target, source, count):
    """Copy `count` words from `source` to `target`; the two do not overlap."""

    def codegen(context, builder, signature, args):
        target, source = _bytes(builder, args[0]), _bytes(builder, args[1])
        cgutils.raw_memcpy(builder, target, source, args[2], WORD, align=WORD)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def clear_words(typingctx, address, count):
    """Set `count` words at `address` to zero."""

    def codegen(context, builder, signature, args):
        size = builder.mul(args[1], _I64(WORD))
        cgutils.memset(builder, _bytes(builder, args[0]), size, 0)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen
