"""Accumulators of reductions: the only additions that may be reordered, within one block.

The flags sit on these instructions alone: inlined, they let LLVM keep several partial sums in a
vector register, while the mapped function around them stays exact. The totals of blocks are then
added in NumPy's order (`pairwise`).
"""

# pyright: basic

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from nbgraph.kernels.loops.loop import LANES, ROOM, STRIP
from nbgraph.kernels.scalar.kinds import INTEGERS
from nbgraph.kernels.vector_math.pairwise import pairwise
from nbgraph.native.memory import room


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
    """Return an accumulator of the larger or smaller value; NaN where either is NaN."""

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


ADD = _accumulator("fadd", "add")
MULTIPLY = _accumulator("fmul", "mul")


MAX = _extreme("llvm.maximum", ">")
MIN = _extreme("llvm.minimum", "<")


def names() -> dict[str, Any]:
    """Return the names that emitted reductions refer to, with what they stand for."""
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
