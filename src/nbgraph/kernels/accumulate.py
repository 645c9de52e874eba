"""Accumulators of reductions: the only additions that may be reordered, within one block.

The flags sit on these instructions alone: inlined, they let LLVM keep several partial sums in a
vector register, while the mapped function around them stays exact. The totals of blocks are then
added in NumPy's order.
"""

# pyright: basic

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbgraph.codegen import lower
from nbgraph.kernels.kinds import INTEGERS
from nbgraph.kernels.loops import LANES, ROOM, STRIP
from nbgraph.native.memory import load, room, store


def _accumulator(float_op: str, int_op: str) -> Any:
    @intrinsic
    def accumulate(typingctx, total, value):
        kind = types.unliteral(total)

        def codegen(context, builder, signature, args):
            if isinstance(kind, types.Float):
                return getattr(builder, float_op)(*args, flags=("reassoc",))
            return getattr(builder, int_op)(*args)

        return kind(kind, kind), codegen

    return accumulate


def _extreme(name: str, order: str) -> Any:
    """The larger or smaller value; NaN where either is NaN."""

    @intrinsic
    def accumulate(typingctx, total, value):
        kind = types.unliteral(total)

        def codegen(context, builder, signature, args):
            if isinstance(kind, types.Float):
                signature_ = ir.FunctionType(args[0].type, [args[0].type] * 2)
                called = builder.module.declare_intrinsic(name, [args[0].type], signature_)
                return builder.call(called, args)
            compare = builder.icmp_signed if kind.signed else builder.icmp_unsigned
            return builder.select(compare(order, *args), *args)

        return kind(kind, kind), codegen

    return accumulate


_LEAF = 128  # elements that NumPy's pairwise sum adds up in eight accumulators
_DEPTH = 64  # halvings: more than a 64-bit size allows
_sums, _rights = room("float64", _DEPTH), room("int64", _DEPTH)


@lower.jit
def _leaf(p, start, size):
    """The sum of up to 128 elements, as NumPy adds them."""
    first = start + 8
    if size < 8:
        total = -0.0
        first = start
    else:
        a, b, c, d = load(p, start), load(p, start + 1), load(p, start + 2), load(p, start + 3)
        e, f, g = load(p, start + 4), load(p, start + 5), load(p, start + 6)
        h = load(p, start + 7)
        while first + 8 <= start + size:
            a, b = a + load(p, first), b + load(p, first + 1)
            c, d = c + load(p, first + 2), d + load(p, first + 3)
            e, f = e + load(p, first + 4), f + load(p, first + 5)
            g, h = g + load(p, first + 6), h + load(p, first + 7)
            first += 8
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(first, start + size):
        total += load(p, i)
    return total


@lower.jit
def pairwise(p, n):
    """The sum of n float64 in the order of NumPy's `add.reduce`: halves of halves down to 128.

    `rights` holds the sizes of right halves still to come, or -1 where the left half's sum lies in
    `sums` and the right one is under way.
    """
    sums, rights = _sums(), _rights()
    depth, start, size = 0, 0, n
    while True:
        while size > _LEAF:
            half = size // 2
            half -= half % 8
            store(rights, depth, size - half)
            depth += 1
            size = half
        total = _leaf(p, start, size)
        start += size
        while depth > 0 and load(rights, depth - 1) < 0:
            depth -= 1
            total = load(sums, depth) + total
        if depth == 0:
            return 0.0 + total
        store(sums, depth - 1, total)
        size = load(rights, depth - 1)
        store(rights, depth - 1, np.int64(-1))


ADD = _accumulator("fadd", "add")
MULTIPLY = _accumulator("fmul", "mul")


MAX = _extreme("llvm.maximum", ">")
MIN = _extreme("llvm.minimum", "<")


def names() -> dict[str, Any]:
    """What emitted reductions refer to."""
    space: dict[str, Any] = {
        "acc_add": ADD,
        "acc_multiply": MULTIPLY,
        "acc_max": MAX,
        "acc_min": MIN,
        "acc_pairwise": pairwise,
        **{f"strip_{name}": room(name, STRIP) for name in ("float32", "float64")},
        **{f"strip_{name}": room(name, STRIP) for name in INTEGERS},
        **{f"room_{name}": room(name, count) for name, count in ROOM.items()},
        "room_int64": room("int64", 1),
        **{f"lanes_{name}": room(name, LANES) for name in (*INTEGERS, "float32", "float64")},
    }
    for name in INTEGERS:
        info = np.iinfo(name)
        space[f"max_start_{name}"] = np.dtype(name).type(info.min)
        space[f"min_start_{name}"] = np.dtype(name).type(info.max)
    return space
